"""Pull requests.

https://docs.github.com/rest/pulls/pulls
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from tests.standins.github.payloads import commits, pulls
from tests.standins.github.pulls import PullRequest
from tests.standins.github.refusals import failed
from tests.standins.github.routes.calls import Answer, Call, RouteTable
from tests.standins.github.routes.history import diff_answer

COMMITS_LIMIT = 250
"""Commits of a pull request that are listed."""

routes = RouteTable()


@routes.add("GET", "/repos/{owner}/{repo}/pulls", "pull_requests:read")
def list_pulls(call: Call) -> Answer:
    """Pull requests, newest first unless asked otherwise."""
    state = call.query.get("state", "open")
    if state not in ("open", "closed", "all"):
        raise failed("PullRequest", "state", "invalid")
    head, base = call.query.get("head", ""), call.query.get("base", "")
    found = [
        pull
        for pull in call.repository.pulls.values()
        if state in ("all", pull.state)
        and base in ("", pull.base_ref)
        and head.lower() in ("", _label(pull).lower())
    ]
    ordered = sorted(found, key=_order(call), reverse=call.query.get("direction") != "asc")
    return call.listed(ordered, lambda pull: pulls.simple_pull(call.world, pull))


@routes.add("GET", "/repos/{owner}/{repo}/pulls/{number}", "pull_requests:read")
def get_pull(call: Call) -> Answer:
    """A pull request, or its diff."""
    pull = call.pull
    if call.media in ("diff", "patch"):
        return diff_answer(call, pull.repository, pull.merge_base, pull.head_sha)
    return Answer(200, pulls.pull_request(call.world, pull))


@routes.add("GET", "/repos/{owner}/{repo}/pulls/{number}/files", "pull_requests:read")
def list_files(call: Call) -> Answer:
    """The changed files, at most 3,000."""
    pull = call.pull
    files = pull.files()[: call.world.limits.listed_files]
    return call.listed(
        files, lambda file: commits.diff_entry(call.world, pull.repository, pull.head_sha, file)
    )


@routes.add("GET", "/repos/{owner}/{repo}/pulls/{number}/commits", "pull_requests:read")
def list_commits(call: Call) -> Answer:
    """The commits, oldest first, at most 250."""
    pull = call.pull
    found = pull.commits()[:COMMITS_LIMIT]
    return call.listed(found, lambda sha: commits.commit(call.world, pull.repository, sha))


def _label(pull: PullRequest) -> str:
    owner = pull.head_repository.owner.login if pull.head_repository else ""
    return f"{owner}:{pull.head_ref}"


def _order(call: Call) -> Callable[[PullRequest], tuple[datetime, int]]:
    if call.query.get("sort") == "updated":
        return lambda pull: (pull.updated_at, pull.number)
    return lambda pull: (pull.created_at, pull.number)
