"""Who is away: jobs wait for them uncounted, unless others come through."""

from __future__ import annotations

import asyncio
import datetime as dt

import pytest

from jurat.errors import JuratError
from jurat.github.errors import GitHubUnavailableError, RateLimitedError
from jurat.jobs.outages import Outages
from jurat.jobs.queue import PERIODIC, Job, JobRequest
from jurat.jobs.worker import RetryPolicy, Worker, WorkerOptions
from tests.jobs.conftest import Desk

AWAY = GitHubUnavailableError("GitHub answered 503 to GET /app.", status=503)
HOUR = 3_600.0


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_nothing_is_counted_while_nobody_comes_through(clock: Clock) -> None:
    outages = Outages(clock)
    pauses = []
    for _ in range(100):
        pauses.append(outages.find_pause("a", AWAY))
        clock.seconds += 90
    assert pauses[:7] == [1, 2, 4, 8, 16, 32, 60]
    assert set(pauses[6:]) == {60}
    assert outages.is_away


def test_who_fails_alone_is_counted(clock: Clock) -> None:
    outages = Outages(clock)
    assert outages.find_pause("a", AWAY)
    clock.seconds = 5
    outages.note_success("b")
    assert outages.pause == 0
    clock.seconds = 10
    assert outages.find_pause("a", AWAY) is None


def test_patience_ends(clock: Clock) -> None:
    outages = Outages(clock)
    assert outages.find_pause("a", AWAY)
    clock.seconds = 23 * HOUR
    assert outages.find_pause("a", AWAY)
    # For good: what fails on is counted from now on, and given up in the end.
    for hour in (25, 26, 49, 50):
        clock.seconds = hour * HOUR
        assert outages.find_pause("a", AWAY) is None
    outages.forget("a")
    assert outages.find_pause("a", AWAY), "the next job has a day of its own"


def test_who_fails_on_while_others_come_through_is_counted_each_time(clock: Clock) -> None:
    outages = Outages(clock)
    assert outages.find_pause("a", AWAY)
    for _ in range(4):
        clock.seconds += 5
        outages.note_success("b")
        clock.seconds += 5
        assert outages.find_pause("a", AWAY) is None
    clock.seconds += 5
    assert outages.find_pause("a", AWAY), "nobody came through since"


def test_one_that_not_all_need_holds_up_nobody(clock: Clock) -> None:
    class ModelAwayError(JuratError):
        patience = HOUR
        is_needed_by_all = False

    outages = Outages(clock)
    for number in range(5):
        assert outages.find_pause(f"{number}", ModelAwayError("no answer"))
    outages.note_success("b")
    clock.seconds += 1
    assert outages.find_pause("1", ModelAwayError("no answer")), "others never ask it"
    assert outages.pause == 0


@pytest.mark.parametrize("error", [ValueError("a bug"), JuratError("of its own")])
def test_what_is_the_jobs_own_is_counted(clock: Clock, error: Exception) -> None:
    assert Outages(clock).find_pause("a", error) is None


def test_what_is_remembered_is_bounded(clock: Clock) -> None:
    outages = Outages(clock)
    for number in range(20_000):
        outages.find_pause(f"{number}", AWAY)
    assert len(outages._waiting) <= 10_000


async def test_an_outage_of_hours_spends_no_attempt_and_all_are_done_after_it(desk: Desk) -> None:
    back, done, tried = HOUR / 2, [], []
    start = desk.time.now()

    def count_seconds() -> float:
        return (desk.time.now() - start).total_seconds()

    waking: list[float] = []

    async def sleep(seconds: float) -> None:
        if seconds > HOUR:  # a heartbeat: no job takes that long here
            await asyncio.Event().wait()
        due = count_seconds() + seconds
        waking.append(due)
        try:
            await asyncio.sleep(0)
            # Whoever wakes first moves the clock: if each did, it would run twice as fast.
            while (left := due - count_seconds()) > 0:
                if due == min(waking):
                    await desk.advance(left)
                await asyncio.sleep(0)
        finally:
            waking.remove(due)

    async def handle(job: Job) -> None:
        now = count_seconds()
        tried.append(now)
        if now < back:
            raise AWAY
        done.append(now)
        if len(done) == 6:
            worker.stop()

    async def never(*_: object) -> None:
        pytest.fail("a job was given up")

    worker = Worker(
        desk.queue,
        handle,
        name="w",
        give_up=never,
        options=WorkerOptions(retries=RetryPolicy(max_attempts=3), lease=dt.timedelta(hours=9)),
        sleep=sleep,
        draw=lambda: 1.0,
        clock=count_seconds,
    )
    keys = [f"octo/hello#{number}" for number in range(6)]
    await desk.add(*(JobRequest(key, "review") for key in keys))
    await worker.run()
    records = await desk.queue.records(keys=keys)
    assert [(record.state, record.attempts) for record in records] == [("done", 1)] * 6
    assert max(done) - back < 300
    # GitHub is asked about once a minute, however many jobs there are.
    assert len(tried) < 60


async def test_periodic_work_is_no_sign_that_anybody_is_back(desk: Desk) -> None:
    async def handle(job: Job) -> None:
        if job.kind != PERIODIC:
            raise AWAY

    worker = Worker(desk.queue, handle, name="w", draw=lambda: 1.0)
    await desk.add(JobRequest("octo/hello#1", "review"))
    for _ in range(5):
        await desk.add(JobRequest("periodic:sweep", PERIODIC))
        await worker.run_due()
        await desk.advance(61)
    (record,) = await desk.queue.records(keys=["octo/hello#1"])
    assert (record.state, record.attempts) == ("queued", 0)


async def test_a_limit_is_waited_for_as_long_as_it_asks(desk: Desk) -> None:
    async def handle(_job: Job) -> None:
        raise RateLimitedError("too much", retry_after=1_800)

    await desk.add(JobRequest("octo/hello#1", "review"))
    worker = Worker(desk.queue, handle, name="w", draw=lambda: 0.0)
    assert await worker.run_due() == 1
    await desk.advance(1_799)
    assert await worker.run_due() == 0
    await desk.advance(2)
    assert await worker.run_due() == 1
    (record,) = await desk.queue.records(keys=["octo/hello#1"])
    assert (record.state, record.attempts) == ("queued", 0)
