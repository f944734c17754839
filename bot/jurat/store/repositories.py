"""Which repositories are known, and what each is called: by GitHub's id, which nobody else gets.

A name is looked up here, and means whichever repository has it now. What the repository of that
name was before keeps its own record under its own id.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, select, text, update

from jurat.store.database import Database, insert_into
from jurat.store.tables import open_checks, repositories

_of = repositories.c
_IDS_A_QUERY = 500  # SQLite before 3.32 takes 999 parameters, PostgreSQL 65,535

# Conflicts with itself and with whoever writes a row, not with who reads one or refers to it:
# https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-TABLES
_ALONE = text("LOCK TABLE repositories IN SHARE ROW EXCLUSIVE MODE")


@dataclass(frozen=True, slots=True)
class Arrival:
    """GitHub's word that the App is installed on a repository, and what that is called."""

    repository_id: int
    name: str
    installation_id: int


@dataclass(frozen=True, slots=True)
class Departure:
    """GitHub's word that the App may not work there any more, or again.

    It is about all repositories of an installation; if `repository_ids` are given, about those
    alone. `suspended` is True of an installation that rests and may be woken, False of one that
    is woken, and None of repositories that the App was taken off.
    """

    installation_id: int
    repository_ids: tuple[int, ...] | None = None
    suspended: bool | None = None


News = Arrival | Departure


@dataclass(frozen=True, slots=True)
class KnownRepository:
    """A repository of which something is kept. `name` is None if another one has it by now."""

    id: int
    name: str | None
    installation_id: int | None = None
    removed_at: dt.datetime | None = None
    suspended_at: dt.datetime | None = None

    @property
    def is_at_rest(self) -> bool:
        """Whether the App has nothing to do there."""
        return self.removed_at is not None or self.suspended_at is not None


def is_of(column: ColumnElement[Any], repository: int | str) -> ColumnElement[bool]:
    """Whether a row is a repository's: by its id, or of whichever has that name now."""
    if isinstance(repository, int):
        return column == repository
    return column.in_(select(_of.id).where(_has_name(repository)))


def _has_name(name: str) -> ColumnElement[bool]:
    # GitHub takes a name in any letter case, and has one repository for all of them.
    return func.lower(_of.name) == name.lower()


def keep_repository(
    connection: Connection, repository: int | str, called: str | None = None
) -> int:
    """The id under which something of a repository is kept, within the caller's transaction.

    By name it is one that somebody named and GitHub did not, with a number below 0. By its id, it
    is `called` so unless more is known: who keeps something late may know an old name.
    """
    if isinstance(repository, int):
        known = select(_of.id).where(_of.id == repository)
        if connection.scalar(known) is None:
            _claim_names(connection)
            held = called and connection.scalar(select(_of.id).where(_of.id > 0, _has_name(called)))
            values = {"id": repository, "name": None if held else called}
            insert = insert_into(connection, repositories).values(values)
            connection.execute(insert.on_conflict_do_nothing(index_elements=["id"]))
        return repository
    name = repository
    named = select(_of.id).where(_of.id < 0, _has_name(name))
    if (found := connection.scalar(named)) is None:
        _claim_names(connection)
        # Looked for again: another one may have written it before this one stood alone.
        found = connection.scalar(named)
    if found is None:
        lowest = connection.scalar(select(func.min(_of.id))) or 0
        found = min(lowest, 0) - 1
        connection.execute(insert_into(connection, repositories).values(id=found, name=name))
    return int(found)


def note_news(connection: Connection, news: Iterable[News], at: dt.datetime) -> tuple[int, ...]:
    """Take down what GitHub said, in order; the repositories in which nothing is to be done."""
    left: list[int] = []
    seen: dict[int, Arrival] = {}
    for item in news:
        if isinstance(item, Arrival):
            seen[item.repository_id] = item
            continue
        # What was seen before the App left is seen first.
        _note_arrivals(connection, seen.values())
        seen = {}
        left += _leave(connection, item, at)
    _note_arrivals(connection, seen.values())
    return tuple(left)


def _note_arrivals(connection: Connection, seen: Collection[Arrival]) -> None:
    """Keep where the App is installed. Most deliveries say nothing new, and cost one look."""
    ids = [item.repository_id for item in seen]
    known: set[tuple[int, str | None, int | None]] = set()
    for first in range(0, len(ids), _IDS_A_QUERY):
        rows = connection.execute(
            select(_of.id, _of.name, _of.installation_id).where(
                _of.id.in_(ids[first : first + _IDS_A_QUERY]),
                _of.removed_at.is_(None),
                _of.suspended_at.is_(None),
            )
        )
        known |= {(row.id, row.name, row.installation_id) for row in rows}
    new = [item for item in seen if _to_key(item) not in known]
    if not new:
        return
    _claim_names(connection)
    for item in new:
        # Whoever had the name is called something else by now, which nobody has told yet.
        connection.execute(
            update(repositories)
            .where(_has_name(item.name), _of.id > 0, _of.id != item.repository_id)
            .values(name=None)
        )
        values = {
            "name": item.name,
            "installation_id": item.installation_id,
            "removed_at": None,
            "suspended_at": None,
        }
        connection.execute(
            insert_into(connection, repositories)
            .values(id=item.repository_id, **values)
            .on_conflict_do_update(index_elements=["id"], set_=values)
        )


def _to_key(item: Arrival) -> tuple[int, str, int]:
    return item.repository_id, item.name, item.installation_id


def _claim_names(connection: Connection) -> None:
    # Two transactions that each give a name would else not see each other's. SQLite has one writer.
    if connection.dialect.name == "postgresql":
        connection.execute(_ALONE)


def _leave(connection: Connection, item: Departure, at: dt.datetime) -> list[int]:
    values: dict[str, Any] = {"removed_at": at}
    untold = _of.removed_at.is_(None)
    if item.suspended is not None:
        values = {"suspended_at": at if item.suspended else None}
        untold = _of.suspended_at.is_(None) if item.suspended else _of.suspended_at.is_not(None)
    # Of this installation alone: a repository that was transferred is another one's by now.
    left = [_of.installation_id == item.installation_id]
    if item.repository_ids is not None:
        left.append(_of.id.in_(item.repository_ids))
    gone = connection.scalars(
        # The first word counts: what is said again must not put off the end.
        update(repositories).where(*left, untold).values(values).returning(_of.id)
    ).all()
    if item.suspended is None:
        # Nobody can end them any more, and nobody waits for them.
        connection.execute(delete(open_checks).where(open_checks.c.repository_id.in_(gone)))
    return [] if item.suspended is False else list(gone)


class Repositories:
    """The repositories that are known. Every method raises DatabaseUnavailable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, repository_id: int, name: str) -> KnownRepository:
        """A repository as it is known; from now on, if it was not."""
        if (known := await self.find(repository_id)) is not None:
            return known
        await self._database.transact(
            lambda connection: keep_repository(connection, repository_id, name)
        )
        return await self.find(repository_id) or KnownRepository(repository_id, name)

    async def find(self, repository_id: int) -> KnownRepository | None:
        """One repository by its id; None if nothing is kept of it."""
        return next(iter(await self._list(_of.id == repository_id)), None)

    async def list_named(self, name: str) -> tuple[KnownRepository, ...]:
        """Whatever has that name: GitHub's repository, and what else somebody called so."""
        return await self._list(_has_name(name))

    async def list_installed(self) -> tuple[KnownRepository, ...]:
        """All of GitHub's, by installation."""
        return await self._list(_of.id > 0)

    async def list_left(self, before: dt.datetime) -> tuple[KnownRepository, ...]:
        """Those that the App was taken off before that time."""
        return await self._list(_of.removed_at < before)

    async def note(self, news: Iterable[News], at: dt.datetime) -> tuple[int, ...]:
        """Take down what GitHub said (see `note_news`)."""
        every = tuple(news)
        return await self._database.transact(lambda connection: note_news(connection, every, at))

    async def _list(self, condition: ColumnElement[bool]) -> tuple[KnownRepository, ...]:
        query = select(repositories).where(condition).order_by(_of.id)
        async with self._database.reading() as connection:
            return tuple(_to_known(row) for row in await connection.execute(query))


def _to_known(row: Row[Any]) -> KnownRepository:
    return KnownRepository(row.id, row.name, row.installation_id, row.removed_at, row.suspended_at)
