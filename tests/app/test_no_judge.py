"""A repository that wants no model asked, over the webhook: nothing of a change is sent to one."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from tests.standins.github import actions
from tests.support.town import BROKEN, Town

NONE = "version: 1\npacks: []\nrules: [policy]\njudge: none\n"
CLEAN = BROKEN.replace("md5", "sha512")


async def test_a_change_is_reviewed_and_no_model_hears_of_it(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {".github/jurat.yml": NONE})
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    check = town.check(pull)
    assert town.gemini.asked == []
    assert town.gemini.embedded == []
    assert check.conclusion == "success"
    assert "house.no-names-in-logs" in (check.summary or "")
    assert "Not in force here" in (check.summary or "")


async def test_what_is_computed_still_fails(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {".github/jurat.yml": NONE})
    pull = town.open({"digest.py": BROKEN + "x = 1\n"})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    assert town.gemini.asked == []


@pytest.mark.parametrize("by", ["the change", "the base"])
async def test_only_the_base_decides_it(by: str, town: Town, app: App) -> None:
    """Neither does a change switch its judge off, nor does one switch it on."""
    asks = by == "the change"
    own = NONE if asks else NONE.replace("judge: none\n", "")
    if not asks:
        actions.push(town.repository, "main", {".github/jurat.yml": NONE})
    town.open({".github/jurat.yml": own, "digest.py": CLEAN})
    await town.settle(app)
    assert bool(town.gemini.asked) is asks
