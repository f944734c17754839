"""Decisions hang on the repository, not on its name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurat.app.wiring import App
from jurat.jobs.requests import ReviewRequest, build_pull_request_key, to_job
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


async def test_a_closing_after_a_rename_takes_back_the_review_of_before(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": DENIED})
    await town.github.flush()
    actions.rename_repository(town.repository, "acme/store")
    actions.close(pull)
    await town.github.flush()
    key = build_pull_request_key(town.repository.id, pull.number)
    states = {job.kind: job.state for job in await app.queue.records(keys=[key])}
    assert states == {"review": "cancelled", "closed": "queued"}


async def test_the_same_head_reviewed_after_a_rename_is_the_same_row(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    before = await app.store.last_review(town.repository.id, pull.number)
    actions.rename_repository(town.repository, "acme/store")
    await said(town, app, pull, "/recheck")
    after = await app.store.last_review(town.repository.id, pull.number)
    assert before is not None
    assert after is not None
    assert before.evaluation_id == after.evaluation_id


async def test_a_job_that_an_earlier_release_queued_by_name_is_done(town: Town, app: App) -> None:
    pull = town.open({"digest.py": DENIED})
    town.github.outbox.clear()
    request = ReviewRequest(
        repository="acme/shop",
        repository_id=town.repository.id,
        installation_id=town.github.installed_on("acme").id,
        number=pull.number,
        cause="pull_request.opened",
    )
    old = replace(to_job(request), key=f"acme/shop#{pull.number}")
    await app.intake.enqueue([old])
    await app.worker.run_due()
    assert town.check(pull).conclusion == "failure"
