"""The Embedder over Google's Gemini API, through the google-genai SDK.

One attempt a batch: relevance without embeddings is always at hand, so nobody waits for a retry.
The SDK is imported when the first text is embedded.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from bot.corpus.rule import Rule
from bot.gemini.client import BASE_URL
from bot.gemini.connection import Connection, connect
from bot.selection.relevance import (
    Embedder,
    EmbeddingError,
    Relevance,
    Vector,
    document_of,
    query_of,
    vector_relevance,
)
from bot.subjects.context import EvaluationContext

if TYPE_CHECKING:
    from google.genai import Client, types

Purpose = Literal["query", "document"]

_TASKS: Mapping[Purpose, str] = MappingProxyType(
    {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}
)
_BATCH = 100
"""Texts in one request, the most that batchEmbedContents takes."""


@dataclass(frozen=True, slots=True)
class EmbeddingOptions:
    """How texts are embedded. `timeout` is in seconds, for one batch.

    gemini-embedding-001 reads 2,048 tokens of a text, for which `characters` is a safe bound, and
    gives 768, 1,536 or 3,072 `dimensions`.
    """

    model: str = "gemini-embedding-001"
    dimensions: int = 768
    characters: int = 6_000
    timeout: float = 20.0


class GeminiEmbedder:
    """Embeds texts with Gemini. Close it with `aclose`, or use it as a context manager.

    Neither the key nor a text is ever logged or part of an error.
    """

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str = BASE_URL,
        options: EmbeddingOptions = EmbeddingOptions(),
        deadline: Callable[[float], AbstractAsyncContextManager[object]] = asyncio.timeout,
    ) -> None:
        self._api_key = api_key
        self._base_url = base_url
        self._options = options
        self._deadline = deadline
        self._connection: Connection | None = None

    async def __aenter__(self) -> GeminiEmbedder:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections. The embedder may be asked again afterwards."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.aclose()

    async def embed(self, texts: Sequence[str], purpose: Purpose) -> Sequence[Vector]:
        """One vector of unit length for each text, in order. Raises EmbeddingError."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), _BATCH):
            vectors += await self._batch(texts[start : start + _BATCH], purpose)
        return vectors

    async def _batch(self, texts: Sequence[str], purpose: Purpose) -> list[Vector]:
        import aiohttp  # noqa: PLC0415 - see the module
        import httpx  # noqa: PLC0415
        from google.genai import errors, types  # noqa: PLC0415

        config = types.EmbedContentConfig(
            task_type=_TASKS[purpose], output_dimensionality=self._options.dimensions
        )
        # The API refuses a text without a character to read.
        shortened = [text[: self._options.characters].strip() or "." for text in texts]
        try:
            async with self._deadline(self._options.timeout):
                response = await self._connected().aio.models.embed_content(
                    model=self._options.model, contents=shortened, config=config
                )
        except errors.APIError as error:
            status = f"{error.code} {error.status or ''}".rstrip()
            raise EmbeddingError(f"the API answered {status}") from None
        except (TimeoutError, httpx.TimeoutException):
            problem = f"no answer within {self._options.timeout:g} s"
            raise EmbeddingError(problem) from None
        except (aiohttp.ClientError, httpx.HTTPError, OSError) as error:
            problem = f"the connection failed ({type(error).__name__})"
            raise EmbeddingError(problem) from None
        except (ValueError, TypeError, AttributeError, LookupError):
            # The SDK takes apart whatever JSON comes back as if it were a response.
            raise EmbeddingError("the API's answer could not be read") from None
        return _vectors(response, len(texts))

    def _connected(self) -> Client:
        if self._connection is None:
            self._connection = connect(self._api_key, self._base_url, self._options.timeout)
        return self._connection.client


async def embedded_relevance(
    embedder: Embedder,
    context: EvaluationContext,
    rules: Sequence[Rule],
    known: MutableMapping[str, Vector],
) -> Relevance:
    """The Relevance of a change for the given rules, by their meaning. Raises EmbeddingError.

    `known` holds the vectors of rules by revision; what is missing is asked for and added.
    """
    missing = {rule.revision: rule for rule in rules if rule.revision not in known}
    texts = [document_of(rule) for rule in missing.values()]
    known.update(zip(missing, await embedder.embed(texts, "document"), strict=True))
    (query,) = await embedder.embed([query_of(context)], "query")
    return vector_relevance(query, known)


def _vectors(response: types.EmbedContentResponse, expected: int) -> list[Vector]:
    """The vectors at unit length: the API normalises only those of full size."""
    found = [item.values or [] for item in response.embeddings or ()]
    if len(found) != expected:
        raise EmbeddingError(f"the API gave {len(found)} vectors for {expected} texts")
    lengths = [math.hypot(*values) for values in found]
    if not all(0 < length < math.inf for length in lengths):
        raise EmbeddingError("the API gave a vector without a direction")
    return [
        tuple(value / length for value in values)
        for values, length in zip(found, lengths, strict=True)
    ]
