"""What processes share about GitHub: checks that were begun and not ended, and turns to write."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Float, case, delete, func, literal, or_, select, update

from jurat.store.database import Database, insert_into
from jurat.store.repositories import keep_repository
from jurat.store.tables import open_checks, repositories, write_turns


@dataclass(frozen=True, slots=True)
class OpenCheck:
    """A check on `head_sha` that the job `job_id` began.

    `key`, `kind` and `payload` are the job that ends it, should that one not. `check_run_id` is
    None until GitHub has given it a number.
    """

    key: str
    head_sha: str
    job_id: int
    kind: str
    payload: Mapping[str, Any]
    check_run_id: int | None = None


class OpenCheckStore:
    """The checks that are not known to have ended. Every method raises DatabaseUnavailable."""

    def __init__(self, database: Database, now: Callable[[], dt.datetime]) -> None:
        self._database = database
        self._now = now

    async def begin(self, check: OpenCheck) -> int | None:
        """Keep a check that is about to be begun; the run that the same job began before."""
        row = {
            "key": check.key,
            "head_sha": check.head_sha,
            "job_id": check.job_id,
            "kind": check.kind,
            "payload": check.payload,
            "begun_at": self._now(),
            "check_run_id": check.check_run_id,
            "repository_id": (of := check.payload.get("repository_id")),
        }
        this = (open_checks.c.key == check.key, open_checks.c.head_sha == check.head_sha)
        async with self._database.writing() as connection:
            if of is not None:
                await connection.run_sync(keep_repository, int(of))
            before = (await connection.execute(select(open_checks).where(*this))).one_or_none()
            # The same job, run again after a crash: its run on GitHub is to be found, not begun
            # twice. Another job's run is not answered for here, and its number is overwritten.
            if before is not None and before.job_id == check.job_id:
                return None if before.check_run_id is None else int(before.check_run_id)
            insert = insert_into(connection, open_checks).values(row)
            await connection.execute(
                insert.on_conflict_do_update(index_elements=["key", "head_sha"], set_=row)
            )
        return None

    async def number(self, key: str, head_sha: str, check_run_id: int) -> None:
        """Keep the number that GitHub gave the run."""
        async with self._database.writing() as connection:
            await connection.execute(
                update(open_checks)
                .where(open_checks.c.key == key, open_checks.c.head_sha == head_sha)
                .values(check_run_id=check_run_id)
            )

    async def end(self, key: str, head_sha: str) -> None:
        """Forget a check that has ended."""
        async with self._database.writing() as connection:
            await connection.execute(
                delete(open_checks).where(
                    open_checks.c.key == key, open_checks.c.head_sha == head_sha
                )
            )

    async def all(self) -> tuple[OpenCheck, ...]:
        """Every check that is not known to have ended, the longest open one first.

        Those of an installation that rests wait until it is woken: nobody can end them now.
        """
        rests = select(repositories.c.id).where(repositories.c.suspended_at.is_not(None))
        whose = open_checks.c.repository_id
        return await self._list(or_(whose.is_(None), whose.not_in(rests)))

    async def find(self, key: str, head_sha: str) -> OpenCheck | None:
        """The check of a key on a head; None if it is not known to be open."""
        found = await self._list(open_checks.c.key == key, open_checks.c.head_sha == head_sha)
        return found[0] if found else None

    async def list_begun_by(self, job_id: int) -> tuple[OpenCheck, ...]:
        """Those that one job began and did not end, the longest open one first."""
        return await self._list(open_checks.c.job_id == job_id)

    async def _list(self, *conditions: ColumnElement[bool]) -> tuple[OpenCheck, ...]:
        query = select(open_checks).where(*conditions).order_by(open_checks.c.begun_at)
        async with self._database.reading() as connection:
            rows = await connection.execute(query)
            return tuple(
                [
                    OpenCheck(
                        key=row.key,
                        head_sha=row.head_sha,
                        job_id=row.job_id,
                        kind=row.kind,
                        payload=row.payload,
                        check_run_id=row.check_run_id,
                    )
                    for row in rows
                ]
            )


# Turns to write to GitHub. GitHub counts what an installation writes, whichever process does.


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

    def bind(self, installation_id: int) -> Callable[[], Awaitable[float]]:
        """Takes the next turn of an installation: in how many seconds it is."""

        async def turn() -> float:
            return await self._take_next(installation_id)

        return turn

    async def _take_next(self, installation_id: int) -> float:
        """Raises DatabaseUnavailable."""
        free_at = write_turns.c.free_at
        now = self._select_now()
        insert = insert_into(self._database.engine, write_turns)
        taking = (
            insert.values(installation_id=installation_id, free_at=now + self._interval)
            .on_conflict_do_update(
                index_elements=[write_turns.c.installation_id],
                # Read and moved on in one statement: two processes that ask at once get turns one
                # after the other, and turns that nobody used are not saved up for a burst.
                set_={"free_at": case((free_at > now, free_at), else_=now) + self._interval},
            )
            .returning(free_at - self._interval - now)
        )
        async with self._database.writing() as connection:
            return float((await connection.execute(taking)).scalar_one())

    def _select_now(self) -> ColumnElement[float]:
        """The time in seconds since 1970."""
        if self._database.engine.dialect.name == "postgresql":
            # The database's clock: those of two machines may differ by more than the interval.
            return func.extract("epoch", func.now()).cast(Float)
        return literal(self._now().timestamp())
