"""Check suites and runs: made by pushes and Apps, run again and clicked by people."""

from __future__ import annotations

from typing import Literal

from tests.standins.github.accounts import App
from tests.standins.github.actions.announcing import announce
from tests.standins.github.checks import CheckRun, CheckSuite
from tests.standins.github.payloads import webhooks
from tests.standins.github.repositories import Repository


def suite_for(
    repository: Repository, app: App, sha: str, *, branch: str | None = None, before: str = ""
) -> tuple[CheckSuite, bool]:
    """The suite of an App on a commit, and whether it was made just now."""
    for suite in repository.check_suites.values():
        if suite.app is app and suite.head_sha == sha:
            return suite, False
    world = repository.world
    if branch is None:
        tips = repository.git.refs("refs/heads/")
        named = (ref.removeprefix("refs/heads/") for ref, tip in tips.items() if tip == sha)
        branch = next(named, None)
    now = world.now()
    suite = CheckSuite(
        id=world.next_id("check_suite"),
        repository=repository,
        app=app,
        head_sha=sha,
        head_branch=branch,
        created_at=now,
        updated_at=now,
        before=before or None,
    )
    repository.check_suites[suite.id] = suite
    return suite, True


def request_suite(repository: Repository, sha: str, *, branch: str, before: str, by: str) -> None:
    """What a push does for the App under test: a suite, and an event that asks for it."""
    world = repository.world
    if world.installation_of(repository) is None or "checks" not in world.app.permissions:
        return
    suite, made = suite_for(repository, world.app, sha, branch=branch, before=before)
    if made:
        payload = webhooks.check_suite(world, "requested", suite)
        announce(repository, "check_suite", payload, by=by, unasked=True)


def add_run(suite: CheckSuite, run: CheckRun) -> None:
    """Put a new run into its suite, and say so."""
    repository = suite.repository
    suite.runs.append(run)
    repository.check_runs[run.id] = run
    suite.updated_at = repository.world.now()
    _announce_run("created", run)
    if run.status == "completed":
        announce_completed(run)


def announce_completed(run: CheckRun) -> None:
    """Say that a run has completed, and its suite if that was the last."""
    suite = run.suite
    world = suite.repository.world
    _announce_run("completed", run)
    if suite.status == "completed" and suite.app is world.app:
        payload = webhooks.check_suite(world, "completed", suite)
        announce(suite.repository, "check_suite", payload, by=suite.app.bot.login)


def report_check(
    repository: Repository,
    sha: str,
    name: str,
    conclusion: Literal["success", "failure", "neutral"] | None = None,
    *,
    app: str = "other-ci",
) -> CheckRun:
    """Another App's check run on a commit; without a conclusion it is in progress."""
    world = repository.world
    owner = next((known for known in world.apps.values() if known.slug == app), None)
    if owner is None:
        owner = world.add_app(app, permissions={"checks": "write"}, events=frozenset())
    suite, _ = suite_for(repository, owner, sha)
    now = world.now()
    run = CheckRun(
        id=world.next_id("check_run"),
        suite=suite,
        name=name,
        status="completed" if conclusion else "in_progress",
        conclusion=conclusion,
        started_at=now,
        completed_at=now if conclusion else None,
    )
    add_run(suite, run)
    return run


def rerequest_run(run: CheckRun, *, by: str) -> None:
    """Somebody asks for the run again. GitHub leaves the run as it is: a re-run is a new one."""
    _announce_run("rerequested", run, by=by)


def rerequest_suite(suite: CheckSuite, *, by: str) -> None:
    """Somebody presses Re-run all checks."""
    world = suite.repository.world
    if suite.app is world.app:
        payload = webhooks.check_suite(world, "rerequested", suite)
        announce(suite.repository, "check_suite", payload, by=by, unasked=True)


def click(run: CheckRun, identifier: str, *, by: str) -> None:
    """Somebody presses one of the run's buttons; it must be there."""
    if identifier not in {action["identifier"] for action in run.actions}:
        raise ValueError(f"the check run {run.name!r} shows no button {identifier!r}")
    world = run.suite.repository.world
    if run.suite.app is world.app:
        payload = webhooks.requested_action(world, run, identifier)
        announce(run.suite.repository, "check_run", payload, by=by, unasked=True)


def _announce_run(action: str, run: CheckRun, *, by: str = "") -> None:
    repository, app = run.suite.repository, run.suite.app
    own = app is repository.world.app
    if action == "rerequested" and not own:
        return  # only the App that made the run is asked
    payload = webhooks.check_run(repository.world, action, run)
    unasked = action == "rerequested"
    announce(repository, "check_run", payload, by=by or app.bot.login, unasked=unasked)
