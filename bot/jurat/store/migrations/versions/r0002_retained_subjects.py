"""What was judged, where it is to be kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add `reviews.subject`."""
    kind = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
    op.add_column("reviews", sa.Column("subject", kind))
