"""Writes that must not happen twice, and reads that go many at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from jurat.github.errors import GitHubUnavailableError, NotYetError
from jurat.github.pace import Sleep

T = TypeVar("T")

BeforeWrite = Callable[[], Awaitable[None]]
"""Raises if a write should not be made any more."""

_PAUSES = (2.0, 8.0)


async def write_once(
    write: Callable[[], Awaitable[T]], find: Callable[[], Awaitable[T | None]], sleep: Sleep
) -> T:
    """What `write` gives, or what `find` finds of it after an answer that was lost.

    A write whose answer is lost may have happened: it is repeated only when it cannot be found.
    """
    # Paused before it is looked for: GitHub may list what was written a moment late.
    for seconds in _PAUSES:
        try:
            return await write()
        except GitHubUnavailableError:
            await sleep(seconds)
        if (found := await find()) is not None:
            return found
    # The last attempt is not looked for: its error is the job's, which looks when it is tried
    # again.
    return await write()


async def retry_early(read: Callable[[], Awaitable[T]], sleep: Sleep) -> T:
    """What `read` gives in one of three tries, 10 s in all: GitHub may answer a moment early."""
    for seconds in _PAUSES:
        try:
            return await read()
        except NotYetError:
            await sleep(seconds)
    # Beyond that the job gives its place to another, and comes back.
    return await read()


# Many reads at once, but not too many: GitHub answers a crowd with a secondary rate limit.

R = TypeVar("R")

LIMIT = 10
"""Requests at once. GitHub refuses from 100 on, counted over everything that the App does."""


async def run_concurrently(work: Callable[[T], Awaitable[R]], items: Iterable[T]) -> list[R]:
    """The results of `work` in the order of `items`. The first error ends the rest."""
    gate = asyncio.Semaphore(LIMIT)

    async def one(item: T) -> R:
        async with gate:
            return await work(item)

    tasks = [asyncio.ensure_future(one(item)) for item in items]
    try:
        # gather lets the others run on when one fails: they would still spend requests for nobody.
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
