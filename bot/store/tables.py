"""The tables. The migrations build them; a test holds that both say the same."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    false,
    text,
)

from bot.store.columns import Instant, Json, Number, Prose

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

# What GitHub sent and Bylaw took on. A delivery is claimed by its GUID and by what it means: GitHub
# may send one event under two GUIDs. `meaning` is NULL where an event may rightly come twice.
# `outcome` is "enqueued" until the sweeper finds how its jobs ended.
deliveries = Table(
    "deliveries",
    metadata,
    Column("guid", String(64), primary_key=True),
    Column("event", String(64), nullable=False),
    Column("meaning", Prose, unique=True),
    Column("received_at", Instant, nullable=False, index=True),
    Column("outcome", String(16), nullable=False),
)
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
Index("uq_jobs_leased", jobs.c.key, unique=True, sqlite_where=LEASED, postgresql_where=LEASED)
Index("ix_jobs_due", jobs.c.due_at, jobs.c.id, sqlite_where=QUEUED, postgresql_where=QUEUED)

Index("ix_jobs_key", jobs.c.key)

# The latest tick of each clock for which a job was enqueued: periodic work runs once, however many
# workers there are.
ticks = Table(
    "ticks",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("tick", Number, nullable=False),
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
)

# One row an Evaluation. `response` is what the REST API answers. `subject` is what was judged where
# the configuration says `retain: full`; else it is NULL, and a digest is all that is kept.
reviews = Table(
    "reviews",
    metadata,
    Column("evaluation_id", String(64), primary_key=True),
    Column("repository", Prose),
    Column("number", Integer),
    Column("head_sha", String(64)),
    Column("overall", String(32), nullable=False),
    Column("conclusion", String(32)),
    Column("mode", String(16), nullable=False),
    Column("surface", String(32), nullable=False),
    Column("subject_digest", String(64), nullable=False),
    Column("coverage", Json, nullable=False),
    Column("models", Json, nullable=False),
    Column("response", Json, nullable=False),
    Column("latency_ms", Float, nullable=False),
    Column("created_at", Instant, nullable=False, index=True),
    Column("subject", Json),
    Index(None, "repository", "number", "created_at"),
)

# One row a rule verdict: what analytics and rule maturity are counted from.
evaluations = Table(
    "evaluations",
    metadata,
    Column(
        "evaluation_id",
        String(64),
        ForeignKey("reviews.evaluation_id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("rule_id", String(128), primary_key=True),
    Column("revision", String(64), nullable=False),
    Column("severity", String(16), nullable=False),
    Column("maturity", String(16), nullable=False),
    Column("verdict", String(32), nullable=False),
    Column("would_block", Boolean, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("decided_by", String(16), nullable=False),
    Column("model_id", Prose),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("latency_ms", Float, nullable=False),
    Column("evidence", Json, nullable=False),
    Column("surface", String(32), nullable=False),
    Column("mode", String(16), nullable=False),
    Column("repository", Prose),
    Column("number", Integer),
    Column("head_sha", String(64)),
    Column("created_at", Instant, nullable=False),
    Index(None, "rule_id", "created_at"),
    Index(None, "repository", "created_at"),
)

# Verdicts by question, so that the same question is not asked twice.
ledger = Table(
    "ledger",
    metadata,
    Column("key", Prose, primary_key=True),
    Column("entry", Prose, nullable=False),
    Column("created_at", Instant, nullable=False, index=True),
)

# Who asked for what, and what came out. Triggers in the migrations refuse to change or delete a
# row.
audit_log = Table(
    "audit_log",
    metadata,
    Column("id", Number, primary_key=True),
    Column("at", Instant, nullable=False, index=True),
    Column("asked_by", Prose, nullable=False),
    Column("action", String(32), nullable=False),
    Column("evaluation_id", String(64), index=True),
    Column("subject_digest", String(64), nullable=False),
    Column("rules", Json, nullable=False),
    Column("models", Json, nullable=False),
    Column("result", Json, nullable=False),
    sqlite_autoincrement=True,
)
