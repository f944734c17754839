"""What becomes of the deliveries behind jobs."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.jobs.protocol import NewJob
from bot.store.tables import deliveries


async def merge_deliveries(
    connection: AsyncConnection, waiting: Select[tuple[str]], by: Iterable[NewJob]
) -> None:
    """Record that waiting jobs, whose deliveries a query gives, are replaced by new ones."""
    await connection.execute(
        update(deliveries)
        .where(
            deliveries.c.guid.in_(waiting),
            deliveries.c.guid.not_in({job.delivery for job in by if job.delivery}),
        )
        .values(outcome="merged")
    )
