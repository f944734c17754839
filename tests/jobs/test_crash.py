"""What is left when a process is killed, as it is: with SIGKILL, in the middle."""

from __future__ import annotations

import signal
import subprocess

from jurat.jobs.queue import Job, JobQueue, JobRequest
from jurat.jobs.worker import Worker, WorkerOptions
from tests.jobs.conftest import Desk
from tests.support.production import python
from tests.support.server import FakeTime

# A worker that begins each job, says so, and never ends one. Its clock stands.
WORKER = """
import asyncio, datetime as dt, sys
from jurat.jobs.table_queue import open_queue
from jurat.jobs.worker import Worker
from jurat.store.database import Database

async def begin(job):
    print(job.key, flush=True)
    await asyncio.Event().wait()

async def main(url, now):
    queue = open_queue(Database.at(url), lambda: dt.datetime.fromisoformat(now))
    await Worker(queue, begin, name="killed").run()

asyncio.run(main(*sys.argv[1:]))
"""


def _begin_and_kill(url: str, now: str) -> str:
    """Run the worker until it has begun a job, and kill it; the job's key."""
    command = [python(), "-c", WORKER, url, now]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        key = process.stdout.readline().strip()
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    return key


async def test_a_job_of_a_killed_worker_is_run_again_after_its_lease(
    queue: JobQueue, desk: Desk, time: FakeTime, database_url: str
) -> None:
    await desk.add(JobRequest("octo/hello#1", "review"))
    assert _begin_and_kill(database_url, time.now().isoformat()) == "octo/hello#1"

    ran: list[Job] = []

    async def handle(job: Job) -> None:
        ran.append(job)

    worker = Worker(queue, handle, name="next", sleep=time.sleep)
    lease = WorkerOptions().lease.total_seconds()
    await desk.advance(lease / 2)
    assert await worker.run_due() == 0
    await desk.advance(lease / 2)
    assert await worker.run_due() == 1

    assert [(job.key, job.attempts) for job in ran] == [("octo/hello#1", 2)]
    assert await desk.ends("octo/hello#1") == [("octo/hello#1", "done", None)]
