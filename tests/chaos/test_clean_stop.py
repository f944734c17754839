"""SIGTERM: what was begun is finished within a bound, or given back for another to resume."""

from __future__ import annotations

import signal

import pytest

from jurat.app.wiring import App
from tests.standins.gemini.reactions import Reaction
from tests.support.gemini import denying
from tests.support.process import ended, started
from tests.support.town import Town

LOGGING = {"digest.py": "import logging\n\nlogging.info(customer.name)\n"}


@pytest.mark.parametrize("command", ["serve", "worker"])
async def test_a_review_in_flight_is_finished_before_the_process_ends(
    town: Town, app: App, command: str
) -> None:
    pull = town.open(LOGGING)
    await town.github.flush()
    process = await started(town, "jurat", command)
    answer = denying("customer.name")

    def judged(*asked: object) -> object:
        process.send_signal(signal.SIGTERM)
        return answer(*asked)  # type: ignore[arg-type]

    town.gemini.judges("house.no-names-in-logs", judged)  # type: ignore[arg-type]

    assert await ended(process) == 0
    assert [run.conclusion for run in town.checks(pull)] == ["failure"]
    (record,) = await app.queue.records(keys=[f"{town.repository.id}#{pull.number}"])
    assert (record.state, record.attempts) == ("done", 1)


async def test_a_review_that_takes_too_long_is_given_back_and_resumed_by_another_worker(
    town: Town, app: App
) -> None:
    pull = town.open(LOGGING)
    await town.github.flush()
    process = await started(town, "tests.chaos.process", "work", "0.2")
    town.gemini.behave(lambda _asked, _reply: Reaction(stalls=True))
    town.gemini.on_stall = lambda: process.send_signal(signal.SIGTERM)

    assert await ended(process) == 0
    (left,) = town.checks(pull)
    assert left.status == "in_progress"
    (record,) = await app.queue.records(keys=[f"{town.repository.id}#{pull.number}"])
    assert (record.state, record.attempts) == ("queued", 0)

    town.gemini.judges("house.no-names-in-logs", denying("customer.name"))
    await app.worker.run_due()

    assert town.checks(pull) == [left]
    assert left.conclusion == "failure"
