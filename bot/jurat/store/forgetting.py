"""Deletes what is kept of a repository: every row, and from an SQLite file every byte."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, delete, exists, func, insert, select

from jurat.store.database import Database
from jurat.store.repositories import KnownRepository
from jurat.store.tables import (
    OVERALL,
    audit_log,
    forgetting,
    metadata,
    repositories,
    rule_events,
    rule_standings,
    rule_transitions,
)

_ALL_TOGETHER = 0
"""Stands for the record of all repositories among those that are being forgotten."""

DropJobs = Callable[[Connection, int], int]
"""Deletes the jobs of a repository within a transaction; how many there were."""


async def forget_repository(
    database: Database,
    drop_jobs: DropJobs,
    repository: KnownRepository,
    *,
    asked_by: str,
    at: dt.datetime,
) -> Mapping[str, int]:
    """Delete all that is kept of a repository; how many rows of each table there were.

    One line of the audit log stays, which says when it was forgotten, by whom, how much there was,
    and GitHub's number: neither its name nor anything of what it held. Raises DatabaseUnavailable,
    and has deleted nothing then.
    """
    counts = await database.transact(
        lambda connection: _forget(connection, drop_jobs, repository.id, asked_by, at)
    )
    await database.flush_log()
    return counts


def _forget(
    connection: Connection, drop_jobs: DropJobs, number: int, asked_by: str, at: dt.datetime
) -> dict[str, int]:
    counts = {table.name: _count(connection, table, number) for table in list_kept_tables()}
    counts = {"jobs": drop_jobs(connection, number)} | counts
    connection.execute(
        insert(forgetting), [{"repository_id": each} for each in (number, _ALL_TOGETHER)]
    )
    # The rest goes with this row: see ON DELETE CASCADE in the tables.
    connection.execute(delete(repositories).where(repositories.c.id == number))
    # A rule that nobody else has is one of its own, and its name may tell about it.
    for table in (rule_standings, rule_transitions):
        connection.execute(delete(table).where(OVERALL, ~_has_evidence(table)))
    connection.execute(delete(forgetting))
    kept = {name: count for name, count in counts.items() if count}
    connection.execute(
        insert(audit_log).values(
            at=at,
            asked_by=asked_by,
            action="forget",
            subject_digest="",
            rules={},
            models=[],
            result={"repository_id": number, "deleted": kept},
        )
    )
    return kept


def list_kept_tables() -> tuple[Table, ...]:
    """The tables in which something of a repository is kept."""
    return tuple(
        table
        for table in metadata.sorted_tables
        if any(key.column is repositories.c.id for key in table.foreign_keys)
    )


def _count(connection: Connection, table: Table, number: int) -> int:
    of = table.c.repository_id
    return connection.scalar(select(func.count()).select_from(table).where(of == number)) or 0


def _has_evidence(table: Table) -> ColumnElement[bool]:
    of: Any = rule_events.c
    return exists().where(of.rule_id == table.c.rule_id, of.substance == table.c.substance)
