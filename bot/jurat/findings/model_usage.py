"""What models were asked in a review: calls, tokens, cost, and a digest of each prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class CallPurpose(StrEnum):
    """What a model is asked for."""

    VERDICTS = "verdicts"
    RELEVANCE = "relevance"
    RATING = "rating"


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """What left the house in one call: the SHA-256 of all of its text, and its bytes in UTF-8.

    Of several texts, such as instruction and message, the digest has a zero byte between them.
    """

    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What one model was asked in one review for one purpose.

    `sent` has each call, answered or not. `cost` is in the operator's currency, None if they state
    no price. The tokens of relevance are estimated: no API says them.
    """

    model_id: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    latency_ms: float = 0.0
    sent: tuple[SentPrompt, ...] = ()
    cost: float | None = None
    purpose: CallPurpose = CallPurpose.VERDICTS


def add_usage(*parts: Sequence[ModelUsage]) -> tuple[ModelUsage, ...]:
    """What was asked in all, by model and purpose."""
    total: dict[tuple[str, CallPurpose], ModelUsage] = {}
    for item in (use for part in parts for use in part):
        key = item.model_id, item.purpose
        use = total.get(key, ModelUsage(item.model_id))
        total[key] = ModelUsage(
            item.model_id,
            use.calls + item.calls,
            use.input_tokens + item.input_tokens,
            use.output_tokens + item.output_tokens,
            use.latency_ms + item.latency_ms,
            (*use.sent, *item.sent),
            item.cost if use.cost is None else use.cost + (item.cost or 0.0),
            item.purpose,
        )
    return tuple(total.values())
