"""Events in numbers, by somebody who has a keyboard and time."""

from __future__ import annotations

from jurat.app.wiring import App
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.support.town import BROKEN, Town


@attack(
    "a fork's author",
    tries="have a hundred reviews made, by editing title and draft state without an end",
    gets="one more review and at most one more check: what waits is one job",
)
async def test_an_edit_storm(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN}, by="mallory")
    await town.settle(app)
    asked, written = len(town.gemini.asked), len(town.github.writes())
    for number in range(50):
        actions.edit_pull_request(pull, title=f"Title {number}", by="mallory")
        actions.convert_to_draft(pull, by="mallory")
        pull.draft = False
    await town.settle(app)
    assert len(town.gemini.asked) - asked <= 1
    assert len(town.github.writes()) - written <= 2
    assert len(town.checks(pull)) <= 2


@attack(
    "a fork's author",
    tries="have fifty reviews made, by asking GitHub to run the check again without an end",
    gets="one more check: what waits is one job, and no model is asked",
)
async def test_a_rerun_storm(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN}, by="mallory")
    await town.settle(app)
    asked = len(town.gemini.asked)
    for _ in range(25):
        actions.rerequest_run(town.check(pull), by="mallory")
        actions.rerequest_suite(town.check(pull).suite, by="mallory")
    await town.settle(app)
    assert len(town.gemini.asked) == asked
    assert len(town.checks(pull)) == 2
