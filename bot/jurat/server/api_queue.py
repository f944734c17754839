"""The queue of evaluations: a few at once, many that wait, and those turned away know how long."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic

from jurat.server.api_http import ApiError

MAX_AT_ONCE = 8
"""Evaluations under way at once."""
MAX_WAITING = 224
"""Requests that wait for their turn. With those under way they are fewer than the connections that
one address has (`ConnectionLimits`): whoever asks for more is answered, not cut off."""
_LONGEST = 60
"""Seconds after which whoever was turned away is asked to come again, at most."""
_WEIGHT = 0.2
"""What the latest evaluation counts for in how long one takes."""


class EvaluationQueue:
    """Turns, in the order in which they were asked for. `clock` counts seconds.

    Take one before the body is read: what waits then holds a connection, and no body in memory.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        # Fair: whoever waits longest is next.
        self._free = asyncio.Semaphore(MAX_AT_ONCE)
        self._waiting = 0
        self._seconds = 1.0

    @asynccontextmanager
    async def take_turn(self) -> AsyncIterator[None]:
        """A turn; raises ApiError (429) if as many wait as may."""
        # No await between the look and the count: this is one step of the event loop.
        if self._waiting >= MAX_WAITING:
            seconds = math.ceil(self._seconds * self._waiting / MAX_AT_ONCE)
            raise ApiError(
                429,
                f"{MAX_WAITING} evaluations wait for their turn already.",
                hint="The header Retry-After says in how many seconds to try again.",
                headers={"Retry-After": str(min(max(seconds, 1), _LONGEST))},
            )
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        began = self._clock()
        try:
            yield
        finally:
            self._free.release()
            self._seconds += _WEIGHT * (self._clock() - began - self._seconds)
