"""Whose models can judge: a new provider is a module that opens them, and a line in `JUDGES`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jurat.judge.embeddings import JudgeModels
    from jurat.judge.models_file import ModelSettings

JUDGES: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": "jurat.judge.anthropic_vendor:open_anthropic",
        "gemini": "jurat.judge.embeddings:open_gemini",
        "openai": "jurat.judge.openai_vendor:open_openai",
        "vertex": "jurat.judge.embeddings:open_vertex",
    }
)
"""What opens each provider's models, given ModelSettings and how to sleep; imported when used.

A provider's key is the variable of its name in capitals, with _API_KEY at its end; Vertex AI has
none.
"""

DEFAULT_MODELS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "anthropic": {"flash": "claude-sonnet-5-5", "pro": "claude-opus-5-5"},
        "openai": {"flash": "gpt-5.4-mini", "pro": "gpt-5.5"},
    }
)
"""What a provider's tiers are served by if the models file names nothing else."""


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
