"""Decisions hang on the repository, not on its name."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from tests.standins.github import actions
from tests.support.talk import DENIED, finding_of, opened, replies, said
from tests.support.town import Town


@pytest.mark.parametrize("name", ["acme/store", "globex/shop"])
async def test_a_dismissal_survives_a_rename_and_a_transfer(
    town: Town, app: App, name: str
) -> None:
    pull = await opened(town, app, DENIED)
    finding = finding_of(pull.review_comments)
    await said(town, app, pull, f"/jurat dismiss {finding} It names a file.")
    actions.rename_repository(town.repository, name)
    town.github.installed_on(name.partition("/")[0])
    actions.push(town.repository, "other", {"digest.py": DENIED + "\n"})
    other = actions.open_pull_request(town.repository, head="other")
    await town.settle(app)
    assert town.check(other).conclusion == "success"
    await said(town, app, other, f"/jurat restore {finding} It is a password.")
    assert "counts again" in replies(other)[-1]
    assert town.check(other).conclusion == "failure"
