"""What can go wrong between Jurat and GitHub. No message holds a token, a header or a query."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized

from jurat.errors import JuratError
from jurat.reports.limits import Limit

A_DAY = 86_400.0
"""Seconds for which a job waits for a GitHub that is away: longer than it ever was."""


class GitHubError(JuratError):
    """GitHub did not do what was asked. `status` is its HTTP status, None if none came."""

    retryable = False

    def __init__(self, message: str, *, hint: str = "", status: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class GitHubUnavailableError(GitHubError):
    """No answer, a 5xx, or an answer that cannot be read.

    `request_sent` is False if the request never left: then even a write is safe to repeat.
    Otherwise the write may have happened, and whoever repeats it must look first.
    """

    retryable = True
    patience = A_DAY

    def __init__(
        self, message: str, *, hint: str = "", status: int | None = None, request_sent: bool = True
    ) -> None:
        super().__init__(message, hint=hint, status=status)
        self.request_sent = request_sent


class NotYetError(GitHubUnavailableError):
    """GitHub answers 404 to what is there: it was just pushed, or whom we asked lags behind."""


class RateLimitedError(GitHubError):
    """A rate limit asks for a longer pause than a request may take: `retry_after` seconds."""

    retryable = True
    patience = A_DAY

    def __init__(self, message: str, *, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class AccessRefusedError(GitHubError):
    """GitHub does not know the App, or the installation lacks a permission (401, 403)."""


def is_locked(error: GitHubError) -> bool:
    """Whether a conversation was locked, in which Apps may not write either.

    https://docs.github.com/en/communities/moderating-comments-and-conversations/locking-conversations
    """
    return error.status == 403 and "locked" in error.message


class UnknownCredentialsError(AccessRefusedError):
    """GitHub does not know a token that it gave out, or a signature (401), a fresh one included.

    It has been seen to do so for a moment, and a clock that runs ahead is set right in the end.
    """

    retryable = True


class NotFoundError(GitHubError):
    """It does not exist, the installation may not see it, or GitHub does not know of it yet (404).

    What was pushed or opened a moment ago is answered with 404 at times, and so is a file that has
    been there for years. So it is no absence (see `AbsentError`), and worth another try.
    """

    retryable = True
    patience = A_DAY / 8


class AbsentError(NotFoundError):
    """It is certain that it is not there: the commit's own tree says so, or it is gone (410)."""

    retryable = False
    patience = 0.0


class UncoveredError(AbsentError):
    """The App is not installed on a repository; `hidden` if it may be there all the same."""

    def __init__(self, *, hidden: bool) -> None:
        super().__init__(
            "The installation does not cover this repository.",
            hint="Choose it on the App's page of installations.",
            status=422,
        )
        self.hidden = hidden


class RejectedError(GitHubError):
    """GitHub understood the request and will not carry it out (422 and other 4xx)."""


class TooLargeError(GitHubError):
    """More than GitHub hands out in one piece (406), or more than Jurat accepts."""


class OversizedWriteError(GitHubError):
    """A text longer than GitHub takes was about to be sent. Rendering should have cut it."""


def ensure_admitted(what: str, value: Sized, limit: Limit) -> None:
    """Raise OversizedWriteError for what GitHub would refuse, or cut without a word."""
    if not limit.fits(value):
        raise OversizedWriteError(
            f"The {what} has {limit.measure(value):,} {limit.unit}; GitHub takes {limit.size:,}."
        )


class SupersededError(JuratError):
    """The pull request's head moved while it was reviewed: nothing more is written for `expected`.

    The push that moved it asks for a review of its own.
    """

    retryable = False

    def __init__(self, expected: str, actual: str) -> None:
        super().__init__(
            f"The pull request moved from {expected[:12]} to {actual[:12]} during the review.",
            hint="The new head is reviewed on its own.",
        )
        self.expected = expected
        self.actual = actual


class PullRequestClosedError(JuratError):
    """The pull request was closed while it was reviewed: nothing more is written."""

    retryable = False


# GitHub's rate limits, read from a response: how long to wait before the next request.
#
# https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api

_LIMIT_WORDS = ("rate limit", "abuse detection")
"""Enterprise Servers still call a secondary limit by its older name."""
FIRST_PAUSE = 60.0
"""Seconds to wait when a limit is hit and no header says how long; doubles each time."""


def compute_wait(
    status: int, headers: Mapping[str, str], message: str, *, now: float, attempt: int
) -> float | None:
    """Seconds until the same request may be sent again; None if no rate limit is the reason.

    `now` is Unix time and `attempt` counts the refusals of this request, from 1. A 403 is a limit
    only if a header or the message says so: without, it is a missing permission.
    """
    if status not in (403, 429):
        return None
    # First, as GitHub asks: a secondary limit comes with it while `remaining` is still above 0.
    retry_after = _parse_number(headers.get("retry-after"))
    if retry_after is not None:
        return max(retry_after, 0.0)
    reset = _parse_number(headers.get("x-ratelimit-reset"))
    if headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        # At least a second: their clock and ours may differ, and a pause of 0 would ask at once.
        return max(reset - now, 1.0)
    # A secondary limit may come as a 403 without any header; only its words tell it from a refusal.
    if status == 429 or any(word in message.lower() for word in _LIMIT_WORDS):
        return float(FIRST_PAUSE * 2 ** (attempt - 1))
    return None


def _parse_number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    # "nan" and "inf" are floats to Python: a proxy's nonsense must not be slept on.
    return value if math.isfinite(value) else None
