"""Which engine keeps the jobs: DATABASE_URL decides."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from bot.jobs.protocol import JobQueue
from bot.jobs.table import TableQueue
from bot.store.database import Database


def queue_in(database: Database, now: Callable[[], dt.datetime]) -> JobQueue:
    """The queue in a database: a table on SQLite, procrastinate on PostgreSQL.

    `now` gives the time with its zone; PostgreSQL has its own.
    """
    if database.engine.dialect.name != "postgresql":
        return TableQueue(database, now)
    # Imported here: on SQLite there is no procrastinate.
    from bot.jobs.procrastinate import ProcrastinateQueue  # noqa: PLC0415

    return ProcrastinateQueue(database)
