"""Many reads at once, but not too many."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

LIMIT = 10
"""Requests at once. GitHub refuses from 100 on, counted over everything that the App does."""


async def concurrently(
    work: Callable[[T], Awaitable[R]], items: Iterable[T], limit: int = LIMIT
) -> list[R]:
    """The results of `work` in the order of `items`. The first error ends the rest."""
    gate = asyncio.Semaphore(limit)

    async def one(item: T) -> R:
        async with gate:
            return await work(item)

    tasks = [asyncio.ensure_future(one(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
