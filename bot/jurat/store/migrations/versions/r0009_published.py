"""Which reviews were shown, and which verdicts count."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the columns. What is there was kept by a release that took every review for shown."""
    op.add_column("reviews", sa.Column("published_at", sa.DateTime(timezone=True)))
    op.add_column(
        "evaluations",
        sa.Column("counted", sa.Boolean(), server_default=sa.false(), nullable=False),
    )
    op.execute("UPDATE reviews SET published_at = created_at")
    op.execute("UPDATE evaluations SET counted = true")
