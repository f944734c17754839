"""The common constraint at full speed: one value of a usual type under plain keys.

What is decided here is what the general way decides, several times faster; a test holds the two
together. Whatever is unusual is left to the general way.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from bot.dispatch.field_paths import compile_path
from bot.dispatch.outcome import Admits, Check, Evidence, Outcome, State

Decide = Callable[[Any, Mapping[str, Any]], bool | None]
"""Whether a value under a mapping holds; None where that takes the general way."""

_EXACT = 1e15
"""Beyond it a float may stand for several whole numbers; its inverse is small enough for facts."""


def at_plain_keys(path: str, expectation: str, decide: Decide, general: Check) -> Check:
    """A check that asks `decide` first, and `general` where the path or the value is unusual."""
    steps = compile_path(path)
    if not all(isinstance(step, str) for step in steps):
        return general
    *heads, key = steps
    passed, failed = State.PASS, State.FAIL

    def check(facts: Mapping[str, Any], admits: Admits | None = None) -> Outcome:
        holder: Any = facts
        for head in heads:
            # A mapping with a path is a place, which belongs to the evidence.
            holder = None if "path" in holder else holder.get(head)
            if type(holder) is not dict:
                return general(facts, admits)
        value = holder.get(key)
        holds = None if "path" in holder else decide(value, holder)
        if holds is None:
            return general(facts, admits)
        state = passed if holds else failed
        return Outcome(state, expectation, (Evidence(path, value, state),))

    return check


def number_decider(
    holds: Callable[[Any, Any], bool], threshold: Decimal, *, has_unit: bool
) -> Decide:
    """Decides whole numbers and floats beside which no unit stands.

    A float counts as the shortest decimal that stands for it. Rounding is monotonic, so comparing
    the floats gives the same as comparing those decimals, where the threshold is the shortest
    decimal of its own float.
    """
    whole = int(threshold) if threshold == threshold.to_integral_value() else threshold
    near = float(threshold)
    comparable = Decimal(repr(near)) == threshold and abs(near) < _EXACT

    def decide(value: Any, holder: Mapping[str, Any]) -> bool | None:
        if has_unit and ("unit" in holder or "currency" in holder):
            return None
        kind = type(value)
        if kind is int and -_EXACT < value < _EXACT:
            return holds(value, whole)
        if kind is float and comparable and (1 / _EXACT < abs(value) < _EXACT or value == 0):
            return holds(value, near)
        return None

    return decide


def day_decider(holds: Callable[[Any, Any], bool], reference: dt.date) -> Decide:
    """Decides days written as 2027-01-31. `reference` is a day without a time."""
    parse = dt.date.fromisoformat

    def decide(value: Any, holder: Mapping[str, Any]) -> bool | None:
        if type(value) is not str or len(value) != len("2027-01-31"):
            return None
        try:
            return holds(parse(value), reference)
        except ValueError:
            return None

    return decide


def word_decider(words: frozenset[str]) -> Decide:
    """Decides texts by whether they are among `words`."""

    def decide(value: Any, holder: Mapping[str, Any]) -> bool | None:
        return value in words if type(value) is str else None

    return decide
