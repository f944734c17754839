"""Branches that are pushed by force, to and fro: what is said is always about the head."""

from __future__ import annotations

from bot.app import App
from bot.demo.gemini.reactions import Reaction, Reply, careful
from bot.demo.gemini.reading import Asked
from bot.demo.github import actions
from bot.demo.github.faults import Fault
from tests.app.conftest import BROKEN, Town

CLEAN = BROKEN.replace("md5", "sha512")


async def test_a_diff_that_was_read_while_the_branch_stood_elsewhere_passes_nothing(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})
    first = pull.head_sha

    def away(_method: str, path: str) -> Fault | None:
        """The branch moves while the base is read."""
        if path.endswith("/contents/bylaws"):
            town.github.faults.clear()
            actions.push(town.repository, "fix", {"digest.py": CLEAN})
        return None

    def back(asked: Asked, reply: Reply) -> Reaction:
        """And stands where it stood before when the model has answered."""
        if pull.head_sha != first:
            actions.push_commit(town.repository, "fix", first)
        return careful(asked, reply)

    town.github.faults.append(away)
    town.gemini.behave(back)
    await town.settle(app)
    assert town.github.faults == []
    actions.push_commit(town.repository, "fix", first)
    await town.settle(app)
    assert "success" not in [run.conclusion for run in town.checks(pull)]
    assert town.check(pull).conclusion == "failure"
    assert len(pull.review_comments) == 1
