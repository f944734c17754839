"""What becomes of the deliveries behind jobs."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, update

from bot.jobs.protocol import NewJob
from bot.store.tables import deliveries


def merge_deliveries(
    connection: Connection, replaced: Iterable[str | None], by: Iterable[NewJob]
) -> None:
    """Record that the jobs whose deliveries are given were replaced, but for those of `by`."""
    merged = set(replaced) - {job.delivery for job in by} - {None}
    if merged:
        connection.execute(
            update(deliveries).where(deliveries.c.guid.in_(merged)).values(outcome="merged")
        )
