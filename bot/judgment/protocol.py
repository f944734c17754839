"""What judgment asks of the outside: a model that answers, and a ledger that remembers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, Protocol

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
    """One answer, complete: an adapter raises JudgeError rather than hand on half of one."""

    text: str
    model_id: str
    input_tokens: int
    output_tokens: int
    latency_ms: float


class Fault(StrEnum):
    """Why a model gave no usable answer."""

    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    RATE_LIMITED = "rate_limited"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    TOO_LARGE = "too_large"
    REJECTED = "rejected"

    @property
    def worth_asking_singly(self) -> bool:
        """Whether smaller questions may fare better than the one that failed.

        A rate limit forbids asking more often, and a key or a model that the API rejects is
        rejected in any question.
        """
        return self not in (Fault.RATE_LIMITED, Fault.REJECTED)


class JudgeError(Exception):
    """The model gave no usable answer. `fault` says why, `detail` is safe to show."""

    def __init__(self, fault: Fault, detail: str) -> None:
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


class Ledger(Protocol):
    """Remembers verdicts as JSON text by key, so that the same question is not asked twice."""

    async def recall(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The entries that are known, by key."""
        ...

    async def remember(self, entries: Mapping[str, str]) -> None:
        """Keep entries. One that is known already stays as it is."""
        ...
