"""Whose models can judge: a new provider is a module that opens them, and a line in `JUDGES`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING

from jurat.judge.models_file import ModelSettings

if TYPE_CHECKING:
    from jurat.judge.embeddings import GeminiModels

JUDGES: Mapping[str, str] = MappingProxyType({"gemini": "jurat.judge.embeddings:open_gemini"})
"""What opens each provider's models, given ModelSettings and how to sleep; imported when used."""


def open_models(
    settings: ModelSettings,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AbstractAsyncContextManager[GeminiModels]:
    """The models that `settings` name; their connections are closed at the block's end.

    `sleep` is how the pauses between two attempts are made.
    """
    open_own: Callable[..., AbstractAsyncContextManager[GeminiModels]] = resolve_name(
        JUDGES[settings.judge]
    )
    return open_own(settings, sleep=sleep)
