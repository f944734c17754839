"""The worker's look at the evidence: who is promoted, who is demoted, and where each rule stands.

To be run about once a day by one worker of all. A look that is missed is made up for by the next:
what is decided depends on the events and on the time of the look alone.
"""

from __future__ import annotations

import datetime as dt
from asyncio import to_thread
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Row, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from jurat.rules.maturity import (
    EventKind,
    RuleEvent,
    TrackRecord,
    Transition,
    compute_track_record,
    find_next_transition,
)
from jurat.rules.merit import OutcomeCounts
from jurat.rules.rule import Maturity
from jurat.store.database import Database, insert_into
from jurat.store.tables import OVERALL, rule_events, rule_standings, rule_transitions


@dataclass(frozen=True, slots=True)
class MovedRule:
    """A rule that was promoted or demoted. `repository_id` is None for all of them together."""

    rule_id: str
    repository_id: int | None
    transition: Transition


async def auto_promote_rules(database: Database, at: dt.datetime) -> tuple[MovedRule, ...]:
    """Look at every record as it is at `at`; what moved, by rule and repository.

    Each step is written down with its evidence. Raises DatabaseUnavailable; what was decided by
    then stays.
    """
    of = rule_events.c
    async with database.reading() as connection:
        query = select(of.rule_id, of.substance).distinct().order_by(of.rule_id, of.substance)
        keys = (await connection.execute(query)).all()
    moved: list[MovedRule] = []
    for rule_id, substance in keys:
        async with database.reading() as connection:
            events = await _load_events(connection, rule_id, substance, at)
            moves = await _load_moves(connection, rule_id, substance)
        # A long record takes its time: nobody waits for it but the worker.
        # Between two transactions, not within one: a long look must not keep writers out.
        looks = await to_thread(_review_records, events, moves, at)
        async with database.writing() as connection:
            await _write(connection, {"rule_id": rule_id, "substance": substance}, looks, at)
        moved += [
            MovedRule(rule_id, look.repository_id, look.move)
            for look in looks
            if look.move is not None
        ]
    return tuple(moved)


class _Look(NamedTuple):
    """What a look at one record came to. `repository_id` is None for all of them together."""

    repository_id: int | None
    move: Transition | None
    now: TrackRecord


def _review_records(
    events: Mapping[int | None, Sequence[RuleEvent]],
    moves: Mapping[int | None, Sequence[Transition]],
    at: dt.datetime,
) -> list[_Look]:
    looks = []
    for repository_id, some in events.items():
        before = moves.get(repository_id, ())
        move = find_next_transition(some, before, at)
        after = before if move is None else (*before, move)
        looks.append(_Look(repository_id, move, compute_track_record(some, after, at)))
    return looks


async def _write(
    connection: AsyncConnection, rule: Mapping[str, str], looks: Iterable[_Look], at: dt.datetime
) -> None:
    for look in looks:
        key = {**rule, "repository_id": look.repository_id}
        if look.move is not None:
            # With the standing, in one transaction: reviews read the standing and people the
            # transition.
            await connection.execute(insert(rule_transitions).values(**key, **_to_step(look.move)))
        await _note(connection, key, look.now, at)


async def _load_events(
    connection: AsyncConnection, rule_id: str, substance: str, at: dt.datetime
) -> Mapping[int | None, list[RuleEvent]]:
    """The events until `at`, oldest first: of each repository, and of all."""
    of = rule_events.c
    rows = await connection.execute(
        select(rule_events)
        .where(of.rule_id == rule_id, of.substance == substance, of.at <= at)
        .order_by(of.at, of.id)
    )
    found: dict[int | None, list[RuleEvent]] = {None: []}
    for row in rows:
        event = RuleEvent(
            row.at,
            EventKind(row.kind),
            row.repository_id,
            row.number,
            row.fingerprint,
            Maturity(row.written),
        )
        found[None].append(event)
        found.setdefault(row.repository_id, []).append(event)
    return found


async def _load_moves(
    connection: AsyncConnection, rule_id: str, substance: str
) -> Mapping[int | None, Sequence[Transition]]:
    of = rule_transitions.c
    rows = await connection.execute(
        select(rule_transitions)
        .where(of.rule_id == rule_id, of.substance == substance)
        .order_by(of.id)
    )
    found: dict[int | None, list[Transition]] = {}
    for row in rows:
        found.setdefault(row.repository_id, []).append(_to_transition(row))
    return found


async def _note(
    connection: AsyncConnection,
    key: Mapping[str, str | int | None],
    now: TrackRecord,
    at: dt.datetime,
) -> None:
    values = {
        "maturity": now.maturity and now.maturity.value,
        "since": now.since,
        "cases": now.tally.cases,
        "faults": now.tally.faults,
        "looked_at": at,
    }
    statement = insert_into(connection, rule_standings).values(**key, **values)
    of_all = key["repository_id"] is None
    await connection.execute(
        statement.on_conflict_do_update(
            index_elements=["rule_id", "substance"] if of_all else list(key),
            index_where=OVERALL if of_all else None,
            set_=values,
        )
    )


def _to_step(move: Transition) -> dict[str, Any]:
    return {
        "at": move.at,
        "before": move.before.value,
        "after": move.after.value,
        "since": move.since,
        "cases": move.tally.cases,
        "faults": move.tally.faults,
    }


def _to_transition(row: Row[Any]) -> Transition:
    return Transition(
        row.at,
        Maturity(row.before),
        Maturity(row.after),
        row.since,
        OutcomeCounts(row.cases, row.faults),
    )
