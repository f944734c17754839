"""Bad weather on purpose: errors, dropped connections and limits, where a test wants them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.standins.github.refusals import BURST


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens instead of the answer.

    `status` None closes the connection without a word. With `applied` the request takes effect
    first, as when a gateway gives up on a write that went through.
    """

    status: int | None
    message: str = "Server Error"
    headers: Mapping[str, str] = field(default_factory=dict)
    applied: bool = False


SERVER_ERROR = Fault(500)
BAD_GATEWAY = Fault(502)
APPLIED_BAD_GATEWAY = Fault(502, applied=True)
DROPPED = Fault(None)
APPLIED_DROPPED = Fault(None, applied=True)
BAD_CREDENTIALS = Fault(401, "Bad credentials")


def secondary_limit(retry_after: int) -> Fault:
    """A burst was too much; `retry_after` is in seconds."""
    return Fault(403, BURST, {"Retry-After": str(retry_after)})


FaultRule = Callable[[str, str], Fault | None]
"""Asked for each request with its method and path (without /api/v3); the first fault wins."""


def once(fault: Fault, method: str = "", path: str = "", *, skip: int = 0) -> FaultRule:
    """Strikes the first request that has this method and this text in its path.

    `skip` lets that many matching requests through before.
    """
    left = [skip]

    def rule(asked_method: str, asked_path: str) -> Fault | None:
        if left[0] < 0 or method not in ("", asked_method) or path not in asked_path:
            return None
        left[0] -= 1
        return fault if left[0] < 0 else None

    return rule


def always(fault: Fault, method: str = "", path: str = "") -> FaultRule:
    """Strikes every request that has this method and this text in its path."""
    return lambda asked, at: fault if method in ("", asked) and path in at else None


def sometimes(rate: float, faults: Sequence[Fault], randomness: random.Random) -> FaultRule:
    """Strikes a share `rate` of all requests with one of the faults; seeded by the caller."""
    return lambda _method, _path: randomness.choice(faults) if randomness.random() < rate else None
