"""A review is concluded once: what GitHub shows, what is kept and what is counted say the same."""

from __future__ import annotations

from sqlalchemy import update

from jurat.app.wiring import App
from jurat.findings.evaluation import Conclusion
from jurat.findings.verdict import Verdict
from jurat.store.analytics import AnalyticsQuestion
from jurat.store.tables import evaluations, reviews
from tests.app.test_ratings_in_pull_requests import LOGGED, adopt
from tests.standins.github import PullRequest, actions
from tests.standins.github.faults import Fault, always
from tests.support.gemini import denying
from tests.support.town import BROKEN, Town


async def counted(app: App, rule_id: str = "py.no-md5") -> int:
    """How many verdicts on a rule the analytics count."""
    rows = await app.store.activity(AnalyticsQuestion(rule_id=rule_id), limit=10)
    return sum(row.evaluations for row in rows)


async def say(town: Town, app: App, pull: PullRequest, text: str) -> None:
    actions.comment(pull, text, by="wendy")
    await town.settle(app)


async def test_the_gate_of_a_rating_is_on_record_as_it_is_shown(town: Town, app: App) -> None:
    adopt(town, ", risk: high, fail_below: 3.9")
    pull = town.open({"agent.py": LOGGED})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    kept = await app.store.last_review("acme/shop", pull.number)
    assert kept is not None
    assert (kept.conclusion, kept.overall) == (Conclusion.FAILURE, Verdict.DENY)


async def test_a_gate_that_could_not_be_rated_is_on_record_as_no_pass(town: Town, app: App) -> None:
    adopt(town, ", fail_below: 1")
    pull = town.open({"agent.py": LOGGED})
    # The review lists the base's files, too; the head's are read by the rating alone.
    path = f"/git/trees/{pull.head_sha}"
    town.github.faults.append(always(Fault(404, "Not Found"), "GET", path))
    await town.settle(app)
    kept = await app.store.last_review("acme/shop", pull.number)
    assert kept is not None
    assert (kept.conclusion, kept.overall) == (
        Conclusion.ACTION_REQUIRED,
        Verdict.NEEDS_CONFIRMATION,
    )


async def test_a_review_that_was_not_shown_is_not_counted(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    # No 403: that is a conversation which takes nothing, and the check then shows it all.
    refusal = always(Fault(400, "Problems parsing JSON"), "POST", "/reviews")
    town.github.faults.append(refusal)
    await town.settle(app)
    assert town.check(pull).title != "1 rule blocks"
    assert await app.store.last_review("acme/shop", pull.number) is None
    assert await counted(app) == 0
    town.github.faults.remove(refusal)
    await say(town, app, pull, "/recheck")
    kept = await app.store.last_review("acme/shop", pull.number)
    assert kept is not None
    assert (kept.head_sha, kept.conclusion) == (pull.head_sha, Conclusion.FAILURE)
    assert await counted(app) == 1


async def test_a_head_that_is_reviewed_again_is_the_same_row_and_counts_once(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    first = await app.store.last_review("acme/shop", pull.number)
    await say(town, app, pull, "/recheck")
    second = await app.store.last_review("acme/shop", pull.number)
    assert first is not None
    assert second is not None
    assert second.evaluation_id == first.evaluation_id
    assert await counted(app) == 1


async def test_a_dismissal_is_another_row_and_the_head_counts_once(town: Town, app: App) -> None:
    town.gemini.judges("house.no-names-in-logs", denying("customer.name"))
    pull = town.open({"digest.py": "import logging\n\nlogging.info(customer.name)\n"})
    await town.settle(app)
    first = await app.store.last_review("acme/shop", pull.number)
    assert first is not None
    ((finding,),) = [item.findings for item in first.answer.violations]
    await say(town, app, pull, f"/jurat dismiss {finding.id[:8]} It names a file.")
    second = await app.store.last_review("acme/shop", pull.number)
    assert second is not None
    assert second.evaluation_id != first.evaluation_id
    assert town.check(pull).conclusion == "success"
    assert await counted(app, "house.no-names-in-logs") == 1


async def test_a_review_that_is_not_known_to_have_been_shown_is_made_again(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    async with app.database.writing() as connection:  # as a crash before the mark leaves it
        await connection.execute(update(reviews).values(published_at=None))
        await connection.execute(update(evaluations).values(counted=False))
    actions.close(pull)
    await town.settle(app)
    actions.reopen(pull)
    await town.settle(app)
    assert await app.store.last_review("acme/shop", pull.number) is not None
    assert await counted(app) == 1
    assert len(pull.review_comments) == 1
    assert {run.conclusion for run in town.checks(pull)} == {"failure"}
