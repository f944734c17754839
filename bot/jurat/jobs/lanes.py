"""Taking turns: whose job is next, so that nobody who asks for much keeps others waiting.

A job stands in three lanes: its installation's, its repository's, and there that of the person for
whom it is done. The installation that was served longest ago is next, among its jobs the repository
that was served longest ago, among that one's the person, and of theirs the oldest. Whoever has one
job thus waits for one job of each other, not for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from jurat.store.database import insert_into
from jurat.store.tables import lanes

_outer = lanes.alias("installation_lane")
_inner = lanes.alias("repository_lane")
_person = lanes.alias("person_lane")


def rank_by_turn(
    query: Select[Any],
    installation: ColumnElement[str],
    repository: ColumnElement[str],
    person: ColumnElement[str],
    late: ColumnElement[bool],
) -> Select[Any]:
    """A query for jobs whose lanes are in these columns, those first whose turn it is."""
    return (
        query.outerjoin(_outer, _outer.c.lane == installation)
        .outerjoin(_inner, _inner.c.lane == repository)
        .outerjoin(_person, _person.c.lane == person)
        # A lane that was never served comes before all that were.
        .order_by(
            func.coalesce(_outer.c.served, 0),
            func.coalesce(_inner.c.served, 0),
            late,
            func.coalesce(_person.c.served, 0),
        )
    )


async def record_turn(connection: AsyncConnection, served: Iterable[str]) -> None:
    """These lanes had their turn, and are last now."""
    # The installation's first, always: two transactions wait for each other rather than deadlock.
    for lane in served:
        latest = select(func.coalesce(func.max(lanes.c.served), 0) + 1).scalar_subquery()
        insert = insert_into(connection, lanes)
        await connection.execute(
            insert.values(lane=lane, served=latest).on_conflict_do_update(
                index_elements=[lanes.c.lane], set_={"served": insert.excluded.served}
            )
        )


async def delete_lanes(connection: AsyncConnection, used: Select[tuple[str]]) -> None:
    """Forget the lanes in which no job stands any more."""
    await connection.execute(delete(lanes).where(lanes.c.lane.not_in(used)))
