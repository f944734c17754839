"""Writes that must not happen twice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.github.client import Sleep
from bot.github.errors import GitHubUnavailableError

T = TypeVar("T")

BeforeWrite = Callable[[], Awaitable[None]]
"""Raises where a write should not be made any more."""

_PAUSES = (2.0, 8.0)


async def write_once(
    write: Callable[[], Awaitable[T]], find: Callable[[], Awaitable[T | None]], sleep: Sleep
) -> T:
    """What `write` gives, or what `find` finds of it after an answer that was lost.

    A write whose answer is lost may have happened: it is repeated only when it cannot be found.
    """
    for seconds in _PAUSES:
        try:
            return await write()
        except GitHubUnavailableError:
            await sleep(seconds)
        if (found := await find()) is not None:
            return found
    return await write()
