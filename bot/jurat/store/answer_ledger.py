"""The verdict ledger: what models said before, and which questions somebody is asking right now."""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select

from jurat.judge.protocol import AnswerCache
from jurat.store.clock import Now
from jurat.store.database import Database, insert_into
from jurat.store.repositories import keep_repository
from jurat.store.tables import ledger, open_questions

_CLAIM = dt.timedelta(seconds=30)
"""How long a question is somebody's to ask, who prolongs that while the model is at it."""

_KEYS_A_QUERY = 500  # SQLite before 3.32 takes 999 parameters, PostgreSQL 65,535


class AnswerLedger:
    """The ledger of one process, which holds what it claims. Methods raise DatabaseUnavailable."""

    def __init__(self, database: Database, now: Now) -> None:
        self._database = database
        self._now = now
        self._holder = secrets.token_hex(16)

    def get_answers(self, repository: str | int | None) -> AnswerCache:
        """The ledger for the reviews of one repository, with which its entries go."""
        return _RepositoryAnswers(self, repository)

    async def recall(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The ledger's entries that are known, by key (`AnswerCache`)."""
        entries: dict[str, str] = {}
        if not keys:
            return entries
        async with self._database.reading() as connection:
            for first in range(0, len(keys), _KEYS_A_QUERY):
                some = keys[first : first + _KEYS_A_QUERY]
                rows = await connection.execute(
                    select(ledger.c.key, ledger.c.entry).where(ledger.c.key.in_(some))
                )
                entries.update((row.key, row.entry) for row in rows)
        return entries

    async def remember(
        self,
        entries: Mapping[str, str],
        repository: str | int | None = None,
        *,
        anew: bool = False,
    ) -> None:
        """Keep entries in the ledger; one that is known already stays as it is, unless `anew`.

        They go with the repository whose code they speak of, if it is told.
        """
        if not entries:
            return
        at = self._now()
        async with self._database.writing() as connection:
            kept = repository and await connection.run_sync(keep_repository, repository)
            rows = [
                {"key": key, "entry": entry, "created_at": at, "repository_id": kept or None}
                for key, entry in entries.items()
            ]
            # The first answer stays: two reviews that asked the same at once must not differ
            # afterwards.
            adding = insert_into(connection, ledger)
            said = {name: adding.excluded[name] for name in ("entry", "created_at")}
            await connection.execute(
                adding.on_conflict_do_update(index_elements=[ledger.c.key], set_=said)
                if anew
                else adding.on_conflict_do_nothing(),
                rows,
            )

    async def claim(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of some questions that nobody else is asking (`AnswerCache`)."""
        if not keys:
            return frozenset()
        at = self._now()
        claimed: set[str] = set()
        async with self._database.writing() as connection:
            for first in range(0, len(keys), _KEYS_A_QUERY):
                # In one order: two who claim the same keys must not wait for each other's rows.
                some = sorted(keys)[first : first + _KEYS_A_QUERY]
                adding = insert_into(connection, open_questions).values(
                    [{"key": key, "holder": self._holder, "lapses_at": at + _CLAIM} for key in some]
                )
                taking = adding.on_conflict_do_update(
                    index_elements=[open_questions.c.key],
                    set_={name: adding.excluded[name] for name in ("holder", "lapses_at")},
                    # One's own are prolonged.
                    where=(open_questions.c.lapses_at < at)
                    | (open_questions.c.holder == self._holder),
                )
                rows = await connection.execute(taking.returning(open_questions.c.key))
                claimed.update(row.key for row in rows)
        return frozenset(claimed)

    async def release(self, keys: Sequence[str]) -> None:
        """Give back what this process claimed (`AnswerCache`)."""
        async with self._database.writing() as connection:
            for first in range(0, len(keys), _KEYS_A_QUERY):
                some = keys[first : first + _KEYS_A_QUERY]
                await connection.execute(
                    delete(open_questions).where(
                        open_questions.c.key.in_(some), open_questions.c.holder == self._holder
                    )
                )


@dataclass(frozen=True, slots=True)
class _RepositoryAnswers:
    """The ledger, for the reviews of one repository."""

    ledger: AnswerLedger
    repository: str | int | None

    async def recall(self, keys: Sequence[str]) -> Mapping[str, str]:
        return await self.ledger.recall(keys)

    async def remember(self, entries: Mapping[str, str]) -> None:
        await self.ledger.remember(entries, self.repository)

    async def amend(self, entries: Mapping[str, str]) -> None:
        await self.ledger.remember(entries, self.repository, anew=True)

    async def claim(self, keys: Sequence[str]) -> frozenset[str]:
        return await self.ledger.claim(keys)

    async def release(self, keys: Sequence[str]) -> None:
        await self.ledger.release(keys)
