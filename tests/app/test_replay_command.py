"""`jurat replay` as an operator runs it, in a process of its own."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from tests.support.process import ended, started
from tests.support.town import BROKEN, Town

GUID = "11111111-2222-4333-8444-555555555555"


async def _said(town: Town, *arguments: str) -> tuple[int, str]:
    """The exit code, and what was printed and complained of."""
    process = await started(town, "jurat", "replay", *arguments)
    printed, complained = await process.communicate()
    return await ended(process), (printed + complained).decode().strip()


async def test_a_delivery_is_taken_on_again(town: Town, app: App) -> None:
    town.open({"digest.py": BROKEN})
    await town.settle(app)
    (delivery,) = [one for one in town.github.deliveries if one.event.name == "pull_request"]

    code, said = await _said(town, delivery.event.guid)

    guid = delivery.event.guid
    assert (code, said) == (0, f"Delivery {guid} (pull_request) was taken on again: 1 job.")
    assert await app.worker.run_due() == 1


async def test_what_was_missed_is_named(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    town.github.outbox.clear()

    code, said = await _said(town, "--missed")

    key = f"acme/shop#{pull.number}"
    assert (code, said) == (0, f"{key} has no check: a review was enqueued.")
    assert await app.worker.run_due() == 1
    assert await _said(town, "--missed") == (0, "Nothing was missed.")


async def test_a_delivery_that_cannot_be_read_was_not_taken_on(town: Town, app: App) -> None:
    town.open({"digest.py": BROKEN})
    event = next(one for one in town.github.outbox if one.name == "pull_request")
    head = event.payload["pull_request"].pop("head")
    await town.settle(app)

    code, said = await _said(town, event.guid)

    event.payload["pull_request"]["head"] = head  # what GitHub sends is checked in the end
    first = said.splitlines()[0]
    assert code == 3
    assert first.startswith(f"Delivery {event.guid} (pull_request) was not taken on: The pull_req")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([GUID], f"jurat: GitHub knows no delivery {GUID} to this App."),
        ([], "jurat: Name a delivery, or give --missed."),
        ([GUID, "--missed"], "jurat: Name a delivery, or give --missed."),
    ],
)
async def test_what_cannot_be_done_is_one_clear_line(
    town: Town, app: App, arguments: list[str], problem: str
) -> None:
    code, said = await _said(town, *arguments)

    assert code == 2
    assert said.startswith(problem)
    assert "\n" not in said
