"""The record of reviews: what was judged and decided, and what a model said before."""

from __future__ import annotations

import datetime as dt
from asyncio import to_thread
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from sqlalchemy import ColumnElement, Row, delete, func, insert, select, update

from jurat.facts.context import EvaluationContext, Mode, Surface
from jurat.findings.convergence import AssessedPush, describe_push
from jurat.findings.evaluation import Conclusion, Evaluation
from jurat.findings.identity import digest_subject
from jurat.findings.model_usage import ModelUsage
from jurat.findings.waivers import Decision, DecisionKind
from jurat.judge.protocol import AnswerCache
from jurat.probes.run import ProbeRun
from jurat.reports.answer import EvaluationAnswer
from jurat.review_interfaces import Review
from jurat.rules.maturity import EventKind, TrackRecord
from jurat.rules.rule import RuleSet
from jurat.rules.trial import RuleTrial
from jurat.store.analytics import AnalyticsQuestion, RuleActivity, count_rule_activity
from jurat.store.answer_ledger import AnswerLedger
from jurat.store.clock import Now
from jurat.store.commit_checks import CommitCheckStore
from jurat.store.database import Database, insert_into
from jurat.store.decisions import (
    list_decisions,
    write_decisions,
)
from jurat.store.repositories import Repositories, is_of, keep_repository
from jurat.store.rows import (
    About,
    PastReview,
    StoredReview,
    audit_row,
    build_calls_row,
    build_review_row,
    build_verdict_rows,
    dump_subject,
)
from jurat.store.rule_history import Decided, RuleHistory
from jurat.store.runs import load_trials, save_probe_run, save_trials
from jurat.store.tables import audit_log, evaluations, repositories, reviews


class DatabaseEvaluationStore:
    """The pipeline's Records, in a database. Every method raises DatabaseUnavailable.

    `published` is told of each review that was shown.
    """

    def __init__(self, store: Store, *, published: Callable[[Review], None] | None = None) -> None:
        self._store = store
        self._published = published

    def get_answers(self, repository: str | int | None) -> AnswerCache:
        """The answers that are known; what is learnt there is kept as that repository's."""
        return self._store.ledger.get_answers(repository)

    async def decisions(
        self, repository: str | int | None, code_prints: Sequence[str]
    ) -> Sequence[Decision]:
        """The decisions about findings of a repository with one of these code prints."""
        return await self._store.decisions(repository, code_prints)

    async def list_pushes(
        self, repository: str | int | None, number: int
    ) -> Sequence[AssessedPush]:
        """What the reviews of a pull request that were shown last left to those of later pushes."""
        return await self._store.list_pushes(repository, number)

    async def count_tokens(self, since: dt.datetime, repository: str | int | None = None) -> int:
        """What models were given and gave since then, for one repository if it is named."""
        return await self._store.count_tokens(since, repository)

    async def keep_calls(
        self, repository: str | int | None, asked_by: str, models: Sequence[ModelUsage]
    ) -> None:
        """Keep what models were asked for a review that is not saved."""
        await self._store.keep_calls(repository, asked_by, models)

    async def save(self, review: Review) -> None:
        """Keep the evaluation, each verdict, a line in the audit log, and which findings stand."""
        about = await to_thread(_describe_review, review)
        # Before its findings are followed: a merge is settled by the review that was saved last,
        # and evidence without a review could not be explained.
        await self._store.save(review.evaluation, about)
        await self._store.rules.follow(review)

    async def mark_published(self, review: Review) -> None:
        """Keep that the review was shown, so that it counts."""
        await self._store.mark_published(review.evaluation.evaluation_id)
        if self._published is not None:
            self._published(review)

    async def track_records(
        self, repository: str | int | None, rule_set: RuleSet
    ) -> Mapping[str, TrackRecord]:
        """Where the records of rules stand in a repository, by rule id."""
        return await self._store.rules.track_records(repository, rule_set)


def _describe_review(review: Review) -> About:
    inputs, context = review.inputs, review.context
    return About(
        asked_by=inputs.asked_by,
        subject_digest=digest_subject(context),
        repository=inputs.repository,
        number=inputs.number,
        head_sha=inputs.head_sha,
        base_sha=inputs.base_sha,
        repository_id=inputs.repository_id,
        mode=context.mode,
        surface=_get_surface(context),
        subject=dump_subject(context) if inputs.configuration.retain == "full" else None,
        assessed=None
        if inputs.number is None
        else describe_push(review.evaluation, context).to_json(),
    )


def _get_surface(context: EvaluationContext) -> Surface:
    """The surface of the first subject, which is the change if there is one."""
    return context.subjects[0].surface if context.subjects else Surface.GENERIC


_SAID: Mapping[DecisionKind, Decided] = MappingProxyType(
    {
        DecisionKind.DISMISSED: EventKind.DISMISSED,
        DecisionKind.RESTORED: EventKind.RESTORED,
        DecisionKind.CONFIRMED: EventKind.CONFIRMED,
    }
)
"""What is evidence. An override says nothing of any rule."""

_PUSHES = 20
"""Reviews of a pull request that are looked back at."""


class Store:
    """Reviews in a database, and what goes with them. Every method raises DatabaseUnavailable.

    A repository is named by its id, or as "owner/name": then it is whichever has that name now.
    `ledger` is what models said before, `rules` the evidence that reviews leave for and against
    rules, `commits` what pull requests have the checks of their heads say, `repositories` those
    that are known.
    """

    def __init__(self, database: Database, now: Now) -> None:
        self._database = database
        self._now = now
        self.ledger = AnswerLedger(database, now)
        self.rules = RuleHistory(database, now)
        self.commits = CommitCheckStore(database, now)
        self.repositories = Repositories(database)

    @property
    def database(self) -> Database:
        """Where all of it is, for what reads it a page at a time."""
        return self._database

    async def save(self, evaluation: Evaluation, about: About) -> None:
        """Keep a review: its row, one row a verdict, one line in the audit log; all or none.

        The same `evaluation_id` again updates the same rows, and adds a line to the audit log: a
        retry may fill in what a model failed to answer. They do not count until they were shown
        (see `mark_published`): what an earlier attempt showed is not what they say now.
        """
        at = self._now()
        async with self._database.writing() as connection:
            if repository := about.repository_id or about.repository:
                kept = await connection.run_sync(keep_repository, repository, about.repository)
                about = replace(about, repository_id=kept)
            row = {**build_review_row(evaluation, about, at), "published_at": None}
            await connection.execute(
                insert_into(connection, reviews)
                .values(row)
                .on_conflict_do_update(index_elements=["evaluation_id"], set_=row)
            )
            await connection.execute(
                delete(evaluations).where(evaluations.c.evaluation_id == evaluation.evaluation_id)
            )
            if rows := build_verdict_rows(evaluation, about, at):
                await connection.execute(insert(evaluations), rows)
            await connection.execute(insert(audit_log), audit_row(evaluation, about, at))

    async def keep_calls(
        self, repository: str | int | None, asked_by: str, models: Sequence[ModelUsage]
    ) -> None:
        """Keep, in the audit log alone, what models were asked if no review is kept."""
        at = self._now()
        async with self._database.writing() as connection:
            kept = await connection.run_sync(keep_repository, repository) if repository else None
            row = build_calls_row(models, asked_by, at, kept)
            await connection.execute(insert(audit_log), row)

    async def mark_published(self, evaluation_id: str) -> None:
        """Keep that a review was shown. Of its head it counts from now on, and it alone."""
        of = reviews.c
        async with self._database.writing() as connection:
            row = (
                await connection.execute(
                    update(reviews)
                    .where(of.evaluation_id == evaluation_id)
                    .values(published_at=self._now())
                    .returning(of.repository_id, of.number, of.head_sha)
                )
            ).one_or_none()
            if row is None:
                return
            if row.repository_id is not None and row.head_sha is not None:
                same_head = select(of.evaluation_id).where(
                    of.repository_id == row.repository_id,
                    of.number == row.number,  # IS NULL for a merge queue's group
                    of.head_sha == row.head_sha,
                )
                await connection.execute(
                    update(evaluations)
                    .where(evaluations.c.evaluation_id.in_(same_head), evaluations.c.counted)
                    .values(counted=False)
                )
            await connection.execute(
                update(evaluations)
                .where(evaluations.c.evaluation_id == evaluation_id)
                .values(counted=True)
            )

    async def mark_last_published(
        self, repository: str | int, number: int | None, head_sha: str, conclusion: Conclusion
    ) -> None:
        """Keep that a head's check says `conclusion` already, after a crash.

        The process that showed it was killed before it could say so. What it showed is the review
        saved last, if that one says the same: a check may be of no review, but of a broken
        configuration.
        """
        async with self._database.reading() as connection:
            last = (
                await connection.execute(
                    select(
                        reviews.c.evaluation_id,
                        reviews.c.conclusion,
                        reviews.c.published_at,
                        reviews.c.override,
                    )
                    .where(
                        is_of(reviews.c.repository_id, repository),
                        reviews.c.number == number,
                        reviews.c.head_sha == head_sha,
                    )
                    .order_by(reviews.c.created_at.desc())
                    .limit(1)
                )
            ).one_or_none()
        if last is None or last.published_at is not None:
            return
        said = Conclusion.NEUTRAL.value if last.override else last.conclusion
        if said == conclusion.value:
            await self.mark_published(last.evaluation_id)

    async def count_tokens(self, since: dt.datetime, repository: str | int | None = None) -> int:
        """What the reviews since then have spent, kept or not, for one repository if it is named.

        By the audit log: a review that is done again has one row, and was paid for twice.
        """
        of = audit_log.c
        spent = select(func.coalesce(func.sum(of.result["tokens"].as_integer()), 0))
        spent = spent.where(of.at >= since, of.action.in_(("review", "model_calls")))
        if repository is not None:
            spent = spent.where(is_of(of.repository_id, repository))
        async with self._database.reading() as connection:
            return int((await connection.execute(spent)).scalar_one())

    async def last_review(
        self, repository: str | int, number: int, *, published: bool = True
    ) -> StoredReview | None:
        """The latest review of a pull request that was shown; if not `published`, the latest."""
        published_only = [reviews.c.published_at.is_not(None)] if published else []
        return await self._review(
            is_of(reviews.c.repository_id, repository),
            reviews.c.number == number,
            *published_only,
        )

    async def review(self, evaluation_id: str) -> StoredReview | None:
        """One review by its id."""
        return await self._review(reviews.c.evaluation_id == evaluation_id)

    async def past_reviews(
        self, repository: str | int, *, limit: int, besides: int
    ) -> tuple[PastReview, ...]:
        """The last review that was shown of each of the pull requests reviewed last, newest first.

        The pull request `besides` is left out.
        """
        of = reviews.c
        latest = func.row_number().over(
            partition_by=of.number, order_by=(of.created_at.desc(), of.evaluation_id)
        )
        each = (
            select(of.number, of.head_sha, of.base_sha, of.created_at, latest.label("place"))
            .where(
                is_of(of.repository_id, repository),
                of.number != besides,
                of.head_sha.is_not(None),
                of.published_at.is_not(None),
            )
            .subquery()
        )
        query = (
            select(each.c.number, each.c.head_sha, each.c.base_sha)
            .where(each.c.place == 1)
            .order_by(each.c.created_at.desc())
            .limit(limit)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return tuple(PastReview(*row) for row in rows)

    async def list_pushes(
        self, repository: str | int | None, number: int
    ) -> tuple[AssessedPush, ...]:
        """What the reviews of a pull request that were shown last left, the latest first."""
        if repository is None:
            return ()
        query = (
            select(reviews.c.assessed)
            .where(
                is_of(reviews.c.repository_id, repository),
                reviews.c.number == number,
                reviews.c.published_at.is_not(None),
            )
            .order_by(reviews.c.created_at.desc())
            .limit(_PUSHES)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).scalars().all()
        return tuple(AssessedPush.from_json(row) for row in rows if row is not None)

    async def activity(
        self, question: AnalyticsQuestion, *, limit: int
    ) -> tuple[RuleActivity, ...]:
        """What has become of each rule (see `count_rule_activity`)."""
        return await count_rule_activity(self._database, question, limit=limit)

    async def decide(self, made: Sequence[Decision], subject_digest: str) -> int:
        """Keep what one person decided in one go; how many were new (see `write_decisions`).

        `subject_digest` is that of the review they were made on. Each is evidence on its rule.
        """
        if not made:
            return 0
        async with self._database.writing() as connection:
            new = await write_decisions(connection, made, subject_digest)
            for item in made:
                said = _SAID.get(item.kind)
                # Whoever wrote the change is no witness for or against the rule.
                if said is not None and not (item.own and said is not EventKind.RESTORED):
                    await self.rules.record_decision_within(
                        connection,
                        item.repository_id or item.repository,
                        item.number,
                        item.fingerprint,
                        said,
                    )
        return new

    async def decisions(
        self, repository: str | int | None, code_prints: Sequence[str]
    ) -> tuple[Decision, ...]:
        """The decisions about findings of a repository with one of these code prints."""
        if repository is None:
            return ()
        async with self._database.reading() as connection:
            return await list_decisions(connection, repository, code_prints)

    async def save_probe_run(self, run: ProbeRun) -> None:
        """Keep a run of the judge in place of an earlier one with the same key."""
        await save_probe_run(self._database, run)

    async def save_trials(self, trials: Mapping[str, RuleTrial]) -> None:
        """Keep how the judge did on rules, by their revision."""
        await save_trials(self._database, trials, self._now())

    async def read_trials(self, model: str) -> Mapping[str, RuleTrial]:
        """How a model with the prompts in use did on rules, by their revision."""
        return await load_trials(self._database, model)

    async def _review(self, *conditions: ColumnElement[bool]) -> StoredReview | None:
        asked = (
            select(audit_log.c.asked_by)
            .where(
                audit_log.c.evaluation_id == reviews.c.evaluation_id,
                audit_log.c.action == "review",
            )
            .order_by(audit_log.c.id)
            .limit(1)
            .scalar_subquery()
        )
        query = (
            select(reviews, asked.label("asked_by"), repositories.c.name)
            .outerjoin(repositories, repositories.c.id == reviews.c.repository_id)
            .where(*conditions)
            .order_by(reviews.c.created_at.desc())
            .limit(1)
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).one_or_none()
        # A large change has a large answer: what else the server does need not wait for it.
        return None if row is None else await to_thread(_to_stored, row)


def _to_stored(row: Row[Any]) -> StoredReview:
    return StoredReview(
        answer=EvaluationAnswer.model_validate(row.answer),
        created_at=row.created_at,
        repository=row.name,
        number=row.number,
        head_sha=row.head_sha,
        asked_by=row.asked_by,
        subject_digest=row.subject_digest,
        mode=Mode(row.mode),
        surface=Surface(row.surface),
        subject=row.subject,
        base_sha=row.base_sha,
        published=row.published_at is not None,
        override=row.override,
    )
