"""Check runs and suites.

https://docs.github.com/rest/checks
"""

from __future__ import annotations

from datetime import datetime

from tests.standins.github.actions.checks import (
    add_run,
    announce_completed,
    rerequest_run,
    rerequest_suite,
    suite_for,
)
from tests.standins.github.checks import CheckRun, CheckSuite
from tests.standins.github.payloads import checks
from tests.standins.github.refusals import RefusalError, failed, forbidden, not_found
from tests.standins.github.routes.calls import Answer, Call, RouteTable
from tests.standins.github.routes.check_limits import STATUSES, check_run_body
from tests.standins.github.world import Json

routes = RouteTable()


@routes.add("POST", "/repos/{owner}/{repo}/check-runs", "checks:write")
def create_check_run(call: Call) -> Answer:
    """Start a check run, or report one that is over."""
    repository, body = call.repository, call.body()
    name, sha = str(call.required(body, "name")), str(call.required(body, "head_sha"))
    check_run_body(body)
    commit = repository.git.resolve(sha)
    if commit is None or commit != sha:
        raise RefusalError(422, f"No commit found for SHA: {sha}")
    suite, _ = suite_for(repository, call.world.app, sha)
    run = CheckRun(
        id=call.world.next_id("check_run"),
        suite=suite,
        name=name,
        status="queued",
        conclusion=None,
        started_at=call.world.now(),
        completed_at=None,
    )
    _apply(call, run, body)
    add_run(suite, run)
    return Answer(201, checks.check_run(call.world, run))


@routes.add("GET", "/repos/{owner}/{repo}/check-runs/{run}", "checks:read")
def get_check_run(call: Call) -> Answer:
    """One check run."""
    return Answer(200, checks.check_run(call.world, _run(call)))


@routes.add("PATCH", "/repos/{owner}/{repo}/check-runs/{run}", "checks:write")
def update_check_run(call: Call) -> Answer:
    """Change a check run. Annotations are added to those that are there."""
    run, body = _run(call), call.body()
    if run.suite.app is not call.world.app:
        raise forbidden()
    check_run_body(body)
    completed = run.status == "completed"
    reopened = "conclusion" not in body and body.get("status", "completed") != "completed"
    if completed and reopened:
        raise failed("CheckRun", "status", "invalid", "A completed check run cannot be reopened")
    _apply(call, run, body)
    run.name = str(body.get("name", run.name))
    run.suite.updated_at = call.world.now()
    if run.status == "completed" and not completed:
        announce_completed(run)
    return Answer(200, checks.check_run(call.world, run))


@routes.add("GET", "/repos/{owner}/{repo}/check-runs/{run}/annotations", "checks:read")
def list_annotations(call: Call) -> Answer:
    """The annotations of a check run."""
    run = _run(call)
    return call.listed(run.annotations, lambda one: checks.annotation(call.world, run, one))


@routes.add("POST", "/repos/{owner}/{repo}/check-runs/{run}/rerequest", "checks:write")
def rerequest_check_run(call: Call) -> Answer:
    """Ask for a run again."""
    rerequest_run(_run(call), by=call.bot)
    return Answer(201, {})


@routes.add("GET", "/repos/{owner}/{repo}/commits/{ref*}/check-runs", "checks:read")
def list_check_runs_of_ref(call: Call) -> Answer:
    """The check runs on a commit; of those with one name in one suite the newest, by default."""
    suites = _suites_at(call)
    return _listed_runs(call, suites)


@routes.add("GET", "/repos/{owner}/{repo}/check-suites/{suite}/check-runs", "checks:read")
def list_check_runs_of_suite(call: Call) -> Answer:
    """The check runs of a suite."""
    return _listed_runs(call, [_suite(call)])


@routes.add("GET", "/repos/{owner}/{repo}/commits/{ref*}/check-suites", "checks:read")
def list_check_suites(call: Call) -> Answer:
    """The check suites on a commit."""
    found = _suites_at(call)
    page, headers = call.page(found)
    shown = [checks.check_suite(call.world, suite) for suite in page]
    return Answer(200, {"total_count": len(found), "check_suites": shown}, headers)


@routes.add("GET", "/repos/{owner}/{repo}/check-suites/{suite}", "checks:read")
def get_check_suite(call: Call) -> Answer:
    """One check suite."""
    return Answer(200, checks.check_suite(call.world, _suite(call)))


@routes.add("POST", "/repos/{owner}/{repo}/check-suites/{suite}/rerequest", "checks:write")
def rerequest_check_suite(call: Call) -> Answer:
    """Ask for all runs of a suite again."""
    rerequest_suite(_suite(call), by=call.bot)
    return Answer(201, {})


def _apply(call: Call, run: CheckRun, body: Json) -> None:
    """Take over what a checked body says."""
    run.status = body.get("status", run.status)
    if body.get("conclusion") is not None:
        run.status, run.conclusion = "completed", body["conclusion"]
        run.completed_at = _moment(body, "completed_at") or call.world.now()
    run.started_at = _moment(body, "started_at") or run.started_at
    run.external_id = str(body.get("external_id", run.external_id))
    run.details_url = body.get("details_url", run.details_url)
    if (output := body.get("output")) is not None:
        run.title, run.summary = output["title"], output["summary"]
        run.text = output.get("text", run.text)
        run.annotations += output.get("annotations") or []
    if "actions" in body:
        run.actions = list(body["actions"] or [])


def _moment(body: Json, name: str) -> datetime | None:
    given = body.get(name)
    return datetime.fromisoformat(given) if given is not None else None


def _run(call: Call) -> CheckRun:
    found = call.repository.check_runs.get(call.number("run"))
    if found is None:
        raise not_found()
    return found


def _suite(call: Call) -> CheckSuite:
    found = call.repository.check_suites.get(call.number("suite"))
    if found is None:
        raise not_found()
    return found


def _suites_at(call: Call) -> list[CheckSuite]:
    ref = call.params["ref"]
    sha = call.repository.git.resolve(ref)
    if sha is None:
        raise RefusalError(422, f"No commit found for SHA: {ref}")
    app = call.query.get("app_id")
    return [
        suite
        for suite in call.repository.check_suites.values()
        if suite.head_sha == sha and app in (None, str(suite.app.id))
    ]


def _listed_runs(call: Call, suites: list[CheckSuite]) -> Answer:
    latest = call.query.get("filter", "latest") == "latest"
    name, status = call.query.get("check_name"), call.query.get("status")
    if status is not None and status not in STATUSES:
        raise failed("CheckRun", "status", "invalid")
    found = [
        run
        for suite in suites
        for run in (suite.latest_runs() if latest else suite.runs)
        if name in (None, run.name) and status in (None, run.status)
    ]
    found.sort(key=lambda run: run.id, reverse=True)
    page, headers = call.page(found)
    shown = [checks.check_run(call.world, run) for run in page]
    return Answer(200, {"total_count": len(found), "check_runs": shown}, headers)
