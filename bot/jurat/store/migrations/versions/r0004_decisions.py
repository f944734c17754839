"""What people decide about findings, and which verdicts do not count because of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_INSTANT = sa.DateTime(timezone=True)
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the table, and a column to the verdicts."""
    op.create_table(
        "decisions",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("head_sha", sa.String(64), nullable=False),
        sa.Column("evaluation_id", sa.String(64), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("code_print", sa.String(64), nullable=False),
        sa.Column("path", sa.Text()),
        sa.Column("rule_id", sa.String(128), nullable=False),
        sa.Column("revision", sa.String(64), nullable=False),
        sa.Column("verdict", sa.String(32), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_decisions"),
        sa.UniqueConstraint(
            "repository", "number", "head_sha", "fingerprint", "kind", name="uq_decisions_once"
        ),
        sa.CheckConstraint("kind IN ('dismissed', 'confirmed')", name="kind"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_decisions_repository_code_print", "decisions", ["repository", "code_print"])
    op.add_column(
        "evaluations",
        sa.Column("waived", sa.Boolean(), server_default=sa.false(), nullable=False),
    )
