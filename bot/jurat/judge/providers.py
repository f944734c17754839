"""Whose models can judge: a new provider is a module that opens them, and a line in `JUDGES`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
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
    }
)
"""What opens each provider's models, given ModelSettings and how to sleep; imported when used.

A provider's key is the variable of its name in capitals, with _API_KEY at its end.
"""

DEFAULT_MODELS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "anthropic": {"flash": "claude-sonnet-5-5", "pro": "claude-opus-5-5"},
        "openai": {"flash": "gpt-5.4-mini", "pro": "gpt-5.5"},
    }
)
"""What a provider's tiers are served by where the models file names nothing else."""


def open_models(
    settings: ModelSettings,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AbstractAsyncContextManager[JudgeModels]:
    """The models that `settings` name; their connections are closed at the block's end.

    `sleep` is how the pauses between two attempts are made.
    """
    open_own: Callable[..., AbstractAsyncContextManager[JudgeModels]] = resolve_name(
        JUDGES[settings.judge]
    )
    return open_own(settings, sleep=sleep)
