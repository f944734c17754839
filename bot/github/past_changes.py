"""A change that was reviewed once, read again: its text is not kept, its commits are on GitHub."""

from __future__ import annotations

from asyncio import to_thread

from bot.errors import BylawError
from bot.github.changes import DIFF_LIMIT
from bot.github.client import DIFF, GitHub
from bot.github.contents import Snapshot
from bot.github.errors import GitHubError, TooLargeError
from bot.github.payloads import PullRequestPayload
from bot.github.pulls import read_pull_request
from bot.github.texts import with_texts
from bot.subjects.change import Change
from bot.subjects.diff import parse_diff

MAX_FILES = 100
"""Files of a change that is read again: what is wanted of it is an impression, not a verdict."""


class GoneError(BylawError):
    """A past change cannot be read again. `message` ends a sentence that begins with a number."""

    retryable = False


async def read_past(
    github: GitHub, repository: str, number: int, base_sha: str, head_sha: str
) -> tuple[PullRequestPayload, Change]:
    """The pull request as it is now, and its change as it was between two commits.

    Raises GoneError where GitHub no longer hands it out, and GitHubError where it does not answer.
    """
    try:
        pull = await read_pull_request(github, repository, number)
        diff = await github.raw(
            "/repos/{+repository}/compare/{base}...{head}",
            {"repository": repository, "base": base_sha, "head": head_sha},
            accept=DIFF,
            limit=DIFF_LIMIT,
        )
    except TooLargeError:
        raise GoneError("too large") from None
    except GitHubError as error:
        if error.retryable:
            raise
        raise GoneError("gone from GitHub") from None
    change = await to_thread(parse_diff, diff)
    if len(change.files) > MAX_FILES:
        raise GoneError(f"of more than {MAX_FILES} files")
    return pull, await with_texts(Snapshot(github, repository, head_sha), change)
