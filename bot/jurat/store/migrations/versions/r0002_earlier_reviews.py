"""What one review leaves to those of later pushes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Build it."""
    op.add_column("reviews", sa.Column("assessed", _JSON))
    op.create_table(
        "comment_history",
        sa.Column(
            "repository_id",
            _NUMBER,
            sa.ForeignKey(
                "repositories.id", name="fk_comment_history_repository_id", ondelete="CASCADE"
            ),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("finding", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "number", "finding", name="pk_comment_history"),
    )
