"""Numeric, date, enum and lookup constraints, compiled once into functions over facts."""

from __future__ import annotations

import datetime as dt
import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple

from jurat.engine.field_paths import MISSING, Found, compile_path, resolve
from jurat.engine.outcome import (
    Admits,
    Evidence,
    FactCheck,
    Outcome,
    OutcomeState,
    find_worst_state,
)
from jurat.engine.units import MAX_MAGNITUDE, normalize_unit, to_comparable
from jurat.rules.constraints import (
    DateConstraint,
    EnumConstraint,
    LookupConstraint,
    NumericConstraint,
    Operator,
    to_moment,
)
from jurat.rules.rule import Table

Moment = dt.date | dt.datetime


class FactComparison(NamedTuple):
    """Whether a value holds against something that only the facts or a table tell."""

    holds: bool
    reference: str


Ruling = str | bool | FactComparison
"""What one value comes to; text says why it cannot be decided."""

Judge = Callable[[Found, Mapping[str, Any]], Ruling]

COMPARE: Final[Mapping[Operator, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
WORDS: Final[Mapping[Operator, str]] = {
    "<": "less than",
    "<=": "at most",
    "==": "exactly",
    "!=": "anything but",
    ">=": "at least",
    ">": "more than",
}
_DATE_WORDS: Final[Mapping[Operator, str]] = {
    "<": "before",
    "<=": "on or before",
    "==": "on",
    "!=": "not on",
    ">=": "on or after",
    ">": "after",
}
_AMOUNT = re.compile(r"\s*([-+]?\d{1,60}(?:\.\d{1,60})?)\s*([^\d\s.,][^\d]{0,30})?", re.ASCII)
_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)


def parse_amount(value: object) -> tuple[Decimal, str | None] | str:
    """A number and the unit it names, or why it is none.

    A fact is a number, text such as "45.5" or "45 hours", {value: 45, unit: hours} or {value: 45,
    currency: EUR}. A float counts as the shortest decimal that stands for it: 0.1 is 0.1. NaN,
    infinity and numbers of more than 60 digits are none.
    """
    unit: str | None = None
    if isinstance(value, Mapping):
        if "value" not in value:
            return "is a mapping without a value"
        unit = _find_named_unit(value, "unit", "currency")
        value = value["value"]
    if isinstance(value, str):
        match = _AMOUNT.fullmatch(value)
        if match is None:
            return "is text, not a number"
        value = Decimal(match[1])
        unit = match[2].strip() if match[2] else unit
    # bool is an int to Python: `true < 5` would be a pass.
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return "is not a number"
    try:
        # By way of its text: Decimal(0.1) has 55 digits, and no threshold equals it.
        number = value if isinstance(value, Decimal) else Decimal(str(value))
    except (ValueError, InvalidOperation):
        return "is not a number that can be compared"
    # 1e999999 is a few characters in a fact; written out or added to, it takes the memory.
    if not number.is_finite() or abs(number.adjusted()) > MAX_MAGNITUDE:
        return "is not a number that can be compared"
    return number, unit


def _build_value_check(path: str, expectation: str, judge: Judge) -> FactCheck:
    """A check that applies `judge` to every value at a path."""
    steps = compile_path(path)

    def check(facts: Mapping[str, Any], admits: Admits | None = None) -> Outcome:
        evidence = []
        for found in resolve(facts, steps, admits):
            ruling = "is missing" if found.value is MISSING else judge(found, facts)
            if isinstance(ruling, str):
                state, reason = OutcomeState.INDETERMINATE, ruling
            elif isinstance(ruling, FactComparison):
                state = OutcomeState.PASS if ruling.holds else OutcomeState.FAIL
                reason = f"is {found.value} against {ruling.reference}"
            else:
                state, reason = (OutcomeState.PASS if ruling else OutcomeState.FAIL), ""
            evidence.append(Evidence(found.path, found.value, state, reason, found.place))
        return Outcome(
            find_worst_state(item.state for item in evidence), expectation, tuple(evidence)
        )

    return check


def compile_numeric(constraint: NumericConstraint, tables: Mapping[str, Table]) -> FactCheck:
    """The constraint as a function over facts."""
    threshold, unit = constraint.threshold, constraint.unit
    holds = COMPARE[constraint.operator]
    expectation = f"{WORDS[constraint.operator]} {threshold:f}{f' {unit}' if unit else ''}"

    def judge(found: Found, facts: Mapping[str, Any]) -> Ruling:
        return _compare_amount(found, threshold, unit, holds, source="rule")

    decide = build_number_decider(holds, threshold, has_unit=unit is not None)
    general = _build_value_check(constraint.field_path, expectation, judge)
    return build_plain_check(constraint.field_path, expectation, decide, general)


def _compare_amount(
    found: Found,
    limit: Decimal,
    unit: str | None,
    holds: Callable[[Any, Any], bool],
    *,
    source: str,
) -> str | bool:
    """Compare a fact with a limit that the `source`, a rule or a table, names in a unit or not."""
    measured = parse_amount(found.value)
    if isinstance(measured, str):
        return measured
    number, named = measured
    named = named or _find_unit_beside(found, unit)
    if named is None:
        return holds(number, limit)
    if unit is None:
        return f"is in {named}, and the {source} names no unit"
    pair = to_comparable(number, named, limit, unit)
    return f"is in {named}, which does not convert to {unit}" if pair is None else holds(*pair)


def _find_unit_beside(found: Found, unit: str | None) -> str | None:
    """The unit that stands beside a bare number: {amount: 5, currency: EUR}.

    One that says whose it is by its name comes first. What stands beside several numbers
    says of none of them that it is its own, unless they are all amounts of money.
    """
    if unit is None or found.holder is None:
        return None
    leaf = found.path.rpartition(".")[2]
    own = _find_named_unit(found.holder, f"{leaf}_unit", f"{leaf}_currency")
    if own is not None:
        return own
    numbers = [
        key
        for key, value in found.holder.items()
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    ]
    shared = found.holder.get("unit")
    if len(numbers) > 1 and shared and normalize_unit(str(shared)) != normalize_unit(unit):
        return f"{shared}, or is another's"
    return _find_named_unit(
        found.holder, *(("currency",) if _CURRENCY.fullmatch(unit) else ()), "unit"
    )


def _find_named_unit(holder: Mapping[str, Any], *keys: str) -> str | None:
    """What stands under the first of the keys that says anything; words for what is no text."""
    named = next((holder[key] for key in keys if holder.get(key)), None)
    return named if named is None or isinstance(named, str) else "a unit that is no text"


def compile_date(constraint: DateConstraint, tables: Mapping[str, Table]) -> FactCheck:
    """The constraint as a function over facts."""
    holds, reference = COMPARE[constraint.operator], constraint.reference_date
    expectation = f"{_DATE_WORDS[constraint.operator]} {reference}"
    steps = compile_path(reference) if isinstance(reference, str) else ()

    def judge(found: Found, facts: Mapping[str, Any]) -> Ruling:
        moment = to_moment(found.value)
        if moment is None:
            return "is not a date in ISO 8601"
        if isinstance(reference, str):
            others = [to_moment(other.value) for other in resolve(facts, steps)]
            if len(others) != 1 or others[0] is None:
                return f"cannot be compared: {reference} is not one date"
            ruling = _compare_moments(moment, others[0], holds)
            return ruling if isinstance(ruling, str) else FactComparison(ruling, str(others[0]))
        return _compare_moments(moment, reference, holds)

    general = _build_value_check(constraint.field_path, expectation, judge)
    if isinstance(reference, str):
        return general
    decide = build_day_decider(holds, _to_day(reference))
    return build_plain_check(constraint.field_path, expectation, decide, general)


def _compare_moments(
    moment: Moment, reference: Moment, holds: Callable[[Any, Any], bool]
) -> str | bool:
    """Compare as `DateConstraint` says."""
    if not (isinstance(moment, dt.datetime) and isinstance(reference, dt.datetime)):
        return holds(_to_day(moment), _to_day(reference))
    if (moment.tzinfo is None) != (reference.tzinfo is None):
        # Python raises TypeError here; to assume a zone would move the moment by up to a day.
        return "and its reference cannot be compared: only one of them names a time zone"
    return holds(moment, reference)


def _to_day(moment: Moment) -> dt.date:
    return moment.date() if isinstance(moment, dt.datetime) else moment


def compile_enum(constraint: EnumConstraint, tables: Mapping[str, Table]) -> FactCheck:
    """The constraint as a function over facts."""
    allowed = frozenset(_to_typed(value) for value in constraint.allowed_values)
    values = ", ".join(_format_plain(value) for value in constraint.allowed_values)
    expectation = f"one of {values}" if len(constraint.allowed_values) > 1 else values

    def judge(found: Found, facts: Mapping[str, Any]) -> Ruling:
        if isinstance(found.value, (Mapping, list, tuple)):
            return "is not a single value"
        return _to_typed(found.value) in allowed

    general = _build_value_check(constraint.field_path, expectation, judge)
    words = frozenset(value for value in constraint.allowed_values if isinstance(value, str))
    return build_plain_check(constraint.field_path, expectation, build_word_decider(words), general)


def _to_typed(value: object) -> tuple[str, object]:
    """A value that equals another only if it is of the same kind: True is not 1, "1" is not 1."""
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, (int, float, Decimal)):
        number = parse_amount(value)
        # Not by its value: a signaling NaN cannot be hashed.
        return ("number", number[0]) if isinstance(number, tuple) else ("no number", str(value))
    return "text", str(value)


def _format_plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def compile_lookup(constraint: LookupConstraint, tables: Mapping[str, Table]) -> FactCheck:
    """The constraint as a function over facts. `tables` are the rule's own, by name."""
    column, result_column = constraint.key_column, constraint.result_column
    rows = {row[column].strip(): row for row in tables[constraint.lookup_table]}
    comparison = constraint.compare
    if comparison is None or result_column is None:
        expectation = f"a value that stands in {constraint.lookup_table}"

        def stands(found: Found, facts: Mapping[str, Any]) -> Ruling:
            if isinstance(found.value, (Mapping, list, tuple)):
                return "is not a single value"
            return _format_plain(found.value).strip() in rows

        return _build_value_check(constraint.field_path, expectation, stands)

    holds, words = COMPARE[comparison.operator], WORDS[comparison.operator]
    key_steps = compile_path(constraint.field_path)

    def judge(found: Found, facts: Mapping[str, Any]) -> Ruling:
        keys = [key.value for key in resolve(facts, key_steps)]
        if len(keys) != 1 or keys[0] is MISSING:
            return f"cannot be compared: {constraint.field_path} is not one value"
        key = _format_plain(keys[0]).strip()
        if key not in rows:
            return f"cannot be compared: {constraint.lookup_table} has no row for {key}"
        cell = rows[key][result_column].strip()
        ruling = _compare_cell(found, cell, holds)
        return ruling if isinstance(ruling, str) else FactComparison(ruling, cell)

    expectation = f"{words} {result_column} of {constraint.lookup_table}"
    return _build_value_check(comparison.field_path, expectation, judge)


def _compare_cell(found: Found, cell: str, holds: Callable[[Any, Any], bool]) -> str | bool:
    """Compare a fact with a table's text: as numbers, as dates, or for equality as text."""
    value, limit = found.value, parse_amount(cell)
    if isinstance(limit, tuple) and isinstance(parse_amount(value), tuple):
        return _compare_amount(found, *limit, holds, source="table")
    moment, reference = to_moment(value), to_moment(cell)
    if moment is not None and reference is not None:
        return _compare_moments(moment, reference, holds)
    if holds in (operator.eq, operator.ne) and isinstance(value, (str, bool)):
        return holds(_format_plain(value).strip(), cell)
    return f"cannot be compared with {cell!r}"


# The common constraint at full speed: one value of a usual type under plain keys.
#
# What is decided here is what the general way decides, several times faster; a test holds the two
# together. Whatever is unusual is left to the general way.

Decide = Callable[[Any, Mapping[str, Any]], bool | None]
"""Whether a value under a mapping holds; None if that takes the general way."""

_EXACT = 1e15
"""Beyond it a float may stand for several whole numbers; its inverse is small enough for facts."""


def build_plain_check(path: str, expectation: str, decide: Decide, general: FactCheck) -> FactCheck:
    """A check that asks `decide` first, and `general` if the path or the value is unusual."""
    steps = compile_path(path)
    if not all(isinstance(step, str) for step in steps):
        return general
    *heads, key = steps
    passed, failed = OutcomeState.PASS, OutcomeState.FAIL

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


def build_number_decider(
    holds: Callable[[Any, Any], bool], threshold: Decimal, *, has_unit: bool
) -> Decide:
    """Decides whole numbers and floats beside which no unit stands.

    A float counts as the shortest decimal that stands for it. Rounding is monotonic, so comparing
    the floats gives the same as comparing those decimals, if the threshold is the shortest
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


def build_day_decider(holds: Callable[[Any, Any], bool], reference: dt.date) -> Decide:
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


def build_word_decider(words: frozenset[str]) -> Decide:
    """Decides texts by whether they are among `words`."""

    def decide(value: Any, holder: Mapping[str, Any]) -> bool | None:
        return value in words if type(value) is str else None

    return decide
