"""Reading pull requests."""

from __future__ import annotations

from bot.github.client import GitHub
from bot.github.errors import ClosedMeanwhile, Superseded
from bot.github.payloads import PullRequestPayload, PullRequestRowPayload


async def read_pull_request(github: GitHub, repository: str, number: int) -> PullRequestPayload:
    """The pull request as it is now."""
    return await github.read(
        PullRequestPayload,
        "/repos/{+repository}/pulls/{number}",
        {"repository": repository, "number": number},
    )


async def ensure_current(github: GitHub, pull: PullRequestPayload) -> None:
    """Raise Superseded where the head is no longer the one in `pull`, ClosedMeanwhile if closed."""
    now = await read_pull_request(github, pull.repository, pull.number)
    if now.head.sha != pull.head.sha:
        raise Superseded(pull.head.sha, now.head.sha)
    if now.state != "open":
        raise ClosedMeanwhile("The pull request was closed during the review.")


async def open_pull_requests_at(
    github: GitHub, repository: str, head_sha: str
) -> tuple[PullRequestPayload, ...]:
    """The open pull requests whose head is that commit, forks included."""
    listed = github.each(
        PullRequestRowPayload,
        "/repos/{+repository}/pulls{?state,per_page}",
        {"repository": repository, "state": "open", "per_page": 100},
    )
    numbers = [row.number async for row in listed if row.head.sha == head_sha]
    # The list leaves out how many files were changed.
    return tuple([await read_pull_request(github, repository, number) for number in numbers])
