"""A rule's record, looked at day by day without a database."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from jurat.rules.maturity import RuleEvent, Transition, find_next_transition


def replayed(events: Sequence[RuleEvent], times: Iterable[dt.datetime]) -> tuple[Transition, ...]:
    """Every transition of a record that is looked at at `times`, in their order."""
    moves: list[Transition] = []
    for at in times:
        if (move := find_next_transition(events, moves, at)) is not None:
            moves.append(move)
    return tuple(moves)
