"""What was lost or left open, and how it is found again."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import delete, insert, select, update

from jurat.app.wiring import App
from jurat.errors import UsageError
from jurat.jobs.queue import JobRequest
from jurat.store.tables import deliveries, jobs, open_checks
from tests.standins.github import PullRequest, actions
from tests.standins.github.faults import always, secondary_limit
from tests.support.town import BROKEN, Town

AN_HOUR_AGO = dt.datetime.now(dt.UTC) - dt.timedelta(hours=1)
GUID = "11111111-2222-4333-8444-555555555555"


async def _sweep(app: App) -> None:
    await app.scheduler.start()
    await app.worker.run_due()


async def _interrupted(town: Town) -> PullRequest:
    """A pull request whose review began its check, and now waits for GitHub."""
    town.github.faults.append(always(secondary_limit(400), "POST", "/reviews"))
    async with town.running() as app:
        pull = town.open({"digest.py": BROKEN})
        await town.settle(app)
    town.github.faults.clear()
    assert town.check(pull).status == "in_progress"
    return pull


async def _forget_jobs(app: App) -> None:
    """As a restored backup does."""
    async with app.database.writing() as connection:
        await connection.execute(delete(jobs))


async def _make_older(app: App) -> None:
    async with app.database.writing() as connection:
        await connection.execute(update(deliveries).values(received_at=AN_HOUR_AGO))


async def _outcomes(app: App) -> list[str]:
    async with app.database.reading() as connection:
        return sorted(await connection.scalars(select(deliveries.c.outcome)))


async def _on_record(app: App) -> list[str]:
    async with app.database.reading() as connection:
        return list(await connection.scalars(select(open_checks.c.head_sha)))


async def test_a_review_that_ended_leaves_no_check_on_record(town: Town, app: App) -> None:
    town.open({"digest.py": BROKEN})
    await town.settle(app)

    assert await _on_record(app) == []


async def test_a_check_whose_job_is_gone_is_brought_to_its_end(town: Town) -> None:
    pull = await _interrupted(town)
    async with town.running() as app:
        assert await _on_record(app) == [pull.head_sha]
        await _forget_jobs(app)
        await _sweep(app)

        assert [run.conclusion for run in town.checks(pull)] == ["failure"]
        assert await _on_record(app) == []


async def test_a_check_that_ended_before_its_sweep_is_not_done_again(town: Town) -> None:
    pull = await _interrupted(town)
    async with town.running() as app:
        async with app.database.reading() as connection:
            row = (await connection.execute(select(open_checks))).one()
        await _forget_jobs(app)
        await _sweep(app)
        await app.intake.enqueue([JobRequest(row.key, row.kind, row.payload)])
        assert await app.worker.run_due() == 1

        assert [run.conclusion for run in town.checks(pull)] == ["failure"]
        assert await _on_record(app) == []


async def test_a_check_whose_job_lives_is_left_to_it(town: Town) -> None:
    pull = await _interrupted(town)
    async with town.running() as app:
        await _sweep(app)

        assert town.check(pull).status == "in_progress"
        assert await _on_record(app) == [pull.head_sha]


async def test_the_open_check_of_a_closed_pull_request_is_cancelled(town: Town) -> None:
    pull = await _interrupted(town)
    async with town.running() as app:
        actions.close(pull)
        await town.settle(app)
        await _sweep(app)

        assert town.check(pull).conclusion == "cancelled"
        assert await _on_record(app) == []


async def test_the_open_check_of_an_earlier_head_is_cancelled(town: Town) -> None:
    pull = await _interrupted(town)
    (left,) = town.checks(pull)
    async with town.running() as app:
        actions.push(town.repository, "fix", {"digest.py": BROKEN + "\n"})
        await town.settle(app)
        assert town.check(pull).conclusion == "failure"
        await _sweep(app)

        assert (left.conclusion, left.title) == ("cancelled", "Superseded")
        assert await _on_record(app) == []


async def test_the_open_check_of_a_repository_that_was_renamed_is_ended(town: Town) -> None:
    pull = await _interrupted(town)
    (left,) = town.checks(pull)
    actions.rename_repository(town.repository, "acme/store")
    async with town.running() as app:
        actions.push(town.repository, "fix", {"digest.py": BROKEN + "\n"})
        await town.settle(app)
        await _forget_jobs(app)
        await _sweep(app)

        assert left.conclusion == "cancelled"
        assert town.check(pull).conclusion == "failure"
        assert await _on_record(app) == []


async def test_deliveries_end_as_their_jobs_did(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.github.flush()
    actions.push(town.repository, "fix", {"digest.py": BROKEN + "\n"})
    await town.settle(app)
    actions.comment(pull, "/recheck", by="wendy")
    await town.github.flush()
    await _make_older(app)
    await app.worker.run_due()
    assert await _outcomes(app) == ["enqueued", "enqueued", "merged"]
    await _sweep(app)

    assert await _outcomes(app) == ["done", "done", "merged"]


async def test_ended_deliveries_are_kept_for_a_month(town: Town, app: App) -> None:
    now = dt.datetime.now(dt.UTC)
    async with app.database.writing() as connection:
        for guid, days in [("old", 31), ("young", 29)]:
            at = now - dt.timedelta(days=days)
            row = {"guid": guid, "event": "push", "received_at": at, "outcome": "done"}
            await connection.execute(insert(deliveries), row)
    await app.scheduler.tick()
    await app.worker.run_due()

    async with app.database.reading() as connection:
        kept = set(await connection.scalars(select(deliveries.c.guid)))
    assert kept == {"young"}


async def test_a_delivery_whose_job_is_gone_is_asked_for_again(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.github.flush()
    await _forget_jobs(app)
    await _make_older(app)
    await _sweep(app)

    assert town.check(pull).conclusion == "failure"


async def test_a_delivery_that_nobody_remembers_is_lost_and_not_asked_for_again(
    town: Town, app: App
) -> None:
    row = {"guid": GUID, "event": "push", "received_at": AN_HOUR_AGO, "outcome": "enqueued"}
    async with app.database.writing() as connection:
        await connection.execute(insert(deliveries), row)
    await _sweep(app)

    assert await _outcomes(app) == ["lost"]


async def test_a_delivery_that_this_release_ignores_or_cannot_read_is_asked_for_once(
    town: Town, app: App
) -> None:
    """Another release took them on, and their jobs are gone."""
    pull = town.open({"digest.py": BROKEN})
    actions.comment(pull, "Nice.", by="wendy")
    await town.github.flush()
    sent = {one.event.name: one.event for one in town.github.deliveries}
    row = {"event": "issue_comment", "received_at": AN_HOUR_AGO, "outcome": "enqueued"}
    async with app.database.writing() as connection:
        await connection.execute(
            insert(deliveries).values({"guid": sent["issue_comment"].guid, **row})
        )
    read = sent["pull_request"].payload.pop("pull_request")
    await _forget_jobs(app)
    await _make_older(app)
    await _sweep(app)
    asked = len(town.github.exchanges)
    await _sweep(app)

    sent["pull_request"].payload["pull_request"] = read
    assert await _outcomes(app) == ["ignored", "unreadable"]
    # The list is looked at now and then; neither of the two is asked for.
    assert [one for one in town.github.exchanges[asked:] if "deliveries/" in one.path] == []


async def test_a_replayed_delivery_is_done_again(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    actions.comment(pull, "/recheck", by="wendy")
    await town.settle(app)
    guid = next(
        one.event.guid for one in town.github.deliveries if one.event.name == "issue_comment"
    )

    replayed = await app.replay.redeliver(guid)
    await app.worker.run_due()

    assert (replayed.event, replayed.jobs, replayed.reason) == ("issue_comment", 1, "")
    assert len(town.checks(pull)) == 3
    assert len(pull.review_comments) == 1


async def test_a_replayed_delivery_that_asks_for_nothing_says_why(town: Town, app: App) -> None:
    town.open({"digest.py": BROKEN})
    await town.settle(app)
    guid = next(one.event.guid for one in town.github.deliveries if one.event.name == "push")

    replayed = await app.replay.redeliver(guid)

    assert (replayed.jobs, replayed.reason) == (0, "no branch moved")


async def test_a_delivery_that_github_does_not_know_is_one_clear_line(app: App) -> None:
    with pytest.raises(UsageError, match=f"GitHub knows no delivery {GUID} to this App"):
        await app.replay.redeliver(GUID)


async def test_what_failed_to_arrive_is_found_and_done(town: Town, app: App) -> None:
    webhook, town.github.webhook_url = town.github.webhook_url, "http://127.0.0.1:9/nobody"
    pull = town.open({"digest.py": BROKEN})
    await town.github.flush()
    town.github.webhook_url = webhook

    missed = await app.replay.redeliver_missed()
    await app.worker.run_due()

    assert [one.event for one in missed.deliveries if one.jobs] == ["pull_request"]
    assert missed.pull_requests == ()
    assert town.check(pull).conclusion == "failure"
    again = await app.replay.redeliver_missed()
    assert [one for one in again.deliveries if one.jobs] == []


async def test_an_open_pull_request_without_a_check_is_found_and_reviewed(
    town: Town, app: App
) -> None:
    pull = town.open({"digest.py": BROKEN})
    town.github.outbox.clear()  # from before the App was installed

    missed = await app.replay.redeliver_missed()
    await app.worker.run_due()

    assert missed.pull_requests == (f"acme/shop#{pull.number}",)
    assert town.check(pull).conclusion == "failure"
    assert (await app.replay.redeliver_missed()).pull_requests == ()


async def test_what_failed_to_arrive_is_found_without_an_operator(town: Town) -> None:
    async with town.running():
        pull = town.open({"digest.py": BROKEN})
    # Nobody listens: GitHub tries once, and notes that it failed.
    await town.github.flush()
    assert town.checks(pull) == []
    async with town.running() as app:
        await _sweep(app)
        assert town.check(pull).conclusion == "failure"
        # And is not done again by the next look.
        asked = len(town.github.exchanges)
        await _sweep(app)
        assert [run.conclusion for run in town.checks(pull)] == ["failure"]
        paths = [one.path for one in town.github.exchanges[asked:]]
        assert [path for path in paths if path.startswith("/app/hook/deliveries/")] == []
