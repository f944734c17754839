"""Turns to write to GitHub, which all processes on one database take."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable

from sqlalchemy import ColumnElement, Float, case, func, literal

from bot.store.columns import insert_into
from bot.store.database import Database
from bot.store.tables import write_turns


class WriteTurns:
    """Spaces the writes of each installation `interval` seconds apart, whichever process writes.

    Times are the database server's on PostgreSQL, and `now`'s on SQLite, where all processes are
    on one machine.
    """

    def __init__(
        self, database: Database, now: Callable[[], dt.datetime], *, interval: float
    ) -> None:
        self._database = database
        self._now = now
        self._interval = interval

    def of(self, installation_id: int) -> Callable[[], Awaitable[float]]:
        """Takes the next turn of an installation: in how many seconds it is."""

        async def turn() -> float:
            return await self._next(installation_id)

        return turn

    async def _next(self, installation_id: int) -> float:
        """Raises DatabaseUnavailable."""
        free_at = write_turns.c.free_at
        now = self._instant()
        insert = insert_into(self._database.engine, write_turns)
        taking = (
            insert.values(installation_id=installation_id, free_at=now + self._interval)
            .on_conflict_do_update(
                index_elements=[write_turns.c.installation_id],
                set_={"free_at": case((free_at > now, free_at), else_=now) + self._interval},
            )
            .returning(free_at - self._interval - now)
        )
        async with self._database.writing() as connection:
            return float((await connection.execute(taking)).scalar_one())

    def _instant(self) -> ColumnElement[float]:
        """The time in seconds since 1970."""
        if self._database.engine.dialect.name == "postgresql":
            return func.extract("epoch", func.now()).cast(Float)
        return literal(self._now().timestamp())
