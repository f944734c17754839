"""Nobody decides about a change that they wrote, unless the base says that they may."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from jurat.app.wiring import App
from jurat.store.tables import audit_log, decisions
from tests.standins.github import PullRequest, actions
from tests.support.talk import (
    CRITICAL,
    DENIED,
    UNSURE,
    finding_of,
    governed,
    reactions,
    replies,
    said,
)
from tests.support.town import Town

REFUSED = (
    "You wrote some of this change, so somebody else decides about its findings: anyone with write"
    " permission. If there is nobody else, `commands: {own_decisions: true}` in"
    " `.github/jurat.yml` on the base branch allows it, and the record then says that it was an"
    " author's decision."
)
OWN = "version: 1\npacks: []\nrules: [policy]\ncommands: {own_decisions: true}\n"


async def written(
    town: Town, app: App, text: str, *, by: str = "wendy", pushed: str = "", path: str = "digest.py"
) -> PullRequest:
    """A reviewed pull request that `by` opened and, unless said otherwise, pushed."""
    governed(town)
    actions.push(town.repository, "fix", {path: text}, by=pushed or by)
    pull = actions.open_pull_request(town.repository, head="fix", by=by)
    await town.settle(app)
    return pull


@pytest.mark.parametrize(("by", "pushed"), [("wendy", "octocat"), ("octocat", "wendy")])
async def test_whoever_opened_or_wrote_a_change_does_not_dismiss_what_it_broke(
    town: Town, app: App, by: str, pushed: str
) -> None:
    pull = await written(town, app, DENIED, by=by, pushed=pushed)
    name = finding_of(pull.review_comments)
    comment = await said(town, app, pull, f"/jurat dismiss {name} It is a checksum.")
    assert (reactions(comment), replies(pull)) == (["eyes", "confused"], [REFUSED])
    assert town.check(pull).conclusion == "failure"
    async with app.database.reading() as connection:
        assert (await connection.execute(select(decisions))).all() == []


async def test_not_in_the_finding_s_thread_either(town: Town, app: App) -> None:
    pull = await written(town, app, DENIED)
    command = actions.reply(pull.review_comments[0], "/jurat dismiss gone next week", by="wendy")
    await town.settle(app)
    assert reactions(command) == ["eyes", "confused"]
    assert town.check(pull).conclusion == "failure"


@pytest.mark.parametrize("way", ["command", "button"])
async def test_an_author_does_not_confirm_the_change(town: Town, app: App, way: str) -> None:
    pull = await written(town, app, UNSURE)
    if way == "command":
        await said(town, app, pull, "/jurat confirm Names alone are hashed.")
        assert replies(pull) == [REFUSED]
    else:
        actions.click(town.check(pull), "confirm", by="wendy")
        await town.settle(app)
        assert replies(pull) == [f"`wendy` pressed a button of the check. {REFUSED}"]
    assert town.check(pull).conclusion == "action_required"


async def test_somebody_else_decides(town: Town, app: App) -> None:
    pull = await written(town, app, CRITICAL, by="mary", path="run.py")
    town.github.set_permission(town.repository, "martin", "maintain")
    command = f"/jurat dismiss {finding_of(pull.review_comments)} It is a calculator."
    await said(town, app, pull, command, by="mary")
    assert "anyone with maintain permission" in replies(pull)[0]
    await said(town, app, pull, command, by="martin")
    assert town.check(pull).conclusion == "success"


async def test_a_single_writer_decides_alone_and_the_record_says_so(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {".github/jurat.yml": OWN})
    pull = await written(town, app, DENIED)
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} A checksum.")
    check = town.check(pull)
    assert check.conclusion == "success"
    assert "dismissed by `wendy` (an author of the change) on " in (check.summary or "")
    async with app.database.reading() as connection:
        query = select(audit_log.c.result).where(audit_log.c.action == "dismiss")
        assert (await connection.execute(query)).scalar_one()["own"] is True
        row = (await connection.execute(select(decisions))).one()
    assert (row.own, row.decided_by_id) == (True, town.github.world.account("wendy").id)


async def test_the_branch_cannot_say_so_for_itself(town: Town, app: App) -> None:
    governed(town)
    files = {"digest.py": DENIED, ".github/jurat.yml": OWN}
    actions.push(town.repository, "fix", files, by="wendy")
    pull = actions.open_pull_request(town.repository, head="fix", by="wendy")
    await town.settle(app)
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} A checksum.")
    assert replies(pull) == [REFUSED]


async def test_whoever_lets_github_merge_the_base_into_the_branch_is_no_author(
    town: Town, app: App
) -> None:
    pull = await written(town, app, DENIED, by="octocat")
    actions.push(town.repository, "main", {"README.md": "The shop.\n"})
    actions.update_branch(pull, by="wendy")
    await town.settle(app)
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} A checksum.")
    assert town.check(pull).conclusion == "success"


async def test_whoever_merges_by_hand_is_an_author(town: Town, app: App) -> None:
    pull = await written(town, app, DENIED, by="octocat")
    actions.push(town.repository, "main", {"README.md": "The shop.\n"})
    actions.update_branch(pull, by="wendy", signed=False)
    await town.settle(app)
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} A checksum.")
    assert replies(pull) == [REFUSED]
