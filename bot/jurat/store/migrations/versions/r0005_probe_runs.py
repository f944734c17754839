"""Probe runs of the configured judge."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "probe_runs",
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt_digest", sa.String(64), nullable=False),
        sa.Column("probe_digest", sa.String(64), nullable=False),
        sa.Column("resilience_index", sa.Float(), nullable=False),
        sa.Column("report", _JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("model", "prompt_digest", "probe_digest", name="pk_probe_runs"),
    )
    op.create_index("ix_probe_runs_model_created_at", "probe_runs", ["model", "created_at"])
