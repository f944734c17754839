"""The pace of one installation: its rate limits, waited out, and its turns to write."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol

from jurat.github.errors import RateLimitedError

PATIENCE = 300.0
"""Seconds that a request may wait for its turn."""

Clock = Callable[[], float]
"""Gives Unix time in seconds."""
Sleep = Callable[[float], Awaitable[None]]
Turn = Callable[[], Awaitable[float]]
"""Takes the next turn to write among all processes: in how many seconds it is."""


class Meter(Protocol):
    """Whoever counts what a client does."""

    def count_answer(self, method: str, status: int, headers: Mapping[str, str]) -> None:
        """GitHub answered a request, with whatever status."""
        ...

    def count_pause(self, seconds: float, *, limited: bool) -> None:
        """A request waited: if `limited`, because GitHub asked for it, else for its turn."""
        ...


class Pace:
    """When the next request may be sent, for all clients of one installation together.

    Writes go one at a time, `write_interval` seconds apart; 0 lifts both. If other processes write
    too, each waits for its `turn` as well. A pause of more than five minutes is a RateLimitedError.
    """

    def __init__(
        self,
        clock: Clock,
        sleep: Sleep,
        *,
        write_interval: float = 1.0,
        turn: Turn | None = None,
        meter: Meter | None = None,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._write_interval = write_interval
        self._turn = turn
        self._meter = meter
        # One write at a time, a second apart, as GitHub asks of whoever would not be limited:
        # https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
        self._writing = asyncio.Lock()
        self._not_before = 0.0
        self._next_write = 0.0

    def hold_write_turn(self, method: str) -> AbstractAsyncContextManager[None]:
        """Held from a write's first attempt to its last."""
        return self._writing if self._is_paced(method) else nullcontext()

    def pause_all(self, seconds: float) -> None:
        """Let no request be sent for that long: GitHub asked for a pause."""
        self._not_before = max(self._not_before, self._clock() + seconds)

    async def wait_turn(self, method: str) -> None:
        """Wait until a request may be sent."""
        await self._pause(self._not_before - self._clock(), limited=True)
        if self._is_paced(method):
            # After a limit's pause: processes that wait for its end together must not write so.
            elsewhere = await self._turn() if self._turn else 0.0
            await self._pause(max(self._next_write - self._clock(), elsewhere), limited=False)
            # From when it is sent, not answered: GitHub counts requests.
            self._next_write = self._clock() + self._write_interval

    def _is_paced(self, method: str) -> bool:
        return method not in ("GET", "HEAD") and self._write_interval > 0

    async def _pause(self, seconds: float, *, limited: bool) -> None:
        if seconds > PATIENCE:
            # Asking on while limited may get an App banned, says GitHub.
            raise build_rate_limit_error(seconds)
        if seconds > 0:
            if self._meter is not None:
                self._meter.count_pause(seconds, limited=limited)
            await self._sleep(seconds)


def build_rate_limit_error(seconds: float) -> RateLimitedError:
    """Said to the job, which comes back after that many seconds."""
    return RateLimitedError(
        f"GitHub's rate limit asks for a pause of {seconds:.0f} s.", retry_after=seconds
    )
