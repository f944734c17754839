"""Time as the stand-in sees it: handed in, so that a token can expire without waiting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]
"""Gives the present moment, with its time zone."""


def system_clock() -> datetime:
    """The machine's own time."""
    return datetime.now(UTC)


class ManualClock:
    """A clock that stands still until it is told to go on."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """The moment at which it stands."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass."""
        self.now += timedelta(seconds=seconds)


def timestamp(moment: datetime) -> str:
    """A moment as GitHub writes it: whole seconds, UTC, `Z` at the end."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
