"""Periodic work, checks that were begun, and what finds the deliveries without an end."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Build them."""
    enqueued = sa.text("outcome = 'enqueued'")
    op.create_index(
        "ix_deliveries_enqueued",
        "deliveries",
        ["received_at"],
        sqlite_where=enqueued,
        postgresql_where=enqueued,
    )
    op.create_index("ix_jobs_key", "jobs", ["key"])
    op.create_table(
        "ticks",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("tick", _NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_ticks"),
    )
    op.create_table(
        "open_checks",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("head_sha", sa.String(64), nullable=False),
        sa.Column("job_id", _NUMBER, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("payload", _JSON, nullable=False),
        sa.Column("check_run_id", _NUMBER),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", "head_sha", name="pk_open_checks"),
    )
