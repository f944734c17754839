"""The stored row, the published check and the API's answer say the same of every review."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from sqlalchemy import select

from jurat.app.wiring import App
from jurat.findings.verdict import Verdict
from jurat.store.tables import audit_log, reviews
from tests.app.test_ratings_in_pull_requests import LOGGED, adopt
from tests.standins.gemini.reactions import Reaction, Reply, careful, refused
from tests.standins.gemini.reading import Asked
from tests.standins.github import PullRequest, actions
from tests.standins.github.faults import Fault, always
from tests.support.gemini import denying
from tests.support.talk import finding_of, said
from tests.support.town import API_TOKEN, BASE, BROKEN, RULES, Town

CLEAN = BROKEN.replace("md5", "sha512")
LOGS = "import logging\n\nlogging.info(customer.name)\n"
UNSURE = {"verdict": "NEEDS_CONFIRMATION", "confidence": 0.6}
FITS = {
    "success": {"ALLOW"},
    "neutral": {"ALLOW", "NEEDS_CONFIRMATION", "DENY"},
    "action_required": {"NEEDS_CONFIRMATION"},
    "failure": {"DENY"},
}
"""The overall verdicts that go with a conclusion. What only advises or observes is neutral."""


async def opened(town: Town, app: App, files: dict[str, Any]) -> PullRequest:
    pull = town.open(files)
    await town.settle(app)
    return pull


async def clean(town: Town, app: App) -> PullRequest:
    return await opened(town, app, {"digest.py": CLEAN})


async def broken(town: Town, app: App) -> PullRequest:
    return await opened(town, app, {"digest.py": BROKEN})


async def advised(town: Town, app: App) -> PullRequest:
    rules = RULES.replace("severity: HIGH", "severity: MEDIUM")
    actions.push(town.repository, "main", {"policy/house.yml": rules})
    pull = await broken(town, app)
    assert town.check(pull).conclusion == "neutral"
    return pull


async def shadow(town: Town, app: App) -> PullRequest:
    rules = RULES.replace("severity: HIGH", "severity: HIGH\n    maturity: experimental")
    actions.push(town.repository, "main", {"policy/house.yml": rules})
    return await broken(town, app)


async def dismissed(town: Town, app: App) -> PullRequest:
    pull = await broken(town, app)
    await said(town, app, pull, f"/jurat dismiss {finding_of(pull.review_comments)} It is a name.")
    return pull


async def confirmed(town: Town, app: App) -> PullRequest:
    pull = await unsure(town, app)
    await said(town, app, pull, "/jurat confirm We looked at it.")
    return pull


async def unsure(town: Town, app: App) -> PullRequest:
    town.gemini.judges("house.no-names-in-logs", denying("customer.name", **UNSURE))
    return await opened(town, app, {"log.py": LOGS})


async def denied_by_a_model(town: Town, app: App) -> PullRequest:
    town.gemini.judges("house.no-names-in-logs", denying("customer.name"))
    return await opened(town, app, {"log.py": LOGS})


async def not_assessed(town: Town, app: App) -> PullRequest:
    town.gemini.always(refused())
    return await opened(town, app, {"digest.py": CLEAN})


async def not_assessed_and_lenient(town: Town, app: App) -> PullRequest:
    lenient = BASE[".github/jurat.yml"] + "review: {unassessed: neutral}\n"
    actions.push(town.repository, "main", {".github/jurat.yml": lenient})
    return await not_assessed(town, app)


async def assessed_at_last(town: Town, app: App) -> PullRequest:
    pull = await not_assessed(town, app)
    town.gemini.always(careful)
    await said(town, app, pull, "/recheck")
    return pull


async def unread(town: Town, app: App) -> PullRequest:
    return await opened(town, app, {"digest.py": "x = (\n" * 3 + "\x00"})


async def no_rule(town: Town, app: App) -> PullRequest:
    return await opened(town, app, {"notes.bin": "nothing"})


async def below_the_gate(town: Town, app: App) -> PullRequest:
    adopt(town, ", risk: high, fail_below: 3.9")
    return await opened(town, app, {"agent.py": LOGGED})


async def unrated(town: Town, app: App) -> PullRequest:
    adopt(town, ", fail_below: 1")
    pull = town.open({"agent.py": LOGGED})
    # The review lists the base's files, too; the head's are read by the rating alone.
    path = f"/git/trees/{pull.head_sha}"
    town.github.faults.append(always(Fault(404, "Not Found"), "GET", path))
    await town.settle(app)
    return pull


async def below_the_gate_and_broken(town: Town, app: App) -> PullRequest:
    adopt(town, ", risk: high, fail_below: 3.9")
    return await opened(town, app, {"agent.py": LOGGED, "digest.py": BROKEN})


async def superseded(town: Town, app: App) -> PullRequest:
    """A push while the model thinks: the check of the first head is cancelled."""

    def push(asked: Asked, reply: Reply) -> Reaction:
        town.gemini.behave(careful)
        actions.push(town.repository, "fix", {"digest.py": CLEAN + "\n"})
        return careful(asked, reply)

    town.gemini.behave(push)
    pull = await broken(town, app)
    assert "cancelled" in {run.conclusion for run in town.repository.check_runs.values()}
    return pull


STORIES: tuple[Callable[[Town, App], Awaitable[PullRequest]], ...] = (
    clean,
    broken,
    advised,
    shadow,
    dismissed,
    confirmed,
    unsure,
    denied_by_a_model,
    not_assessed,
    not_assessed_and_lenient,
    assessed_at_last,
    unread,
    no_rule,
    below_the_gate,
    unrated,
    below_the_gate_and_broken,
    superseded,
)


async def rows(app: App, head_sha: str) -> list[Any]:
    """The reviews of a head that are on record as shown."""
    query = select(reviews).where(
        reviews.c.head_sha == head_sha, reviews.c.published_at.is_not(None)
    )
    async with app.database.reading() as connection:
        return list(await connection.execute(query.order_by(reviews.c.created_at)))


async def agree(town: Town, app: App, row: Any, shown: str | None) -> None:
    """Row, audit log and answer say what the check shows."""
    url = town.github.webhook_url.removesuffix(town.settings.webhook_path)
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {API_TOKEN}"}) as session,
        session.get(f"{url}/api/v1/evaluations/{row.evaluation_id}") as response,
    ):
        answer = await response.json()
    about = answer.pop("about")
    # One document: what was kept is what is answered, and its conclusion is what the check says.
    assert answer == row.answer
    assert (row.conclusion, answer["conclusion"], about["conclusion"]) == (shown, shown, shown)
    assert answer["overall_verdict"] == row.overall
    assert row.overall in FITS[row.conclusion]
    # A neutral DENY is advice alone.
    findings = [finding for item in answer["violations"] for finding in item["findings"]]
    blocking = [finding for finding in findings if finding["blocks"]]
    assert row.conclusion != "neutral" or blocking == []
    assert (answer["evaluation_id"], about["head_sha"]) == (
        row.evaluation_id,
        row.head_sha,
    )
    query = select(audit_log.c.result).where(audit_log.c.evaluation_id == row.evaluation_id)
    async with app.database.reading() as connection:
        last = (await connection.scalars(query.order_by(audit_log.c.id))).all()[-1]
    assert (last["conclusion"], last["overall"]) == (row.conclusion, row.overall)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
async def test_a_pull_request(
    town: Town, app: App, story: Callable[[Town, App], Awaitable[PullRequest]]
) -> None:
    pull = await story(town, app)
    check = town.check(pull)
    row = (await rows(app, pull.head_sha))[-1]
    await agree(town, app, row, check.conclusion)
    if Verdict(row.overall) is Verdict.ALLOW and row.conclusion == "success":
        assert "passed" in check.title


async def test_a_merge_group(town: Town, app: App) -> None:
    pull = await broken(town, app)
    head_sha = actions.enqueue(town.repository, [pull])
    await town.settle(app)
    (run,) = [run for run in town.repository.check_runs.values() if run.head_sha == head_sha]
    (row,) = await rows(app, head_sha)
    await agree(town, app, row, run.conclusion)


async def test_a_head_whose_check_was_cancelled_has_no_row_that_was_shown(
    town: Town, app: App
) -> None:
    await superseded(town, app)
    (run,) = [run for run in town.repository.check_runs.values() if run.conclusion == "cancelled"]
    assert await rows(app, run.head_sha) == []
