"""Procrastinate's tables, as far as Jurat looks into them, and being told of its new jobs.

Procrastinate's own SQL builds them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from types import MappingProxyType

import psycopg
from sqlalchemy import (
    URL,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Integer,
    MetaData,
    Table,
    Text,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ENUM, JSONB

from jurat.jobs.queue import JobState

# Being told by PostgreSQL that procrastinate's queue has new jobs.
#
# https://www.postgresql.org/docs/current/sql-listen.html

_SILENCE = 60.0
"""Seconds after which a connection that has told nothing is asked whether it still lives."""
_RECONNECT = 5.0
"""Seconds between two attempts to listen again."""

_log = logging.getLogger(__name__)


async def listen(database: URL, queue: str, wake: Callable[[], None]) -> None:
    """Call `wake` whenever a job was enqueued in `queue`, until cancelled.

    Listens on a connection of its own, and again if that is lost.
    """
    # libpq knows no `+psycopg`.
    address = database.set(drivername="postgresql").render_as_string(hide_password=False)
    while True:
        try:
            # Autocommit: LISTEN takes effect at commit, and notifications wait for a transaction's
            # end. Of its own, as a pooled connection is handed to others while it should listen.
            async with await psycopg.AsyncConnection.connect(address, autocommit=True) as listener:
                await listener.execute(f'LISTEN "procrastinate_queue_v1#{queue}"')
                wake()  # for what came before
                while True:
                    async for _ in listener.notifies(timeout=_SILENCE):
                        wake()
                    # A peer that vanished without a FIN is silent as an idle one is: only asking
                    # tells.
                    await listener.execute("SELECT 1")
        except (psycopg.Error, OSError) as error:
            _log.warning("not told of new jobs: %s", type(error).__name__)
        await asyncio.sleep(_RECONNECT)


QUEUE = "jurat"
"""The name under which procrastinate keeps our jobs, apart from whoever else uses it there."""

STATES: Mapping[str, JobState] = MappingProxyType(
    {
        "todo": "queued",
        "doing": "leased",
        "succeeded": "done",
        "failed": "dead",
        "cancelled": "cancelled",
        "aborted": "cancelled",
    }
)
"""Our word for each status. `aborting` is left out: procrastinate 3 no longer sets it."""

NOW = func.now()
"""When the transaction began, by the server's clock: procrastinate's functions use the same."""

_metadata = MetaData()
jobs = Table(
    "procrastinate_jobs",
    _metadata,
    Column("id", BigInteger, primary_key=True),
    Column("queue_name", Text),
    Column("task_name", Text),
    Column("priority", Integer),
    Column("lock", Text),
    Column("queueing_lock", Text),
    Column("args", JSONB),
    Column("status", ENUM(*STATES, name="procrastinate_job_status", create_type=False)),
    Column("scheduled_at", DateTime(timezone=True)),
    Column("attempts", Integer),
    Column("abort_requested", Boolean),
    Column("worker_id", BigInteger),
)
workers = Table(
    "procrastinate_workers",
    _metadata,
    Column("id", BigInteger, primary_key=True),
    Column("last_heartbeat", DateTime(timezone=True)),
)
events = Table(
    "procrastinate_events",
    _metadata,
    Column("id", BigInteger, primary_key=True),
    Column("job_id", BigInteger),
    Column("type", ENUM("deferred", name="procrastinate_job_event_type", create_type=False)),
    Column("at", DateTime(timezone=True)),
)
ticks = Table(
    "procrastinate_periodic_defers",
    _metadata,
    Column("id", BigInteger, primary_key=True),
    Column("periodic_id", Text),
    Column("defer_timestamp", BigInteger),
)
TODO = text("status = 'todo'")
"""The condition of the index on queueing locks. Not a parameter: once the driver has prepared the
statement, PostgreSQL would not find the index by it."""
OURS = jobs.c.queue_name == QUEUE
