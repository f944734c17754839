"""The database: its column types, how to read and how to write, and why it refuses."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import re
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    closing,
    contextmanager,
    nullcontext,
    suppress,
)
from importlib import import_module
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar

from sqlalchemy import (
    JSON,
    URL,
    BigInteger,
    Connection,
    DateTime,
    Dialect,
    Engine,
    ExceptionContext,
    Integer,
    StaticPool,
    Table,
    Text,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.dialects import postgresql, sqlite
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
from sqlalchemy.types import TypeDecorator

from jurat.errors import IncompleteError, UsageError
from jurat.store.driver_errors import NO_ANSWER, describe_driver_error

Insert: TypeAlias = postgresql.Insert | sqlite.Insert

# PostgreSQL stores neither NUL nor half of a surrogate pair; names in a diff may hold both.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

Number = BigInteger().with_variant(Integer, "sqlite")
"""An integer of 64 bits; on SQLite the kind that may count up as a primary key."""


class Instant(TypeDecorator[dt.datetime]):
    """A point in time: an aware datetime goes in, one in UTC comes out.

    SQLite keeps text without a zone, in UTC and of one length, so that it sorts as time does.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        """Refuse a naive time: it would be read as another one elsewhere."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time has a zone")
        utc = value.astimezone(dt.UTC)
        # SQLite has no type for times, and SQLAlchemy writes its text for them without the zone.
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(
        self, value: dt.datetime | None, dialect: Dialect
    ) -> dt.datetime | None:
        """Say which zone it is."""
        if value is None:
            return None
        return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value.astimezone(dt.UTC)


class Prose(TypeDecorator[str]):
    """Text from anywhere; what no database can store becomes U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replace what cannot be stored."""
        return None if value is None else to_storable(value)


class Json(TypeDecorator[Any]):
    """A JSON value, `jsonb` on PostgreSQL."""

    impl = JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Replace what cannot be stored."""
        return to_storable(value)


def to_storable(value: Any) -> Any:
    """A JSON value with U+FFFD in place of each character that no database can store."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {to_storable(str(key)): to_storable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_storable(item) for item in value]
    return value


def insert_into(database: AsyncEngine | AsyncConnection | Connection, table: Table) -> Insert:
    """An INSERT that knows ON CONFLICT, which both dialects spell alike but do not share."""
    if database.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}

_OLDEST_SQLITE = (3, 35)
"""The first that knows RETURNING, by which a job is leased."""

_BUSY_MS = 5_000
"""How long a write waits for one of another process."""

_SETTINGS = (
    f"PRAGMA busy_timeout = {_BUSY_MS}",  # first: the next one may find the file locked
    "PRAGMA journal_mode = WAL",  # readers never wait
    "PRAGMA synchronous = FULL",  # what is committed survives a power cut
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",  # what is deleted is overwritten: it is somebody's code
)

_READING = "jurat_reading"

_T = TypeVar("_T")


class DatabaseUnavailable(IncompleteError):  # noqa: N818 - says what is the case, as the tree does
    """The database did not answer, or refused. A write may have happened only if it was ending.

    `reason` says why in a clause that anybody may read.
    """

    patience = 86_400.0

    def __init__(self, reason: str = NO_ANSWER) -> None:
        super().__init__(
            "The database does not answer.", hint="Look at DATABASE_URL and at the server's log."
        )
        self.reason = reason


class Database:
    """A pool of connections to one database, SQLite or PostgreSQL.

    Each write is a transaction that is on the disk when its block has ended. On SQLite the writes
    of this process take turns here, in order, rather than meet at the file's lock, where a waiter
    sleeps and tries again.
    """

    def __init__(self, engine: AsyncEngine, writer: Engine | None = None) -> None:
        """`writer` is a second way to the same SQLite file, for `transact`."""
        self.engine = engine
        self._writer = writer
        # One thread: the writer's connection is used by one at a time, and SQLite takes one writer
        # anyway.
        self._thread = ThreadPoolExecutor(1, "transact")
        self._readers = engine.execution_options(**{_READING: True})
        self._turn: AbstractAsyncContextManager[Any] = (
            # asyncio's lock is fair. SQLite's is not: its busy handler polls, and one of many may
            # starve.
            asyncio.Lock() if engine.dialect.name == "sqlite" else nullcontext()
        )

    @classmethod
    def at(cls, url: str) -> Self:
        """The database that DATABASE_URL names, or UsageError. Connects when first used."""
        target = _parse_target(url)
        sqlite = target.get_backend_name() == "sqlite"
        # SQLAlchemy begins the transactions itself: the driver would begin too late, and not for
        # a change of the schema.
        options: dict[str, Any] = (
            # `pool_pre_ping`: a connection that the server or a firewall has dropped is found
            # before a statement is lost on it: https://docs.sqlalchemy.org/en/20/core/pooling.html
            {"connect_args": {"isolation_level": None}} if sqlite else {"pool_pre_ping": True}
        )
        try:
            if not sqlite:
                import_module("procrastinate")  # keeps the jobs there, and comes with the driver
                opening = import_module("jurat.store.postgresql_connection").PatientConnection.open
                options["connect_args"] = {"async_creator_fn": opening}
            # An error names the statement, and not what it was to store.
            engine = create_async_engine(target, hide_parameters=True, **options)
        except ImportError as error:
            raise UsageError(
                f"DATABASE_URL names a database whose driver cannot be loaded: {error}.",
                hint="Install it with pip install 'jurat[postgres]', or use SQLite.",
            ) from None
        if not sqlite:
            event.listen(engine.sync_engine, "handle_error", _leave_standby)
            return cls(engine)
        # One connection that stays open, used by one thread at a time: see transact.
        options["connect_args"]["check_same_thread"] = False
        plain = target.set(drivername="sqlite")
        writer = create_engine(plain, hide_parameters=True, poolclass=StaticPool, **options)
        for each in (engine.sync_engine, writer):
            # In this order of a connection's life: the file is made private before SQLite makes it,
            # and the PRAGMAs are set before the first BEGIN, within which journal_mode cannot
            # change.
            event.listen(each, "do_connect", _keep_private)
            event.listen(each, "connect", _prepare)
            event.listen(each, "begin", _begin)
        return cls(engine, writer)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection that sees one state of the database. Raises DatabaseUnavailable."""
        with _translate_errors():
            async with self._readers.connect() as connection:
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction, committed at the block's end, undone by an error in it.

        Raises DatabaseUnavailable.
        """
        async with self._turn:
            with _translate_errors():
                async with self.engine.begin() as connection:
                    yield connection

    async def transact(self, work: Callable[[Connection], _T]) -> _T:
        """What `work` makes of a transaction, committed when it returns, undone when it raises.

        On SQLite all of it happens in another thread at once, where a block of `writing` crosses
        threads twice for each statement: for what is written often. `work` must touch nothing that
        belongs to the event loop. Raises DatabaseUnavailable.
        """
        if self._writer is None:
            async with self.writing() as connection:
                return await connection.run_sync(work)
        loop = asyncio.get_running_loop()
        async with self._turn:
            with _translate_errors():
                # A caller that is cancelled here gives up its turn, not the thread: the transaction
                # still ends as a whole, and whoever writes next waits for it at the file's lock.
                return await loop.run_in_executor(
                    self._thread, _run_in_transaction, self._writer, work
                )

    async def flush_log(self) -> None:
        """Write what SQLite keeps in its log into the file, and the log over with nothing.

        Until then the log holds the pages as they were before a deletion. Whoever reads meanwhile
        keeps it as it is: the next writer's turn does it then. Elsewhere the server does.
        """
        if self._writer is not None:
            await asyncio.to_thread(_flush_log, str(self._writer.url.database))

    async def close(self) -> None:
        """Close every connection."""
        await self.engine.dispose()
        self._thread.shutdown()
        if self._writer is not None:
            self._writer.dispose()


def _flush_log(path: str) -> None:
    # A connection of its own: a checkpoint is made outside of transactions, and SQLAlchemy begins
    # one for whatever is executed. https://www.sqlite.org/pragma.html#pragma_wal_checkpoint
    with closing(sqlite3.connect(path, timeout=_BUSY_MS / 1000)) as plain:
        plain.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _run_in_transaction(engine: Engine, work: Callable[[Connection], _T]) -> _T:
    with engine.begin() as connection:
        return work(connection)


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except PoolTimeout as error:
        raise DatabaseUnavailable("none of its connections became free") from error
    except DBAPIError as error:
        # A broken SQLite file raises the plain DatabaseError; the other kinds of it are bugs here.
        absent = isinstance(error, (OperationalError, InterfaceError, InternalError))
        if absent or type(error) is DatabaseError:
            raise DatabaseUnavailable(describe_driver_error(error.orig)) from error
        raise


def find_sqlite_file(url: str) -> Path | None:
    """The file of an SQLite database; None for another one. Raises UsageError."""
    target = _parse_target(url)
    return Path(target.database or "") if target.get_backend_name() == "sqlite" else None


def _parse_target(url: str) -> URL:
    try:
        given = make_url(url)
        driver = _DRIVERS[given.drivername]
    except (ArgumentError, KeyError, ValueError):  # the last if the port is no number
        raise UsageError(
            "DATABASE_URL is of no kind that Jurat knows.",
            hint="Set it to sqlite:///jurat.sqlite3 or postgresql://user:password@host/name.",
        ) from None
    target = given.set(drivername=driver)
    if target.get_backend_name() == "sqlite":
        if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
            raise UsageError(
                f"This Python has SQLite {sqlite3.sqlite_version}, which is too old for Jurat.",
                hint="Use a Python with SQLite 3.35 or later, or PostgreSQL.",
            )
        folder = Path(target.database or "").parent
        if not folder.is_dir():
            raise UsageError(
                f"DATABASE_URL names a file in {folder}, which is no folder.",
                hint="Make the folder, or name a file in another one.",
            )
    return target


def _keep_private(
    _dialect: Dialect, _record: object, arguments: Sequence[Any], _named: object
) -> None:
    """Make a file that is still to be made, readable and writable by its owner alone.

    It holds quotations of private code. SQLite would give it what the umask leaves, and gives its
    -wal and -shm what the file has. A file that exists keeps what its owner gave it.
    """
    path = arguments[0]
    if path and not path.startswith((":memory:", "file:")):
        # Whatever is wrong with the path is for SQLite to say.
        with suppress(OSError):
            # O_EXCL, as a chmod afterwards would leave a moment in which anybody may open the file.
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _leave_standby(context: ExceptionContext) -> None:
    """Give up the connections to a server that has become read-only.

    After a failover they lead to what is a standby now, and would be used for as long as it runs.
    """
    if getattr(context.original_exception, "sqlstate", None) == "25006":
        context.is_disconnect = True


def _prepare(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    try:
        for setting in _SETTINGS:
            cursor.execute(setting)
    except Exception:
        # Nobody else would: a file that stays locked must not cost a thread each time.
        connection.close()
        raise
    cursor.close()


def _begin(connection: Connection) -> None:
    # A write asks for the lock at once: one that begins as a read may find that another process
    # has written meanwhile, and then fails without waiting.
    # https://www.sqlite.org/lang_transaction.html
    reading = connection.get_execution_options().get(_READING)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")
