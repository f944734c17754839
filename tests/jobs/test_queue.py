"""What every JobQueue promises."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from bot.jobs.protocol import Backlog, Job, NewJob
from bot.jobs.table import TableQueue
from bot.store.database import Database
from bot.store.tables import jobs
from tests.support_server import FakeTime

LEASE = dt.timedelta(seconds=60)
A, B = NewJob("octo/hello#1", "review"), NewJob("octo/hello#2", "review")


class Desk:
    """Where jobs are handed in, and looked up."""

    def __init__(self, queue: TableQueue, database: Database) -> None:
        self._queue = queue
        self._database = database

    async def add(self, *new: NewJob) -> None:
        async with self._database.writing() as connection:
            await self._queue.enqueue(connection, new)

    async def cancel(self, key: str) -> None:
        async with self._database.writing() as connection:
            await self._queue.cancel(connection, key, "review", "closed")

    async def ends(self) -> list[tuple[str, str, str | None]]:
        """Key, state and reason of each job, in the order they were enqueued."""
        query = select(jobs.c.key, jobs.c.state, jobs.c.reason).order_by(jobs.c.id)
        async with self._database.reading() as connection:
            return [tuple(row) for row in await connection.execute(query)]


@pytest.fixture
def desk(queue: TableQueue, database: Database) -> Desk:
    return Desk(queue, database)


async def _lease(queue: TableQueue, worker: str = "w") -> Job:
    job = await queue.lease(worker, LEASE)
    assert job is not None
    return job


async def test_a_job_comes_out_as_it_went_in(queue: TableQueue, desk: Desk) -> None:
    await desk.add(NewJob("octo/hello#1", "review", {"number": 1}, delivery="guid-1"))

    job = await _lease(queue)

    assert (job.key, job.kind, job.payload) == ("octo/hello#1", "review", {"number": 1})
    assert (job.attempts, job.delivery) == (1, "guid-1")
    assert await queue.lease("w", LEASE) is None


async def test_jobs_come_out_in_the_order_they_went_in(
    queue: TableQueue, desk: Desk, time: FakeTime
) -> None:
    for number in (3, 1, 2):
        time.advance(1)
        await desk.add(NewJob(f"octo/hello#{number}", "review"))

    assert [(await _lease(queue)).key[-1] for _ in range(3)] == ["3", "1", "2"]


async def test_an_enqueued_job_is_nobodys_before_the_transaction_ends(
    queue: TableQueue, database: Database
) -> None:
    async def roll_back() -> None:
        async with database.writing() as connection:
            await queue.enqueue(connection, [A])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await roll_back()

    assert await queue.lease("w", LEASE) is None


async def test_a_waiting_job_is_not_doubled_and_takes_the_latest_payload(
    queue: TableQueue, desk: Desk
) -> None:
    await desk.add(NewJob("octo/hello#1", "review", {"head": "a"}, delivery="1"))
    await desk.add(
        NewJob("octo/hello#1", "review", {"head": "b"}, delivery="2"),
        NewJob("octo/hello#1", "review", {"head": "c"}, delivery="3"),
    )

    job = await _lease(queue)

    assert (job.payload, job.delivery) == ({"head": "c"}, "3")
    await queue.complete(job)
    assert await queue.lease("w", LEASE) is None


async def test_kinds_and_variants_are_jobs_of_their_own(queue: TableQueue, desk: Desk) -> None:
    await desk.add(A, NewJob(A.key, "command", variant="1"), NewJob(A.key, "command", variant="2"))

    for kind in ("review", "command", "command"):
        job = await _lease(queue)
        assert job.kind == kind
        await queue.complete(job)


async def test_jobs_of_one_key_run_one_after_the_other(queue: TableQueue, desk: Desk) -> None:
    await desk.add(A)
    running = await _lease(queue)
    await desk.add(A, B)

    other = await _lease(queue)

    assert other.key == B.key
    assert await queue.lease("w", LEASE) is None
    await queue.complete(running)
    assert (await _lease(queue)).key == A.key


async def test_a_finished_job_can_come_again(queue: TableQueue, desk: Desk) -> None:
    for _ in range(2):
        await desk.add(A)
        await queue.complete(await _lease(queue))

    assert await desk.ends() == [(A.key, "done", None)] * 2


async def test_a_job_whose_worker_died_is_handed_out_after_its_lease(
    queue: TableQueue, desk: Desk, time: FakeTime
) -> None:
    await desk.add(A)
    lost = await _lease(queue, "dead")
    time.advance(59)
    assert await queue.lease("w", LEASE) is None

    time.advance(1)
    again = await _lease(queue)

    assert (again.id, again.attempts) == (lost.id, 2)


async def test_a_job_whose_worker_died_comes_before_all_others(
    queue: TableQueue, desk: Desk, time: FakeTime
) -> None:
    await desk.add(A)
    lost = await _lease(queue, "dead")
    await queue.heartbeat(lost, 2 * LEASE)
    await desk.add(A, B)
    time.advance(120)

    again = await _lease(queue)

    assert again.id == lost.id
    assert (await _lease(queue)).key == B.key
    assert await queue.lease("w", LEASE) is None
    await queue.complete(again)
    assert (await _lease(queue)).key == A.key


async def test_a_heartbeat_keeps_the_lease(queue: TableQueue, desk: Desk, time: FakeTime) -> None:
    await desk.add(A)
    job = await _lease(queue)
    for _ in range(5):
        time.advance(40)
        assert await queue.heartbeat(job, LEASE)

    time.advance(59)
    assert await queue.lease("other", LEASE) is None


async def test_who_lost_a_lease_can_change_nothing(
    queue: TableQueue, desk: Desk, time: FakeTime
) -> None:
    await desk.add(A)
    lost = await _lease(queue, "slow")
    time.advance(60)
    held = await _lease(queue, "quick")

    assert not await queue.heartbeat(lost, LEASE)
    assert not await queue.complete(lost)
    assert not await queue.retry(lost, LEASE, "late")
    assert not await queue.release(lost)
    assert not await queue.bury(lost, "late")
    assert await desk.ends() == [(A.key, "leased", None)]
    assert await queue.complete(held)
    assert not await queue.complete(held)


async def test_a_retried_job_waits_for_its_pause_and_counts_its_attempts(
    queue: TableQueue, desk: Desk, time: FakeTime
) -> None:
    await desk.add(A)
    assert await queue.retry(await _lease(queue), dt.timedelta(seconds=30), "no answer")
    assert await desk.ends() == [(A.key, "queued", "no answer")]

    time.advance(29)
    assert await queue.lease("w", LEASE) is None
    time.advance(1)
    assert (await _lease(queue)).attempts == 2


async def test_a_new_event_ends_a_pause_and_counts_anew(queue: TableQueue, desk: Desk) -> None:
    await desk.add(A)
    await queue.retry(await _lease(queue), dt.timedelta(hours=1), "no answer")

    await desk.add(NewJob(A.key, A.kind, {"head": "new"}))
    job = await _lease(queue)

    assert (job.attempts, job.payload) == (1, {"head": "new"})


async def test_a_retried_job_gives_way_to_one_that_waits_already(
    queue: TableQueue, desk: Desk
) -> None:
    await desk.add(A)
    running = await _lease(queue)
    await desk.add(A)

    assert await queue.retry(running, dt.timedelta(hours=1), "no answer")

    assert [state for _, state, _ in await desk.ends()] == ["cancelled", "queued"]
    assert (await _lease(queue)).attempts == 1


async def test_a_released_job_is_due_at_once_and_not_counted(queue: TableQueue, desk: Desk) -> None:
    await desk.add(A)
    assert await queue.release(await _lease(queue))

    assert (await _lease(queue)).attempts == 1


async def test_a_buried_job_keeps_its_reason_and_never_comes_again(
    queue: TableQueue, desk: Desk, time: FakeTime
) -> None:
    await desk.add(A)
    assert await queue.bury(await _lease(queue), "a permission is missing")

    time.advance(10**6)
    assert await queue.lease("w", LEASE) is None
    assert await desk.ends() == [(A.key, "dead", "a permission is missing")]


async def test_a_cancelled_job_that_waits_is_never_run(queue: TableQueue, desk: Desk) -> None:
    await desk.add(A, B, NewJob(A.key, "command"))
    await desk.cancel(A.key)

    assert {(await _lease(queue)).kind for _ in range(2)} == {"review", "command"}
    assert await queue.lease("w", LEASE) is None
    assert (A.key, "cancelled", "closed") in await desk.ends()


async def test_who_runs_a_cancelled_job_learns_it_and_the_next_one_waits_for_the_end(
    queue: TableQueue, desk: Desk
) -> None:
    await desk.add(A)
    running = await _lease(queue)
    await desk.cancel(A.key)
    await desk.add(A)  # opened again

    assert not await queue.heartbeat(running, LEASE)
    assert await queue.lease("w", LEASE) is None
    assert await queue.complete(running)
    assert await desk.ends() == [(A.key, "cancelled", "closed"), (A.key, "queued", None)]
    assert (await _lease(queue)).key == A.key


@pytest.mark.parametrize("way", ["retry", "release", "die"])
async def test_a_cancelled_job_is_not_tried_again(
    queue: TableQueue, desk: Desk, time: FakeTime, way: str
) -> None:
    await desk.add(A)
    running = await _lease(queue)
    await desk.cancel(A.key)

    if way == "retry":
        assert await queue.retry(running, dt.timedelta(0), "no answer")
    elif way == "release":
        assert await queue.release(running)
    time.advance(3_600)

    assert await queue.lease("w", LEASE) is None
    assert await desk.ends() == [(A.key, "cancelled", "closed")]


@pytest.mark.parametrize("state", ["queued", "leased"])
async def test_the_table_itself_refuses_a_second_job_in_a_place(
    database: Database, time: FakeTime, state: str
) -> None:
    row = {
        "key": A.key,
        "kind": A.kind,
        "variant": "",
        "payload": {},
        "state": state,
        "attempts": 0,
        "lease": 0,
        "enqueued_at": time.now(),
        "due_at": time.now(),
    }
    async with database.writing() as connection:
        await connection.execute(insert(jobs), row)

    with pytest.raises(IntegrityError):
        async with database.writing() as connection:
            await connection.execute(insert(jobs), row)


async def test_another_process_sees_what_this_one_enqueued(
    desk: Desk, time: FakeTime, database: Database, database_url: str
) -> None:
    await desk.add(A)
    await database.close()

    later = Database.at(database_url)
    assert (await _lease(TableQueue(later, time.now))).key == A.key
    await later.close()


async def test_the_backlog_counts_what_waits_and_what_runs_and_says_how_old_it_is(
    queue: TableQueue, desk: Desk, time: FakeTime
) -> None:
    assert await queue.backlog() == Backlog(0, 0, 0.0)
    await desk.add(A)
    time.advance(30)
    await desk.add(B)
    time.advance(12)
    assert await queue.backlog() == Backlog(2, 0, 42.0)

    first = await _lease(queue)
    assert await queue.backlog() == Backlog(1, 1, 12.0)
    await queue.retry(first, dt.timedelta(seconds=60), "busy")
    await queue.complete(await _lease(queue))
    assert await queue.backlog() == Backlog(1, 0, 0.0)  # it waits, and is not due yet
