"""Pull requests that share a head: which there are, and what becomes of its check without one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jurat.app.review_runner import build_open_check
from jurat.github.auth import GitHubApp, TokenScope
from jurat.github.check_runs import CheckKey, CheckRunWriter
from jurat.github.client import GitHub
from jurat.github.commit_check import CommitCheckWriter
from jurat.github.models import PullRequestPayload
from jurat.github.pull_requests import list_open_rows_at, read_pull_request
from jurat.jobs.queue import Job
from jurat.jobs.requests import (
    CheckRequest,
    ClosedRequest,
    CommandRequest,
    MergeGroupRequest,
    Request,
    ResumeRequest,
    ReviewRequest,
)
from jurat.reports.check_run import CheckRun
from jurat.reports.commit_check import MERGE_GROUP, PullRequestCheck
from jurat.store.commit_checks import CommitCheckStore, Share
from jurat.store.open_checks import OpenCheckStore

CHECKING = {"checks": "write", "contents": "read", "pull_requests": "read"}
"""What a job that writes a check, and nothing else, may do in its repository."""


def build_share(pull: PullRequestPayload) -> Share:
    """The part of a pull request in the check of its head."""
    return Share(pull.base.repo.id, pull.head.sha, pull.number, pull.base.ref)


@dataclass(frozen=True, slots=True)
class SharedRecord:
    """A `CommitRecord` in the database. `again` is the job that reviews a merge group again."""

    store: CommitCheckStore
    share: Share
    again: Mapping[str, Any] | None = None

    @property
    def number(self) -> int:
        """The number of the pull request; 0 for a merge group."""
        return self.share.number

    async def open(self) -> None:
        """Keep that its review has begun."""
        await self.store.open(self.share, self.again)

    async def record(self, check: CheckRun) -> None:
        """Keep what it says."""
        await self.store.record(self.share, check)

    async def drop(self) -> None:
        """Forget it."""
        await self.store.drop(self.share)

    async def list_checks(self) -> Sequence[PullRequestCheck]:
        """All that have a part in the commit's check."""
        return await self.store.list_checks(self.share.repository_id, self.share.head_sha)


@dataclass(frozen=True, slots=True)
class SharedCommits:
    """Keeps the record of who shares a head true. `enqueue` has another job done."""

    app: GitHubApp
    store: CommitCheckStore
    open_checks: OpenCheckStore
    enqueue: Callable[[Request], Awaitable[None]]

    async def is_shared(self, pull: PullRequestPayload) -> bool:
        """Whether another one that is known has the same head."""
        checks = await self.store.list_checks(pull.base.repo.id, pull.head.sha)
        return any(item.number != pull.number for item in checks)

    async def enqueue_unreviewed(
        self,
        request: ReviewRequest | CommandRequest | CheckRequest | ResumeRequest,
        pull: PullRequestPayload,
        job: Job,
    ) -> None:
        """Find all that have the head of `pull`, and have those reviewed that nobody has.

        GitHub is asked, not only what webhooks have told: a pull request may be older than the
        App's installation, and a draft is passed over.
        """
        github = self._open_github(request)
        # Known first: one that is opened after the listing finds `pull` itself.
        checks = await self.store.list_checks(pull.base.repo.id, pull.head.sha)
        rows = await list_open_rows_at(github, pull.repository, pull.head.sha)
        known = {item.number for item in checks} | {pull.number, MERGE_GROUP}
        for row in rows:
            if row.number in known:
                continue
            share = Share(pull.base.repo.id, pull.head.sha, row.number, row.base.ref)
            resume = ResumeRequest(
                repository=request.repository,
                repository_id=request.repository_id,
                installation_id=request.installation_id,
                number=row.number,
                head_sha=pull.head.sha,
            )
            # In this order: the check is not concluded without its word, so that somebody must be
            # on the way to give it; and the sweep sends another one, should that one die.
            await self.enqueue(resume)
            await self.open_checks.begin(build_open_check(resume, row.number, pull.head.sha, job))
            await self.store.expect(share)
        for item in checks:
            # Its closing, or the push that moved it, failed to arrive.
            if item.number not in {MERGE_GROUP, pull.number, *(row.number for row in rows)}:
                await self.store.drop(
                    Share(pull.base.repo.id, pull.head.sha, item.number, item.base_ref)
                )

    async def leave_moved(self, request: ReviewRequest, pull: PullRequestPayload) -> None:
        """Leave the heads that a push moved a pull request away from to those that share them."""
        repository_id = pull.base.repo.id
        for head_sha in await self.store.list_heads(repository_id, pull.number):
            if head_sha != pull.head.sha:
                share = Share(repository_id, head_sha, pull.number, pull.base.ref)
                await self._leave(request, pull.repository, share)

    async def leave_closed(self, request: ClosedRequest) -> bool:
        """Leave the head of a closed pull request to those that share it; False if it is open."""
        github = self._open_github(request)
        pull = await read_pull_request(github, request.repository, request.number)
        if pull.state == "open":
            return False
        for head_sha in await self.store.list_heads(request.repository_id, request.number):
            share = Share(request.repository_id, head_sha, request.number, pull.base.ref)
            await self._leave(request, pull.repository, share)
        return True

    async def find_group(self, request: CheckRequest) -> MergeGroupRequest | None:
        """The review of the merge group at a commit; None if none is known."""
        again = await self.store.read_again(request.repository_id, request.head_sha)
        return None if again is None else MergeGroupRequest.model_validate(again)

    async def _leave(
        self, request: ReviewRequest | ClosedRequest, repository: str, share: Share
    ) -> None:
        await self.store.drop(share)
        checks = await self.store.list_checks(share.repository_id, share.head_sha)
        if not checks:
            return
        github = self._open_github(request)
        identity = await self.app.get_identity(github)
        key = CheckKey(share.repository_id, checks[0].number, share.head_sha)
        run = CheckRunWriter(github, repository, key, identity.app_id, _allow_always)
        await CommitCheckWriter(run, SharedRecord(self.store, share)).align()

    def _open_github(self, request: Request) -> GitHub:
        scope = TokenScope.from_permissions(CHECKING, request.repository_id)
        return self.app.get_installation(request.installation_id, scope)


async def _allow_always() -> None:
    """What the others said of this commit holds, wherever the one that left has gone."""
