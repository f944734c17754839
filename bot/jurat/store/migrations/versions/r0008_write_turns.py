"""Turns to write to GitHub."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "write_turns",
        sa.Column(
            "installation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("free_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("installation_id", name="pk_write_turns"),
    )
