"""Rate limits: the hourly budget, and the secondary limits on bursts.

https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from datetime import datetime

from tests.standins.github.refusals import BURST, RefusalError

_HOUR = 3600


@dataclass(frozen=True, slots=True)
class SecondaryLimits:
    """What may be asked in a burst. A read costs 1 point, a write 5."""

    points_per_minute: int = 900
    writes_per_minute: int = 80
    writes_per_hour: int = 500


@dataclass(slots=True)
class _Budget:
    """One caller's use: the current hour, and the recent requests as (second, points)."""

    started: float = 0.0
    used: int = 0
    recent: deque[tuple[float, int]] = field(default_factory=deque)
    writes: deque[float] = field(default_factory=deque)


class RateLimits:
    """Counts requests for each caller."""

    def __init__(self, limit: int, secondary: SecondaryLimits | None) -> None:
        self._limit = limit
        self._secondary = secondary
        self._budgets: dict[str, _Budget] = defaultdict(_Budget)

    def spend(self, caller: str, now: datetime, *, write: bool) -> None:
        """Count one request, or refuse it."""
        moment = now.timestamp()
        budget = self._current(caller, moment)
        if budget.used >= self._limit:
            raise RefusalError(403, f"API rate limit exceeded for {caller}.")
        if self._secondary is not None:
            _refuse_bursts(self._secondary, budget, moment, write=write)
        budget.used += 1
        budget.recent.append((moment, 5 if write else 1))
        if write:
            budget.writes.append(moment)

    def refund(self, caller: str) -> None:
        """A 304 costs nothing."""
        self._budgets[caller].used -= 1

    def headers(self, caller: str, now: datetime) -> dict[str, str]:
        """The x-ratelimit headers that stand on every answer."""
        budget = self._current(caller, now.timestamp())
        return {
            "X-RateLimit-Limit": str(self._limit),
            "X-RateLimit-Remaining": str(self._limit - budget.used),
            "X-RateLimit-Used": str(budget.used),
            "X-RateLimit-Reset": str(int(budget.started) + _HOUR),
            "X-RateLimit-Resource": "core",
        }

    def overview(self, caller: str, now: datetime) -> dict[str, dict[str, int]]:
        """The body of GET /rate_limit."""
        budget = self._current(caller, now.timestamp())
        reset = int(budget.started) + _HOUR
        core = {"limit": self._limit, "used": budget.used, "reset": reset}
        search = {"limit": 30, "used": 0, "remaining": 30, "reset": int(now.timestamp()) + 60}
        return {"core": core | {"remaining": self._limit - budget.used}, "search": search}

    def _current(self, caller: str, moment: float) -> _Budget:
        budget = self._budgets[caller]
        if moment >= budget.started + _HOUR:
            budget.started, budget.used = moment, 0
        return budget


def _refuse_bursts(limits: SecondaryLimits, budget: _Budget, moment: float, *, write: bool) -> None:
    while budget.recent and budget.recent[0][0] <= moment - 60:
        budget.recent.popleft()
    while budget.writes and budget.writes[0] <= moment - _HOUR:
        budget.writes.popleft()
    if sum(points for _, points in budget.recent) + (5 if write else 1) > limits.points_per_minute:
        raise _secondary_refusal(budget.recent[0][0] + 60 - moment)
    if not write:
        return
    last_minute = [second for second in budget.writes if second > moment - 60]
    if len(last_minute) >= limits.writes_per_minute:
        raise _secondary_refusal(last_minute[0] + 60 - moment)
    if len(budget.writes) >= limits.writes_per_hour:
        raise _secondary_refusal(budget.writes[0] + _HOUR - moment)


def _secondary_refusal(seconds: float) -> RefusalError:
    return RefusalError(
        403,
        BURST,
        headers={"Retry-After": str(max(1, int(seconds)))},
        documentation=(
            "https://docs.github.com/rest/using-the-rest-api/"
            "rate-limits-for-the-rest-api#about-secondary-rate-limits"
        ),
    )
