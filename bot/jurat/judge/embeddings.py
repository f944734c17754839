"""Relevance by Gemini's embeddings, and what one key gives access to.

One attempt a batch: relevance without embeddings is always at hand, so nobody waits for a retry.
"""

from __future__ import annotations

import asyncio
import heapq
import math
from array import array
from asyncio import to_thread
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Literal, Protocol

from jurat.facts.context import EvaluationContext
from jurat.judge.call_record import CallRecord
from jurat.judge.gemini import GeminiJudge, GeminiOptions
from jurat.judge.gemini_connection import (
    BASE_URL,
    CallError,
    Connection,
    find_cloud_project,
    list_unreachable_models,
)
from jurat.judge.models_file import ModelSettings, ModelsFile
from jurat.judge.protocol import Judge, JudgeError, JudgmentOptions, estimate_tokens
from jurat.rules.relevance import (
    EmbeddingError,
    Relevance,
    Vector,
    build_document,
    build_query,
    build_vector_relevance,
    rank_by_words,
)
from jurat.rules.rule import Rule, RuleSet
from jurat.rules.selection import DEPTH
from jurat.source.secret_masks import mask_secrets

Purpose = Literal["query", "document"]

_TASKS: Mapping[Purpose, str] = MappingProxyType(
    {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}
)
_BATCH = 100
"""Texts in one request, the most that batchEmbedContents takes."""
_KEPT = 5_000
"""Vectors of rules that are kept: 15 MB."""


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
        self._connection = Connection(api_key, base_url, options.timeout, deadline)
        self._options = options

    async def __aenter__(self) -> GeminiEmbedder:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections. The embedder may be asked again afterwards."""
        await self._connection.aclose()

    async def embed(
        self, texts: Sequence[str], purpose: Purpose, record: CallRecord
    ) -> Sequence[Vector]:
        """One vector of unit length for each text, in order. Raises EmbeddingError."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), _BATCH):
            vectors += await self._embed_batch(texts[start : start + _BATCH], purpose, record)
        return vectors

    async def _embed_batch(
        self, texts: Sequence[str], purpose: Purpose, record: CallRecord
    ) -> list[Vector]:
        shortened = await to_thread(shorten_texts, texts, self._options.characters)
        try:
            with record.send(self._options.model, shortened) as call:
                found = await self._ask(shortened, purpose)
                # The API says no count.
                call.input_tokens = sum(map(estimate_tokens, shortened))
        except JudgeError as error:
            raise EmbeddingError(error.detail) from None
        except CallError as error:
            raise EmbeddingError(str(error)) from None
        return _normalize_vectors(found, len(texts))

    async def _ask(self, texts: Sequence[str], purpose: Purpose) -> list[Sequence[float]]:
        async with self._connection.call() as models:
            from google.genai import types  # noqa: PLC0415 - inside of `call` alone

            config = types.EmbedContentConfig(
                task_type=_TASKS[purpose], output_dimensionality=self._options.dimensions
            )
            response = await models.embed_content(
                model=self._options.model, contents=list(texts), config=config
            )
            return [item.values or [] for item in response.embeddings or ()]


def shorten_texts(texts: Sequence[str], characters: int) -> list[str]:
    """The texts as they are sent: secrets masked, and no longer than the API reads."""
    # Masked first: half a secret, cut off at the end, would look like none. And the API refuses a
    # text without a character to read.
    return [mask_secrets(text)[:characters].strip() or "." for text in texts]


class Embedder(Protocol):
    """Whoever makes vectors of texts."""

    async def embed(
        self, texts: Sequence[str], purpose: Purpose, record: CallRecord
    ) -> Sequence[Vector]:
        """One vector of unit length for each text, in order. Raises EmbeddingError."""
        ...


class EmbeddedRelevance:
    """The SemanticRelevance of an embedder. It keeps the vectors of the rules used last."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, Vector] = OrderedDict()

    async def prepare(
        self,
        context: EvaluationContext,
        rule_set: RuleSet,
        rules: Sequence[Rule],
        record: CallRecord,
    ) -> Relevance:
        """The Relevance of these rules for this context. Raises EmbeddingError.

        Of many rules, only those nearest by their words are embedded; the others count as far away.
        """
        near = await to_thread(_rank_nearest, context, rule_set, rules)
        asked = {rule.revision: rule for rule in near}
        vectors = {revision: self._known[revision] for revision in asked if revision in self._known}
        missing = [revision for revision in asked if revision not in vectors]
        texts = [build_document(asked[revision]) for revision in missing]
        found = await self._embedder.embed(texts, "document", record)
        vectors.update(zip(missing, found, strict=True))
        (query,) = await self._embedder.embed([build_query(context)], "query", record)
        self._keep(vectors)
        return build_vector_relevance(query, vectors)

    def _keep(self, vectors: Mapping[str, Vector]) -> None:
        for revision, vector in vectors.items():
            self._known[revision] = vector
            self._known.move_to_end(revision)
        # After the move to the end: what this review uses goes last.
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)


def _rank_nearest(
    context: EvaluationContext, rule_set: RuleSet, rules: Sequence[Rule]
) -> Sequence[Rule]:
    if len(rules) <= DEPTH:
        return rules
    scores = rank_by_words(context, rule_set, rules)
    return [rules[at] for at in heapq.nlargest(DEPTH, range(len(rules)), key=scores.__getitem__)]


def _normalize_vectors(found: Sequence[Sequence[float]], expected: int) -> list[Vector]:
    """The vectors at unit length: the API normalises only those of full size."""
    if len(found) != expected:
        raise EmbeddingError(f"the API gave {len(found)} vectors for {expected} texts")
    lengths = [math.hypot(*values) for values in found]
    # A zero or an infinity would make every similarity NaN, and NaN sorts anywhere.
    if not all(0 < length < math.inf for length in lengths):
        raise EmbeddingError("the API gave a vector without a direction")
    return [
        # Four bytes a number instead of a Python float's twenty-four: thousands are kept.
        array("f", (value / length for value in values))
        for values, length in zip(found, lengths, strict=True)
    ]


# What a key gives access to: a Judge, and relevance by meaning.


async def _do_nothing() -> None:
    """A judge that is handed in is there already."""


async def _list_nothing() -> Mapping[str, str]:
    """Nothing is known of what a judge that is handed in asks."""
    return {}


@dataclass(frozen=True, slots=True)
class JudgeModels:
    """The models of one provider, and how they are to be asked; without `semantic` none embeds.

    `second` is another provider's judge, if one is to read beside this one what blocks.

    `construct` raises JudgeError if the judge cannot be made, and asks nobody anything.
    `list_unreachable` asks whether the key may use each model: what is wrong with it in a sentence,
    "" if nothing. That costs no token. `client` is the module that talks to the provider.
    """

    judge: Judge
    semantic: EmbeddedRelevance | None
    options: JudgmentOptions
    construct: Callable[[], Awaitable[None]] = _do_nothing
    list_unreachable: Callable[[], Awaitable[Mapping[str, str]]] = _list_nothing
    client: str = "google.genai"
    second: Judge | None = None


@asynccontextmanager
async def open_gemini(
    settings: ModelSettings, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> AsyncIterator[JudgeModels]:
    """The models that `settings` name; their connections are closed at the block's end.

    `sleep` is how the pauses between two attempts are made.
    """
    file, call_options = settings.file, _build_gemini_options(settings.file)
    key, base_url = settings.api_key.get_secret_value(), settings.base_url or BASE_URL
    embedding = EmbeddingOptions(model=file.models.embedding)
    async with (
        GeminiJudge(key, base_url=base_url, options=call_options, sleep=sleep) as judge,
        GeminiEmbedder(key, base_url=base_url, options=embedding) as embedder,
    ):
        yield JudgeModels(
            judge,
            EmbeddedRelevance(embedder),
            file.options(),
            judge.construct,
            partial(list_unreachable_models, settings),
        )


@asynccontextmanager
async def open_vertex(
    settings: ModelSettings, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> AsyncIterator[JudgeModels]:
    """Gemini by Vertex AI, with the credentials that google-auth finds here; none embeds."""
    async with GeminiJudge(
        "",
        base_url=settings.base_url,
        cloud=find_cloud_project(settings),
        options=_build_gemini_options(settings.file),
        sleep=sleep,
    ) as judge:
        yield JudgeModels(
            judge,
            None,
            settings.file.options(),
            judge.construct,
            partial(list_unreachable_models, settings),
        )


def _build_gemini_options(file: ModelsFile) -> GeminiOptions:
    return GeminiOptions(
        models={"flash": file.models.flash, "pro": file.models.pro},
        timeout=file.timeout,
        max_output_tokens=file.output_tokens,
    )
