"""`/jurat override`: one commit passes by a maintainer's word, loudly, and for a while."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import select

from jurat.app import wiring
from jurat.app.wiring import App
from jurat.server.dashboard import render_review
from jurat.store.decisions import list_ended_overrides
from jurat.store.listings import list_reviews
from jurat.store.tables import audit_log
from tests.app.test_separation_of_duties import OWN
from tests.standins.gemini.reactions import refused
from tests.standins.github import PullRequest, actions
from tests.support.talk import DENIED, RULES, UNSURE, governed, opened, reactions, replies, said
from tests.support.town import Town


def day(app: App, days: int) -> dt.date:
    return app.services.clock().date() + dt.timedelta(days=days)


async def overridden(town: Town, app: App, text: str = DENIED) -> PullRequest:
    pull = await opened(town, app, text)
    await said(town, app, pull, f"/jurat override until {day(app, 3)} The shop is down.", "mary")
    return pull


async def test_the_commit_passes_and_the_check_shouts(town: Town, app: App) -> None:
    pull = await overridden(town, app)
    assert replies(pull) == [
        f"Commit `{pull.head_sha[:12]}` passes until the end of {day(app, 3)} (UTC), and no other"
        " commit does. The check now says neutral."
    ]
    check = town.check(pull)
    assert check.conclusion == "neutral"
    assert check.title == f"OVERRIDDEN until {day(app, 3)}: 1 rule blocks"
    assert (check.summary or "").startswith(
        f"## ⚠ Overridden by `mary` until {day(app, 3)}\n\nThe shop is down.\n\nBy its rules this"
        " commit is a **failure**"
    )
    # What was found stands where it stood.
    assert pull.review_comments[0].body.startswith("✖ **Blocks** · ")


async def test_the_record_keeps_what_the_rules_say(town: Town, app: App) -> None:
    pull = await overridden(town, app)
    stored = await app.store.last_review("acme/shop", pull.number)
    assert stored is not None
    assert (stored.overall, stored.conclusion) == ("DENY", "failure")
    assert stored.override is not None
    assert (stored.override["by"], stored.override["why"]) == ("mary", "The shop is down.")
    async with app.database.reading() as connection:
        query = select(audit_log).where(audit_log.c.action == "override")
        (line,) = (await connection.execute(query)).all()
    assert (line.asked_by, line.rules, line.result["until"]) == (
        "github:mary",
        {},
        f"{day(app, 3)}",
    )


async def test_a_push_ends_it(town: Town, app: App) -> None:
    pull = await overridden(town, app)
    actions.push(town.repository, "fix", {"digest.py": DENIED + "\n"})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


@pytest.mark.parametrize("text", [UNSURE, "not assessed"])
async def test_it_passes_what_waits_for_a_person_or_a_model(
    town: Town, app: App, text: str
) -> None:
    if text == UNSURE:
        pull = await opened(town, app, UNSURE)
    else:
        governed(town, RULES.replace("SHOULD", "MUST"))
        town.gemini.always(refused())
        pull = town.open({"digest.py": "x = 1\n"})
        await town.settle(app)
    assert town.check(pull).conclusion == "action_required"
    await said(town, app, pull, "/jurat override for 2 days: the model is away", "mary")
    assert town.check(pull).conclusion == "neutral"


async def test_the_latest_word_counts(town: Town, app: App) -> None:
    pull = await overridden(town, app)
    await said(town, app, pull, f"/jurat override {day(app, 0)} Only today.", "mary")
    assert f"OVERRIDDEN until {day(app, 0)}" in (town.check(pull).title or "")


async def test_what_passes_anyway_is_not_overridden(town: Town, app: App) -> None:
    pull = await opened(town, app, "x = 1\n")
    await said(town, app, pull, f"/jurat override until {day(app, 3)} Just in case.", "mary")
    assert replies(pull) == ["Nothing blocks this commit, so there is nothing to override."]


async def test_a_date_within_bounds_and_a_reason_are_needed(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    example = f"`/jurat override until {day(app, 7)} reason`"
    for arguments, told in (
        ("", f"Until when? {example}: {day(app, 30)} at the latest (30 days)."),
        ("the shop is down", f"Until when? {example}: {day(app, 30)} at the latest (30 days)."),
        (f"until {day(app, -1)} why", f"{day(app, -1)} is over. An example: {example}."),
        (
            f"until {day(app, 31)} why",
            f"An override lasts at most 30 days, until {day(app, 30)}: {example}.",
        ),
        ("until 9999-12-31 why", f"An override lasts at most 30 days, until {day(app, 30)}: "),
        ("for 400 days why", f"An override lasts at most 30 days, until {day(app, 30)}: "),
        ("until 2026-13-45 why", f"There is no such day. An example: {example}."),
        (
            f"until {day(app, 3)}",
            f"An override needs a reason: `/jurat override until {day(app, 3)} reason`.",
        ),
    ):
        comment = await said(town, app, pull, f"/jurat override {arguments}", "mary")
        assert reactions(comment) == ["eyes", "confused"]
        assert replies(pull)[-1].startswith(told)
    assert town.check(pull).conclusion == "failure"


@pytest.mark.parametrize("allowed", [False, True])
async def test_whoever_wrote_the_change_does_not_let_it_pass_unless_the_base_says_so(
    town: Town, app: App, allowed: bool
) -> None:
    governed(town)
    if allowed:
        actions.push(town.repository, "main", {".github/jurat.yml": OWN})
    actions.push(town.repository, "fix", {"digest.py": DENIED}, by="mary")
    pull = actions.open_pull_request(town.repository, head="fix", by="mary")
    await town.settle(app)
    command = f"/jurat override until {day(app, 3)} The shop is down."
    await said(town, app, pull, command, "mary")
    if not allowed:
        assert "anyone with maintain permission" in replies(pull)[-1]
        assert town.check(pull).conclusion == "failure"
        return
    assert "Overridden by `mary` (an author of the change)" in (town.check(pull).summary or "")


async def test_the_dashboard_shows_it(town: Town, app: App) -> None:
    pull = await overridden(town, app)
    (line, *_) = await list_reviews(app.database, limit=5)
    assert (line.conclusion, (line.override or {})["until"]) == ("failure", f"{day(app, 3)}")
    stored = await app.store.last_review("acme/shop", pull.number)
    assert stored is not None
    page = render_review(stored, web_url="https://github.com", leave=False)
    assert f"Overridden by mary until {day(app, 3)}:</b> The shop is down." in page


async def test_it_ends_with_its_last_day(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    async with town.running() as app:
        pull = await overridden(town, app)
        await app.scheduler.start()
        await app.worker.run_due()
        assert town.check(pull).conclusion == "neutral"
        after = app.services.clock() + dt.timedelta(days=4)
    monkeypatch.setattr(wiring, "_get_now", lambda: after)
    async with town.running() as later:
        await later.scheduler.start()
        await later.worker.run_due()
        assert (town.check(pull).conclusion, town.check(pull).title) == (
            "failure",
            "1 rule blocks",
        )
        # Nothing is left to be asked: it is not reviewed every day from now on.
        assert await list_ended_overrides(later.database, after.date()) == ()
