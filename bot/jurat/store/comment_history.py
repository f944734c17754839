"""Which findings have had a comment on a pull request, whoever has deleted it since."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import select

from jurat.store.database import Database, insert_into
from jurat.store.repositories import keep_repository
from jurat.store.tables import comment_history


@dataclass(frozen=True, slots=True)
class CommentHistory:
    """Of one pull request. Every method raises DatabaseUnavailable."""

    database: Database
    repository_id: int
    number: int

    async def list_findings(self) -> frozenset[str]:
        """The ids of the findings."""
        of = comment_history.c
        query = select(of.finding).where(
            of.repository_id == self.repository_id, of.number == self.number
        )
        async with self.database.reading() as connection:
            return frozenset(await connection.scalars(query))

    async def note_findings(self, findings: Collection[str]) -> None:
        """Keep that these have had one; it may be known."""
        if not findings:
            return
        rows = [
            {"repository_id": self.repository_id, "number": self.number, "finding": finding}
            for finding in findings
        ]
        async with self.database.writing() as connection:
            await connection.run_sync(keep_repository, self.repository_id)
            insert = insert_into(connection, comment_history).on_conflict_do_nothing()
            await connection.execute(insert, rows)
