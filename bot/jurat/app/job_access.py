"""What a job works on: GitHub as it may use it, its pull request, and who writes there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jurat.app.shared_commits import CHECKING, SharedRecord, build_share
from jurat.github.auth import GitHubApp, TokenScope
from jurat.github.client import GitHub
from jurat.github.errors import NotYetError
from jurat.github.models import PullRequestPayload
from jurat.github.pull_requests import list_open_pull_requests_at, read_at_tip, read_pull_request
from jurat.github.reviews import PullRequestPublisher
from jurat.jobs.requests import (
    CheckRequest,
    CommandRequest,
    Request,
    ResumeRequest,
    ReviewRequest,
)
from jurat.store.comment_history import CommentHistory
from jurat.store.evaluations import Store

REVIEWING = {**CHECKING, "pull_requests": "write"}
COMMITTING = {**REVIEWING, "contents": "write"}
"""What jobs do in their repository: write a check, comments beside it, and a commit of fixes."""
RESOLVING = {"pull_requests": "write", "contents": "write"}
"""What GitHub asks for who resolves a thread. Granted or not, that token does nothing else."""


@dataclass(frozen=True, slots=True)
class JobAccess:
    """The way of a job to its repository: `app` speaks to GitHub, `store` remembers."""

    app: GitHubApp
    store: Store

    def open_github(self, request: Request, permissions: Mapping[str, str] = REVIEWING) -> GitHub:
        """GitHub as a job may use it: for its repository alone, and no more than it does there."""
        scope = TokenScope.from_permissions(permissions, request.repository_id)
        return self.app.get_installation(request.installation_id, scope)

    async def open_pull_request(
        self, request: ReviewRequest | CommandRequest | ResumeRequest
    ) -> tuple[GitHub, PullRequestPayload, PullRequestPublisher]:
        """A request's pull request as it is now, and what reads and writes there.

        Raises NotYetError if the repository's name leads to another one.
        """
        github = self.open_github(request)
        pull = await read_own_at_tip(github, request, request.number)
        return github, pull, await self.build_publisher(request, github, pull)

    async def find_pull_requests(
        self, request: ReviewRequest | CommandRequest | CheckRequest | ResumeRequest
    ) -> list[tuple[PullRequestPayload, PullRequestPublisher]]:
        """The pull requests that a request is about: one by its number, else all with the head.

        Raises NotYetError if the repository's name leads to another one.
        """
        github = self.open_github(request)
        numbers = request.numbers if isinstance(request, CheckRequest) else (request.number,)
        pulls = [
            _ensure_own(request, await read_pull_request(github, request.repository, n))
            for n in numbers
        ]
        if not numbers and isinstance(request, CheckRequest):
            pulls += await list_open_pull_requests_at(github, request.repository, request.head_sha)
        return [(pull, await self.build_publisher(request, github, pull)) for pull in pulls]

    async def build_publisher(
        self, request: Request | None, github: GitHub, pull: PullRequestPayload
    ) -> PullRequestPublisher:
        """Who writes to a pull request; without a request nobody resolves its threads."""
        identity = await self.app.get_identity(github)
        record = SharedRecord(self.store.commits, build_share(pull))
        # No token is asked for before there is something to resolve.
        resolving = self.open_github(request, RESOLVING) if request else None
        history = CommentHistory(self.store.database, pull.repository_id, pull.number)
        return PullRequestPublisher(
            github, identity, pull, record, history=history, resolving=resolving
        )


async def read_own_at_tip(github: GitHub, request: Request, number: int) -> PullRequestPayload:
    """A pull request as it is now. Raises NotYetError as `_ensure_own` does."""
    return _ensure_own(request, await read_at_tip(github, request.repository, number))


def _ensure_own(request: Request, pull: PullRequestPayload) -> PullRequestPayload:
    """The pull request, if it is of the repository that was asked about.

    A name is given up and taken by another: until GitHub has said so, it leads there, and
    NotYetError is raised.
    """
    if pull.repository_id != request.repository_id:
        raise NotYetError(f"{request.repository} is another repository's name by now.")
    return pull
