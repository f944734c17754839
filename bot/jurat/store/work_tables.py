"""Tables of work: deliveries, jobs and whose turn it is, and the checks that jobs have open."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    Index,
    Integer,
    String,
    Table,
    false,
    text,
)

from jurat.store.database import Instant, Json, Number, Prose
from jurat.store.repository_tables import build_repository_column, metadata

# What GitHub sent and Jurat took on. A delivery is claimed by its GUID and by what it means: GitHub
# may send one event under two GUIDs. `meaning` is NULL if an event may rightly come twice.
# `outcome` is "enqueued" until the sweeper finds how its jobs ended.
deliveries = Table(
    "deliveries",
    metadata,
    Column("guid", String(64), primary_key=True),
    Column("event", String(64), nullable=False),
    # NULLs are distinct in a unique index, on both databases: without a meaning nothing collides.
    Column("meaning", Prose, unique=True),
    Column("received_at", Instant, nullable=False, index=True),
    Column("outcome", String(16), nullable=False),
    build_repository_column(optional=True),
)
# Text, not a bound value: an index has no parameters. https://www.sqlite.org/partialindex.html
ENQUEUED = text("outcome = 'enqueued'")
Index(
    "ix_deliveries_enqueued",
    deliveries.c.received_at,
    sqlite_where=ENQUEUED,
    postgresql_where=ENQUEUED,
)

# Work to do. `key` is what jobs are serial for. At most one job of a key, kind and variant waits,
# and at most one of a key runs: the two partial unique indexes hold that against every worker.
# `lease` counts how often the job was handed out: a worker that lost it can change nothing.
jobs = Table(
    "jobs",
    metadata,
    Column("id", Number, primary_key=True),
    Column("key", Prose, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("variant", Prose, nullable=False),
    Column("payload", Json, nullable=False),
    Column("delivery", String(64), index=True),
    Column("installation", Prose, nullable=False),
    Column("repository", Prose, nullable=False),
    Column("person", Prose, nullable=False),
    Column("late", Boolean, nullable=False, server_default=false()),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("lease", Integer, nullable=False),
    Column("worker", Prose),
    Column("enqueued_at", Instant, nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("lease_expires_at", Instant),
    Column("cancel_requested", Boolean, nullable=False, server_default=false()),
    Column("finished_at", Instant),
    Column("reason", Prose),
    CheckConstraint("state IN ('queued', 'leased', 'done', 'cancelled', 'dead')", name="state"),
    # An id that was deleted never comes again: a late worker, or the record of a check, still names
    # it. https://www.sqlite.org/autoinc.html
    sqlite_autoincrement=True,
)
QUEUED = text("state = 'queued'")
LEASED = text("state = 'leased'")
Index(
    "uq_jobs_queued",
    jobs.c.key,
    jobs.c.kind,
    jobs.c.variant,
    unique=True,
    sqlite_where=QUEUED,
    postgresql_where=QUEUED,
)
# Unique, so that no two jobs of a key run even if two workers look in the same instant.
Index("uq_jobs_leased", jobs.c.key, unique=True, sqlite_where=LEASED, postgresql_where=LEASED)
Index("ix_jobs_due", jobs.c.due_at, jobs.c.id, sqlite_where=QUEUED, postgresql_where=QUEUED)

Index("ix_jobs_key", jobs.c.key)

# Whose jobs were handed out, and when last: `served` counts hand-outs. See `jurat.jobs.lanes`.
lanes = Table(
    "lanes",
    metadata,
    Column("lane", Prose, primary_key=True),
    Column("served", Number, nullable=False),
)

# The latest tick of each clock for which a job was enqueued: periodic work runs once, however many
# workers there are.
ticks = Table(
    "ticks",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("tick", Number, nullable=False),
)

# Sessions of the dashboard that are open: each cookie by its digest, which only the token's holder
# can make.
sessions = Table(
    "sessions",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("ends_at", Instant, nullable=False),
)

# When the next write to GitHub by an installation may go, in seconds since 1970.
write_turns = Table(
    "write_turns",
    metadata,
    Column("installation_id", Number, primary_key=True, autoincrement=False),
    Column("free_at", Float, nullable=False),
)

# Checks that were begun and are not known to have ended, each with the job that ends it. A row
# is written before the check is, so that no crash leaves a check that nobody knows of.
open_checks = Table(
    "open_checks",
    metadata,
    Column("key", Prose, primary_key=True),
    Column("head_sha", String(64), primary_key=True),
    Column("job_id", Number, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("payload", Json, nullable=False),
    Column("check_run_id", Number),
    Column("begun_at", Instant, nullable=False),
    build_repository_column(optional=True),
    Index(None, "repository_id"),
)
