"""The history of ratings, by repository and commit."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from bot.store.columns import insert_into
from bot.store.database import Database
from bot.store.tables import ratings


@dataclass(frozen=True, slots=True)
class StoredRating:
    """A rating of one commit. `document` is its JSON form; `number` the pull request's, if any."""

    repository: str
    commit: str
    number: int | None
    overall: float | None
    document: Mapping[str, Any]
    created_at: dt.datetime


class Ratings:
    """Ratings in a database. Every method raises DatabaseUnavailable."""

    def __init__(self, database: Database, now: Callable[[], dt.datetime]) -> None:
        self._database = database
        self._now = now

    async def keep_rating(
        self, repository: str, commit: str, document: Mapping[str, Any], *, number: int | None
    ) -> None:
        """Keep a rating's document; the same rating of the same commit is kept once."""
        row = {
            "repository": repository,
            "commit": commit,
            "number": number,
            "risk": document["risk_classification"],
            "overall": document["overall"],
            "sha256": document["sha256"],
            "document": dict(document),
            "created_at": self._now(),
        }
        async with self._database.writing() as connection:
            await connection.execute(
                insert_into(connection, ratings).values(row).on_conflict_do_nothing()
            )

    async def history(self, repository: str, *, limit: int) -> tuple[StoredRating, ...]:
        """The latest ratings of a repository, the newest first."""
        query = (
            select(ratings)
            .where(ratings.c.repository == repository)
            .order_by(ratings.c.created_at.desc(), ratings.c.id.desc())
            .limit(limit)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return tuple(
            StoredRating(
                row.repository, row.commit, row.number, row.overall, row.document, row.created_at
            )
            for row in rows
        )
