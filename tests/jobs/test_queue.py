"""What every JobQueue promises."""

from __future__ import annotations

import asyncio
import datetime as dt
from dataclasses import replace
from types import MappingProxyType

import pytest
from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from jurat.jobs.queue import Job, JobQueue, JobRecord, JobRequest, QueueDepth
from jurat.jobs.requests import BASE_PUSHED, ReviewRequest, to_job
from jurat.jobs.table_queue import open_queue
from jurat.store.database import Database
from jurat.store.tables import deliveries, jobs, lanes
from tests.jobs.conftest import LEASE, Desk, lease
from tests.support.server import FakeTime

A, B = JobRequest("octo/hello#1", "review"), JobRequest("octo/hello#2", "review")


async def test_a_job_comes_out_as_it_went_in(queue: JobQueue, desk: Desk) -> None:
    await desk.add(JobRequest("octo/hello#1", "review", {"number": 1}, delivery="guid-1"))

    job = await lease(queue)

    assert (job.key, job.kind, job.payload) == ("octo/hello#1", "review", {"number": 1})
    assert (job.attempts, job.delivery) == (1, "guid-1")
    assert await queue.lease("w", LEASE) is None


async def test_what_nobody_asked_for_keeps_nobody_waiting(queue: JobQueue, desk: Desk) -> None:
    where = {"repository": "octo/hello", "repository_id": 1, "installation_id": 2}
    for number in (1, 2, 3):
        again = ReviewRequest(**where, number=number, cause=BASE_PUSHED)
        await desk.add(to_job(again))
    await desk.advance(1)
    await desk.add(to_job(ReviewRequest(**where, number=9, cause="pull_request.opened")))
    order = [(await lease(queue)).payload["number"] for _ in range(4)]
    assert order == [1, 9, 2, 3]


async def test_jobs_come_out_in_the_order_they_went_in(queue: JobQueue, desk: Desk) -> None:
    for number in (3, 1, 2):
        await desk.advance(1)
        await desk.add(JobRequest(f"octo/hello#{number}", "review"))

    assert [(await lease(queue)).key[-1] for _ in range(3)] == ["3", "1", "2"]


async def test_an_enqueued_job_is_nobodys_before_the_transaction_ends(
    queue: JobQueue, database: Database
) -> None:
    def fail(connection: Connection) -> None:
        queue.enqueue(connection, [A])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await database.transact(fail)

    assert await queue.lease("w", LEASE) is None


async def test_a_waiting_job_is_not_doubled_and_takes_the_latest_payload(
    queue: JobQueue, desk: Desk
) -> None:
    await desk.add(JobRequest("octo/hello#1", "review", {"head": "a"}, delivery="1"))
    await desk.add(
        JobRequest("octo/hello#1", "review", {"head": "b"}, delivery="2"),
        JobRequest("octo/hello#1", "review", {"head": "c"}, delivery="3"),
    )

    job = await lease(queue)

    assert (job.payload, job.delivery) == ({"head": "c"}, "3")
    await queue.complete(job)
    assert await queue.lease("w", LEASE) is None


async def test_kinds_and_variants_are_jobs_of_their_own(queue: JobQueue, desk: Desk) -> None:
    await desk.add(
        A, JobRequest(A.key, "command", variant="1"), JobRequest(A.key, "command", variant="2")
    )

    for kind in ("review", "command", "command"):
        job = await lease(queue)
        assert job.kind == kind
        await queue.complete(job)


async def test_jobs_of_one_key_run_one_after_the_other(queue: JobQueue, desk: Desk) -> None:
    await desk.add(A)
    running = await lease(queue)
    await desk.add(A, B)

    other = await lease(queue)

    assert other.key == B.key
    assert await queue.lease("w", LEASE) is None
    await queue.complete(running)
    assert (await lease(queue)).key == A.key


async def test_a_finished_job_can_come_again(queue: JobQueue, desk: Desk) -> None:
    for _ in range(2):
        await desk.add(A)
        await queue.complete(await lease(queue))

    assert await desk.ends(A.key) == [(A.key, "done", None)] * 2


async def test_a_job_whose_worker_died_is_handed_out_after_itslease(
    queue: JobQueue, desk: Desk
) -> None:
    await desk.add(A)
    lost = await lease(queue, "dead")
    await desk.advance(59)
    assert await queue.lease("w", LEASE) is None

    await desk.advance(1)
    again = await lease(queue)

    assert (again.id, again.attempts) == (lost.id, 2)


async def test_a_job_whose_worker_died_comes_before_all_others(queue: JobQueue, desk: Desk) -> None:
    await desk.add(A)
    lost = await lease(queue, "dead")
    await queue.extend_lease(lost, 2 * LEASE)
    await desk.add(A, B)
    await desk.advance(120)

    again = await lease(queue)

    assert again.id == lost.id
    assert (await lease(queue)).key == B.key
    assert await queue.lease("w", LEASE) is None
    await queue.complete(again)
    assert (await lease(queue)).key == A.key


async def test_a_heartbeat_keeps_thelease(queue: JobQueue, desk: Desk) -> None:
    await desk.add(A)
    job = await lease(queue)
    for _ in range(5):
        await desk.advance(40)
        assert await queue.extend_lease(job, LEASE)

    await desk.advance(59)
    assert await queue.lease("other", LEASE) is None


async def test_who_lost_a_lease_can_change_nothing(queue: JobQueue, desk: Desk) -> None:
    await desk.add(A)
    lost = await lease(queue, "slow")
    await desk.advance(60)
    held = await lease(queue, "quick")

    assert not await queue.extend_lease(lost, LEASE)
    assert not await queue.complete(lost)
    assert not await queue.retry(lost, LEASE, "late")
    assert not await queue.release(lost)
    assert not await queue.fail(lost, "late")
    assert await desk.ends(A.key) == [(A.key, "leased", None)]
    assert await queue.complete(held)
    assert not await queue.complete(held)


async def test_a_retried_job_waits_for_its_pause_and_counts_its_attempts(
    queue: JobQueue, desk: Desk
) -> None:
    await desk.add(A)
    assert await queue.retry(await lease(queue), dt.timedelta(seconds=30), "no answer")
    assert await desk.ends(A.key) == [(A.key, "queued", "no answer")]

    await desk.advance(29)
    assert await queue.lease("w", LEASE) is None
    await desk.advance(1)
    assert (await lease(queue)).attempts == 2


async def test_a_new_event_ends_a_pause_and_counts_anew(queue: JobQueue, desk: Desk) -> None:
    await desk.add(A)
    await queue.retry(await lease(queue), dt.timedelta(hours=1), "no answer")

    await desk.add(JobRequest(A.key, A.kind, {"head": "new"}))
    job = await lease(queue)

    assert (job.attempts, job.payload) == (1, {"head": "new"})


async def test_a_retried_job_gives_way_to_one_that_waits_already(
    queue: JobQueue, desk: Desk
) -> None:
    await desk.add(A)
    running = await lease(queue)
    await desk.add(A)

    assert await queue.retry(running, dt.timedelta(hours=1), "no answer")

    assert [state for _, state, _ in await desk.ends(A.key)] == ["cancelled", "queued"]
    assert (await lease(queue)).attempts == 1


async def test_a_released_job_is_due_at_once_and_not_counted(queue: JobQueue, desk: Desk) -> None:
    await desk.add(A)
    assert await queue.release(await lease(queue))

    assert (await lease(queue)).attempts == 1


async def test_a_buried_job_keeps_its_reason_and_never_comes_again(
    queue: JobQueue, desk: Desk
) -> None:
    await desk.add(A)
    assert await queue.fail(await lease(queue), "a permission is missing")

    await desk.advance(10**6)
    assert await queue.lease("w", LEASE) is None
    assert await desk.ends(A.key) == [(A.key, "dead", "a permission is missing")]


async def test_a_cancelled_job_that_waits_is_never_run(queue: JobQueue, desk: Desk) -> None:
    await desk.add(A, B, JobRequest(A.key, "command"))
    await desk.cancel(A.key)

    assert {(await lease(queue)).kind for _ in range(2)} == {"review", "command"}
    assert await queue.lease("w", LEASE) is None
    assert (A.key, "cancelled", "closed") in await desk.ends(A.key)


async def test_who_runs_a_cancelled_job_learns_it_and_the_next_one_waits_for_the_end(
    queue: JobQueue, desk: Desk
) -> None:
    await desk.add(A)
    running = await lease(queue)
    await desk.cancel(A.key)
    await desk.add(A)  # opened again

    assert not await queue.extend_lease(running, LEASE)
    assert await queue.lease("w", LEASE) is None
    assert await queue.complete(running)
    assert await desk.ends(A.key) == [(A.key, "cancelled", "closed"), (A.key, "queued", None)]
    assert (await lease(queue)).key == A.key


@pytest.mark.parametrize("way", ["retry", "release", "die"])
async def test_a_cancelled_job_is_not_tried_again(queue: JobQueue, desk: Desk, way: str) -> None:
    await desk.add(A)
    running = await lease(queue)
    await desk.cancel(A.key)

    if way == "retry":
        assert await queue.retry(running, dt.timedelta(0), "no answer")
    elif way == "release":
        assert await queue.release(running)
    await desk.advance(3_600)

    assert await queue.lease("w", LEASE) is None
    assert await desk.ends(A.key) == [(A.key, "cancelled", "closed")]


@pytest.mark.parametrize("state", ["queued", "leased"])
async def test_the_table_itself_refuses_a_second_job_in_a_place(
    database: Database, time: FakeTime, state: str
) -> None:
    row = {
        "key": A.key,
        "kind": A.kind,
        "variant": "",
        "payload": {},
        "installation": "",
        "repository": "",
        "person": "",
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
    assert (await lease(open_queue(later, time.now))).key == A.key
    await later.close()


async def test_a_waiting_job_may_be_replaced_any_number_of_times(
    queue: JobQueue, desk: Desk
) -> None:
    for number in range(12):  # a driver may prepare a statement that it has seen before
        await desk.add(JobRequest(A.key, A.kind, {"number": number}))

    assert (await lease(queue)).payload == {"number": 11}


async def test_a_payload_comes_back_as_it_was_given(queue: JobQueue, desk: Desk) -> None:
    deep: list[object] = []
    for _ in range(200):
        deep = [deep]
    payload = {
        "": "no name",
        'a "quoted"\\name': None,
        "largest id": 2**63 - 1,
        "larger": -(2**70),
        "fraction": 0.1,
        "flags": [True, False, None, {}, [], [None]],
        "text": "Ümlaut \U0001f600 \u2028 \x1f </script>",
        "number as text": "1e5",
        "deep": deep,
    }
    await desk.add(JobRequest(A.key, A.kind, MappingProxyType(payload)))

    given = (await lease(queue)).payload
    assert given == payload
    assert [type(value) for value in given["flags"][:2]] == [bool, bool]


async def test_a_pause_holds_up_nothing_else_of_its_key(queue: JobQueue, desk: Desk) -> None:
    await desk.add(A)
    await queue.retry(await lease(queue), dt.timedelta(hours=1), "no answer")

    await desk.add(JobRequest(A.key, "command"))

    assert (await lease(queue)).kind == "command"


@pytest.mark.parametrize(
    ("given", "outcomes"),
    [
        ((["first"], ["second"], ["second"]), {"first": "merged", "second": "enqueued"}),
        ((["first"], [None], ["second"]), {"first": "merged", "second": "enqueued"}),
        ((["first"], ["second"], [None]), {"first": "merged", "second": "merged"}),
        ((["first", "second"],), {"first": "merged", "second": "enqueued"}),
        ((["first", "second", "first"],), {"first": "enqueued", "second": "merged"}),
    ],
)
async def test_a_delivery_whose_waiting_job_is_replaced_ends_as_merged(
    database: Database,
    desk: Desk,
    time: FakeTime,
    given: tuple[list[str | None], ...],
    outcomes: dict[str, str],
) -> None:
    async with database.writing() as connection:
        for guid in ("first", "second"):
            row = {"guid": guid, "event": "push", "received_at": time.now(), "outcome": "enqueued"}
            await connection.execute(insert(deliveries), row)
    for together in given:
        await desk.add(*(JobRequest(A.key, A.kind, delivery=guid) for guid in together))

    async with database.reading() as connection:
        rows = await connection.execute(select(deliveries.c.guid, deliveries.c.outcome))
        assert {row.guid: row.outcome for row in rows} == outcomes


async def test_a_tick_is_enqueued_once_whoever_asks_and_an_earlier_one_not_at_all(
    queue: JobQueue, desk: Desk
) -> None:
    async def tick(number: int) -> bool:
        return await queue.enqueue_tick(
            JobRequest("sweep", "periodic", variant=f"{number}"), "s", number
        )

    assert sorted(await asyncio.gather(*(tick(7) for _ in range(4)))) == [False] * 3 + [True]
    assert not await tick(7)
    assert await tick(8)
    assert await desk.ends("sweep") == [("sweep", "queued", None)] * 2
    await queue.complete(await lease(queue))
    assert not await tick(7)


async def test_a_record_names_the_delivery_and_is_found_by_it(queue: JobQueue, desk: Desk) -> None:
    await desk.add(JobRequest(A.key, "review", delivery="guid-1"), B)
    await queue.fail(await lease(queue), "broken")

    (record,) = await queue.records(deliveries=["guid-1", "guid-2"])

    assert record == JobRecord(A.key, "review", "dead", 1, "guid-1", "broken")
    assert await queue.records(deliveries=["guid-2"]) == ()
    assert len(await queue.records(keys=[A.key, B.key])) == 2


async def test_the_backlog_counts_what_waits_and_what_runs_and_says_how_old_it_is(
    queue: JobQueue, desk: Desk
) -> None:
    assert await queue.backlog() == QueueDepth(0, 0, 0.0)
    await desk.add(A, B)
    first = await lease(queue)
    await queue.retry(first, dt.timedelta(0), "busy")
    await desk.advance(3_600)
    backlog = await queue.backlog()
    assert (backlog.waiting, backlog.running) == (2, 0)
    assert 3_600 <= backlog.oldest_seconds < 4_000

    await queue.complete(await lease(queue))
    await lease(queue)
    assert await queue.backlog() == QueueDepth(0, 1, 0.0)


async def test_what_ended_long_ago_is_forgotten_and_nothing_that_lives(
    queue: JobQueue, desk: Desk
) -> None:
    a_day = dt.timedelta(days=1)
    await desk.add(A)
    await queue.complete(await lease(queue))
    await desk.add(B)
    await queue.fail(await lease(queue), "broken")
    await desk.add(A)
    await desk.advance(100_000)
    await desk.add(B)
    await queue.complete(await lease(queue))

    await queue.forget(a_day)

    assert await desk.ends(A.key, B.key) == [(A.key, "done", None), (B.key, "queued", None)]


async def test_many_workers_at_once_get_each_job_once_and_no_key_twice(
    queue: JobQueue, desk: Desk
) -> None:
    for kind in ("review", "command"):
        await desk.add(*(JobRequest(f"octo/hello#{number}", kind) for number in range(6)))

    out: list[Job] = []
    while jobs_now := [job for job in await asyncio.gather(*map(_lease_as, [queue] * 4)) if job]:
        assert len({job.key for job in jobs_now}) == len(jobs_now)
        out += jobs_now
        for job in jobs_now:
            assert await queue.complete(job)

    assert len({job.id for job in out}) == len(out) == 12


async def _lease_as(queue: JobQueue) -> Job | None:
    return await queue.lease("one of many", LEASE)


def asked_by(installation: int, repository: str, number: int) -> JobRequest:
    payload = {"installation_id": installation, "repository_id": repository}
    return JobRequest(f"{repository}#{number}", "review", payload)


async def test_a_repository_with_one_job_waits_for_one_of_another_with_many(
    queue: JobQueue, desk: Desk
) -> None:
    await desk.add(*(asked_by(1, "noisy/all", number) for number in range(20)))
    first = await lease(queue)
    await desk.add(asked_by(1, "quiet/one", 1), asked_by(1, "quiet/two", 1))
    await queue.complete(first)

    keys = [(await lease(queue)).key for _ in range(4)]

    assert set(keys[:2]) == {"quiet/one#1", "quiet/two#1"}
    assert {key.partition("#")[0] for key in keys[2:]} == {"noisy/all"}


async def test_an_installation_with_many_repositories_is_served_as_often_as_one_with_one(
    queue: JobQueue, desk: Desk
) -> None:
    await desk.add(*(asked_by(1, f"noisy/{number}", 1) for number in range(20)))
    await desk.add(*(asked_by(2, "quiet/one", number) for number in range(5)))

    keys = []
    for _ in range(10):
        job = await lease(queue)
        keys.append(job.key.partition("/")[0])
        await queue.complete(job)

    assert keys.count("quiet") == 5
    assert keys[:4] in (["noisy", "quiet"] * 2, ["quiet", "noisy"] * 2)


async def test_a_person_with_one_job_waits_for_one_of_another_with_many(
    queue: JobQueue, desk: Desk
) -> None:
    await desk.add(*(replace(asked_by(1, "octo/one", number), by=7) for number in range(20)))
    await queue.complete(await lease(queue))
    await desk.add(replace(asked_by(1, "octo/one", 99), by=8))

    keys = [(await lease(queue)).key for _ in range(3)]

    assert keys[0] == "octo/one#99"
    assert {key.partition("#")[0] for key in keys} == {"octo/one"}


async def test_a_repository_with_one_job_waits_for_one_of_another_with_many_people(
    queue: JobQueue, desk: Desk
) -> None:
    # Each of them was served as seldom as whoever asks in the other one.
    await desk.add(*(replace(asked_by(1, "octo/noisy", number), by=number) for number in range(20)))
    await queue.complete(await lease(queue))
    await desk.add(replace(asked_by(1, "octo/quiet", 99), by=99))

    assert (await lease(queue)).key == "octo/quiet#99"


async def test_what_is_late_waits_for_all_others_of_its_lane_whoever_asked(
    queue: JobQueue, desk: Desk
) -> None:
    await desk.add(replace(asked_by(1, "octo/one", 1), by=7, unasked=True, late=True))
    await desk.add(
        *(replace(asked_by(1, "octo/one", number), by=8, unasked=True) for number in (2, 3)),
        asked_by(1, "octo/one", 4),
    )

    keys = [(await lease(queue)).key for _ in range(4)]

    assert keys.index("octo/one#1") > max(keys.index("octo/one#2"), keys.index("octo/one#3"))


async def test_periodic_work_and_retries_take_their_turn_too(queue: JobQueue, desk: Desk) -> None:
    await desk.add(asked_by(1, "quiet/one", 1))
    again = await lease(queue)
    await desk.add(*(asked_by(2, "noisy/all", number) for number in range(20)))
    await desk.add(JobRequest("periodic:sweep", "periodic"))
    await queue.retry(again, dt.timedelta(seconds=5), "no luck")
    await desk.advance(5)

    keys = {(await lease(queue)).key for _ in range(3)}

    assert {"quiet/one#1", "periodic:sweep"} < keys


async def test_lanes_without_jobs_are_forgotten(
    queue: JobQueue, desk: Desk, database: Database
) -> None:
    await desk.add(asked_by(1, "octo/gone", 1), asked_by(2, "octo/here", 1))
    for _ in range(2):
        await queue.complete(await lease(queue))
    await desk.add(asked_by(2, "octo/here", 1))
    await desk.advance(100)
    await queue.forget(dt.timedelta(seconds=50))

    async with database.reading() as connection:
        assert set(await connection.scalars(select(lanes.c.lane))) == {
            "2",
            "2/octo/here",
            "2/octo/here/by/0",
        }
