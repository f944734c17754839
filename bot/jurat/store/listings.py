"""What is kept, a page at a time: reviews, the findings of open pull requests, decisions.

A page begins after the last item of the one before it, by that item's place in the order, not by a
number of items: what is added meanwhile neither repeats an item nor hides one.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, select, tuple_

from jurat.findings.evaluation import Conclusion
from jurat.findings.waivers import DecisionKind
from jurat.store.database import Database
from jurat.store.decisions import DECISIONS_BY_NAME, NumberedDecision, to_numbered_decision
from jurat.store.repositories import is_of
from jurat.store.tables import decisions, findings, repositories, reviews


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """One review. `repository`, `number` and `head_sha` are None for one asked for by the API.

    `override` is as `StoredReview` has it.
    """

    evaluation_id: str
    repository: str | None
    number: int | None
    head_sha: str | None
    overall: str
    conclusion: str | None
    latency_ms: float
    created_at: dt.datetime
    override: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class ListedFinding:
    """A finding of a pull request that is not merged yet, as its last review left it.

    `repository` is what that is called now, None if another one has the name by now. `open` says
    whether the last review that looked for it saw it.
    """

    repository_id: int
    repository: str | None
    number: int
    id: str
    code_print: str
    rule_id: str
    path: str | None
    open: bool


@dataclass(frozen=True, slots=True)
class ReviewPlace:
    """Where a review stands: the latest come first, then by id."""

    created_at: dt.datetime
    evaluation_id: str


@dataclass(frozen=True, slots=True)
class FindingPlace:
    """Where a finding stands: by repository, then by pull request."""

    repository_id: int
    number: int
    id: str


_REVIEW_LINES = (
    select(
        reviews.c.evaluation_id,
        repositories.c.name,
        reviews.c.number,
        reviews.c.head_sha,
        reviews.c.overall,
        reviews.c.conclusion,
        reviews.c.latency_ms,
        reviews.c.created_at,
        reviews.c.override,
    )
    .outerjoin(repositories, repositories.c.id == reviews.c.repository_id)
    .where(reviews.c.published_at.is_not(None))
)


async def list_reviews(
    database: Database,
    *,
    repository: str | None = None,
    number: int | None = None,
    conclusion: Conclusion | None = None,
    after: ReviewPlace | None = None,
    limit: int,
) -> Sequence[ReviewLine]:
    """At most `limit` reviews that were shown, the latest first. Raises DatabaseUnavailable."""
    of = reviews.c
    wanted = {of.number: number, of.conclusion: conclusion and conclusion.value}
    query = (
        _REVIEW_LINES.where(*_match(of.repository_id, repository, wanted))
        .order_by(of.created_at.desc(), of.evaluation_id)
        .limit(limit)
    )
    if after is not None:
        same_time = (of.created_at == after.created_at) & (of.evaluation_id > after.evaluation_id)
        query = query.where((of.created_at < after.created_at) | same_time)
    return [ReviewLine(*row) for row in await _read(database, query)]


async def list_tracked_findings(
    database: Database,
    *,
    repository: str | None = None,
    number: int | None = None,
    rule_id: str | None = None,
    is_open: bool | None = None,
    after: FindingPlace | None = None,
    limit: int,
) -> Sequence[ListedFinding]:
    """At most `limit` findings of open pull requests. Raises DatabaseUnavailable."""
    of = findings.c
    order = (of.repository_id, of.number, of.fingerprint)
    query = (
        select(
            of.repository_id,
            repositories.c.name,
            of.number,
            of.fingerprint,
            of.code_print,
            of.rule_id,
            of.path,
            of.standing == "open",
        )
        .outerjoin(repositories, repositories.c.id == of.repository_id)
        .where(*_match(of.repository_id, repository, {of.number: number, of.rule_id: rule_id}))
        .order_by(*order)
        .limit(limit)
    )
    if is_open is not None:
        query = query.where(of.standing == ("open" if is_open else "gone"))
    if after is not None:
        query = query.where(tuple_(*order) > (after.repository_id, after.number, after.id))
    return [ListedFinding(*row) for row in await _read(database, query)]


async def list_recent_decisions(
    database: Database,
    *,
    repository: str | None = None,
    number: int | None = None,
    rule_id: str | None = None,
    kind: DecisionKind | None = None,
    before: int | None = None,
    limit: int,
) -> Sequence[NumberedDecision]:
    """At most `limit` decisions, the latest first, older than the one numbered `before`.

    Raises DatabaseUnavailable.
    """
    of = decisions.c
    wanted = {of.number: number, of.rule_id: rule_id, of.kind: kind and kind.value}
    query = (
        DECISIONS_BY_NAME.where(*_match(of.repository_id, repository, wanted))
        .order_by(of.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(of.id < before)
    return [to_numbered_decision(row) for row in await _read(database, query)]


def _match(
    owner: ColumnElement[int], repository: str | None, wanted: dict[Any, Any]
) -> list[ColumnElement[bool]]:
    """What a row must be; what is None is not asked about."""
    of_repository = [] if repository is None else [is_of(owner, repository)]
    return of_repository + [
        column == value for column, value in wanted.items() if value is not None
    ]


async def _read(database: Database, query: Select[Any]) -> list[Any]:
    async with database.reading() as connection:
        return list(await connection.execute(query))
