"""A pull request that would rather be judged by something of its own."""

from __future__ import annotations

from jurat.app.wiring import App
from tests.attacks.attack import attack
from tests.support.town import BROKEN, Town

EMPTY = "version: 1\npacks: []\nrules: []\n"


@attack(
    "a fork's author",
    tries="switch the rules off in the branch's own configuration",
    gets="the failure that the base's rules give",
)
async def test_the_branch_empties_its_configuration(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN, ".github/jurat.yml": EMPTY})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="suppress a rule in the line that breaks it",
    gets="the failure: what a change adds waives nothing",
)
async def test_the_branch_suppresses_its_own_finding(town: Town, app: App) -> None:
    suppressed = BROKEN.replace(
        "hexdigest()\n", "hexdigest()  # jurat: ignore[house.no-md5] it is fine\n"
    )
    assert suppressed != BROKEN
    pull = town.open({"digest.py": suppressed})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
