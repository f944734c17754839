"""Check suites, check runs and annotations."""

from __future__ import annotations

from tests.standins.github.checks import CheckRun, CheckSuite
from tests.standins.github.clock import timestamp
from tests.standins.github.payloads.accounts import embedded_app
from tests.standins.github.payloads.commits import quoted, simple_commit
from tests.standins.github.payloads.pulls import pull_reference
from tests.standins.github.payloads.repositories import api_url, html_url, minimal_repository
from tests.standins.github.pulls import PullRequest
from tests.standins.github.world import Json, World


def open_pulls_at(suite: CheckSuite) -> list[PullRequest]:
    """The open pull requests that a check names; those from forks are left out, as on GitHub."""
    return [
        pull
        for pull in suite.repository.pulls.values()
        if pull.state == "open"
        and pull.head_sha == suite.head_sha
        and pull.head_repository is suite.repository
    ]


def check_run(world: World, run: CheckRun) -> Json:
    """A check run."""
    repository = run.suite.repository
    own = f"{api_url(world, repository)}/check-runs/{run.id}"
    html = f"{html_url(world, repository)}/runs/{run.id}"
    return {
        "id": run.id,
        "name": run.name,
        "node_id": f"CR_{run.id}",
        "head_sha": run.head_sha,
        "external_id": run.external_id,
        "url": own,
        "html_url": html,
        "details_url": run.details_url or html,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": timestamp(run.started_at),
        "completed_at": timestamp(run.completed_at) if run.completed_at else None,
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": len(run.annotations),
            "annotations_url": f"{own}/annotations",
        },
        "check_suite": {"id": run.suite.id},
        "app": embedded_app(world, run.suite.app),
        "pull_requests": [pull_reference(world, pull) for pull in open_pulls_at(run.suite)],
    }


def annotation(world: World, run: CheckRun, given: Json) -> Json:
    """An annotation as it is read back."""
    html = html_url(world, run.suite.repository)
    return {
        "path": given["path"],
        "blob_href": f"{html}/blob/{run.head_sha}/{quoted(given['path'])}",
        "start_line": given["start_line"],
        "start_column": given.get("start_column"),
        "end_line": given["end_line"],
        "end_column": given.get("end_column"),
        "annotation_level": given["annotation_level"],
        "title": given.get("title"),
        "message": given["message"],
        "raw_details": given.get("raw_details"),
    }


def check_suite(world: World, suite: CheckSuite) -> Json:
    """A check suite as the REST API gives it."""
    return _suite(world, suite) | {
        "repository": minimal_repository(world, suite.repository),
        "rerequestable": True,
        "runs_rerequestable": True,
    }


def webhook_check_suite(world: World, suite: CheckSuite) -> Json:
    """A check suite as a check_suite event carries it."""
    return _suite(world, suite) | {"rerequestable": True, "runs_rerequestable": True}


def webhook_check_run(world: World, run: CheckRun) -> Json:
    """A check run as a check_run event carries it, with its suite inside."""
    suite = run.suite
    inner = {
        "id": suite.id,
        "node_id": f"CS_{suite.id}",
        "head_branch": suite.head_branch,
        "head_sha": suite.head_sha,
        "status": suite.status,
        "conclusion": suite.conclusion,
        "url": f"{api_url(world, suite.repository)}/check-suites/{suite.id}",
        "before": suite.before,
        "after": suite.head_sha,
        "pull_requests": [pull_reference(world, pull) for pull in open_pulls_at(suite)],
        "app": embedded_app(world, suite.app),
        "created_at": timestamp(suite.created_at),
        "updated_at": timestamp(suite.updated_at),
    }
    return check_run(world, run) | {"check_suite": inner}


def _suite(world: World, suite: CheckSuite) -> Json:
    own = f"{api_url(world, suite.repository)}/check-suites/{suite.id}"
    return {
        "id": suite.id,
        "node_id": f"CS_{suite.id}",
        "head_branch": suite.head_branch,
        "head_sha": suite.head_sha,
        "status": suite.status,
        "conclusion": suite.conclusion,
        "url": own,
        "before": suite.before,
        "after": suite.head_sha,
        "pull_requests": [pull_reference(world, pull) for pull in open_pulls_at(suite)],
        "app": embedded_app(world, suite.app),
        "created_at": timestamp(suite.created_at),
        "updated_at": timestamp(suite.updated_at),
        "head_commit": simple_commit(suite.repository, suite.head_sha),
        "latest_check_runs_count": len(suite.latest_runs()),
        "check_runs_url": f"{own}/check-runs",
    }
