"""The store as the pipeline sees it: a ledger that remembers, and a place to keep reviews."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Mapping, Sequence

from bot.aggregation.conclusion import conclude
from bot.corpus.maturity import Standing
from bot.corpus.rule import Corpus
from bot.publishing.response import response
from bot.review import Review
from bot.store.records import About, digest, retained
from bot.store.store import Store
from bot.subjects.context import EvaluationContext
from bot.subjects.kinds import Surface
from bot.waivers.decisions import Decision


class ReviewRecords:
    """The pipeline's Records, in a database. Every method raises DatabaseUnavailable.

    `saved` is told of each review that was kept.
    """

    def __init__(self, store: Store, *, saved: Callable[[Review], None] | None = None) -> None:
        self._store = store
        self._saved = saved

    async def recall(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The entries that are known, by key."""
        return await self._store.recall(keys)

    async def remember(self, entries: Mapping[str, str]) -> None:
        """Keep entries. One that is known already stays as it is."""
        await self._store.remember(entries)

    async def decisions(self, repository: str, code_prints: Sequence[str]) -> Sequence[Decision]:
        """The decisions about findings of a repository with one of these code prints."""
        return await self._store.decisions(repository, code_prints)

    async def save(self, review: Review) -> None:
        """Keep the evaluation, each verdict, a line in the audit log, and which findings stand."""
        about = await to_thread(_about, review)
        await self._store.save(review.evaluation, about)
        await self._store.rules.follow(review)
        if self._saved is not None:
            self._saved(review)

    async def standings(self, repository: str | None, corpus: Corpus) -> Mapping[str, Standing]:
        """Where the records of rules stand in a repository, by rule id."""
        return await self._store.rules.standings(repository, corpus)


def _about(review: Review) -> About:
    material, context, evaluation = review.material, review.context, review.evaluation
    return About(
        asked_by=material.asked_by,
        subject_digest=digest(context),
        response=response(evaluation),
        repository=material.repository,
        number=material.number,
        head_sha=material.head_sha,
        base_sha=material.base_sha,
        conclusion=conclude(evaluation, material.configuration.review),
        mode=context.mode,
        surface=_surface(context),
        subject=retained(context) if material.configuration.retain == "full" else None,
    )


def _surface(context: EvaluationContext) -> Surface:
    """The surface of the first subject, which is the change where there is one."""
    return context.subjects[0].surface if context.subjects else Surface.GENERIC
