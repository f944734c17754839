"""Asking a provider again: how often, how long to wait, and which faults are worth it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

from jurat.judge.protocol import JudgeError, JudgeErrorKind

if TYPE_CHECKING:
    from tenacity import RetryCallState

_T = TypeVar("_T")

_PASSING = {
    408: JudgeErrorKind.TIMEOUT,
    429: JudgeErrorKind.RATE_LIMITED,
    504: JudgeErrorKind.TIMEOUT,
}


class PassingError(JudgeError):
    """A fault that may be over the next time. `retry_after`: the wait that the API asked for."""

    def __init__(
        self, fault: JudgeErrorKind, detail: str, retry_after: float | None = None
    ) -> None:
        super().__init__(fault, detail)
        self.retry_after = retry_after


async def ask_again(
    attempt: Callable[[], Awaitable[_T]],
    *,
    attempts: int,
    patience: float,
    sleep: Callable[[float], Awaitable[None]],
) -> _T:
    """What an attempt brings, again after each PassingError. The last one is raised in the end.

    No attempt begins when `patience`, in seconds, would be over.
    """
    from tenacity import (  # noqa: PLC0415 - as slow as the clients, and needed with them alone
        AsyncRetrying,
        retry_if_exception_type,
        stop_after_attempt,
        stop_before_delay,
    )

    retrying = AsyncRetrying(
        sleep=sleep,
        # `before`: a wait that the API asks for may be an hour, and a review waits for the answer.
        stop=stop_after_attempt(attempts) | stop_before_delay(patience),
        wait=_compute_wait,
        retry=retry_if_exception_type(PassingError),
        reraise=True,
    )

    # tenacity awaits what is plainly a coroutine function, and no lambda that gives one.
    async def try_once() -> _T:
        return await attempt()

    return await retrying(try_once)


def _compute_wait(state: RetryCallState) -> float:
    """What the API asks for, or up to 1, 2, 4 … 30 s at random."""
    from tenacity import wait_random_exponential  # noqa: PLC0415 - as in `ask_again`

    error = state.outcome.exception() if state.outcome is not None else None
    asked = error.retry_after if isinstance(error, PassingError) else None
    return asked if asked is not None else wait_random_exponential(multiplier=1, max=30)(state)


def is_passing_status(status: int) -> bool:
    """Whether an HTTP status says that the same request may be answered later."""
    return status in (408, 429) or status >= 500


def to_passing_error(status: int, detail: str, retry_after: float | None) -> PassingError:
    """The fault that a passing status stands for."""
    return PassingError(_PASSING.get(status, JudgeErrorKind.UNAVAILABLE), detail, retry_after)


def parse_retry_after(header: str, now: float) -> float | None:
    """Seconds to wait by Retry-After (RFC 9110: seconds or a date), None if it is neither."""
    header = header.strip()
    if header.isdecimal():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except ValueError:
        return None
