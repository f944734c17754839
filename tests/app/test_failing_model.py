"""What a pull request gets if the judge cannot be constructed: all but the judge's part."""

from __future__ import annotations

import sys

import pytest

from jurat.app.wiring import App
from tests.support.town import BROKEN, Town

CLEAN = BROKEN.replace("md5", "sha512")


@pytest.fixture(autouse=True)
def without_sdk(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK is missing from the moment at which the App has started."""
    monkeypatch.setitem(sys.modules, "google.genai", None)


async def test_what_was_found_is_published(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    check = town.check(pull)
    assert (check.status, check.conclusion) == ("completed", "failure")
    assert len(pull.review_comments) == 1
    assert "the model's client could not be made" in (check.summary or "")


async def test_a_blocking_rule_that_nobody_judged_asks_for_a_person(town: Town, app: App) -> None:
    pull = town.open({"digest.py": CLEAN})
    await town.settle(app)
    check = town.check(pull)
    assert (check.status, check.conclusion) == ("completed", "action_required")
    assert "house.no-names-in-logs" in (check.summary or "")
    assert "the model's client could not be made" in (check.summary or "")
