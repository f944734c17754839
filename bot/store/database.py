"""The database: one connection pool, how to read from it and how to write to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from pathlib import Path
from typing import Any, Self

from sqlalchemy import URL, Connection, event, make_url, text
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DBAPIError,
    InterfaceError,
    InternalError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.errors import IncompleteError, UsageError

_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}

_BUSY_MS = 5_000
"""How long a write waits for one of another process."""

_SETTINGS = (
    f"PRAGMA busy_timeout = {_BUSY_MS}",  # first: the next one may find the file locked
    "PRAGMA journal_mode = WAL",  # readers never wait
    "PRAGMA synchronous = FULL",  # what is committed survives a power cut
    "PRAGMA foreign_keys = ON",
)

_READING = "bylaw_reading"


class DatabaseUnavailable(IncompleteError):  # noqa: N818 - says what is the case, as the tree does
    """The database did not answer, or refused. A write may have happened only if it was ending."""

    def __init__(self) -> None:
        super().__init__(
            "The database does not answer.", hint="Look at DATABASE_URL and at the server's log."
        )


class Database:
    """A pool of connections to one database, SQLite or PostgreSQL.

    Each write is a transaction that is on the disk when its block has ended. On SQLite the writes
    of this process take turns here, in order, rather than meet at the file's lock, where a waiter
    sleeps and tries again.
    """

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self._readers = engine.execution_options(**{_READING: True})
        self._turn: AbstractAsyncContextManager[Any] = (
            asyncio.Lock() if engine.dialect.name == "sqlite" else nullcontext()
        )

    @classmethod
    def at(cls, url: str) -> Self:
        """The database that DATABASE_URL names, or UsageError. Connects when first used."""
        target = _target(url)
        sqlite = target.get_backend_name() == "sqlite"
        # SQLAlchemy begins the transactions itself: the driver would begin too late, and not for
        # a change of the schema.
        options: dict[str, Any] = (
            {"connect_args": {"isolation_level": None}} if sqlite else {"pool_pre_ping": True}
        )
        try:
            # An error names the statement, and not what it was to store.
            engine = create_async_engine(target, hide_parameters=True, **options)
        except ModuleNotFoundError as error:
            raise UsageError(
                f"DATABASE_URL names a database whose driver, {error.name}, is not installed.",
                hint="Install it with pip install 'bylaw[postgres]', or use SQLite.",
            ) from None
        if sqlite:
            event.listen(engine.sync_engine, "connect", _prepare)
            event.listen(engine.sync_engine, "begin", _begin)
        return cls(engine)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection that sees one state of the database. Raises DatabaseUnavailable."""
        with _translated():
            async with self._readers.connect() as connection:
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction, committed at the block's end, undone by an error in it.

        Raises DatabaseUnavailable.
        """
        async with self._turn:
            with _translated():
                async with self.engine.begin() as connection:
                    yield connection

    async def answers(self) -> bool:
        """Whether a query gets an answer now."""
        try:
            async with self.reading() as connection:
                await connection.execute(text("SELECT 1"))
        except DatabaseUnavailable:
            return False
        return True

    async def close(self) -> None:
        """Close every connection."""
        await self.engine.dispose()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except PoolTimeout as error:
        raise DatabaseUnavailable from error
    except DBAPIError as error:
        # A broken SQLite file raises the plain DatabaseError; the other kinds of it are bugs here.
        absent = isinstance(error, (OperationalError, InterfaceError, InternalError))
        if absent or type(error) is DatabaseError:
            raise DatabaseUnavailable from error
        raise


def _target(url: str) -> URL:
    try:
        given = make_url(url)
        driver = _DRIVERS[given.drivername]
    except (ArgumentError, KeyError):
        raise UsageError(
            "DATABASE_URL is of no kind that Bylaw knows.",
            hint="Set it to sqlite:///bylaw.sqlite3 or postgresql://user:password@host/name.",
        ) from None
    target = given.set(drivername=driver)
    if target.get_backend_name() == "sqlite":
        folder = Path(target.database or "").parent
        if not folder.is_dir():
            raise UsageError(
                f"DATABASE_URL names a file in {folder}, which is no folder.",
                hint="Make the folder, or name a file in another one.",
            )
    return target


def _prepare(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    for setting in _SETTINGS:
        cursor.execute(setting)
    cursor.close()


def _begin(connection: Connection) -> None:
    # A write asks for the lock at once: one that begins as a read may find that another process
    # has written meanwhile, and then fails without waiting.
    reading = connection.get_execution_options().get(_READING)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
