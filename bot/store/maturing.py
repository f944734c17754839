"""The worker's look at the evidence: who is promoted, who is demoted, and where each rule stands.

To be run about once a day by one worker of all. A look that is missed is made up for by the next:
what is decided depends on the events and on the time of the look alone.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.corpus.maturity import (
    DEFAULT,
    EventKind,
    Policy,
    RuleEvent,
    Standing,
    Tally,
    Transition,
    due,
    standing,
)
from bot.corpus.rule import Maturity
from bot.store.columns import insert_into
from bot.store.database import Database
from bot.store.rule_record import OVERALL
from bot.store.tables import rule_events, rule_standings, rule_transitions


@dataclass(frozen=True, slots=True)
class Moved:
    """A rule that was promoted or demoted. `repository` is None for all of them together."""

    rule_id: str
    repository: str | None
    transition: Transition


async def mature(
    database: Database, at: dt.datetime, policy: Policy = DEFAULT
) -> tuple[Moved, ...]:
    """Look at every record as it is at `at`; what moved, by rule and repository.

    Each step is written down with its evidence. Raises DatabaseUnavailable; what was decided by
    then stays.
    """
    of = rule_events.c
    async with database.reading() as connection:
        query = select(of.rule_id, of.substance).distinct().order_by(of.rule_id, of.substance)
        keys = (await connection.execute(query)).all()
    moved: list[Moved] = []
    for rule_id, substance in keys:
        async with database.writing() as connection:
            moved += await _rule(connection, rule_id, substance, at, policy)
    return tuple(moved)


async def recorded(
    database: Database, rule_id: str, repository: str | None = None
) -> tuple[Transition, ...]:
    """Every transition of a rule so far, oldest first: what `replayed` must arrive at again."""
    of = rule_transitions.c
    query = (
        select(rule_transitions)
        .where(of.rule_id == rule_id, of.repository == (repository or OVERALL))
        .order_by(of.id)
    )
    async with database.reading() as connection:
        return tuple(_transition(row) for row in await connection.execute(query))


async def _rule(
    connection: AsyncConnection, rule_id: str, substance: str, at: dt.datetime, policy: Policy
) -> list[Moved]:
    events = await _events(connection, rule_id, substance, at)
    moves = await _moves(connection, rule_id, substance)
    moved: list[Moved] = []
    for repository, some in events.items():
        before = moves.get(repository, [])
        move = due(some, before, at, policy)
        key = {"rule_id": rule_id, "substance": substance, "repository": repository}
        if move is not None:
            before = [*before, move]
            moved.append(Moved(rule_id, repository or None, move))
            await connection.execute(insert(rule_transitions).values(**key, **_step(move)))
        await _note(connection, key, standing(some, before, at), at)
    return moved


async def _events(
    connection: AsyncConnection, rule_id: str, substance: str, at: dt.datetime
) -> Mapping[str, list[RuleEvent]]:
    """The events until `at`, oldest first: of each repository, and of all."""
    of = rule_events.c
    rows = await connection.execute(
        select(rule_events)
        .where(of.rule_id == rule_id, of.substance == substance, of.at <= at)
        .order_by(of.at, of.id)
    )
    found: dict[str, list[RuleEvent]] = {OVERALL: []}
    for row in rows:
        event = RuleEvent(
            row.at,
            EventKind(row.kind),
            row.repository,
            row.number,
            row.fingerprint,
            Maturity(row.written),
        )
        found[OVERALL].append(event)
        found.setdefault(row.repository, []).append(event)
    return found


async def _moves(
    connection: AsyncConnection, rule_id: str, substance: str
) -> Mapping[str, Sequence[Transition]]:
    of = rule_transitions.c
    rows = await connection.execute(
        select(rule_transitions)
        .where(of.rule_id == rule_id, of.substance == substance)
        .order_by(of.id)
    )
    found: dict[str, list[Transition]] = {}
    for row in rows:
        found.setdefault(row.repository, []).append(_transition(row))
    return found


async def _note(
    connection: AsyncConnection, key: Mapping[str, str], now: Standing, at: dt.datetime
) -> None:
    values = {
        "maturity": now.maturity and now.maturity.value,
        "since": now.since,
        "cases": now.tally.cases,
        "faults": now.tally.faults,
        "looked_at": at,
    }
    statement = insert_into(connection, rule_standings).values(**key, **values)
    await connection.execute(statement.on_conflict_do_update(index_elements=list(key), set_=values))


def _step(move: Transition) -> dict[str, Any]:
    return {
        "at": move.at,
        "before": move.before.value,
        "after": move.after.value,
        "since": move.since,
        "cases": move.tally.cases,
        "faults": move.tally.faults,
    }


def _transition(row: Row[Any]) -> Transition:
    return Transition(
        row.at,
        Maturity(row.before),
        Maturity(row.after),
        row.since,
        Tally(row.cases, row.faults),
    )
