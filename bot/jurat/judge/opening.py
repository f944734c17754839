"""Models are opened: those of a provider, and a second judge's beside them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from jurat.judge.providers import JUDGES

if TYPE_CHECKING:
    from jurat.judge.embeddings import JudgeModels
    from jurat.judge.models_file import ModelSettings


@asynccontextmanager
async def open_models(
    settings: ModelSettings,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncIterator[JudgeModels]:
    """The models that `settings` name; their connections are closed at the block's end.

    `sleep` is how the pauses between two attempts are made.
    """
    async with AsyncExitStack() as stack:
        models = await stack.enter_async_context(_open_own(settings, sleep))
        if settings.second is not None:
            other = await stack.enter_async_context(_open_own(settings.second, sleep))
            models = replace(
                models,
                second=other.judge,
                construct=partial(_construct_both, models.construct, other.construct),
            )
        yield models


def _open_own(
    settings: ModelSettings, sleep: Callable[[float], Awaitable[None]]
) -> AbstractAsyncContextManager[JudgeModels]:
    """The models of one provider."""
    open_own: Callable[..., AbstractAsyncContextManager[JudgeModels]] = resolve_name(
        JUDGES[settings.judge]
    )
    return open_own(settings, sleep=sleep)


async def _construct_both(
    first: Callable[[], Awaitable[None]], second: Callable[[], Awaitable[None]]
) -> None:
    await first()
    await second()
