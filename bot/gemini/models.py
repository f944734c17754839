"""What a key gives access to: a Judge, and relevance by meaning."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.config import ModelSettings
from bot.gemini.client import GeminiJudge, GeminiOptions
from bot.gemini.connection import BASE_URL
from bot.gemini.embeddings import EmbeddedRelevance, EmbeddingOptions, GeminiEmbedder
from bot.judgment.options import JudgmentOptions
from bot.judgment.protocol import Judge


async def _construct_nothing() -> None:
    """A judge that is handed in is there already."""


@dataclass(frozen=True, slots=True)
class Models:
    """The models of one key, and how they are to be asked; without `semantic` none embeds.

    `construct` raises JudgeError if the judge cannot be made, and asks nobody anything.
    """

    judge: Judge
    semantic: EmbeddedRelevance | None
    options: JudgmentOptions
    construct: Callable[[], Awaitable[None]] = _construct_nothing


@asynccontextmanager
async def opened(settings: ModelSettings) -> AsyncIterator[Models]:
    """The models that `settings` name; their connections are closed at the block's end."""
    file = settings.file
    key, base_url = settings.api_key.get_secret_value(), settings.base_url or BASE_URL
    asking = GeminiOptions(
        models={"flash": file.models.flash, "pro": file.models.pro},
        timeout=file.timeout,
        max_output_tokens=file.output_tokens,
    )
    embedding = EmbeddingOptions(model=file.models.embedding)
    async with (
        GeminiJudge(key, base_url=base_url, options=asking) as judge,
        GeminiEmbedder(key, base_url=base_url, options=embedding) as embedder,
    ):
        yield Models(judge, EmbeddedRelevance(embedder), file.options(), judge.construct)
