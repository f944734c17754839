"""How the judge did on twins of rules' examples."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Build it."""
    op.create_table(
        "rule_trials",
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("prompt_digest", sa.String(64), nullable=False),
        sa.Column("revision", sa.String(64), nullable=False),
        sa.Column("rule", sa.String(128), nullable=False),
        sa.Column("pairs", sa.Integer(), nullable=False),
        sa.Column("caught", sa.Integer(), nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("model", "prompt_digest", "revision", name="pk_rule_trials"),
    )
