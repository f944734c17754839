"""The pipeline. The command line, the webhook's jobs and the REST API are its three doors."""

from __future__ import annotations

import datetime as dt
from asyncio import to_thread
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, Protocol, TypeVar

from bot.aggregation.aggregate import aggregate
from bot.corpus.rule import Corpus
from bot.dispatch.dispatching import dispatch
from bot.judgment.judging import JudgmentOptions, judge
from bot.judgment.protocol import Judge, Ledger
from bot.material import Material
from bot.selection.metadata import contested, select
from bot.selection.relevance import (
    EmbeddingError,
    Relevance,
    SemanticRelevance,
    lexical_relevance,
)
from bot.selection.selection import Criteria, Selection
from bot.subjects.assembly import assemble
from bot.subjects.context import EvaluationContext
from bot.subjects.parsing import ParseMap
from bot.verdicts import Evaluation

T = TypeVar("T")

Stage = Literal["fetch", "assemble", "select", "dispatch", "judge", "save", "publish"]
"""The stages that take time. What stands between them takes none that is worth a measurement."""


@dataclass(frozen=True, slots=True)
class Review:
    """What was reviewed, and what came out."""

    material: Material
    context: EvaluationContext
    evaluation: Evaluation


class Source(Protocol):
    """Where a review reads: a pull request, a checkout or a request's body."""

    async def fetch(self) -> Material:
        """Everything that is judged, and the rules and configuration of its base."""
        ...


class Records(Ledger, Protocol):
    """Where a review is kept."""

    async def save(self, review: Review) -> None:
        """Keep the evaluation and each of its verdicts."""
        ...


class Publisher(Protocol):
    """Where a review is shown: a pull request, a terminal or a response."""

    async def publish(self, review: Review) -> None:
        """Show it. Called again with the same review, it changes nothing."""
        ...


class Watch(Protocol):
    """Whoever watches the pipeline: awaits the work of each stage, and may time it."""

    async def __call__(self, stage: Stage, work: Awaitable[T], /) -> T:
        """What the work gives, or raises."""
        ...


async def unwatched(_stage: Stage, work: Awaitable[T]) -> T:
    """Nobody watches."""
    return await work


@dataclass(frozen=True, slots=True)
class Outside:
    """What the pipeline needs of the world.

    `judge` and `semantic` are None where no model is configured; `clock` gives the time in UTC.
    """

    judge: Judge | None
    records: Records
    parse_map: ParseMap
    clock: Callable[[], dt.datetime]
    new_id: Callable[[], str]
    semantic: SemanticRelevance | None = None
    options: JudgmentOptions = field(default_factory=JudgmentOptions)
    watch: Watch = unwatched


async def review(source: Source, publisher: Publisher, outside: Outside) -> Review:
    """Review what `source` holds, keep the result and show it through `publisher`.

    Raises BylawError where the review could not be completed; nothing was published then. The pure
    stages run in a thread, so that a server goes on answering.
    """
    started, stage = outside.clock(), outside.watch
    material = await stage("fetch", source.fetch())
    context = await stage("assemble", to_thread(_assemble, material, outside.parse_map))
    criteria = material.criteria or Criteria.of(material.configuration)
    choosing = choose(context, material.corpus, criteria, outside)
    selection, notes = await stage("select", choosing)
    deciding = to_thread(dispatch, context, selection, material.corpus, outside.parse_map)
    dispatched = await stage("dispatch", deciding)
    options = replace(outside.options, rules_per_batch=criteria.max_rules)
    judging = judge(context, dispatched.undecided, outside.judge, outside.records, options)
    judged = await stage("judge", judging)
    evaluation = aggregate(
        context,
        selection,
        (*dispatched.verdicts, *judged.verdicts),
        evaluation_id=outside.new_id(),
        models=judged.models,
        unread=judged.unread,
        latency_ms=(outside.clock() - started).total_seconds() * 1000,
        notes=notes,
    )
    finished = Review(material, context, evaluation)
    await stage("save", outside.records.save(finished))
    await stage("publish", publisher.publish(finished))
    return finished


async def choose(
    context: EvaluationContext, corpus: Corpus, criteria: Criteria, outside: Outside
) -> tuple[Selection, tuple[str, ...]]:
    """The rules for a context, and what a reader must know of how they were chosen.

    Relevance is a matter of meaning where `outside` offers that, and of words where it does not or
    fails: a selection never waits for a model that is away.
    """
    today = outside.clock().date()
    rivals = await to_thread(contested, context, corpus, criteria, today)
    relevance: Relevance = lexical_relevance
    notes: tuple[str, ...] = ()
    if rivals and outside.semantic is not None:
        try:
            relevance = await outside.semantic.prepare(context, corpus, rivals)
        except EmbeddingError as error:
            notes = (f"Rules were ranked by their words, not by their meaning: {error}.",)
    chosen = partial(select, relevance=relevance)
    return await to_thread(chosen, context, corpus, criteria, today), notes


def _assemble(material: Material, parse_map: ParseMap) -> EvaluationContext:
    return assemble(
        material.change,
        facts=material.facts,
        intent=material.intent,
        scope=material.scope,
        repository=material.repository,
        mode=material.mode,
        kind=material.kind,
        surfaces=material.configuration.surfaces,
        ignored=material.configuration.ignore,
        parse_map=parse_map,
    )
