from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any, ClassVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from jurat.engine.compiler import compile_constraint
from jurat.engine.outcome import Outcome, OutcomeState, find_worst_state
from jurat.rules.constraints import FactConstraint
from jurat.rules.rule import Table

CONSTRAINT: TypeAdapter[FactConstraint] = TypeAdapter(FactConstraint)
PASS, FAIL, INDETERMINATE = OutcomeState.PASS, OutcomeState.FAIL, OutcomeState.INDETERMINATE


def outcome(
    constraint: dict[str, Any], facts: dict[str, Any], tables: dict[str, Table] | None = None
) -> Outcome:
    return compile_constraint(CONSTRAINT.validate_python(constraint), tables or {})(facts)


def numeric(value: object, operator: str, threshold: object, **more: Any) -> OutcomeState:
    constraint = {
        "type": "numeric",
        "field_path": "x",
        "operator": operator,
        "threshold": threshold,
        **more,
    }
    return outcome(constraint, {"x": value}).state


class TestNumeric:
    @pytest.mark.parametrize(
        ("value", "operator", "threshold", "expected"),
        [
            (44, "<=", 45, PASS),
            (45, "<=", 45, PASS),
            (46, "<=", 45, FAIL),
            (45, "<", 45, FAIL),
            (45, "==", 45, PASS),
            (45, "!=", 45, FAIL),
            (45, ">=", 45, PASS),
            (45, ">", 45, FAIL),
            (45.5, "<=", "45.5", PASS),
            (45, "<=", "45.5", PASS),
            (46, "<=", "45.5", FAIL),
            ("45", "<=", 45, PASS),
            ("-3.50", "<", 0, PASS),
        ],
    )
    def test_numbers_compare(
        self, value: object, operator: str, threshold: object, expected: OutcomeState
    ) -> None:
        assert numeric(value, operator, threshold) is expected

    def test_a_float_is_the_decimal_that_it_is_written_as(self) -> None:
        assert numeric(0.1, "<=", "0.1") is PASS
        assert numeric(0.1 + 0.2, "<=", "0.3") is FAIL
        assert numeric(Decimal("100000.01"), "<=", "100000.00") is FAIL

    @pytest.mark.parametrize(
        "value",
        [
            True,
            "many",
            "1,000",
            "",
            [1],
            {},
            {"amount": 1},
            float("nan"),
            float("inf"),
            Decimal("NaN"),
            Decimal("1e61"),
            10**61 + Decimal(0),
            "9" * 61,
            dt.date(2027, 1, 1),
        ],
    )
    def test_what_is_no_number_is_indeterminate(self, value: object) -> None:
        assert numeric(value, "<=", 45) is INDETERMINATE

    def test_a_unit_that_the_fact_names_is_converted(self) -> None:
        for value in ({"value": 45, "unit": "hours"}, {"value": 2700, "unit": "min"}, "45 h", 45):
            assert numeric(value, "<=", 45, unit="hours") is PASS
        assert numeric({"value": 2701, "unit": "min"}, "<=", 45, unit="hours") is FAIL

    def test_a_unit_that_does_not_convert_is_indeterminate(self) -> None:
        assert numeric({"value": 5, "unit": "USD"}, "<=", 45, unit="EUR") is INDETERMINATE
        assert numeric({"value": 5, "unit": "hours"}, "<=", 45) is INDETERMINATE

    def test_a_unit_may_stand_beside_the_number(self) -> None:
        constraint = {
            "type": "numeric",
            "field_path": "payment.amount",
            "operator": "<=",
            "threshold": 100,
            "unit": "EUR",
        }
        for currency, expected in [
            ("EUR", PASS),
            ("USD", INDETERMINATE),
            ({"code": "USD"}, INDETERMINATE),
            (None, PASS),
        ]:
            for amount in (50, {"value": 50, "currency": currency}):
                facts = {"payment": {"amount": amount, "currency": currency}}
                assert outcome(constraint, facts).state is expected
        flat = constraint | {"field_path": "amount"}
        assert outcome(flat, {"amount": 50, "currency": "USD"}).state is INDETERMINATE
        hours = {"type": "numeric", "field_path": "x", "operator": "<", "threshold": 2, "unit": "h"}
        assert outcome(hours, {"x": 90, "unit": "min"}).state is PASS

    def test_evidence_is_kept_for_what_passes_and_what_fails(self) -> None:
        constraint = {
            "type": "numeric",
            "field_path": "items[*].n",
            "operator": "<",
            "threshold": 3,
        }
        result = outcome(constraint, {"items": [{"n": 1}, {"n": 5}, {}]})
        assert result.state is FAIL
        assert result.expectation == "less than 3"
        assert [(item.path, item.state) for item in result.evidence] == [
            ("items[0].n", PASS),
            ("items[1].n", FAIL),
            ("items[2].n", INDETERMINATE),
        ]

    def test_every_item_of_nothing_passes_and_nothing_said_is_indeterminate(self) -> None:
        constraint = {
            "type": "numeric",
            "field_path": "items[*].n",
            "operator": "<",
            "threshold": 3,
        }
        assert outcome(constraint, {"items": []}).state is PASS
        assert outcome(constraint, {}).state is INDETERMINATE
        assert outcome(constraint, {"items": None}).state is INDETERMINATE

    @given(
        st.integers(-(10**20), 10**20) | st.decimals(-(10**9), 10**9, places=3),
        st.decimals(-(10**9), 10**9, places=3),
        st.sampled_from(["<", "<=", "==", "!=", ">=", ">"]),
    )
    def test_the_fast_path_and_the_general_one_agree(
        self, value: int | Decimal, threshold: Decimal, operator: str
    ) -> None:
        plain = numeric(value, operator, threshold)
        nested = outcome(
            {
                "type": "numeric",
                "field_path": "a.x",
                "operator": operator,
                "threshold": threshold,
            },
            {"a": {"x": value}},
        )
        assert plain is nested.state


class TestDate:
    def state(self, value: object, operator: str, reference: str, **facts: object) -> OutcomeState:
        constraint = {
            "type": "date",
            "field_path": "at",
            "operator": operator,
            "reference_date": reference,
        }
        return outcome(constraint, {"at": value, **facts}).state

    @pytest.mark.parametrize(
        ("value", "operator", "reference", "expected"),
        [
            ("2026-12-31", "<", "2027-01-01", PASS),
            ("2027-01-01", "<", "2027-01-01", FAIL),
            (dt.date(2027, 1, 1), "<=", "2027-01-01", PASS),
            # One side without a time: the calendar dates count, the time's in its own zone.
            ("2026-12-31T23:30:00-05:00", "<", "2027-01-01", PASS),
            ("2027-01-01T00:30:00+14:00", "<", "2027-01-01", FAIL),
            ("2027-01-01T00:30:00", "==", "2027-01-01", PASS),
            ("2027-01-01", "<", "2027-01-01T18:00:00Z", FAIL),
            # Two times: instants, or clock times if neither has a zone.
            ("2027-01-01T12:00:00+02:00", "==", "2027-01-01T10:00:00Z", PASS),
            ("2027-01-01T12:00:00+02:00", "<", "2027-01-01T11:00:00Z", PASS),
            ("2027-01-01T12:00:00", "<", "2027-01-01T13:00:00", PASS),
            ("2027-01-01T12:00:00", "<", "2027-01-01T13:00:00Z", INDETERMINATE),
            ("2027-01-01T12:00:00Z", "<", "2027-01-01T13:00:00", INDETERMINATE),
            ("tomorrow", "<", "2027-01-01", INDETERMINATE),
            (20270101, "<", "2027-01-01", INDETERMINATE),
            (None, "<", "2027-01-01", INDETERMINATE),
        ],
    )
    def test_dates_know_time_zones(
        self, value: object, operator: str, reference: str, expected: OutcomeState
    ) -> None:
        assert self.state(value, operator, reference) is expected

    def test_the_reference_may_be_another_fact(self) -> None:
        assert self.state("2027-01-01", "<", "due.on", due={"on": "2027-01-02"}) is PASS
        assert self.state("2027-01-03", "<", "due.on", due={"on": "2027-01-02"}) is FAIL
        assert self.state("2027-01-03", "<", "due.on") is INDETERMINATE
        assert self.state("2027-01-03", "<", "due.on", due={"on": "soon"}) is INDETERMINATE


class TestEnum:
    def state(self, value: object, *allowed: object) -> OutcomeState:
        constraint = {"type": "enum", "field_path": "x", "allowed_values": allowed}
        return outcome(constraint, {"x": value}).state

    def test_a_value_is_one_of_those_allowed_and_of_the_same_type(self) -> None:
        assert self.state("permanent", "permanent", "fixed_term") is PASS
        assert self.state("Permanent", "permanent") is FAIL
        assert self.state(True, True) is PASS
        assert self.state(1, True) is FAIL
        assert self.state(True, 1) is FAIL
        assert self.state("1", 1) is FAIL
        assert self.state(1.0, 1) is PASS
        assert self.state(2.5, Decimal("2.5")) is PASS
        assert self.state(float("nan"), 1) is FAIL

    def test_what_is_missing_or_no_single_value_is_indeterminate(self) -> None:
        assert self.state(None, "a") is INDETERMINATE
        assert self.state(["a"], "a") is INDETERMINATE
        assert self.state({"a": 1}, "a") is INDETERMINATE

    def test_every_item_counts(self) -> None:
        constraint = {"type": "enum", "field_path": "x[*]", "allowed_values": ["a", "b"]}
        assert outcome(constraint, {"x": ["a", "b"]}).state is PASS
        assert outcome(constraint, {"x": ["a", "c"]}).state is FAIL


class TestLookup:
    TABLES: ClassVar[dict[str, Table]] = {
        "t.csv": (
            {"country": "DE", "max_days": "30", "since": "2027-01-01", "mode": "paper"},
            {"country": "FR", "max_days": "4 weeks", "since": "", "mode": "mail"},
        )
    }

    def state(self, facts: dict[str, Any], column: str = "", operator: str = "<=") -> OutcomeState:
        constraint: dict[str, Any] = {
            "type": "lookup",
            "field_path": "country",
            "lookup_table": "t.csv",
            "key_column": "country",
        }
        if column:
            constraint["result_column"] = column
            constraint["compare"] = {"field_path": "value", "operator": operator}
        return outcome(constraint, facts, self.TABLES).state

    def test_without_compare_the_key_must_stand_in_the_table(self) -> None:
        assert self.state({"country": "DE"}) is PASS
        assert self.state({"country": "XX"}) is FAIL
        assert self.state({}) is INDETERMINATE

    def test_a_fact_compares_with_the_rows_number(self) -> None:
        assert self.state({"country": "DE", "value": 30}, "max_days") is PASS
        assert self.state({"country": "DE", "value": 31}, "max_days") is FAIL

    def test_the_table_may_name_units(self) -> None:
        assert self.state({"country": "FR", "value": "28 days"}, "max_days") is PASS
        assert self.state({"country": "FR", "value": "29 days"}, "max_days") is FAIL
        assert self.state({"country": "FR", "value": "3 km"}, "max_days") is INDETERMINATE

    def test_a_unit_that_the_table_does_not_name_is_not_passed_over(self) -> None:
        assert self.state({"country": "DE", "value": "4 weeks"}, "max_days") is INDETERMINATE

    @pytest.mark.parametrize("beside", [{"unit": "km"}, {"unit": {"code": "days"}}])
    def test_a_unit_beside_the_fact_counts(self, beside: dict[str, Any]) -> None:
        facts = {"country": "FR", "value": 3, **beside}
        assert self.state(facts, "max_days") is INDETERMINATE

    def test_a_key_that_is_not_there_finds_no_row(self) -> None:
        tables = {"t.csv": ({"country": "missing", "max_days": "30"},)}
        constraint = {
            "type": "lookup",
            "field_path": "country",
            "lookup_table": "t.csv",
            "key_column": "country",
            "result_column": "max_days",
            "compare": {"field_path": "value", "operator": "<="},
        }
        assert outcome(constraint, {"value": 1}, tables).state is INDETERMINATE

    def test_a_fact_compares_with_the_rows_date_or_text(self) -> None:
        assert self.state({"country": "DE", "value": "2027-02-01"}, "since", ">=") is PASS
        assert self.state({"country": "DE", "value": "2026-02-01"}, "since", ">=") is FAIL
        assert self.state({"country": "DE", "value": "paper"}, "mode", "==") is PASS
        assert self.state({"country": "DE", "value": "mail"}, "mode", "==") is FAIL
        assert self.state({"country": "DE", "value": "mail"}, "mode", "<") is INDETERMINATE

    def test_a_table_that_does_not_say_is_indeterminate(self) -> None:
        assert self.state({"country": "XX", "value": 1}, "max_days") is INDETERMINATE
        assert self.state({"value": 1}, "max_days") is INDETERMINATE
        assert self.state({"country": "DE"}, "max_days") is INDETERMINATE


@given(st.lists(st.sampled_from(OutcomeState)))
def test_fail_beats_indeterminate_beats_pass(states: list[OutcomeState]) -> None:
    expected = FAIL if FAIL in states else INDETERMINATE if INDETERMINATE in states else PASS
    assert find_worst_state(states) is expected


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.decimals(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(ANYTHING)
@example(Decimal("sNaN"))
def test_no_fact_breaks_a_constraint(value: object) -> None:
    TestEnum().state(value, "a", 1, True)
    TestDate().state(value, "<", "2027-01-01")
    TestLookup().state({"country": value, "value": value}, "max_days")
    numeric(value, "<", 3)
    numeric(value, "<", 3, unit="hours")


class TestUnitsOfOthers:
    """A unit beside several numbers is not known to be the one of each."""

    def check(self, **x: object) -> OutcomeState:
        limit = {"type": "numeric", "field_path": "x.timeout", "operator": "<=", "threshold": 60}
        return outcome({**limit, "unit": "s"}, {"x": x}).state

    def test_a_unit_of_another_number_decides_nothing(self) -> None:
        assert self.check(timeout=30, interval=5, unit="min") is INDETERMINATE
        assert self.check(timeout=90, interval=5, unit="ms") is INDETERMINATE

    def test_its_own_unit_counts_whatever_stands_beside(self) -> None:
        assert self.check(timeout=30, timeout_unit="min", interval=5, unit="s") is FAIL
        assert self.check(timeout=90, timeout_unit="ms", interval=5, unit="min") is PASS

    def test_the_only_number_has_the_unit_beside_it(self) -> None:
        assert self.check(timeout=30, unit="min") is FAIL
