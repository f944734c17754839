"""The history of ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"

_INSTANT = sa.DateTime(timezone=True)
_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "ratings",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("commit", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("risk", sa.String(16), nullable=False),
        sa.Column("overall", sa.Float()),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("document", _JSON, nullable=False),
        sa.Column("created_at", _INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ratings"),
        sa.UniqueConstraint("repository", "commit", "sha256", name="uq_ratings_repository"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_ratings_repository_created_at", "ratings", ["repository", "created_at"])
