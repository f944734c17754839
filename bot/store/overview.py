"""What has happened lately, for whoever looks after it: reviews, and verdicts by rule."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import func, select

from bot.store.database import Database
from bot.store.tables import evaluations, reviews
from bot.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """One review. `repository`, `number` and `head_sha` are None for one asked for by the API."""

    evaluation_id: str
    repository: str | None
    number: int | None
    head_sha: str | None
    overall: str
    conclusion: str | None
    latency_ms: float
    created_at: dt.datetime


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


async def recent_reviews(database: Database, *, limit: int) -> tuple[ReviewLine, ...]:
    """The latest reviews, newest first."""
    of = reviews.c
    query = (
        select(
            of.evaluation_id,
            of.repository,
            of.number,
            of.head_sha,
            of.overall,
            of.conclusion,
            of.latency_ms,
            of.created_at,
        )
        .order_by(of.created_at.desc())
        .limit(limit)
    )
    async with database.reading() as connection:
        return tuple(ReviewLine(*row) for row in await connection.execute(query))


async def verdicts_by_rule(
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
        .where(of.created_at >= since)
        .group_by(of.rule_id)
        .order_by(denied.desc(), func.count().desc(), of.rule_id)
        .limit(limit)
    )
    async with database.reading() as connection:
        return tuple(RuleLine(*row) for row in await connection.execute(query))
