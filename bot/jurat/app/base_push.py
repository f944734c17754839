"""A base branch moved: its open pull requests are judged by the rules that are in force now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import structlog

from jurat.errors import FileError
from jurat.github.base_config import read_configuration, read_ruleset
from jurat.github.client import GitHub
from jurat.github.contents import CommitFiles
from jurat.github.models import InstalledRepositoryPayload
from jurat.github.pull_requests import list_open_rows_onto, read_branch_tip
from jurat.jobs.requests import BASE_PUSHED, OWNER_PUSHED, BaseRequest, Request, ReviewRequest
from jurat.reports.limits import PAGE
from jurat.rules.ruleset_diff import ActiveRules

MAX_PULL_REQUESTS = 500
"""Pull requests that one push has judged again, those that moved last: each is a review."""
MAX_REPOSITORIES = 500
"""Repositories that are looked at after a push to the owner's `.github`."""

_log = structlog.stdlib.get_logger("jurat.app.base_push")
Enqueue = Callable[[Request], Awaitable[None]]


async def review_again(github: GitHub, request: BaseRequest, enqueue: Enqueue) -> bool:
    """Enqueue a review of each open pull request onto a branch whose rules are others now.

    Whether they are. A review by the rules of the same commit is not made twice. Each asks no model
    at first: what can be computed of all of them comes first.
    """
    if not await _is_changed(github, request):
        return False
    rows = await list_open_rows_onto(
        github, request.repository, request.branch, limit=MAX_PULL_REQUESTS
    )
    if len(rows) == MAX_PULL_REQUESTS:
        _log.warning("only the pull requests that moved last are judged again", limit=len(rows))
    for row in rows:
        await enqueue(
            ReviewRequest(
                repository=request.repository,
                repository_id=request.repository_id,
                installation_id=request.installation_id,
                number=row.number,
                for_id=(row.user and row.user.id) or 0,
                # The owner's rules changed at the same commit of this repository.
                cause=BASE_PUSHED if request.after else OWNER_PUSHED,
            )
        )
    return True


async def review_dependents(github: GitHub, request: BaseRequest, enqueue: Enqueue) -> None:
    """After a push to the owner's `.github`: ask the same of each repository's default branch.

    `github` sees all repositories of the installation, and reads nothing in them.
    """
    listed = github.iter_items(
        InstalledRepositoryPayload,
        "/installation/repositories{?per_page}",
        {"per_page": PAGE.size},
        key="repositories",
    )
    count = 0
    async for repository in listed:
        if repository.archived or repository.full_name == request.repository:
            continue
        await enqueue(
            BaseRequest(
                repository=repository.full_name,
                repository_id=repository.id,
                installation_id=request.installation_id,
                branch=repository.default_branch,
            )
        )
        count += 1
        if count == MAX_REPOSITORIES:
            _log.warning("only some repositories are looked at again", limit=count)
            return


async def _is_changed(github: GitHub, request: BaseRequest) -> bool:
    """Whether other rules or another configuration are in force on the branch than before."""
    if not request.after:
        tip = await read_branch_tip(github, request.repository, request.branch)
        return await _is_under_owners(CommitFiles(github, request.repository, tip))
    after = CommitFiles(github, request.repository, request.after)
    now = await _load(after)
    # What cannot be loaded, then or now, is news to every pull request.
    before = await _load(replace(after, commit=request.before))
    return now is None or before is None or not before.has_same_text(now)


async def _load(base: CommitFiles) -> ActiveRules | None:
    try:
        return ActiveRules(*await read_ruleset(base))
    except FileError:
        return None


async def _is_under_owners(base: CommitFiles) -> bool:
    """Whether a base builds on its owner's file, or that requires something of it."""
    try:
        chain = (await read_configuration(base)).chain
        _, rule_set = await read_ruleset(base)
    except FileError:
        return True
    if rule_set.floor is not None:
        return True
    owners = f"{base.repository.partition('/')[0]}/.github"
    return any(item.repository.lower() == owners.lower() for item in chain)
