"""What has become of each rule and what was reviewed lately, counted by SQL over stored rows.

Verdicts count of the review that was shown last of each head. One that failed to be shown counts
for nothing, and one that took another's place counts in its stead.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Select, String, case, func, select

from jurat.facts.context import Mode
from jurat.findings.verdict import Verdict
from jurat.store.database import Database
from jurat.store.repositories import is_of
from jurat.store.tables import evaluations, repositories


class Period(StrEnum):
    """A stretch of time in UTC. A week begins on Monday."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class AnalyticsQuestion:
    """What is counted. `since` and `until` are days in UTC, both included; None is no bound."""

    period: Period = Period.DAY
    since: dt.date | None = None
    until: dt.date | None = None
    repository: str | None = None
    rule_id: str | None = None
    mode: Mode | None = None


@dataclass(frozen=True, slots=True)
class RuleActivity:
    """One rule in one repository during one period, whose first day is `start`.

    `evaluations` is the sum of the four verdicts. `would_block` counts the DENYs of an experimental
    rule, which are among `needs_confirmation`. Latencies are milliseconds a verdict, `latency_p95`
    being the smallest that at least 95% of the verdicts do not exceed.
    """

    rule_id: str
    repository: str | None
    start: dt.date
    evaluations: int
    allowed: int
    denied: int
    needs_confirmation: int
    not_assessed: int
    would_block: int
    latency_mean: float
    latency_p95: float
    latency_max: float
    input_tokens: int
    output_tokens: int


async def count_rule_activity(
    database: Database, question: AnalyticsQuestion, *, limit: int
) -> tuple[RuleActivity, ...]:
    """At most `limit` rows: the latest periods first, then by rule and repository.

    Raises DatabaseUnavailable.
    """
    async with database.reading() as connection:
        query = _build_query(question, connection.dialect.name).limit(limit)
        rows = (await connection.execute(query)).all()
    return tuple(
        RuleActivity(row.rule_id, row.repository, dt.date.fromisoformat(row.start), *row[3:])
        for row in rows
    )


def _build_query(question: AnalyticsQuestion, dialect: str) -> Select[Any]:
    of = evaluations.c
    start = _build_period_start(question.period, dialect)
    # By what a repository is called now: those that lost their name are told as one.
    name = repositories.c.name.label("repository")
    group = (of.rule_id, name, start)
    verdicts = (
        select(
            of.rule_id,
            name,
            start.label("start"),
            of.verdict,
            of.would_block,
            of.latency_ms,
            of.input_tokens,
            of.output_tokens,
            # The share of the group's verdicts that took no longer: its percentile.
            func.cume_dist().over(partition_by=group, order_by=of.latency_ms).label("share"),
        )
        .outerjoin(repositories, repositories.c.id == of.repository_id)
        .where(*_build_conditions(question))
        .subquery()
    )
    each = verdicts.c
    return (
        select(
            each.rule_id,
            each.repository,
            each.start,
            func.count(),
            *(
                _build_count(each.verdict == verdict.value)
                for verdict in (
                    Verdict.ALLOW,
                    Verdict.DENY,
                    Verdict.NEEDS_CONFIRMATION,
                    Verdict.NOT_ASSESSED,
                )
            ),
            _build_count(each.would_block),
            func.avg(each.latency_ms),
            func.min(case((each.share >= _P95, each.latency_ms))),
            func.max(each.latency_ms),
            func.sum(each.input_tokens),
            func.sum(each.output_tokens),
        )
        .group_by(each.rule_id, each.repository, each.start)
        .order_by(each.start.desc(), each.rule_id, each.repository.nulls_first())
    )


_P95 = 0.95


def _build_count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.count().filter(condition)


def _build_conditions(question: AnalyticsQuestion) -> Iterator[ColumnElement[bool]]:
    of = evaluations.c
    yield of.counted
    if question.since is not None:
        yield of.created_at >= dt.datetime.combine(question.since, dt.time.min, dt.UTC)
    if question.until is not None:
        yield of.created_at <= dt.datetime.combine(question.until, dt.time.max, dt.UTC)
    if question.repository is not None:
        yield is_of(of.repository_id, question.repository)
    if question.rule_id is not None:
        yield of.rule_id == question.rule_id
    if question.mode is not None:
        yield of.mode == question.mode.value


def _build_period_start(period: Period, dialect: str) -> ColumnElement[str]:
    """The first day of the period in which a verdict was reached, as ISO 8601 has it."""
    at = evaluations.c.created_at
    if dialect == "postgresql":
        day = func.date_trunc(period.value, func.timezone("UTC", at))
        return func.to_char(day, "YYYY-MM-DD", type_=String)
    # SQLite keeps the time as text in UTC. "weekday 0" is the Sunday that ends the week.
    steps = {
        Period.DAY: (),
        Period.WEEK: ("weekday 0", "-6 days"),
        Period.MONTH: ("start of month",),
    }
    return func.date(at, *steps[period], type_=String)


# What has become of each rule lately, for whoever looks after it.


@dataclass(frozen=True, slots=True)
class RuleLine:
    """The verdicts on one rule. `would_block` is among `unsure`."""

    rule_id: str
    allowed: int
    denied: int
    unsure: int
    not_assessed: int
    would_block: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.allowed + self.denied + self.unsure + self.not_assessed


async def count_verdicts_by_rule(
    database: Database, *, since: dt.datetime, limit: int
) -> tuple[RuleLine, ...]:
    """What became of each rule since then, in all repositories; those that deny most come first."""
    of = evaluations.c
    denied = func.count().filter(of.verdict == Verdict.DENY.value)
    query = (
        select(
            of.rule_id,
            func.count().filter(of.verdict == Verdict.ALLOW.value),
            denied,
            func.count().filter(of.verdict == Verdict.NEEDS_CONFIRMATION.value),
            func.count().filter(of.verdict == Verdict.NOT_ASSESSED.value),
            func.count().filter(of.would_block),
        )
        .where(of.created_at >= since, of.counted)
        .group_by(of.rule_id)
        .order_by(denied.desc(), func.count().desc(), of.rule_id)
        .limit(limit)
    )
    async with database.reading() as connection:
        return tuple(RuleLine(*row) for row in await connection.execute(query))
