"""What becomes of a job that failed.

An error that says it is not `retryable` (a broken configuration, a permission that is missing)
buries the job at once: trying again would give the same. Everything else, a bug included, is tried
again a bounded number of times, after the pause the error asks for or an exponential one.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from bot.errors import BylawError

_REASON_LENGTH = 500


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """At most `max_attempts` in all; pauses double from `first` up to `longest` seconds."""

    max_attempts: int = 8
    first: float = 5.0
    longest: float = 900.0


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after a pause."""

    delay: dt.timedelta
    reason: str


@dataclass(frozen=True, slots=True)
class Bury:
    """Give up."""

    reason: str


def after_failure(
    error: BaseException, attempts: int, policy: RetryPolicy, draw: float
) -> Retry | Bury:
    """What to do with a job whose attempt number `attempts` raised. `draw` is random in [0, 1)."""
    reason = describe(error)
    if isinstance(error, BylawError) and not error.retryable:
        return Bury(reason)
    if attempts >= policy.max_attempts:
        return Bury(f"Given up after {attempts} attempts. {reason}"[:_REASON_LENGTH])
    seconds = backoff(attempts, policy, draw)
    if isinstance(error, BylawError) and error.retry_after is not None:
        seconds = max(seconds, error.retry_after)
    return Retry(dt.timedelta(seconds=seconds), reason)


def backoff(attempts: int, policy: RetryPolicy, draw: float) -> float:
    """Seconds to wait after attempt number `attempts`: half of it fixed, half random.

    "Equal jitter" in https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/:
    jobs that failed together do not come back together, and none comes back at once.
    """
    whole = min(policy.longest, policy.first * 2.0 ** min(attempts - 1, 60))
    return whole / 2 + whole / 2 * draw


def describe(error: BaseException) -> str:
    """An error on one line, short enough to keep."""
    text = str(error) if isinstance(error, BylawError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:_REASON_LENGTH]
