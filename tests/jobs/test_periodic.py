"""Periodic work: once, however many processes keep the time."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Sequence

from jurat.errors import IncompleteError
from jurat.jobs.periodic import PeriodicScheduler, PeriodicTask, with_periodic
from jurat.jobs.queue import Job, JobQueue, JobRequest
from jurat.jobs.worker import Worker
from tests.jobs.conftest import Desk

HOUR = dt.timedelta(hours=1)


class Chore:
    """Counts how often it was done, and fails when told to."""

    def __init__(self) -> None:
        self.done = 0
        self.fails = False

    async def __call__(self) -> None:
        if self.fails:
            raise IncompleteError("not now")
        self.done += 1


def _keeper(desk: Desk, work: Sequence[PeriodicTask]) -> PeriodicScheduler:
    return PeriodicScheduler(
        work, desk.queue, desk.database, now=desk.time.now, sleep=desk.time.sleep
    )


def _worker(desk: Desk, work: Sequence[PeriodicTask]) -> Worker:
    async def others(job: Job) -> None:
        raise AssertionError(job.kind)

    return Worker(desk.queue, with_periodic(work, others), name="w", sleep=desk.time.sleep)


async def test_what_is_due_is_done_once_by_whichever_process_notices(desk: Desk) -> None:
    chore = Chore()
    work = (PeriodicTask("tidy", HOUR, chore),)
    keepers = [_keeper(desk, work) for _ in range(3)]
    worker = _worker(desk, work)

    for hours in range(1, 4):
        await asyncio.gather(*(keeper.tick() for keeper in keepers))
        await asyncio.gather(*(keeper.tick() for keeper in keepers))
        await worker.run_due()
        assert chore.done == hours
        await desk.advance(3_600)


async def test_what_every_start_asks_for_is_done_once_for_processes_that_start_together(
    desk: Desk,
) -> None:
    at_start, other = Chore(), Chore()
    work = (PeriodicTask("sweep", HOUR, at_start, at_start=True), PeriodicTask("tidy", HOUR, other))

    for _ in range(3):
        await _keeper(desk, work).start()
    await _worker(desk, work).run_due()

    assert (at_start.done, other.done) == (1, 0)


async def test_the_time_is_kept_while_the_process_runs(desk: Desk) -> None:
    chore = Chore()
    work = (PeriodicTask("sweep", HOUR, chore, at_start=True),)
    keeping = asyncio.create_task(_keeper(desk, work).run())
    worker = _worker(desk, work)

    await desk.time.until_asleep(60)
    assert await worker.run_due() == 2  # the start, and the hour that it lies in
    for _ in range(60):
        await desk.time.until_asleep(60)
        await desk.advance(60)
    await desk.time.until_asleep(60)
    assert await worker.run_due() == 1

    keeping.cancel()
    await asyncio.wait({keeping})
    assert chore.done == 3


async def test_work_that_fails_is_tried_again_like_any_job(desk: Desk) -> None:
    chore = Chore()
    chore.fails = True
    work = (PeriodicTask("tidy", HOUR, chore),)
    await _keeper(desk, work).tick()
    worker = _worker(desk, work)
    await worker.run_due()
    (record,) = await desk.queue.records(keys=["periodic:tidy"])
    assert (record.state, record.reason) == ("queued", "not now")

    chore.fails = False
    await desk.advance(60)
    await worker.run_due()
    assert chore.done == 1


async def test_work_that_this_release_does_not_know_is_passed_over(
    desk: Desk, queue: JobQueue
) -> None:
    await desk.add(JobRequest("periodic:old", "periodic", {"name": "old"}))

    await _worker(desk, ()).run_due()

    assert await desk.ends("periodic:old") == [("periodic:old", "done", None)]


async def test_who_keeps_the_time_tells_whether_it_does(desk: Desk) -> None:
    work = (PeriodicTask("tidy", HOUR, Chore()),)
    ticked: list[Exception] = []

    class Failing(PeriodicScheduler):
        async def tick(self) -> None:
            if ticked:
                raise ticked[0]

    keeper = Failing(
        work,
        desk.queue,
        desk.database,
        now=desk.time.now,
        sleep=desk.time.sleep,
        clock=lambda: desk.time.now().timestamp(),
    )
    assert await keeper.problem() == "it has not begun"
    keeping = asyncio.create_task(keeper.run())
    await desk.time.until_asleep(60)
    assert await keeper.problem() is None
    ticked.append(IncompleteError("not now"))
    for _ in range(3):
        assert await keeper.problem() is None
        await desk.advance(60)
        await desk.time.until_asleep(60)
    assert await keeper.problem() == "it has made no round for 180 s (nothing could be enqueued)"
    ticked[0] = RuntimeError("the password is hunter2")
    await desk.advance(60)
    await asyncio.wait({keeping})
    assert isinstance(keeping.exception(), RuntimeError)
    assert await keeper.problem() == "it was ended by an error (RuntimeError)"


async def test_the_latest_tick_is_known_to_whoever_looks(desk: Desk) -> None:
    work = (PeriodicTask("tidy", HOUR, Chore()),)
    assert await desk.queue.latest_tick("tidy") is None
    await _keeper(desk, work).tick()
    hour = int(desk.time.now().timestamp() // 3_600)
    assert await desk.queue.latest_tick("tidy") == hour
    await desk.advance(3_600)
    await _keeper(desk, work).tick()
    assert await desk.queue.latest_tick("tidy") == hour + 1
