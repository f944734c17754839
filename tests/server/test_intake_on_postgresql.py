"""Deliveries that come to two web processes at once, on a real PostgreSQL."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from jurat.jobs.queue import JobRequest
from jurat.jobs.table_queue import open_queue
from jurat.server.intake import ClaimResult, Delivery, Intake, JobCancellation
from jurat.store.database import Database
from tests.support.server import FakeTime


@pytest.fixture
def database_url(upgraded_postgresql_url: str) -> str:
    return upgraded_postgresql_url


@pytest.fixture
async def intakes(
    database: Database, database_url: str, time: FakeTime
) -> AsyncIterator[tuple[Intake, Intake]]:
    """Those of two processes."""
    other = Database.at(database_url)
    yield (
        Intake(database, open_queue(database, time.now), now=time.now),
        Intake(other, open_queue(other, time.now), now=time.now),
    )
    await other.close()


def _opened(number: int, guid: str) -> Delivery:
    key = f"octo/hello#{number}"
    return Delivery(guid, "pull_request", None, (JobRequest(key, "review", delivery=guid),))


def _closed(number: int, guid: str) -> Delivery:
    key = f"octo/hello#{number}"
    work = (JobCancellation(key, "review", "closed"), JobRequest(key, "closed", delivery=guid))
    return Delivery(guid, "pull_request", None, work)


@pytest.mark.parametrize("by", ["guid", "meaning"])
async def test_what_comes_to_two_processes_at_once_is_claimed_by_one(
    intakes: tuple[Intake, Intake], by: str
) -> None:
    for start in range(0, 120, 12):  # each time a batch of its own
        numbers = range(start, start + 12)
        one = [_opened(number, f"{number}") for number in numbers]
        other = [_opened(number, f"{number}") for number in reversed(numbers)]
        if by == "meaning":
            one = [replace(event, dedupe_key=f"opened {event.guid}") for event in one]
            other = [
                replace(event, guid=f"again {event.guid}", dedupe_key=f"opened {event.guid}")
                for event in other
            ]
        answers = await asyncio.gather(
            *(intakes[0].accept(event) for event in one),
            *(intakes[1].accept(event) for event in other),
        )
        assert Counter(answers) == {ClaimResult.ACCEPTED: 12, ClaimResult.DUPLICATE: 12}


async def test_two_processes_wait_for_each_other_whatever_the_order(
    intakes: tuple[Intake, Intake],
) -> None:
    for turn in range(10):
        events = [
            kind(number, f"{turn} {kind.__name__} {number}")
            for number in range(12)
            for kind in (_opened, _closed)
        ]
        answers = await asyncio.gather(
            *(intakes[0].accept(event) for event in events),
            *(
                intakes[1].accept(replace(event, guid=f"{event.guid} too"))
                for event in reversed(events)
            ),
        )
        assert set(answers) == {ClaimResult.ACCEPTED}
