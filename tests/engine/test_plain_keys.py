"""The fast way of the common constraints decides what the general way decides."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from jurat.engine.compiler import compile_constraint
from jurat.engine.outcome import Outcome
from jurat.rules.constraints import FactConstraint

_ADAPTER: TypeAdapter[FactConstraint] = TypeAdapter(FactConstraint)

OPERATORS = st.sampled_from(["<", "<=", "==", "!=", ">=", ">"])
NUMBERS = st.one_of(
    st.integers(),
    st.integers(-50, 50),
    st.floats(),
    st.floats(-2, 2),
    st.sampled_from([0.1, 0.3, 0.1 + 0.2, 1e15, 1e15 + 1, 10**70, True, "45", None, [], {}]),
)
THRESHOLDS = st.one_of(
    st.integers(-50, 50).map(Decimal),
    st.decimals(-2, 2, allow_nan=False, places=3),
    st.sampled_from([Decimal("0.1"), Decimal("0.3"), Decimal(10) ** 15]),
)
DAYS = st.one_of(
    st.dates().map(dt.date.isoformat),
    st.datetimes(timezones=st.none() | st.just(dt.UTC)).map(dt.datetime.isoformat),
    st.sampled_from(["2027-01-01", "2027-W01-1", "20270101", "2027-02-30", "2027-1-1  ", 7, None]),
)
WORDS = st.one_of(
    st.sampled_from(["permanent", "Permanent", "1", 1, True, 1.0, None, [], ""]), st.text()
)


def both(constraint: dict[str, Any], value: object, beside: dict[str, Any]) -> tuple[Any, ...]:
    """The outcome under plain keys, and the one in a list, which takes the general way."""
    fast = compile_constraint(_ADAPTER.validate_python({**constraint, "field_path": "a.b"}), {})
    slow = compile_constraint(_ADAPTER.validate_python({**constraint, "field_path": "a[0].b"}), {})
    holder = {"b": value, **beside}
    return _told(fast({"a": holder})), _told(slow({"a": [holder]}))


def _told(outcome: Outcome) -> tuple[Any, ...]:
    seen = [(repr(item.value), item.state, item.reason, item.place) for item in outcome.evidence]
    return outcome.state, outcome.expectation, seen


@given(
    NUMBERS,
    OPERATORS,
    THRESHOLDS,
    st.sampled_from([None, "hours", "EUR"]),
    st.sampled_from([{}, {"unit": "min"}, {"currency": "USD"}, {"path": "a.py"}]),
)
def test_numbers(
    value: object, operator: str, threshold: Decimal, unit: str | None, beside: dict[str, Any]
) -> None:
    constraint = {"type": "numeric", "operator": operator, "threshold": threshold, "unit": unit}
    fast, slow = both(constraint, value, beside)
    assert fast == slow


@given(DAYS, OPERATORS, st.sampled_from(["2027-01-01", "2027-01-01T12:00:00", "1999-12-31"]))
def test_days(value: object, operator: str, reference: str) -> None:
    constraint = {"type": "date", "operator": operator, "reference_date": reference}
    fast, slow = both(constraint, value, {})
    assert fast == slow


@given(WORDS, st.sampled_from([["permanent"], ["permanent", 1], [True, ""]]))
def test_words(value: object, allowed: list[object]) -> None:
    fast, slow = both({"type": "enum", "allowed_values": allowed}, value, {})
    assert fast == slow
