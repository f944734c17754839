"""What is kept of a change: a digest and the quoted evidence, unless all of it was asked for."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from tests.standins.github import actions
from tests.support.town import BASE, BROKEN, Town


@pytest.mark.parametrize("retain", ["digest", "full"])
async def test_the_change_is_kept_only_where_the_configuration_says_so(
    town: Town, app: App, retain: str
) -> None:
    configuration = BASE[".github/jurat.yml"] + f"retain: {retain}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": configuration})
    pull = town.open({"digest.py": BROKEN + "# unmistakable\n"}, title="Hash names faster")
    await town.settle(app)
    kept = await app.store.last_review("acme/shop", pull.number)
    assert kept is not None
    if retain == "digest":
        assert kept.subject is None
        assert "unmistakable" not in str(kept)
        return
    assert kept.subject is not None
    assert kept.subject["intent"].startswith("Hash names faster")
    (subject,) = kept.subject["subjects"]
    (file,) = subject["files"]
    lines = [line for hunk in file["hunks"] for line in hunk["lines"]]
    assert ["added", "# unmistakable"] in lines
