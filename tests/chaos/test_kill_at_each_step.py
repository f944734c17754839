"""A worker killed at each step of a review, with SIGKILL: another one brings it to the same end."""

from __future__ import annotations

import datetime as dt
import os
import signal
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import select, update

from jurat.app.wiring import App
from jurat.jobs.procrastinate_tables import workers
from jurat.reports.check_run import APPLY_FIXES
from jurat.reports.comment import parse_marker
from jurat.store.tables import jobs, open_checks, open_questions
from tests.standins.github import PullRequest, actions
from tests.standins.github.faults import APPLIED_DROPPED, DROPPED, Fault
from tests.support.gemini import denying
from tests.support.postgres import on_both_databases
from tests.support.process import Nursery, opened_nursery
from tests.support.town import BROKEN, Town

FIRST = BROKEN + "\n\ndef old(data):\n    return hashlib.md5(data).digest()\n"
THEN = "import logging\n\nlogging.info(customer.name)\n" + BROKEN
LONG_AGO = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)

STEPS = {
    "leased": ("GET", "/pulls/1", DROPPED),
    "check asked for": ("POST", "/check-runs", DROPPED),
    "check begun": ("POST", "/check-runs", APPLIED_DROPPED),
    "fetching": ("GET", "/contents/policy", DROPPED),
    "saved": ("GET", "/pulls/1/comments", DROPPED),
    "review asked for": ("POST", "/reviews", DROPPED),
    "review posted": ("POST", "/reviews", APPLIED_DROPPED),
    "comment edit asked for": ("PATCH", "/pulls/comments/", DROPPED),
    "comment edited": ("PATCH", "/pulls/comments/", APPLIED_DROPPED),
    "conclusion asked for": ("PATCH", "/check-runs/", DROPPED),
    "check concluded": ("PATCH", "/check-runs/", APPLIED_DROPPED),
}
"""Where the worker is when it is killed: at its first request of this method and path, before or
after that took effect. What is pure happens between two of them, and leaves no trace of its own."""

Kill = Callable[[], None]


ENGINES = {
    "leased": ("sqlite", "postgresql"),
    "saved": ("sqlite", "postgresql"),
    "check concluded": ("sqlite", "postgresql"),
}
"""What keeps the jobs, for a worker that has left nothing, a row, or all that it had to do: that is
what a job's next holder goes by. What lies between is left with GitHub, and needs one engine."""


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with opened_nursery() as opened:
        yield opened


async def _killed_worker(nursery: Nursery, town: Town, arm: Callable[[Kill], None]) -> None:
    """A worker on its own, which is killed where `arm` lets it be."""
    number = await nursery.prepare(town, "work")
    arm(lambda: os.kill(number, signal.SIGKILL))
    assert await nursery.run() == -signal.SIGKILL


def _at(town: Town, method: str, path: str, fault: Fault) -> Callable[[Kill], None]:
    """Kills at the first request of this method whose path holds this text."""

    def arm(kill: Kill) -> None:
        def rule(asked_method: str, asked_path: str) -> Fault | None:
            if method != asked_method or path not in asked_path:
                return None
            town.github.faults.clear()
            kill()
            return fault

        town.github.faults.append(rule)

    return arm


async def _leases_run_out(app: App) -> None:
    async with app.database.writing() as connection:
        if app.database.engine.dialect.name == "postgresql":
            await connection.execute(update(workers).values(last_heartbeat=LONG_AGO))
        else:
            await connection.execute(update(jobs).values(lease_expires_at=LONG_AGO))
        await connection.execute(update(open_questions).values(lapses_at=LONG_AGO))


async def _second_push(town: Town, app: App) -> PullRequest:
    """A pull request that was reviewed once, and whose next review waits."""
    town.gemini.judges("house.no-names-in-logs", denying("customer.name"))
    pull = town.open({"digest.py": FIRST})
    await town.settle(app)
    actions.push(town.repository, "fix", {"digest.py": THEN})
    await town.github.flush()
    return pull


async def _is_reviewed_once(town: Town, app: App, pull: PullRequest) -> None:
    """The end that every review of the second push must come to."""
    markers = [parse_marker(comment.body) for comment in pull.review_comments]
    states = sorted((marker.rule_id, marker.state) for marker in markers if marker)
    assert states == [
        ("house.no-names-in-logs", "open"),
        ("py.no-md5", "fixed"),
        ("py.no-md5", "open"),
    ]
    assert len(pull.reviews) == 2
    assert [(run.status, run.conclusion) for run in town.checks(pull)] == [("completed", "failure")]
    async with app.database.reading() as connection:
        assert list(await connection.scalars(select(open_checks.c.key))) == []
    records = await app.queue.records(keys=[f"{town.repository.id}#{pull.number}"])
    assert [(record.state, record.attempts) for record in records] == [("done", 1), ("done", 2)]


@pytest.mark.parametrize(
    ("database_url", "step"),
    [(engine, step) for step in STEPS for engine in ENGINES.get(step, ("sqlite",))],
    indirect=["database_url"],
)
async def test_a_review_whose_worker_is_killed_comes_to_the_same_end(
    nursery: Nursery, town: Town, app: App, step: str
) -> None:
    pull = await _second_push(town, app)

    await _killed_worker(nursery, town, _at(town, *STEPS[step]))
    await _leases_run_out(app)
    await app.worker.run_due()

    await _is_reviewed_once(town, app, pull)


async def test_a_check_that_a_killed_worker_concluded_is_not_made_again_by_the_next_job(
    nursery: Nursery, town: Town, app: App
) -> None:
    pull = town.open({"digest.py": FIRST})
    await town.github.flush()
    await _killed_worker(nursery, town, _at(town, *STEPS["check concluded"]))
    async with app.database.writing() as connection:
        await connection.execute(update(jobs).values(state="dead", lease_expires_at=None))
    actions.close(pull)
    town.github.outbox.clear()
    actions.reopen(pull)
    await town.github.flush()
    await app.worker.run_due()
    assert [run.conclusion for run in town.checks(pull)] == ["failure"]
    assert len(pull.review_comments) == 2


async def test_a_review_whose_worker_is_killed_while_the_model_judges_comes_to_the_same_end(
    nursery: Nursery, town: Town, app: App
) -> None:
    pull = await _second_push(town, app)
    answer = denying("customer.name")

    def arm(kill: Kill) -> None:
        def judged(*asked: object) -> object:
            kill()
            return answer(*asked)  # type: ignore[arg-type]

        town.gemini.judges("house.no-names-in-logs", judged)  # type: ignore[arg-type]

    await _killed_worker(nursery, town, arm)
    town.gemini.judges("house.no-names-in-logs", answer)
    await _leases_run_out(app)
    await app.worker.run_due()

    await _is_reviewed_once(town, app, pull)


@on_both_databases
async def test_a_command_whose_worker_is_killed_after_its_review_is_not_obeyed_twice(
    nursery: Nursery, town: Town, app: App
) -> None:
    pull = town.open({"digest.py": FIRST})
    await town.settle(app)
    comment = actions.comment(pull, "/recheck", by="wendy")
    await town.github.flush()

    await _killed_worker(nursery, town, _at(town, "PATCH", "/check-runs/", APPLIED_DROPPED))
    await _leases_run_out(app)
    await app.worker.run_due()

    assert [run.conclusion for run in town.checks(pull)] == ["failure", "failure"]
    assert [reaction.content for reaction in comment.reactions] == ["eyes", "+1"]


async def test_a_refusal_whose_worker_is_killed_is_given_once(
    nursery: Nursery, town: Town, app: App
) -> None:
    pull = town.open({"digest.py": FIRST})
    await town.settle(app)
    comment = actions.comment(pull, "/recheck", by="rita")
    await town.github.flush()

    await _killed_worker(nursery, town, _at(town, "POST", "/issues/1/comments", APPLIED_DROPPED))
    await _leases_run_out(app)
    await app.worker.run_due()

    assert [reaction.content for reaction in comment.reactions] == ["eyes", "confused"]
    assert [one.body.startswith("Only people with") for one in pull.comments] == [False, True]


async def test_why_fixes_were_not_applied_is_said_once_though_the_worker_is_killed(
    nursery: Nursery, town: Town, app: App
) -> None:
    pull = town.open({"digest.py": FIRST})
    await town.settle(app)
    town.repository.protected.add("fix")
    actions.click(town.check(pull), APPLY_FIXES, by="wendy")
    await town.github.flush()

    await _killed_worker(nursery, town, _at(town, "POST", "/issues/1/comments", APPLIED_DROPPED))
    await _leases_run_out(app)
    await app.worker.run_due()

    assert [one.body.startswith("The fixes were not applied") for one in pull.comments] == [True]


LOOKING_BACK = {
    "leased": ("GET", "/repos/acme/shop", DROPPED),
    "reading": ("GET", "/pulls/1", DROPPED),
    "check posted": ("POST", "/check-runs", APPLIED_DROPPED),
}


async def _kill_while_looking_back(nursery: Nursery, town: Town, app: App, step: str) -> None:
    """Two pull requests were merged before the App came: the worker dies while it reads them."""
    world, one = town.github.world, town.github.installed_on("acme")
    actions.choose_repositories(world, one, [])
    await town.settle(app)
    for number, text in enumerate((BROKEN, FIRST), 1):
        actions.push(town.repository, f"past-{number}", {"digest.py": f"# {number}\n{text}"})
        actions.merge(actions.open_pull_request(town.repository, head=f"past-{number}"))
    await town.settle(app)
    actions.choose_repositories(world, world.installations[one.id], [town.repository])
    await town.github.flush()
    await _killed_worker(nursery, town, _at(town, *LOOKING_BACK[step]))
    await _leases_run_out(app)


def _list_backtests(town: Town) -> list[tuple[str, str | None]]:
    runs = town.repository.check_runs.values()
    return [(run.status, run.conclusion) for run in runs if run.name == "jurat / backtest"]


@pytest.mark.parametrize("step", ["reading", "check posted"])
async def test_a_look_back_whose_worker_is_killed_is_shown_once(
    nursery: Nursery, town: Town, app: App, step: str
) -> None:
    await _kill_while_looking_back(nursery, town, app, step)
    await app.worker.run_due()
    await town.settle(app)
    assert _list_backtests(town) == [("completed", "neutral")]
    (record,) = await app.queue.records(keys=[f"{town.repository.id}::backtest"])
    assert (record.state, record.attempts) == ("done", 2)


async def test_no_look_back_is_left_open_where_another_commit_came_meanwhile(
    nursery: Nursery, town: Town, app: App
) -> None:
    await _kill_while_looking_back(nursery, town, app, "check posted")
    actions.push(town.repository, "main", {"README.md": "Ours\n"})
    await town.settle(app)
    assert {status for status, _ in _list_backtests(town)} == {"completed"}


async def test_a_look_back_that_was_asked_for_is_not_shown_twice(
    nursery: Nursery, town: Town, app: App
) -> None:
    await _kill_while_looking_back(nursery, town, app, "leased")
    await app.worker.run_due()
    (check,) = town.repository.check_runs.values()
    actions.rerequest_run(check, by="octocat")
    await town.github.flush()
    await _killed_worker(nursery, town, _at(town, *LOOKING_BACK["check posted"]))
    await _leases_run_out(app)
    await app.worker.run_due()
    assert _list_backtests(town) == [("completed", "neutral")] * 2
