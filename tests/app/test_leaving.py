"""The App is taken off a repository: work stops, and after a while nothing is left."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from jurat.app.leaving import GRACE, DepartureSweep
from jurat.app.wiring import App
from jurat.jobs.requests import ReviewRequest, to_job
from jurat.server.intake import LEFT
from jurat.store.repositories import KnownRepository
from tests.standins.github import actions
from tests.standins.github.faults import Fault, always
from tests.support.talk import DENIED, finding_of, opened, said
from tests.support.town import Town

DAY = dt.timedelta(days=1)


async def look(app: App, after: dt.timedelta = dt.timedelta(0)) -> None:
    """The daily look, as it is made so long after now."""
    now = dt.datetime.now(dt.UTC) + after
    await DepartureSweep(app.database, app.queue, app.replay.app, lambda: now)()


async def known(town: Town, app: App) -> KnownRepository | None:
    return await app.store.repositories.find(town.repository.id)


async def test_what_is_kept_goes_after_the_grace_to_the_last_byte(
    town: Town, app: App, tmp_path: Path
) -> None:
    pull = await opened(town, app, DENIED)
    finding = finding_of(pull.review_comments)
    await said(town, app, pull, f"/jurat dismiss {finding} It names a file.")
    actions.uninstall(town.github.world, town.github.installed_on("acme"))
    await town.settle(app)
    await look(app, GRACE - DAY)
    assert await app.store.last_review("acme/shop", pull.number) is not None
    await look(app, GRACE + DAY)
    assert await known(town, app) is None
    content = _read_files(tmp_path)
    words = (b"acme", b"wendy", b"octocat", b"hashlib", b"names a file", b"digest.py")
    assert [word for word in words if word in content] == []


async def test_who_takes_the_app_back_within_the_grace_finds_everything(
    town: Town, app: App
) -> None:
    pull = await opened(town, app, DENIED)
    finding = finding_of(pull.review_comments)
    await said(town, app, pull, f"/jurat dismiss {finding} It names a file.")
    world, one = town.github.world, town.github.installed_on("acme")
    actions.choose_repositories(world, one, [])
    await town.settle(app)
    left = await known(town, app)
    assert left is not None
    assert left.removed_at is not None
    actions.choose_repositories(world, world.installations[one.id], [town.repository])
    await town.settle(app)
    await look(app, GRACE + DAY)
    actions.push(town.repository, "fix", {"digest.py": DENIED + "\n"})
    await town.settle(app)
    assert town.check(pull).conclusion == "success"


async def test_a_deleted_repository_is_left_as_well(town: Town, app: App) -> None:
    await opened(town, app, DENIED)
    actions.delete_repository(town.repository)
    await town.settle(app)
    await look(app, GRACE + DAY)
    assert await known(town, app) is None


async def test_an_event_that_was_lost_is_made_up_for_by_the_daily_look(
    town: Town, app: App
) -> None:
    await opened(town, app, DENIED)
    actions.uninstall(town.github.world, town.github.installed_on("acme"))
    town.github.outbox.clear()
    await look(app)
    await look(app, GRACE - DAY)
    assert await known(town, app) is not None
    await look(app, GRACE + DAY)
    assert await known(town, app) is None


async def test_repositories_that_were_taken_off_without_a_word_are_found(
    town: Town, app: App
) -> None:
    await opened(town, app, DENIED)
    world, one = town.github.world, town.github.installed_on("acme")
    actions.choose_repositories(world, one, [])
    town.github.outbox.clear()
    await look(app)
    await look(app, GRACE - DAY)
    assert await known(town, app) is not None
    await look(app, GRACE + DAY)
    assert await known(town, app) is None


async def test_a_suspension_of_which_nobody_told_is_found(town: Town, app: App) -> None:
    await opened(town, app, DENIED)
    actions.suspend(town.github.world, town.github.installed_on("acme"))
    town.github.outbox.clear()
    await look(app)
    found = await known(town, app)
    assert found is not None
    assert found.suspended_at is not None
    await look(app, GRACE + DAY)
    assert await known(town, app) is not None


def test_the_grace_is_as_long_as_the_page_says() -> None:
    page = Path("docs/operations.md").read_text("utf-8")
    assert f"**{GRACE.days} days later everything that is kept of it deleted**" in page


async def test_nothing_is_deleted_where_github_does_not_say_that_day_who_left(
    town: Town, app: App
) -> None:
    await opened(town, app, DENIED)
    world, one = town.github.world, town.github.installed_on("acme")
    actions.choose_repositories(world, one, [])
    await town.settle(app)
    refused = Fault(403, "Resource not accessible by integration")
    town.github.faults.append(always(refused, "GET", "/installation/repositories"))
    await look(app, GRACE + DAY)
    assert await known(town, app) is not None


async def test_a_suspended_app_does_nothing_and_keeps_everything(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    world, one = town.github.world, town.github.installed_on("acme")
    runs = len(town.checks(pull))
    await app.intake.enqueue([to_job(_request(town, pull.number))])
    actions.suspend(world, one)
    await town.github.flush()
    await app.worker.run_due()
    # Enqueued meanwhile, by the end of an override for one.
    await app.intake.enqueue([to_job(_request(town, pull.number))])
    await app.worker.run_due()
    assert len(town.checks(pull)) == runs
    await look(app, GRACE + DAY)
    assert await app.store.last_review("acme/shop", pull.number) is not None
    actions.unsuspend(world, world.installations[one.id])
    await town.settle(app)
    await app.intake.enqueue([to_job(_request(town, pull.number))])
    await app.worker.run_due()
    assert len(town.checks(pull)) == runs + 1


async def test_what_waits_is_dropped_and_no_check_is_waited_for(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    job = to_job(_request(town, pull.number))
    await app.intake.enqueue([job])
    actions.choose_repositories(town.github.world, town.github.installed_on("acme"), [])
    await town.github.flush()
    (*_, record) = await app.queue.records(keys=[job.key])
    assert (record.state, record.reason) == ("cancelled", LEFT)


@pytest.mark.parametrize("name", ["acme/store", "globex/shop"])
async def test_a_job_that_waited_through_a_rename_is_of_the_same_repository(
    town: Town, app: App, name: str
) -> None:
    pull = await opened(town, app, DENIED)
    town.github.installed_on(name.partition("/")[0])
    await app.intake.enqueue([to_job(_request(town, pull.number))])
    actions.rename_repository(town.repository, name)
    await town.settle(app)
    await app.worker.run_due()
    assert len(town.checks(pull)) == 2
    stored = await app.store.last_review(name, pull.number)
    assert stored is not None
    assert await app.store.last_review("acme/shop", pull.number) is None


def _read_files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("jurat.sqlite3*"))


def _request(town: Town, number: int) -> ReviewRequest:
    return ReviewRequest(
        repository="acme/shop",
        repository_id=town.repository.id,
        installation_id=town.github.installed_on("acme").id,
        number=number,
        cause="test",
        again=True,
    )
