"""What procrastinate's engine has to itself: its schema, and word of new jobs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from procrastinate.schema import SchemaManager
from sqlalchemy import text

from jurat.errors import UsageError
from jurat.jobs.procrastinate_queue import ProcrastinateQueue
from jurat.jobs.queue import JobRequest
from jurat.jobs.table_queue import open_queue
from jurat.store.database import Database
from jurat.store.maintenance import upgrade_schema
from tests.support.server import FakeTime


@pytest.fixture
def database_url(postgres_url: str) -> str:
    return postgres_url


async def _seen(database: Database) -> set[str]:
    async with database.reading() as connection:
        rows = await connection.scalars(text("SELECT name FROM procrastinate_migrations"))
        return set(rows)


def _shipped() -> set[str]:
    return {path.name for path in Path(SchemaManager.get_migrations_path()).glob("*.sql")}


async def test_the_url_alone_decides_the_engine(database: Database, time: FakeTime) -> None:
    assert isinstance(open_queue(database, time.now), ProcrastinateQueue)


async def test_an_upgrade_builds_procrastinates_schema_and_keeps_account_of_it(
    database_url: str,
) -> None:
    await asyncio.gather(*(upgrade_schema(database_url) for _ in range(3)))

    database = Database.at(database_url)
    assert await _seen(database) == _shipped()
    await database.close()


async def test_an_upgrade_runs_the_migrations_that_the_database_lacks(
    database: Database, database_url: str
) -> None:
    made_by_the_last_one = "procrastinate_trigger_function_status_events_update_v1"
    async with database.writing() as connection:
        forget = text("DELETE FROM procrastinate_migrations WHERE name = :name")
        await connection.execute(forget, {"name": max(_shipped())})
        await connection.execute(text(f"DROP FUNCTION {made_by_the_last_one} CASCADE"))

    await upgrade_schema(database_url)

    async with database.reading() as connection:
        found = text("SELECT to_regproc(:name)")
        assert await connection.scalar(found, {"name": made_by_the_last_one}) is not None
    assert await _seen(database) == _shipped()


async def test_a_database_of_a_later_procrastinate_is_left_alone(
    database: Database, database_url: str
) -> None:
    async with database.writing() as connection:
        await connection.execute(
            text("INSERT INTO procrastinate_migrations VALUES ('99.00.00_01_later.sql')")
        )

    with pytest.raises(UsageError, match=r"procrastinate's migration 99\.00\.00_01_later\.sql"):
        await upgrade_schema(database_url)


async def test_whoever_listens_is_woken_by_a_job_that_another_process_enqueued(
    database: Database, database_url: str, time: FakeTime
) -> None:
    woken: asyncio.Queue[None] = asyncio.Queue()
    listening = asyncio.create_task(
        open_queue(database, time.now).listen(lambda: woken.put_nowait(None))
    )
    await woken.get()  # it listens now

    other = Database.at(database_url)
    queue = open_queue(other, time.now)
    await other.transact(
        lambda connection: queue.enqueue(connection, [JobRequest("octo/hello#1", "review")])
    )
    await woken.get()

    listening.cancel()
    await asyncio.wait({listening})
    await other.close()
