"""How long evaluations are kept. The audit log, which holds digests alone, is kept for good."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from types import MappingProxyType

from sqlalchemy import delete, exists

from bot.store.database import Database
from bot.store.tables import evaluations, reviews
from bot.subjects.kinds import Surface

_LONG = 3_650
DAYS: Mapping[Surface, int] = MappingProxyType(
    dict.fromkeys(Surface, _LONG)
    | {
        Surface.CODE: 365,
        Surface.GENERIC: 365,
        Surface.MESSAGE: 1_095,
        Surface.HUMAN_ACTION: 2_555,
    }
)
"""Days that an evaluation is kept, by its surface."""


async def delete_expired(database: Database, at: dt.datetime) -> int:
    """Delete what is kept no longer at `at`; the number of verdicts that were deleted.

    A verdict goes by its own surface. A review goes with its last verdict, once the days of its own
    surface are over as well. Raises DatabaseUnavailable; to be run again then.
    """
    count = 0
    for surface, days in DAYS.items():
        until = at - dt.timedelta(days=days)
        async with database.writing() as connection:
            expired = await connection.execute(
                delete(evaluations).where(
                    evaluations.c.surface == surface.value, evaluations.c.created_at < until
                )
            )
            count += expired.rowcount
    for surface, days in DAYS.items():
        until = at - dt.timedelta(days=days)
        left = exists().where(evaluations.c.evaluation_id == reviews.c.evaluation_id)
        async with database.writing() as connection:
            await connection.execute(
                delete(reviews).where(
                    reviews.c.surface == surface.value, reviews.c.created_at < until, ~left
                )
            )
    return count
