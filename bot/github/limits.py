"""GitHub's rate limits, read from a response: how long to wait before the next request.

https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

from __future__ import annotations

import math
from collections.abc import Mapping

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
