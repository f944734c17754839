"""Procrastinate's tables, as far as Bylaw looks into them. Procrastinate's own SQL builds them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sqlalchemy import (
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

from bot.jobs.protocol import JobState

QUEUE = "bylaw"
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
