"""`/jurat restore`: a dismissal is undone, on record, and the finding counts again."""

from __future__ import annotations

from sqlalchemy import select

from jurat.app.wiring import App
from jurat.rules.maturity import EventKind, RuleEvent, compute_track_record
from jurat.store.tables import audit_log, decisions, evaluations, rule_events
from tests.standins.github import PullRequest, actions
from tests.support.talk import DENIED, finding_of, opened, reactions, replies, said
from tests.support.town import Town


async def dismissed(town: Town, app: App) -> tuple[PullRequest, str]:
    pull = await opened(town, app, DENIED)
    name = finding_of(pull.review_comments)
    await said(town, app, pull, f"/jurat dismiss {name} It names a file.")
    assert town.check(pull).conclusion == "success"
    return pull, name


async def test_a_restored_finding_is_back_in_the_check_and_in_its_comment(
    town: Town, app: App
) -> None:
    pull, name = await dismissed(town, app)
    comment = await said(town, app, pull, f"/jurat restore {name} It is a password after all.")
    assert reactions(comment) == ["eyes", "+1"]
    assert replies(pull)[-1] == (
        f"Finding `{name}` (`py.no-md5` at `digest.py:5`) counts again, here and in later pull"
        " requests. The check now says failure."
    )
    assert town.check(pull).conclusion == "failure"
    assert "✖ **Blocks** · " in pull.review_comments[0].body
    actions.push(town.repository, "other", {"digest.py": DENIED + "\n"})
    other = actions.open_pull_request(town.repository, head="other")
    await town.settle(app)
    assert town.check(other).conclusion == "failure"


async def test_a_restoration_is_on_record_and_the_verdict_counts_again(
    town: Town, app: App
) -> None:
    pull, name = await dismissed(town, app)
    await said(town, app, pull, f"/jurat restore {name}")
    async with app.database.reading() as connection:
        kinds = select(decisions.c.kind, decisions.c.decided_by).order_by(decisions.c.id)
        assert (await connection.execute(kinds)).all() == [
            ("dismissed", "wendy"),
            ("restored", "wendy"),
        ]
        actions_ = await connection.scalars(select(audit_log.c.action).order_by(audit_log.c.id))
        assert list(actions_) == ["review", "dismiss", "review", "restore", "review"]
        counted = select(evaluations.c.verdict, evaluations.c.waived).where(
            evaluations.c.counted, evaluations.c.rule_id == "py.no-md5"
        )
        assert (await connection.execute(counted)).all() == [("DENY", False)]


async def test_who_changes_their_mind_again_is_heard_at_the_same_commit(
    town: Town, app: App
) -> None:
    pull, name = await dismissed(town, app)
    await said(town, app, pull, f"/jurat restore {name}")
    await said(town, app, pull, f"/jurat dismiss {name} It does name a file.")
    assert town.check(pull).conclusion == "success"
    async with app.database.reading() as connection:
        query = select(rule_events.c.kind).order_by(rule_events.c.id)
        assert list(await connection.scalars(query)) == ["dismissed", "restored", "dismissed"]


async def test_an_answer_to_the_finding_restores_it(town: Town, app: App) -> None:
    pull, _ = await dismissed(town, app)
    actions.reply(pull.review_comments[0], "/jurat restore", by="wendy")
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"


async def test_a_restoration_after_the_merge_takes_the_evidence_back(town: Town, app: App) -> None:
    pull, name = await dismissed(town, app)
    actions.merge(pull)
    await town.settle(app)
    await said(town, app, pull, f"/jurat restore {name}")
    await said(town, app, pull, f"/jurat restore {name}")
    assert replies(pull)[-1] == "This finding is not dismissed: there is nothing to restore."
    async with app.database.reading() as connection:
        rows = (await connection.execute(select(rule_events).order_by(rule_events.c.id))).all()
    assert [row.kind for row in rows] == ["dismissed", "merged_over", "restored"]
    events = [
        RuleEvent(row.at, EventKind(row.kind), row.repository_id, row.number, row.fingerprint)
        for row in rows
    ]
    now = app.services.clock()
    # What the merge showed counts, once the word is taken back; before the merge nothing would.
    assert compute_track_record(events, (), now).tally == (1, 1)
    assert compute_track_record([events[0], events[2]], (), now).tally == (0, 0)


async def test_what_is_not_dismissed_cannot_be_restored(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    name = finding_of(pull.review_comments)
    for command in (f"/jurat restore {name}", "/jurat restore", "/jurat restore 0000"):
        assert reactions(await said(town, app, pull, command)) == ["eyes", "confused"]
    assert replies(pull) == [
        "This finding is not dismissed: there is nothing to restore.",
        "The last review has no finding that could be restored.",
        "The last review has no finding that could be restored.",
    ]
