"""The time, by the database's clock if several machines share one."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sqlalchemy import func, select

from jurat.store.database import Database, DatabaseUnavailable

EVERY = 30.0
"""Seconds after which the database is asked again. Until then this machine's steady clock counts,
which nobody sets, and which may run a little faster or stand still while the machine sleeps."""

_log = logging.getLogger(__name__)

Now = Callable[[], dt.datetime]


class DatabaseClock:
    """PostgreSQL's time; each call costs nothing, as it was asked before.

    A machine whose clock is wrong thus takes no lease for run out, does no day's work on another
    day, and deletes nothing too early. Before it was asked for the first time, and on SQLite, whose
    processes are all on one machine, it is `machine`'s.
    """

    def __init__(
        self, database: Database, machine: Now, steady: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._machine = machine
        self._steady = steady
        self._known: tuple[dt.datetime, float] | None = None

    def __call__(self) -> dt.datetime:
        """What time it is."""
        if self._known is None:
            return self._machine()
        at, steady = self._known
        return at + dt.timedelta(seconds=self._steady() - steady)

    def read_seconds(self) -> float:
        """The same in seconds since 1970; the machine's own until the database was asked."""
        return time.time() if self._known is None else self().timestamp()

    async def set(self) -> None:
        """Ask the database. Raises DatabaseUnavailable."""
        if self._database.engine.dialect.name != "postgresql":
            return
        async with self._database.reading() as connection:
            # Not `now()`, which is when the transaction began.
            at = (await connection.execute(select(func.clock_timestamp()))).scalar_one()
            self._known = at.astimezone(dt.UTC), self._steady()

    @asynccontextmanager
    async def keeping(self) -> AsyncIterator[None]:
        """Ask now, and again and again until the block ends."""
        await self.set()
        task = asyncio.create_task(self._ask())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait({task})

    async def _ask(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            try:
                await self.set()
            except DatabaseUnavailable:
                _log.warning("the database was not asked for the time")
