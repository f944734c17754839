"""Databases that cannot be written, each in its way, and what a trial says of them."""

from __future__ import annotations

import resource
import socket
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine, func, make_url, select, text

from jurat.store.database import Database
from jurat.store.driver_errors import LOCKED
from jurat.store.tables import ticks
from jurat.store.write_trial import PATIENCE, WriteTrial


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Database]:
    database = Database.at(url)
    try:
        yield database
    finally:
        await database.close()


@contextmanager
def locked(url: str) -> Iterator[None]:
    """Another process' write that does not end before the block does."""
    other = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.close()


@contextmanager
def full_disk(url: str) -> Iterator[None]:
    """No file grows beyond what SQLite's log has."""
    size = Path(url.removeprefix("sqlite:///") + "-wal").stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def command(url: str, *statements: str) -> None:
    """Have a PostgreSQL's owner do something to a database, from without."""
    target = make_url(url).set(drivername="postgresql+psycopg")
    engine = create_engine(target, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def either_url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(f"upgraded_{request.param.lower()}_url"))


async def test_a_trial_leaves_nothing_behind(either_url: str) -> None:
    async with opened(either_url) as database:
        trial = WriteTrial(database)
        assert [await trial.problem() for _ in range(3)] == [None] * 3
        async with database.reading() as connection:
            assert await connection.scalar(select(func.count()).select_from(ticks)) == 0


async def test_a_database_that_is_read_only_says_so(database: Database) -> None:
    trial = WriteTrial(database)
    assert await trial.problem() is None
    await database.transact(lambda connection: connection.exec_driver_sql("PRAGMA query_only = 1"))
    assert await trial.problem() == "it is read-only"


async def test_a_disk_that_takes_no_more_is_noticed_and_so_is_one_that_does_again(
    database: Database, database_url: str
) -> None:
    trial = WriteTrial(database)
    assert await trial.problem() is None
    with full_disk(database_url):
        assert await trial.problem() in ("its disk is full", "its disk cannot be read or written")
    assert await trial.problem() is None


async def test_a_lock_that_others_hold_is_waited_for_but_not_for_ever(
    database: Database, database_url: str
) -> None:
    clock = Clock()
    trial = WriteTrial(database, clock=clock)
    assert await trial.problem() is None
    # Else SQLite itself waits for 5 seconds before it says so.
    await database.transact(lambda one: one.exec_driver_sql("PRAGMA busy_timeout = 0"))
    with locked(database_url):
        clock.seconds += PATIENCE - 1
        assert await trial.problem() is None
        clock.seconds += 1
        assert await trial.problem() == LOCKED
    assert await trial.problem() is None


async def test_a_database_that_was_never_written_has_no_patience_to_draw_on(
    database: Database, database_url: str
) -> None:
    trial = WriteTrial(database, deadline=0.05)
    with locked(database_url):
        assert await trial.problem() == "no write ended within 0.05 s"
        assert await trial.problem() == "no write ended within 0.05 s"


async def test_a_database_without_a_server_does_not_answer() -> None:
    async with opened("postgresql://jurat:hunter2@127.0.0.1:1/jurat") as database:
        assert await WriteTrial(database).problem() == "nobody listens at its address"


async def test_what_the_driver_says_of_a_password_is_not_repeated() -> None:
    # The driver takes what follows the first @ for the server's name, and says so.
    async with opened("postgresql://jurat:hunter2@hunter3 @127.0.0.1/jurat") as database:
        problem = await WriteTrial(database).problem()
    assert problem is not None
    assert "hunter" not in problem


async def test_a_server_that_takes_connections_and_is_silent_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        async with opened(f"postgresql://jurat:hunter2@127.0.0.1:{port}/jurat") as database:
            trial = WriteTrial(database, deadline=0.1)
            for _ in range(30):  # more than the pool has connections
                assert await trial.problem() == "no write ended within 0.1 s"


async def test_a_statement_that_hangs_is_given_up_and_the_next_one_works(
    upgraded_postgresql_url: str,
) -> None:
    async with (
        opened(upgraded_postgresql_url) as other,
        opened(upgraded_postgresql_url) as database,
    ):
        trial = WriteTrial(database, deadline=0.2)
        async with other.writing() as connection:
            await connection.execute(text("LOCK TABLE ticks IN ACCESS EXCLUSIVE MODE"))
            assert await trial.problem() == "no write ended within 0.2 s"
        while await trial.problem() is not None:
            pass


async def test_a_server_that_became_a_standby_is_left_for_what_is_primary_now(
    upgraded_postgresql_url: str,
) -> None:
    name = make_url(upgraded_postgresql_url).database
    async with opened(upgraded_postgresql_url) as database:
        command(
            upgraded_postgresql_url, f"ALTER DATABASE {name} SET default_transaction_read_only=1"
        )
        trial = WriteTrial(database)
        assert await trial.problem() == "it is read-only"
        command(
            upgraded_postgresql_url,
            "SET default_transaction_read_only = 0",
            f"ALTER DATABASE {name} RESET default_transaction_read_only",
        )
        assert await trial.problem() is None


async def test_a_user_who_may_not_write_is_told_so(upgraded_postgresql_url: str) -> None:
    role = f"reader_{make_url(upgraded_postgresql_url).database}"
    command(
        upgraded_postgresql_url, f"CREATE ROLE {role} LOGIN", f"GRANT SELECT ON ticks TO {role}"
    )
    url = make_url(upgraded_postgresql_url).set(username=role)
    async with opened(url.render_as_string(hide_password=False)) as database:
        assert await WriteTrial(database).problem() == "its user may not write there"
