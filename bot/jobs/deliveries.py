"""What becomes of the deliveries behind jobs."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, update

from bot.jobs.protocol import NewJob
from bot.store.tables import deliveries


def merge_deliveries(
    connection: Connection, waiting: Iterable[str | None], by: Iterable[NewJob]
) -> None:
    """Record that waiting jobs, whose deliveries are given, are replaced by new ones."""
    merged = set(waiting) - {job.delivery for job in by} - {None}
    if merged:
        connection.execute(
            update(deliveries).where(deliveries.c.guid.in_(merged)).values(outcome="merged")
        )
