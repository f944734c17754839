"""GitHub's rate limits, read from a response: how long to wait before the next request.

https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(slots=True)
class Pace:
    """How one installation's client has kept to the limits since this process began.

    `waits` counts requests that were held back, for `waited` seconds in all: a write for the one
    before it, or any request for a limit. `refusals` counts the times that GitHub said it was too
    many. `remaining` and `resets_at` (Unix time) are the primary limit as the last answer had it,
    None before one. Each process paces itself: what others use up shows in `remaining`, and their
    bursts in `refusals`.
    """

    requests: int = 0
    writes: int = 0
    waits: int = 0
    waited: float = 0.0
    refusals: int = 0
    remaining: int | None = None
    resets_at: float | None = None

    def answered(self, headers: Mapping[str, str]) -> None:
        """Note what an answer says of the primary limit."""
        remaining, reset = (
            _number(headers.get(f"x-ratelimit-{name}")) for name in ("remaining", "reset")
        )
        if remaining is not None:
            self.remaining = int(remaining)
        if reset is not None:
            self.resets_at = reset

    def held_back(self, seconds: float) -> None:
        """Note a wait."""
        self.waits += 1
        self.waited += seconds


FIRST_PAUSE = 60.0
"""Seconds to wait when a limit is hit and no header says how long; doubles each time."""


def pause(
    status: int, headers: Mapping[str, str], message: str, *, now: float, attempt: int
) -> float | None:
    """Seconds until the same request may be sent again; None where no rate limit is the reason.

    `now` is Unix time and `attempt` counts the refusals of this request, from 1. A 403 is a limit
    only where a header or the message says so: without, it is a missing permission.
    """
    if status not in (403, 429):
        return None
    retry_after = _number(headers.get("retry-after"))
    if retry_after is not None:
        return max(retry_after, 0.0)
    reset = _number(headers.get("x-ratelimit-reset"))
    if headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        return max(reset - now, 1.0)
    if status == 429 or "rate limit" in message.lower():
        return float(FIRST_PAUSE * 2 ** (attempt - 1))
    return None


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None
