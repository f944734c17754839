"""What judgment asks of the outside: a model that answers, and a ledger that remembers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal, Protocol

from jurat.rules.rule import Severity

Tier = Literal["flash", "pro"]
Thinking = Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request. `schema` is the JSON schema that the reply's text must satisfy."""

    system: str
    user: str
    schema: Mapping[str, Any]
    tier: Tier
    thinking: Thinking


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer, complete: an adapter raises JudgeError rather than hand on half of one.

    `served` is the version of the model that answered, as its provider names it; "" if it does not.
    """

    text: str
    model_id: str
    input_tokens: int
    output_tokens: int
    latency_ms: float
    served: str = ""


class JudgeErrorKind(StrEnum):
    """Why a model gave no usable answer."""

    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    RATE_LIMITED = "rate_limited"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    TOO_LARGE = "too_large"
    REJECTED = "rejected"
    EXHAUSTED = "exhausted"

    @property
    def is_passing(self) -> bool:
        """Whether nothing is wrong with the question: later, the same may be answered."""
        return self in (
            JudgeErrorKind.TIMEOUT,
            JudgeErrorKind.UNAVAILABLE,
            JudgeErrorKind.RATE_LIMITED,
        )

    @property
    def is_worth_splitting(self) -> bool:
        """Whether smaller questions may fare better than the one that failed.

        A rate limit and a budget forbid asking more often, and a key or a model that the API
        rejects is rejected in any question.
        """
        return self not in (
            JudgeErrorKind.RATE_LIMITED,
            JudgeErrorKind.REJECTED,
            JudgeErrorKind.EXHAUSTED,
        )


class JudgeError(Exception):
    """The model gave no usable answer. `fault` says why, `detail` is safe to show."""

    def __init__(self, fault: JudgeErrorKind, detail: str) -> None:
        super().__init__(f"{fault}: {detail}")
        self.fault = fault
        self.detail = detail


class Judge(Protocol):
    """A model. Retries on a passing fault are the adapter's; it raises JudgeError in the end."""

    async def ask(self, prompt: Prompt) -> Reply:
        """Answer one prompt, or raise JudgeError."""
        ...

    def model_id(self, tier: Tier) -> str:
        """The model that serves a tier, as it enters the ledger's key."""
        ...


class AnswerCache(Protocol):
    """Remembers verdicts as JSON text by key, so that the same question is not asked twice."""

    async def recall(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The entries that are known, by key."""
        ...

    async def remember(self, entries: Mapping[str, str]) -> None:
        """Keep entries. One that is known already stays as it is."""
        ...

    async def amend(self, entries: Mapping[str, str]) -> None:
        """Keep entries in place of those that are known."""
        ...

    async def claim(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of `keys` that no other process is asking: they are the caller's, until `release`.

        A claim lapses by itself, in case its process died.
        """
        ...

    async def release(self, keys: Sequence[str]) -> None:
        """Give claims back, whether they were answered or not."""
        ...


# How judgment is done: tiers, thinking levels and budgets. The defaults are the design's.

BYTES_A_TOKEN = 3
"""UTF-8 bytes counted as one token.

Gemini's documentation gives about 4 characters a token for English prose; source code, with its
digits and punctuation, measures nearer 3. The estimate is on the safe side for both, and counts
text outside ASCII by its longer encoding.
"""


@dataclass(frozen=True, slots=True)
class CallOptions:
    """Which tier is asked, and how long it may think."""

    tier: Tier
    thinking: Thinking


SINGLE = MappingProxyType(
    {
        Severity.LOW: CallOptions("flash", "low"),
        Severity.MEDIUM: CallOptions("flash", "medium"),
        Severity.HIGH: CallOptions("flash", "high"),
        Severity.CRITICAL: CallOptions("pro", "high"),
    }
)
"""Who judges one rule alone, by its severity."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a model's tokens cost, in one currency for a million of them."""

    input: float
    output: float


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """Tokens that may still be spent, given and received, and `of` what they are the rest."""

    tokens: int
    of: str


@dataclass(frozen=True, slots=True)
class JudgmentOptions:
    """Who is asked, and how much at once.

    `batch` judges all rules together, `confirmation` confirms a DENY on a CRITICAL rule, `single`
    judges one rule if the batch failed. `prompt_tokens` bounds one whole prompt (estimated, see
    BYTES_A_TOKEN). `rules_per_batch` bounds the rules listed in one prompt. `batches` bounds the
    prompts that one surface is cut into: what does not fit is reported as unread. `concurrency`
    bounds the calls under way at once. `review_tokens` bounds what one review may spend,
    `day_tokens` all of a day's, None if nothing does: what is left of them is on the CallRecord.
    `prices` are those of the models whose cost is to be shown, by name.
    """

    batch: CallOptions = CallOptions("flash", "medium")
    confirmation: CallOptions = CallOptions("pro", "high")
    single: Mapping[Severity, CallOptions] = field(default_factory=lambda: SINGLE)
    prompt_tokens: int = 64_000
    rules_per_batch: int = 20
    batches: int = 16
    concurrency: int = 8
    review_tokens: int | None = None
    day_tokens: int | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)


def count_utf8_bytes(text: str) -> int:
    """The UTF-8 bytes of a text; a lone surrogate counts as the three bytes it would take."""
    return len(text.encode("utf-8", "surrogatepass"))


def estimate_tokens(text: str) -> int:
    """The tokens a text is counted as, rounded up (see BYTES_A_TOKEN)."""
    return -(-count_utf8_bytes(text) // BYTES_A_TOKEN)
