"""The nearest value under which a numeric constraint would hold, found by checking it again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from jurat.engine.comparisons import parse_amount
from jurat.engine.field_paths import Steps, compile_path
from jurat.engine.outcome import CheckedSubject, Evidence, OutcomeState
from jurat.engine.ratchets import BASE
from jurat.rules.constraints import NumericConstraint
from jurat.rules.messages import mark_code

MOST_CHECKED_AGAIN = 20
"""Values of one constraint for which it is checked again, each time on that value alone."""

_ITEM = re.compile(r"\[\d+\]")


def describe_passing_value(item: CheckedSubject, evidence: Evidence) -> str:
    """The nearest value that passes, as in "with `complexity` at 21"; "" if none is found.

    Tried are the bound, what the value was before the change, and their neighbours.
    """
    constraint, recheck = item.constraint, item.recheck
    measured = parse_amount(evidence.value)
    if not isinstance(constraint, NumericConstraint) or recheck is None:
        return ""
    if isinstance(measured, str):
        return ""
    steps = compile_path(evidence.path)
    alone = _ITEM.sub("[0]", evidence.path)
    leaf = evidence.path.rpartition(".")[2]
    number, unit = measured
    candidates = set(_iter_candidates(constraint, evidence, leaf))
    for candidate in sorted(candidates, key=lambda value: (abs(value - number), value)):
        given = _write_like(evidence.value, candidate, unit)
        outcome = recheck(_replace_value(item.subject.facts, steps, given))
        if any(one.path == alone and one.state is OutcomeState.PASS for one in outcome.evidence):
            return f"with {mark_code(leaf)} at {candidate:f}{f' {unit}' if unit else ''}"
    return ""


def _iter_candidates(
    constraint: NumericConstraint, evidence: Evidence, leaf: str
) -> Iterator[Decimal]:
    before = (evidence.place or {}).get(BASE)
    then = parse_amount(before.get(leaf)) if isinstance(before, Mapping) else ""
    bounds = [constraint.threshold, *([] if isinstance(then, str) else [then[0]])]
    exponent = constraint.threshold.as_tuple().exponent
    step = Decimal(1).scaleb(min(exponent, 0) if isinstance(exponent, int) else 0)
    for bound in bounds:
        yield from (bound - step, bound, bound + step)


def _write_like(value: object, number: Decimal, unit: str | None) -> object:
    """A number as the facts had theirs."""
    if isinstance(value, Mapping):
        return {**value, "value": number}
    return f"{number:f} {unit}" if unit else number


def _replace_value(node: Any, steps: Steps, value: object) -> Any:
    """The facts with another value at a path, and without the other items of lists on its way.

    A numeric constraint decides each value by itself, and a large change has thousands of items.
    """
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        return {**node, step: _replace_value(node[step], rest, value)}
    return [_replace_value(node[step], rest, value)]
