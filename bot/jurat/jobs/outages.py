"""Whether a job failed of itself, or because somebody else is away, whom it waits for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jurat.errors import JuratError

LOOK = 60.0
"""Seconds after which a job that waits looks again, at most: short enough that all have their turn
within minutes of the return. It begins with a 60th of that, and doubles it each time."""
_MAX_KEYS = 10_000


@dataclass(slots=True)
class _Outage:
    """A key whose job waits: since when, when it looked last, and how often it has."""

    since: float
    last: float
    looks: int = 0


class Outages:
    """What is away, as far as the jobs of this process have seen.

    Nobody is asked: if GitHub fails in part, no question but the jobs' own tells. A job that met an
    error with `patience` waits, and its attempt is not counted, while no job of another key comes
    through that needs the same. If others do, it is the job that fails. Waiting ends with the
    error's patience, so that a job that nothing would mend does not wait for ever. `clock` counts
    seconds.
    """

    def __init__(self, clock: Callable[[], float], look: float = LOOK) -> None:
        self._clock = clock
        self._look = look
        self._waiting: dict[str, _Outage] = {}
        self._came_through = -float("inf")
        self._in_a_row = 0
        self._next_try = 0.0

    @property
    def is_away(self) -> bool:
        """Whether somebody is whom all jobs need: then one at a time is enough to see."""
        # Not after the first one: it may have been alone with its trouble.
        return self._in_a_row > 1

    @property
    def pause(self) -> float:
        """Seconds until the next job is worth a try; 0 while something comes through."""
        return max(self._next_try - self._clock(), 0.0) if self.is_away else 0.0

    def note_success(self, key: str) -> None:
        """A job of this key came through."""
        self._waiting.pop(key, None)
        self._came_through = self._clock()
        self._in_a_row = 0

    def forget(self, key: str) -> None:
        """A job of this key was given up: the next one waits on its own account."""
        self._waiting.pop(key, None)

    def find_pause(self, key: str, error: BaseException) -> float | None:
        """Seconds that a job that met this error waits uncounted; None if its attempt counts."""
        if not isinstance(error, JuratError) or error.patience <= 0:
            return None
        now = self._clock()
        known = self._waiting.pop(key, None) or _Outage(now, now)
        # Kept whatever comes of it: who begins anew with each failure counts none, or every second.
        self._waiting[key] = known
        if len(self._waiting) > _MAX_KEYS:
            del self._waiting[next(iter(self._waiting))]
        if error.is_needed_by_all and self._came_through > known.last:
            # Others came through since this one looked: nobody is away.
            known.since = known.last = now
            return None
        if now - known.since > error.patience:
            return None
        known.last, known.looks = now, known.looks + 1
        if error.is_needed_by_all:
            self._in_a_row += 1
            self._next_try = now + self._compute_pause(self._in_a_row - 1)
        return self._compute_pause(known.looks)

    def _compute_pause(self, count: int) -> float:
        return self._look * min(1.0, 2.0 ** min(count - 1, 10) / 60)
