"""Whether a database can be written, found out by writing to it."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable

from sqlalchemy import Connection, delete, insert
from sqlalchemy.exc import DBAPIError

from jurat.store.database import Database, DatabaseUnavailable
from jurat.store.driver_errors import LOCKED, describe_driver_error
from jurat.store.tables import ticks

DEADLINE = 3.0
"""Seconds in which a trial answers: a readiness probe waits 5."""
PATIENCE = 10.0
"""Seconds without a write for which a database may still be at work: GitHub waits as long for the
answer to a delivery."""


class WriteTrial:
    """Tries whether a database can be written. One write is under way at a time.

    A database that refuses is told of at once. One that keeps a write waiting is not: writers take
    turns, and on SQLite one that finds the file locked waits up to 5 seconds and is then served. It
    is told of when the last write that ended is longer ago than `patience`, or none ever has.
    `clock` counts seconds.
    """

    def __init__(
        self,
        database: Database,
        *,
        clock: Callable[[], float] = time.monotonic,
        deadline: float = DEADLINE,
        patience: float = PATIENCE,
    ) -> None:
        self._database = database
        self._clock = clock
        self._deadline = deadline
        self._patience = patience
        self._wrote_at: float | None = None
        self._writing: asyncio.Task[str | None] | None = None

    async def problem(self) -> str | None:
        """What keeps the database from being written, in a clause; None if nothing does.

        Answers within the deadline, and says nothing of what DATABASE_URL holds.
        """
        # One at a time: probes that come while the database hangs must not pile up writes behind
        # it.
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        # Not `wait_for`, which waits for the end of what it cancels: to cancel a statement the
        # driver asks the server, which may be what does not answer.
        await asyncio.wait({self._writing}, timeout=self._deadline)
        if not self._writing.done() or self._writing.cancelled():
            # Once more each time, for a driver that waits for an answer to the first. One that has
            # ended was of an earlier trial.
            self._writing.cancel()
            return self._report_silence(f"no write ended within {self._deadline:g} s")
        reason = self._writing.result()
        if reason is None:
            self._wrote_at = self._clock()
        # A lock that is held is patience's matter, as is silence; a refusal is not.
        return self._report_silence(reason) if reason == LOCKED else reason

    async def _write(self) -> str | None:
        try:
            await self._database.transact(_write_and_delete)
        except DatabaseUnavailable as error:
            return error.reason
        except DBAPIError as error:
            return describe_driver_error(error.orig)
        return None

    def _report_silence(self, reason: str) -> str | None:
        if self._wrote_at is not None and self._clock() - self._wrote_at < self._patience:
            return None
        return reason


def _write_and_delete(connection: Connection) -> None:
    """A row that is written and deleted.

    The transaction is committed, not rolled back: only a commit takes SQLite to its disk, and
    PostgreSQL to its log and to a standby that must confirm. The row is nobody else's, so that no
    process waits for one that died within its trial.
    """
    name = f"trial {uuid.uuid4()}"
    connection.execute(insert(ticks).values(name=name, tick=0))
    connection.execute(delete(ticks).where(ticks.c.name == name))
