"""Numeric constraints, which with `baseline: base` forgive what was no better before the change."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from jurat.engine.comparisons import compile_numeric, parse_amount
from jurat.engine.outcome import (
    Admits,
    Evidence,
    FactCheck,
    Outcome,
    OutcomeState,
    find_worst_state,
)
from jurat.rules.constraints import NumericConstraint, Operator
from jurat.rules.rule import Table


def compile_bound(constraint: NumericConstraint, tables: Mapping[str, Table]) -> FactCheck:
    """The constraint as a function over facts, a ratchet if it names a baseline."""
    check = compile_numeric(constraint, tables)
    if constraint.baseline is None:
        return check
    return _build_ratchet(check, constraint.field_path.rpartition(".")[2], constraint.operator)


BASE = "base"
"""The key under which an entry of a list has what it was before the change."""

_WORSE: Final[Mapping[Operator, Callable[[Any, Any], bool]]] = {
    "<": operator.gt,
    "<=": operator.gt,
    "==": operator.ne,
    "!=": operator.ne,
    ">=": operator.lt,
    ">": operator.lt,
}


def _build_ratchet(check: FactCheck, key: str, compared: Operator) -> FactCheck:
    """A check that what is no worse than before its change passes."""

    def ratchet(facts: Mapping[str, Any], admits: Admits | None = None) -> Outcome:
        outcome = check(facts, admits)
        evidence = tuple(
            item._replace(state=OutcomeState.PASS) if _is_old(item, key, compared, admits) else item
            for item in outcome.evidence
        )
        return Outcome(
            find_worst_state(item.state for item in evidence),
            f"{outcome.expectation}, or no worse than before",
            evidence,
        )

    return ratchet


def _is_old(item: Evidence, key: str, compared: Operator, admits: Admits | None) -> bool:
    """Whether a value that fails was no better in the base, if the rule was about it too."""
    before = (item.place or {}).get(BASE)
    if item.state is not OutcomeState.FAIL or not isinstance(before, Mapping):
        return False
    now, then = parse_amount(item.value), parse_amount(before.get(key))
    if isinstance(now, str) or isinstance(then, str):
        return False
    # Old debt is what the rule would have found: code from where it does not apply is none.
    return (admits is None or admits(before)) and not _WORSE[compared](now[0], then[0])
