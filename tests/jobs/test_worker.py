from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from jurat.errors import JuratError, UsageError
from jurat.jobs.queue import Handler, Job, JobQueue, JobRequest, JobState
from jurat.jobs.table_queue import open_queue
from jurat.jobs.worker import RetryPolicy, Worker, WorkerOptions
from jurat.store.database import DatabaseUnavailable
from tests.jobs.conftest import Desk
from tests.support.server import FakeTime

OPTIONS = WorkerOptions(
    concurrency=2,
    lease=dt.timedelta(seconds=60),
    poll=5.0,
    grace=30.0,
    retries=RetryPolicy(max_attempts=3, first=10.0),
)


class Site:
    """A queue, a clock, and the workers that the test starts there."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.database = desk.database
        self.queue: JobQueue = desk.queue
        self.time = desk.time

    def worker(self, handler: Handler, **changes: Any) -> Worker:
        given: dict[str, Any] = {
            "name": "w",
            "options": OPTIONS,
            "sleep": self.time.sleep,
            "draw": lambda: 1.0,
        }
        return Worker(self.queue, handler, **{**given, **changes})

    @asynccontextmanager
    async def running(self, worker: Worker) -> AsyncIterator[asyncio.Task[None]]:
        """The worker, running beside the test until the block ends."""
        task = asyncio.create_task(worker.run())
        yield task
        worker.stop()
        await task

    async def add(self, *numbers: int, kind: str = "review") -> None:
        new = [JobRequest(f"octo/hello#{number}", kind) for number in numbers]
        await self.database.transact(lambda connection: self.queue.enqueue(connection, new))

    async def ends(self) -> list[tuple[JobState, int, str | None]]:
        """State, attempts and reason of each job, in the order they were enqueued."""
        records = await self.queue.records(keys=[f"octo/hello#{number}" for number in range(9)])
        return [(record.state, record.attempts, record.reason) for record in records]


@pytest.fixture
async def site(desk: Desk) -> Site:
    return Site(desk)


class Handling:
    """A handler that says when it is called, and returns when the test lets it."""

    def __init__(self) -> None:
        self.started: asyncio.Queue[Job] = asyncio.Queue()
        self.cancelled: asyncio.Queue[Job] = asyncio.Queue()
        self._may_end: dict[str, asyncio.Event] = {}

    async def __call__(self, job: Job) -> None:
        self.started.put_nowait(job)
        try:
            await self._gate(job.key).wait()
        except asyncio.CancelledError:
            self.cancelled.put_nowait(job)
            raise

    def let_end(self, job: Job) -> None:
        self._gate(job.key).set()

    def _gate(self, key: str) -> asyncio.Event:
        return self._may_end.setdefault(key, asyncio.Event())


def _raising(error: BaseException) -> Callable[[Job], Awaitable[None]]:
    async def handle(_: Job) -> None:
        raise error

    return handle


async def test_due_jobs_are_run_until_none_is_left(site: Site) -> None:
    seen = []

    async def handle(job: Job) -> None:
        seen.append(job.key)
        if job.key.endswith("#1"):
            await site.add(3)

    await site.add(1, 2)

    assert await site.worker(handle).run_due() == 3
    assert seen == ["octo/hello#1", "octo/hello#2", "octo/hello#3"]
    assert await site.ends() == [("done", 1, None)] * 3


async def test_a_job_enqueued_in_this_process_starts_without_waiting_for_the_poll(
    site: Site,
) -> None:
    handling = Handling()
    worker = site.worker(handling)
    async with site.running(worker):
        await site.time.until_asleep(OPTIONS.poll)
        await site.add(1)
        worker.wake()
        handling.let_end(await handling.started.get())  # the clock has not moved

    assert await site.ends() == [("done", 1, None)]


async def test_a_job_enqueued_elsewhere_starts_with_the_next_poll(site: Site) -> None:
    handling = Handling()
    async with site.running(site.worker(handling)):
        await site.time.until_asleep(OPTIONS.poll)
        await site.add(1)
        await site.desk.advance(OPTIONS.poll)
        handling.let_end(await handling.started.get())

    assert await site.ends() == [("done", 1, None)]


async def test_as_many_jobs_run_at_once_as_the_options_say(site: Site) -> None:
    handling = Handling()
    await site.add(1, 2, 3)
    async with site.running(site.worker(handling)):
        first, second = await handling.started.get(), await handling.started.get()
        await site.time.until_asleep(OPTIONS.poll)
        assert handling.started.empty()

        handling.let_end(second)
        third = await handling.started.get()
        handling.let_end(first)
        handling.let_end(third)

    assert [state for state, *_ in await site.ends()] == ["done"] * 3


async def test_a_long_job_keeps_its_lease(site: Site) -> None:
    handling = Handling()
    await site.add(1)
    async with site.running(site.worker(handling)):
        job = await handling.started.get()
        for _ in range(6):
            await site.time.until_asleep(20)
            await site.desk.advance(20)
        await site.time.until_asleep(20)
        assert await site.queue.lease("another", OPTIONS.lease) is None
        handling.let_end(job)

    assert await site.ends() == [("done", 1, None)]


async def test_a_cancelled_job_is_stopped_at_the_next_heartbeat(site: Site) -> None:
    handling = Handling()
    await site.add(1)
    async with site.running(site.worker(handling)):
        await handling.started.get()
        await site.database.transact(
            lambda connection: site.queue.cancel(connection, "octo/hello#1", "review", "closed")
        )
        await site.time.until_asleep(20)
        await site.desk.advance(20)
        await handling.cancelled.get()

    assert await site.ends() == [("cancelled", 1, "closed")]


async def test_a_worker_that_lost_its_lease_stops_and_leaves_the_job_to_its_new_holder(
    site: Site,
) -> None:
    handling = Handling()
    await site.add(1)
    async with site.running(site.worker(handling)):
        await handling.started.get()
        # This process was held up until its lease had run out, and another looked before it did.
        ahead = open_queue(site.database, lambda: site.time.now() + OPTIONS.lease)
        again = await ahead.lease("another", dt.timedelta(0))
        assert again is not None
        await site.time.until_asleep(20)
        await site.desk.advance(20)
        await handling.cancelled.get()

    assert await site.ends() == [("leased", 2, None)]
    assert await site.queue.complete(again)


async def test_a_failed_job_is_tried_again_after_growing_pauses_and_then_given_up(
    site: Site,
) -> None:
    told = []

    async def give_up(job: Job, reason: str) -> None:
        told.append((job.key, reason))

    await site.add(1)
    worker = site.worker(_raising(RuntimeError("no luck")), give_up=give_up)

    for pause in (10, 20):
        assert await worker.run_due() == 1
        await site.desk.advance(pause - 1)
        assert await worker.run_due() == 0
        await site.desk.advance(1)
    assert told == []
    assert await worker.run_due() == 1

    reason = "Given up after 3 attempts. RuntimeError: no luck"
    assert told == [("octo/hello#1", reason)]
    assert await site.ends() == [("dead", 3, reason)]


async def test_an_error_that_no_retry_mends_is_given_up_at_once(site: Site) -> None:
    await site.add(1)
    await site.worker(_raising(UsageError("PORT is 'x'."))).run_due()

    assert await site.ends() == [("dead", 1, "PORT is 'x'.")]


async def test_a_job_that_kills_its_workers_is_given_up(site: Site) -> None:
    await site.add(1)
    for _ in range(OPTIONS.retries.max_attempts):
        assert await site.queue.lease("dies", OPTIONS.lease) is not None
        await site.desk.advance(60)

    await site.worker(_raising(AssertionError("it was run"))).run_due()

    assert await site.ends() == [("dead", 4, "Its worker stopped without a word 3 times.")]


async def test_a_handler_that_cancels_itself_has_failed(site: Site) -> None:
    await site.add(1)
    await site.worker(_raising(asyncio.CancelledError())).run_due()

    ((state, attempts, reason),) = await site.ends()
    assert (state, attempts) == ("queued", 1)
    assert "CancelledError" in (reason or "")


async def test_a_job_is_buried_even_when_nobody_could_be_told(site: Site) -> None:
    async def give_up(_job: Job, _reason: str) -> None:
        raise JuratError("GitHub does not answer.")

    await site.add(1)
    await site.worker(_raising(UsageError("broken")), give_up=give_up).run_due()

    assert await site.ends() == [("dead", 1, "broken")]


async def test_a_stop_lets_running_jobs_end_and_starts_no_other(site: Site) -> None:
    handling = Handling()
    worker = site.worker(handling)
    await site.add(1)
    async with site.running(worker) as task:
        job = await handling.started.get()
        await site.add(2)
        worker.stop()
        await site.time.until_asleep(OPTIONS.grace)
        assert not task.done()
        handling.let_end(job)

    assert await site.ends() == [("done", 1, None), ("queued", 0, None)]


async def test_a_stop_gives_back_untried_what_does_not_end_in_time(site: Site) -> None:
    handling = Handling()
    worker = site.worker(handling)
    await site.add(1)
    async with site.running(worker):
        await handling.started.get()
        worker.stop()
        await site.time.until_asleep(OPTIONS.grace)
        await site.desk.advance(OPTIONS.grace)
        await handling.cancelled.get()

    assert await site.ends() == [("queued", 0, None)]
    assert await site.queue.lease("the next one", OPTIONS.lease) is not None


async def test_a_job_that_ends_in_the_turn_in_which_the_grace_is_over_is_done(site: Site) -> None:
    handling = Handling()
    worker = site.worker(handling)
    await site.add(1)
    async with site.running(worker):
        job = await handling.started.get()
        worker.stop()
        await site.time.until_asleep(OPTIONS.grace)
        # Both wake in the same turn of the loop, and either may be looked at first.
        handling.let_end(job)
        await site.desk.advance(OPTIONS.grace)

    assert await site.ends() == [("done", 1, None)]


async def test_a_lease_is_kept_while_somebody_is_told_of_a_dead_job(site: Site) -> None:
    telling, may_end = asyncio.Event(), asyncio.Event()

    async def give_up(_job: Job, _reason: str) -> None:
        telling.set()
        await may_end.wait()

    await site.add(1)
    worker = site.worker(_raising(UsageError("broken")), give_up=give_up)
    async with site.running(worker):
        await telling.wait()
        for _ in range(4):
            await site.time.until_asleep(20)
            await site.desk.advance(20)
        await site.time.until_asleep(20)
        assert await site.queue.lease("another", OPTIONS.lease) is None
        may_end.set()

    assert await site.ends() == [("dead", 1, "broken")]


async def test_a_stop_while_somebody_is_told_gives_the_dead_job_back(site: Site) -> None:
    telling = asyncio.Event()

    async def give_up(_job: Job, _reason: str) -> None:
        telling.set()
        await asyncio.Event().wait()

    await site.add(1)
    worker = site.worker(_raising(UsageError("broken")), give_up=give_up)
    async with site.running(worker):
        await telling.wait()
        worker.stop()
        await site.time.until_asleep(OPTIONS.grace)
        await site.desk.advance(OPTIONS.grace)

    # Nobody is known to have been told: the next worker tells.
    assert await site.ends() == [("queued", 0, None)]


class Flaky:
    """A queue whose database goes away when the test says so."""

    def __init__(self, queue: JobQueue) -> None:
        self.away = False
        self._queue = queue

    def __getattr__(self, name: str) -> Any:
        if self.away:
            raise DatabaseUnavailable
        return getattr(self._queue, name)


async def test_a_worker_outlives_an_absent_database(time: FakeTime, site: Site) -> None:
    site.queue = queue = Flaky(site.queue)
    handling = Handling()
    await site.add(1)
    queue.away = True
    async with site.running(site.worker(handling)):
        await time.until_asleep(OPTIONS.poll)
        queue.away = False
        await site.desk.advance(OPTIONS.poll)
        job = await handling.started.get()

        queue.away = True
        await time.until_asleep(20)
        await site.desk.advance(20)  # a heartbeat fails
        await time.until_asleep(20)
        handling.let_end(job)  # and so does the end

    queue.away = False
    assert await site.ends() == [("leased", 1, None)]
    await site.desk.advance(60)
    assert await site.worker(handling).run_due() == 1
    assert await site.ends() == [("done", 2, None)]


def seconds(time: FakeTime) -> Callable[[], float]:
    return lambda: time.now().timestamp()


async def rounds(site: Site, count: int) -> None:
    """Let that many of a worker's pauses go by."""
    for _ in range(count):
        await site.time.until_asleep(OPTIONS.poll)
        await site.desk.advance(OPTIONS.poll)


async def test_a_worker_tells_how_it_began_and_ended(site: Site) -> None:
    worker = site.worker(Handling(), clock=seconds(site.time))
    assert await worker.problem() == "it has not begun"
    async with site.running(worker):
        await site.time.until_asleep(OPTIONS.poll)
        assert await worker.problem() is None
        worker.stop()
        assert await worker.problem() == "it stops"
    assert await worker.problem() == "it has ended"


async def test_a_worker_that_is_busy_for_long_is_well(site: Site) -> None:
    handling = Handling()
    worker = site.worker(handling, clock=seconds(site.time))
    await site.add(1, 2)
    async with site.running(worker):
        jobs = [await handling.started.get() for _ in range(OPTIONS.concurrency)]
        for _ in range(12):
            await rounds(site, 1)
            assert await worker.problem() is None
        for job in jobs:
            handling.let_end(job)


class Away:
    """A queue whose engine does as a test says whenever a job is to be leased."""

    def __init__(self, queue: JobQueue) -> None:
        self.queue = queue
        self.leased: Callable[[], Awaitable[None]] | None = None

    async def lease(self, worker: str, duration: dt.timedelta) -> Job | None:
        if self.leased is not None:
            await self.leased()
        return await self.queue.lease(worker, duration)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.queue, name)


async def test_a_worker_that_can_lease_nothing_says_so_until_it_can(site: Site) -> None:
    async def refuse() -> None:
        raise DatabaseUnavailable

    queue = Away(site.queue)
    site.queue = queue
    worker = site.worker(Handling(), clock=seconds(site.time))
    async with site.running(worker):
        await site.time.until_asleep(OPTIONS.poll)
        queue.leased = refuse
        await rounds(site, 6)
        assert await worker.problem() is None
        await rounds(site, 2)
        assert await worker.problem() == "it has made no round for 40 s (no job could be leased)"
        queue.leased = None
        await rounds(site, 1)
        await site.time.until_asleep(OPTIONS.poll)
        assert await worker.problem() is None


async def test_a_worker_that_waits_for_a_lease_for_ever_says_so(site: Site) -> None:
    asked, answered = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        asked.set()
        await answered.wait()

    queue = Away(site.queue)
    queue.leased = hang
    site.queue = queue
    worker = site.worker(Handling(), clock=seconds(site.time))
    async with site.running(worker):
        await asked.wait()
        site.time.advance(36)
        assert await worker.problem() == "it has made no round for 36 s"
        answered.set()


async def test_a_worker_that_a_bug_has_ended_says_so_without_what_the_error_says(
    site: Site,
) -> None:
    async def fail() -> None:
        raise RuntimeError("the password is hunter2")

    queue = Away(site.queue)
    queue.leased = fail
    site.queue = queue
    worker = site.worker(Handling(), clock=seconds(site.time))
    with pytest.raises(RuntimeError):
        await worker.run()
    assert await worker.problem() == "it was ended by an error (RuntimeError)"
