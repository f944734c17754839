"""Both engines, each on its real database, with a clock that a test moves."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import update

from jurat.jobs.procrastinate_tables import events as postgres_events
from jurat.jobs.procrastinate_tables import jobs as postgres_jobs
from jurat.jobs.procrastinate_tables import workers as postgres_workers
from jurat.jobs.queue import Job, JobQueue, JobRequest
from jurat.jobs.table_queue import open_queue
from jurat.store.database import Database
from tests.support.server import FakeTime

LEASE = dt.timedelta(seconds=60)


class Desk:
    """Where jobs are handed in and looked up, and where time passes."""

    def __init__(self, queue: JobQueue, database: Database, time: FakeTime) -> None:
        self.queue = queue
        self.database = database
        self.time = time

    async def add(self, *new: JobRequest) -> None:
        await self.database.transact(lambda connection: self.queue.enqueue(connection, new))

    async def cancel(self, key: str) -> None:
        await self.database.transact(
            lambda connection: self.queue.cancel(connection, key, "review", "closed")
        )

    async def ends(self, *keys: str) -> list[tuple[str, str, str | None]]:
        """Key, state and reason of each job of these keys, in the order they were enqueued."""
        records = await self.queue.records(keys=keys)
        return [(record.key, record.state, record.reason) for record in records]

    async def advance(self, seconds: float) -> None:
        """Let time pass.

        Procrastinate goes by the server's clock, which nobody can move: what its tables hold is
        made older instead.
        """
        if self.database.engine.dialect.name == "postgresql":
            passed = dt.timedelta(seconds=seconds)
            async with self.database.writing() as connection:
                for column in (
                    postgres_jobs.c.scheduled_at,
                    postgres_workers.c.last_heartbeat,
                    postgres_events.c.at,
                ):
                    older = {column.name: column - passed}
                    await connection.execute(update(column.table).values(older))
        self.time.advance(seconds)


@pytest.fixture(params=["table on SQLite", "procrastinate on PostgreSQL"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def database_url(engine: str, request: pytest.FixtureRequest) -> str:
    kind = "postgresql" if engine == "procrastinate on PostgreSQL" else "sqlite"
    return str(request.getfixturevalue(f"upgraded_{kind}_url"))


@pytest.fixture
async def queue(database: Database, time: FakeTime) -> JobQueue:
    return open_queue(database, time.now)


@pytest.fixture
def desk(queue: JobQueue, database: Database, time: FakeTime) -> Desk:
    return Desk(queue, database, time)


async def lease(queue: JobQueue, worker: str = "w") -> Job:
    """The next job, of which there must be one."""
    job = await queue.lease(worker, LEASE)
    assert job is not None
    return job
