"""A change that would rather be excused by what it says to other tools."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from tests.attacks.attack import attack
from tests.standins.github import PullRequest, actions
from tests.support.town import BROKEN, RULES, Town

KNOWN = RULES.replace(
    "    severity: HIGH\n", "    severity: HIGH\n    also_known_as: [ruff:S324]\n", 1
)
CALL = "hexdigest()\n"
NOTED = BROKEN.replace("md5", "sha256").replace(CALL, "hexdigest()  # noqa: S324\n")


@pytest.fixture
def town(town: Town) -> Town:
    """The rule against MD5 names what ruff calls it."""
    assert KNOWN != RULES
    actions.push(town.repository, "main", {"policy/house.yml": KNOWN})
    return town


async def reviewed(town: Town, app: App, text: str) -> PullRequest:
    pull = town.open({"digest.py": text})
    await town.settle(app)
    return pull


async def test_what_the_base_says_to_another_tool_waives(town: Town, app: App) -> None:
    """What the attacks below are after."""
    actions.push(town.repository, "main", {"digest.py": NOTED})
    pull = await reviewed(town, app, NOTED.replace("sha256", "md5"))
    assert town.check(pull).conclusion == "success"
    assert "suppressed in `digest.py:5`: noqa: S324" in (town.check(pull).summary or "")


@attack(
    "a fork's author",
    tries="silence a rule by the comment that silences its twin in ruff",
    gets="the failure, and a line that says that the comment counts once it is merged",
)
async def test_a_comment_that_the_change_adds(town: Town, app: App) -> None:
    pull = await reviewed(town, app, BROKEN.replace(CALL, "hexdigest()  # noqa: S324\n"))
    check = town.check(pull)
    assert check.conclusion == "failure"
    assert "This change adds it, so it counts only once it is merged" in (check.summary or "")


@attack(
    "a fork's author",
    tries="widen an old `# noqa: E501` to the rule that their change breaks",
    gets="the failure: a comment that says something else is another comment",
)
async def test_a_comment_that_the_change_widens(town: Town, app: App) -> None:
    old = NOTED.replace("S324", "E501")
    actions.push(town.repository, "main", {"digest.py": old})
    text = old.replace("sha256", "md5").replace("E501", "E501, S324")
    pull = await reviewed(town, app, text)
    assert town.check(pull).conclusion == "failure"
