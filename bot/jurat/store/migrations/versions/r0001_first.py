"""The first schema: deliveries, jobs, reviews, evaluations, ledger and audit log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None

# The types stand here in full: what a released migration does must not change with the code.
_INSTANT = sa.DateTime(timezone=True)
_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Build it."""
    _deliveries()
    _jobs()
    _reviews()
    _evaluations()
    _ledger()
    _audit_log()


def _deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("guid", sa.String(64), nullable=False),
        sa.Column("event", sa.String(64), nullable=False),
        sa.Column("meaning", sa.Text()),
        sa.Column("received_at", _INSTANT, nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("guid", name="pk_deliveries"),
        sa.UniqueConstraint("meaning", name="uq_deliveries_meaning"),
    )
    op.create_index("ix_deliveries_received_at", "deliveries", ["received_at"])


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("payload", _JSON, nullable=False),
        sa.Column("delivery", sa.String(64)),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text()),
        sa.Column("enqueued_at", _INSTANT, nullable=False),
        sa.Column("due_at", _INSTANT, nullable=False),
        sa.Column("lease_expires_at", _INSTANT),
        sa.Column("cancel_requested", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("finished_at", _INSTANT),
        sa.Column("reason", sa.Text()),
        sa.CheckConstraint(
            "state IN ('queued', 'leased', 'done', 'cancelled', 'dead')", name=op.f("ck_jobs_state")
        ),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sqlite_autoincrement=True,
    )
    queued, leased = sa.text("state = 'queued'"), sa.text("state = 'leased'")
    op.create_index("ix_jobs_delivery", "jobs", ["delivery"])
    op.create_index(
        "uq_jobs_queued",
        "jobs",
        ["key", "kind", "variant"],
        unique=True,
        sqlite_where=queued,
        postgresql_where=queued,
    )
    op.create_index(
        "uq_jobs_leased",
        "jobs",
        ["key"],
        unique=True,
        sqlite_where=leased,
        postgresql_where=leased,
    )
    op.create_index(
        "ix_jobs_due", "jobs", ["due_at", "id"], sqlite_where=queued, postgresql_where=queued
    )


def _reviews() -> None:
    op.create_table(
        "reviews",
        sa.Column("evaluation_id", sa.String(64), nullable=False),
        sa.Column("repository", sa.Text()),
        sa.Column("number", sa.Integer()),
        sa.Column("head_sha", sa.String(64)),
        sa.Column("overall", sa.String(32), nullable=False),
        sa.Column("conclusion", sa.String(32)),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("surface", sa.String(32), nullable=False),
        sa.Column("subject_digest", sa.String(64), nullable=False),
        sa.Column("coverage", _JSON, nullable=False),
        sa.Column("models", _JSON, nullable=False),
        sa.Column("response", _JSON, nullable=False),
        sa.Column("latency_ms", sa.Float(), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", name="pk_reviews"),
    )
    op.create_index("ix_reviews_created_at", "reviews", ["created_at"])
    op.create_index(
        "ix_reviews_repository_number_created_at", "reviews", ["repository", "number", "created_at"]
    )


def _evaluations() -> None:
    op.create_table(
        "evaluations",
        sa.Column("evaluation_id", sa.String(64), nullable=False),
        sa.Column("rule_id", sa.String(128), nullable=False),
        sa.Column("revision", sa.String(64), nullable=False),
        sa.Column("severity", sa.String(16), nullable=False),
        sa.Column("maturity", sa.String(16), nullable=False),
        sa.Column("verdict", sa.String(32), nullable=False),
        sa.Column("would_block", sa.Boolean(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("decided_by", sa.String(16), nullable=False),
        sa.Column("model_id", sa.Text()),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("latency_ms", sa.Float(), nullable=False),
        sa.Column("evidence", _JSON, nullable=False),
        sa.Column("surface", sa.String(32), nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("repository", sa.Text()),
        sa.Column("number", sa.Integer()),
        sa.Column("head_sha", sa.String(64)),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "rule_id", name="pk_evaluations"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["reviews.evaluation_id"],
            name="fk_evaluations_evaluation_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_evaluations_rule_id_created_at", "evaluations", ["rule_id", "created_at"])
    op.create_index(
        "ix_evaluations_repository_created_at", "evaluations", ["repository", "created_at"]
    )


def _ledger() -> None:
    op.create_table(
        "ledger",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_ledger"),
    )
    op.create_index("ix_ledger_created_at", "ledger", ["created_at"])


def _audit_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.Column("asked_by", sa.Text(), nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("evaluation_id", sa.String(64)),
        sa.Column("subject_digest", sa.String(64), nullable=False),
        sa.Column("rules", _JSON, nullable=False),
        sa.Column("models", _JSON, nullable=False),
        sa.Column("result", _JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_log"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_log_at", "audit_log", ["at"])
    op.create_index("ix_audit_log_evaluation_id", "audit_log", ["evaluation_id"])
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'audit_log is append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log "
            "FOR EACH STATEMENT EXECUTE FUNCTION audit_log_refuse()"
        )
        return
    # SQLite has a trigger for each statement, and no TRUNCATE.
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER audit_log_no_{change.lower()} BEFORE {change} ON audit_log "
            "BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END"
        )
