"""What is left when a process is killed, as it is: with SIGKILL, in the middle."""

from __future__ import annotations

import signal
import subprocess
import sys

from sqlalchemy import select

from bot.jobs.protocol import Job, NewJob
from bot.jobs.table import TableQueue
from bot.jobs.worker import Worker, WorkerOptions
from bot.store.database import Database
from bot.store.tables import jobs
from tests.support_server import FakeTime

# A worker that begins each job, says so, and never ends one. Its clock stands.
WORKER = """
import asyncio, datetime as dt, sys
from bot.jobs.table import TableQueue
from bot.jobs.worker import Worker
from bot.store.database import Database

async def begin(job):
    print(job.key, flush=True)
    await asyncio.Event().wait()

async def main(url, now):
    queue = TableQueue(Database.at(url), lambda: dt.datetime.fromisoformat(now))
    await Worker(queue, begin, name="killed").run()

asyncio.run(main(*sys.argv[1:]))
"""


def _begin_and_kill(url: str, now: str) -> str:
    """Run the worker until it has begun a job, and kill it; the job's key."""
    command = [sys.executable, "-c", WORKER, url, now]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        key = process.stdout.readline().strip()
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    return key


async def test_a_job_of_a_killed_worker_is_run_again_after_its_lease(
    database: Database, queue: TableQueue, time: FakeTime, database_url: str
) -> None:
    async with database.writing() as connection:
        await queue.enqueue(connection, [NewJob("octo/hello#1", "review")])
    assert _begin_and_kill(database_url, time.now().isoformat()) == "octo/hello#1"

    ran: list[Job] = []

    async def handle(job: Job) -> None:
        ran.append(job)

    worker = Worker(queue, handle, name="next", sleep=time.sleep)
    lease = WorkerOptions().lease.total_seconds()
    time.advance(lease - 1)
    assert await worker.run_due() == 0
    time.advance(1)
    assert await worker.run_due() == 1

    assert [(job.key, job.attempts) for job in ran] == [("octo/hello#1", 2)]
    async with database.reading() as connection:
        assert list(await connection.scalars(select(jobs.c.state))) == ["done"]
