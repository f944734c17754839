"""How judgment is done: tiers, thinking levels and budgets. The defaults are the design's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from bot.corpus.rule import Severity
from bot.judgment.protocol import Thinking, Tier

BYTES_A_TOKEN = 3
"""UTF-8 bytes counted as one token.

Gemini's documentation gives about 4 characters a token for English prose; source code, with its
digits and punctuation, measures nearer 3. The estimate is on the safe side for both, and counts
text outside ASCII by its longer encoding.
"""


@dataclass(frozen=True, slots=True)
class Asking:
    """Which tier is asked, and how long it may think."""

    tier: Tier
    thinking: Thinking


SINGLE = MappingProxyType(
    {
        Severity.LOW: Asking("flash", "low"),
        Severity.MEDIUM: Asking("flash", "medium"),
        Severity.HIGH: Asking("flash", "high"),
        Severity.CRITICAL: Asking("pro", "high"),
    }
)
"""Who judges one rule alone, by its severity."""


@dataclass(frozen=True, slots=True)
class JudgmentOptions:
    """Who is asked, and how much at once.

    `batch` judges all rules together, `confirmation` confirms a DENY on a CRITICAL rule, `single`
    judges one rule where the batch failed. `prompt_tokens` bounds one whole prompt (estimated, see
    BYTES_A_TOKEN). `rules_per_batch` bounds the rules listed in one prompt. `batches` bounds the
    prompts that one surface is cut into: what does not fit is reported as unread. `concurrency`
    bounds the calls under way at once.
    """

    batch: Asking = Asking("flash", "medium")
    confirmation: Asking = Asking("pro", "high")
    single: Mapping[Severity, Asking] = field(default_factory=lambda: SINGLE)
    prompt_tokens: int = 64_000
    rules_per_batch: int = 20
    batches: int = 16
    concurrency: int = 8


def size(text: str) -> int:
    """The UTF-8 bytes of a text; a lone surrogate counts as the three bytes it would take."""
    return len(text.encode("utf-8", "surrogatepass"))


def estimate_tokens(text: str) -> int:
    """The tokens a text is counted as, rounded up (see BYTES_A_TOKEN)."""
    return -(-size(text) // BYTES_A_TOKEN)
