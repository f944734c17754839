from __future__ import annotations

import asyncio
import datetime as dt
import threading
from collections.abc import Sequence

import pytest
from sqlalchemy import Connection, func, select

from jurat.jobs.queue import JobRequest
from jurat.jobs.table_queue import TableQueue
from jurat.server.intake import ClaimResult, Delivery, Intake, JobCancellation, Work
from jurat.store.database import Database, DatabaseUnavailable
from jurat.store.tables import deliveries, jobs
from tests.support.server import FakeTime

KEY = "octo/hello#1"
REVIEW = JobRequest(KEY, "review")
CLOSE = JobCancellation(KEY, "review", "The pull request was closed.")


def _delivery(name: str, *work: Work, meaning: str | None = None) -> Delivery:
    return Delivery(name, "pull_request", meaning, work)


class Held(TableQueue):
    """A queue that says when a transaction has come to it, and waits until it may go on."""

    def __init__(self, database: Database, time: FakeTime) -> None:
        super().__init__(database, time.now)
        self.arrived = asyncio.Semaphore(0)
        self.may_go_on = threading.Semaphore(0)
        self._loop = asyncio.get_running_loop()

    def enqueue(self, connection: Connection, new: Sequence[JobRequest]) -> None:
        self._loop.call_soon_threadsafe(self.arrived.release)
        assert self.may_go_on.acquire(timeout=60)
        super().enqueue(connection, new)


@pytest.fixture
async def held(database: Database, time: FakeTime) -> Held:
    return Held(database, time)


@pytest.fixture
async def intake(database: Database, held: Held, time: FakeTime) -> Intake:
    return Intake(database, held, now=time.now)


async def _states(database: Database) -> list[str]:
    async with database.reading() as connection:
        return list(await connection.scalars(select(jobs.c.state).order_by(jobs.c.id)))


async def _delivered(database: Database) -> int:
    async with database.reading() as connection:
        return await connection.scalar(select(func.count()).select_from(deliveries)) or 0


async def _together(
    intake: Intake, held: Held, *given: Delivery
) -> list[asyncio.Task[ClaimResult]]:
    """Hand in the first delivery, and the others while it is being written."""
    first = asyncio.create_task(intake.accept(given[0]))
    await held.arrived.acquire()
    rest = [asyncio.create_task(intake.accept(delivery)) for delivery in given[1:]]
    await asyncio.sleep(0)  # each has come as far as it can
    return [first, *rest]


async def test_deliveries_that_wait_share_one_transaction(
    intake: Intake, held: Held, database: Database
) -> None:
    work = [JobRequest(f"octo/hello#{number}", "review") for number in range(9)]
    tasks = await _together(intake, held, *(_delivery(job.key, job) for job in work))

    held.may_go_on.release()
    await held.arrived.acquire()
    held.may_go_on.release()  # the second transaction is the last

    assert [await task for task in tasks] == [ClaimResult.ACCEPTED] * 9
    assert await _states(database) == ["queued"] * 9


async def test_one_guid_twice_holds_up_none_that_wait_with_it(
    intake: Intake, held: Held, database: Database
) -> None:
    work = [JobRequest(f"octo/hello#{number}", "review") for number in range(4)]
    tasks = await _together(
        intake,
        held,
        *(_delivery(job.key, job) for job in work),
        _delivery(KEY, JobRequest("octo/hello#1", "command")),
        _delivery("last", JobRequest("octo/hello#5", "review")),
    )
    for _ in range(5):
        held.may_go_on.release()

    accepted = ClaimResult.ACCEPTED
    assert [await task for task in tasks] == [*[accepted] * 4, ClaimResult.DUPLICATE, accepted]
    assert await _states(database) == ["queued"] * 5


async def test_what_shares_a_transaction_is_carried_out_in_order(
    intake: Intake, held: Held, database: Database
) -> None:
    tasks = await _together(
        intake,
        held,
        _delivery("other", JobRequest("octo/hello#2", "review")),
        _delivery("opened", REVIEW),
        _delivery("closed", CLOSE),
        _delivery("reopened", REVIEW),
        _delivery("closed again", CLOSE),
    )
    for _ in range(9):
        held.may_go_on.release()
    await asyncio.gather(*tasks)

    assert await _states(database) == ["queued", "cancelled", "cancelled"]


async def test_one_meaning_under_two_guids_is_claimed_once_in_a_transaction(
    intake: Intake, held: Held, database: Database
) -> None:
    tasks = await _together(
        intake,
        held,
        _delivery("other", JobRequest("octo/hello#2", "review")),
        _delivery("1", REVIEW, meaning="opened"),
        _delivery("2", REVIEW, meaning="opened"),
    )
    for _ in range(2):
        held.may_go_on.release()

    assert [await task for task in tasks] == [
        ClaimResult.ACCEPTED,
        ClaimResult.ACCEPTED,
        ClaimResult.DUPLICATE,
    ]
    assert await _delivered(database) == 2


async def test_a_caller_that_goes_away_does_not_take_the_others_along(
    intake: Intake, held: Held, database: Database
) -> None:
    first, leaving, staying = await _together(
        intake,
        held,
        _delivery("first", JobRequest("octo/hello#2", "review")),
        _delivery("leaving", REVIEW),
        _delivery("staying", JobRequest("octo/hello#3", "review")),
    )
    held.may_go_on.release()
    await held.arrived.acquire()  # the second transaction, written by the one that leaves
    leaving.cancel()
    held.may_go_on.release()

    async with asyncio.timeout(60):
        assert [await first, await staying] == [ClaimResult.ACCEPTED] * 2
    with pytest.raises(asyncio.CancelledError):
        await leaving
    assert await _states(database) == ["queued"] * 3


async def test_when_the_transaction_fails_every_delivery_in_it_fails_and_can_come_again(
    intake: Intake, held: Held, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_connection: Connection, _new: Sequence[JobRequest]) -> None:
        raise DatabaseUnavailable

    first, *others = await _together(
        intake,
        held,
        _delivery("first", JobRequest("octo/hello#2", "review")),
        _delivery("second", REVIEW),
        _delivery("third", REVIEW),
    )
    with monkeypatch.context() as patch:
        patch.setattr(held, "enqueue", away)
        held.may_go_on.release()
        assert await first is ClaimResult.ACCEPTED
        for task in others:
            with pytest.raises(DatabaseUnavailable):
                await task
    assert await _delivered(database) == 1

    held.may_go_on.release()
    assert await intake.accept(_delivery("second", REVIEW)) is ClaimResult.ACCEPTED


async def test_when_the_database_goes_away_between_two_of_a_batch_the_earlier_one_is_kept(
    intake: Intake, held: Held, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = held.enqueue

    def away_for_the_third(connection: Connection, new: Sequence[JobRequest]) -> None:
        if [job.key for job in new] == ["octo/hello#3"]:
            raise DatabaseUnavailable
        writes(connection, new)

    given = [
        _delivery("first", JobRequest("octo/hello#2", "review")),
        _delivery("second", REVIEW),
        _delivery("first", JobRequest("octo/hello#2", "review")),  # so each is written alone
        _delivery("third", JobRequest("octo/hello#3", "review")),
        _delivery("fourth", JobRequest("octo/hello#4", "review")),
    ]
    tasks = await _together(intake, held, *given)
    with monkeypatch.context() as patch:
        patch.setattr(held, "enqueue", away_for_the_third)
        for _ in range(3):
            held.may_go_on.release()
        answers = await asyncio.gather(*tasks, return_exceptions=True)

    assert answers[:3] == [ClaimResult.ACCEPTED, ClaimResult.ACCEPTED, ClaimResult.DUPLICATE]
    assert isinstance(answers[3], DatabaseUnavailable)
    assert answers[4] is ClaimResult.ACCEPTED
    assert await _delivered(database) == len(await _states(database)) == 3

    held.may_go_on.release()
    assert await intake.accept(given[3]) is ClaimResult.ACCEPTED


@pytest.mark.parametrize("guid", ["d-1", "d-2"])
async def test_what_several_found_missing_is_done_by_one(
    database: Database, time: FakeTime, guid: str
) -> None:
    """Whether it comes under its own GUID once more, or what it means came under another."""
    queue = TableQueue(database, time.now)
    intake = Intake(database, queue, now=time.now)
    missed = _delivery("d-1", REVIEW, meaning="opened")
    assert await intake.repeat(missed, if_unclaimed=True)
    job = await queue.lease("w", dt.timedelta(seconds=30))
    assert job is not None
    await queue.complete(job)
    again = _delivery(guid, REVIEW, meaning="opened")
    assert not await intake.repeat(again, if_unclaimed=True)
    assert await _states(database) == ["done"]
    # Who asks for it by name gets it again.
    assert await intake.repeat(missed)
    assert await _states(database) == ["done", "queued"]
