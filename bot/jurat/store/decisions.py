"""People's decisions about findings: how they are written down and read again."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Row, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from jurat.findings.verdict import Verdict
from jurat.findings.waivers import Decision, DecisionKind
from jurat.store.database import Database, insert_into
from jurat.store.repositories import is_of, keep_repository
from jurat.store.tables import audit_log, decisions, repositories, reviews

_PRINTS_A_QUERY = 500  # SQLite before 3.32 takes 999 parameters, PostgreSQL 65,535
_ACTIONS = {
    DecisionKind.DISMISSED: "dismiss",
    DecisionKind.RESTORED: "restore",
    DecisionKind.CONFIRMED: "confirm",
    DecisionKind.OVERRIDDEN: "override",
}


DECISIONS_BY_NAME = select(decisions, repositories.c.name).join(
    repositories, repositories.c.id == decisions.c.repository_id
)
"""Each decision, with what its repository is called now."""


class NumberedDecision(NamedTuple):
    """A decision, and its place in the order in which they were written."""

    id: int
    decision: Decision


class EndedOverride(NamedTuple):
    """A pull request whose override has ended, in a repository on which the App is installed."""

    repository_id: int
    repository: str
    installation_id: int
    number: int


async def write_decisions(
    connection: AsyncConnection, made: Sequence[Decision], subject_digest: str
) -> int:
    """Keep what one person decided in one go, and a line in the audit log; how many were new.

    What one job decides about one finding is kept once, however often the job runs.
    """
    first = made[0]
    kept = await connection.run_sync(
        keep_repository, first.repository_id or first.repository, first.repository
    )
    result = await connection.execute(
        insert_into(connection, decisions).on_conflict_do_nothing().returning(decisions.c.id),
        [_to_row(item, kept) for item in made],
    )
    new = len(result.all())
    # Only what is new is audited: a command that is carried out twice was given once.
    if new:
        await connection.execute(insert(audit_log), _audit_row(made, subject_digest, kept))
    return new


async def list_decisions(
    connection: AsyncConnection,
    repository: str | int,
    code_prints: Sequence[str],
) -> tuple[Decision, ...]:
    """The decisions about findings of a repository with one of these code prints, oldest first."""
    of = decisions.c
    here = is_of(of.repository_id, repository)
    found: list[Row[Any]] = []
    for first in range(0, len(code_prints), _PRINTS_A_QUERY):
        some = code_prints[first : first + _PRINTS_A_QUERY]
        query = DECISIONS_BY_NAME.where(here, of.code_print.in_(some))
        found += await connection.execute(query)
    return tuple(_to_decision(row) for row in sorted(found, key=lambda row: row.id))


async def list_ended_overrides(database: Database, today: dt.date) -> tuple[EndedOverride, ...]:
    """Each pull request whose check still says what an override ended.

    Those that ended a week ago are left out: the pull request is closed, or GitHub keeps it from
    being reviewed. Raises DatabaseUnavailable.
    """
    of = reviews.c
    latest = func.row_number().over(
        partition_by=(of.repository_id, of.number), order_by=of.created_at.desc()
    )
    each = (
        select(of.repository_id, of.number, of.override, latest.label("place"))
        .where(of.published_at.is_not(None), of.number.is_not(None))
        .subquery()
    )
    where = repositories.c
    query = (
        select(each, where.name, where.installation_id)
        .join(repositories, where.id == each.c.repository_id)
        .where(
            each.c.place == 1,
            each.c.override.is_not(None),
            where.name.is_not(None),
            where.installation_id.is_not(None),
            where.removed_at.is_(None),
            where.suspended_at.is_(None),
        )
    )
    async with database.reading() as connection:
        rows = (await connection.execute(query)).all()
    week = today - dt.timedelta(days=7)
    return tuple(
        EndedOverride(row.repository_id, row.name, row.installation_id, row.number)
        for row in rows
        if week <= dt.date.fromisoformat(row.override["until"]) < today
    )


def to_numbered_decision(row: Row[Any]) -> NumberedDecision:
    """A row of `DECISIONS_BY_NAME`."""
    return NumberedDecision(row.id, _to_decision(row))


def _to_row(item: Decision, repository_id: int) -> dict[str, Any]:
    return {
        "kind": item.kind.value,
        "repository_id": repository_id,
        "number": item.number,
        "head_sha": item.head_sha,
        "evaluation_id": item.evaluation_id,
        "fingerprint": item.fingerprint,
        "code_print": item.code_print,
        "path": item.path,
        "rule_id": item.rule_id,
        "revision": item.revision,
        "verdict": item.verdict.value,
        "decided_by": item.by,
        "decided_by_id": item.by_id,
        "own": item.own,
        "why": item.why,
        "at": item.at,
        "job": item.job,
        "until": item.until,
    }


def _audit_row(made: Sequence[Decision], subject_digest: str, repository_id: int) -> dict[str, Any]:
    first = made[0]
    about = [item for item in made if item.kind is not DecisionKind.OVERRIDDEN]
    return {
        "at": first.at,
        "asked_by": f"github:{first.by}",
        "action": _ACTIONS[first.kind],
        "evaluation_id": first.evaluation_id,
        "subject_digest": subject_digest,
        "rules": {item.rule_id: item.revision for item in about},
        "models": [],
        "result": {
            "repository": first.repository,
            "number": first.number,
            "head_sha": first.head_sha,
            "why": first.why,
            "own": first.own,
            "findings": {item.fingerprint: item.verdict.value for item in about},
            **({"until": first.until.isoformat()} if first.until else {}),
        },
        "repository_id": repository_id,
    }


def _to_decision(row: Row[Any]) -> Decision:
    at: dt.datetime = row.at
    return Decision(
        kind=DecisionKind(row.kind),
        repository=row.name or "",
        repository_id=row.repository_id,
        number=row.number,
        head_sha=row.head_sha,
        evaluation_id=row.evaluation_id,
        fingerprint=row.fingerprint,
        code_print=row.code_print,
        path=row.path,
        rule_id=row.rule_id,
        revision=row.revision,
        verdict=Verdict(row.verdict),
        by=row.decided_by,
        by_id=row.decided_by_id,
        own=row.own,
        why=row.why,
        at=at,
        job=row.job,
        until=row.until,
    )
