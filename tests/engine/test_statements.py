"""Rules without constraints: a threshold or an order read from the statement."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from jurat.engine.compiler import check_procedure_statement as check_order
from jurat.engine.outcome import OutcomeState
from jurat.engine.thresholds import Threshold, check_threshold_statement, find_threshold
from jurat.rules.rule import Modality
from tests.support.values import a_rule


def threshold(statement: str, modality: Modality = Modality.MUST) -> Threshold | None:
    return find_threshold(a_rule(statement=statement, modality=modality))


class TestThreshold:
    @pytest.mark.parametrize(
        ("statement", "operator", "number", "unit"),
        [
            ("Monthly overtime must not exceed 45 hours.", "<=", "45", "hours"),
            ("An expense is at most $1,500.50.", "<=", "1500.50", "USD"),
            ("No more than EUR 10,000 may be paid in cash.", "<=", "10000", "EUR"),
            ("A reviewer has at least 2 years of experience", ">=", "2", None),
            ("A change never has fewer than 2 approvals.", ">=", "2", None),
            ("Discounts stay below 15%", "<", "15", "%"),
            ("A budget is at most 2.5 million", "<=", "2500000.0", None),
            ("At least 2 approvals", ">=", "2", None),
            ("Response time is under 200 ms.", "<", "200", "ms"),
            ("A release has exactly 1 owner", "==", "1", None),
            ("Notice is not less than 30 days.", ">=", "30", "days"),
            ("amount <= 100000", "<=", "100000", None),
            ("An expense must not exceed 5 hundred EUR.", "<=", "500", "EUR"),
        ],
    )
    def test_one_clear_comparison_is_read(
        self, statement: str, operator: str, number: str, unit: str | None
    ) -> None:
        found = threshold(statement)
        assert found is not None
        assert found[:3] == (operator, Decimal(number), unit)

    @pytest.mark.parametrize(
        "statement",
        [
            "Overtime is reasonable.",
            "Overtime is at most forty hours.",
            "Between 5 and 10 people attend.",
            "At most 45 hours in any 30 days.",
            "At most 45 hours unless agreed.",
            "At most 45 hours if the employee is a minor",
            "At most 1.000,50 EUR",
            "An expense is at most 1.000 EUR.",
            "Version 2 exceeds expectations",
            "Budgets above 2.5 million need approval",
            "A budget that is above 100 EUR is approved by the lead",
            "Orders of at least 100 EUR ship free",
            "It is not acceptable to have at most 2 approvals",
            "Nobody may approve more than 5 of their own",
        ],
    )
    def test_anything_less_clear_is_left_to_the_judge(self, statement: str) -> None:
        assert threshold(statement) is None

    def test_must_not_is_read_only_where_the_sentence_itself_says_not(self) -> None:
        must_not = Modality.MUST_NOT
        assert threshold("Overtime must not exceed 45 hours", must_not) is not None
        assert threshold("Overtime exceeds 45 hours", must_not) is None
        assert threshold("Overtime stays below 45 hours", must_not) is None


def state(statement: str, **facts: Any) -> OutcomeState | None:
    outcome = check_threshold_statement(a_rule(statement=statement, modality=Modality.MUST), facts)
    return outcome.state if outcome is not None else None


class TestFactsForAStatement:
    OVERTIME = "Monthly overtime must not exceed 45 hours."

    def test_the_fact_whose_key_the_statement_says_is_compared(self) -> None:
        assert state(self.OVERTIME, monthly_overtime_hours=45) is OutcomeState.PASS
        assert state(self.OVERTIME, monthly_overtime_hours=46) is OutcomeState.FAIL
        assert state(self.OVERTIME, monthlyOvertimeHours=46) is OutcomeState.FAIL
        assert (
            state(self.OVERTIME, hr={"overtime": {"total": 1, "monthly": 46}}) is OutcomeState.FAIL
        )

    def test_the_key_may_name_another_unit(self) -> None:
        assert state(self.OVERTIME, overtime_minutes=2700) is OutcomeState.PASS
        assert state(self.OVERTIME, overtime_minutes=2701) is OutcomeState.FAIL
        assert state(self.OVERTIME, overtime={"value": 46, "unit": "h"}) is OutcomeState.FAIL

    def test_the_best_match_wins_and_a_tie_is_left_to_the_judge(self) -> None:
        assert state(self.OVERTIME, overtime=50, monthly_overtime=40) is OutcomeState.PASS
        assert state(self.OVERTIME, a={"overtime": 50}, b={"overtime": 40}) is None

    def test_a_key_that_says_more_than_the_statement_is_another_thing(self) -> None:
        assert state(self.OVERTIME, weekly_overtime_hours=50) is None
        assert state(self.OVERTIME, hours=50) is None
        assert state(self.OVERTIME, overtime="much") is None
        assert state(self.OVERTIME) is None

    @pytest.mark.parametrize(
        "statement",
        ["The amount must be at most 100.", "Amount must not exceed 100.", "amount <= 100"],
    )
    def test_an_amount_is_compared_where_the_statement_names_nothing_else(
        self, statement: str
    ) -> None:
        assert state(statement, amount=100, note="x") is OutcomeState.PASS
        assert state(statement, amount=101) is OutcomeState.FAIL
        assert state(statement, total=101) is None
        assert state(statement, number=7) is None

    def test_an_amount_of_something_is_not_any_amount(self) -> None:
        assert state("The amount of overtime must not exceed 45 hours.", amount=50) is None
        assert state("The number of approvals is at least 2.", number=17) is None

    def test_a_share_is_not_taken_for_percent(self) -> None:
        assert state("A discount is at most 15%.", discount=0.16) is None
        assert state("A discount is at most 15%.", discount=1) is None
        assert state("A discount is at most 15%.", discount=16) is OutcomeState.FAIL
        assert state("A discount is at most 15%.", discount_percent=0.16) is OutcomeState.PASS

    @pytest.mark.parametrize(
        "facts",
        [
            {"monthly_overtime": 10, "employees": [{"monthly_overtime": 60}]},
            {"monthly_overtime": [10, 60]},
            {"overtime": 10, "monthly_overtime": "unknown"},
        ],
        ids=["in a list", "several", "no number"],
    )
    def test_a_number_is_not_the_one_where_another_fact_may_be(self, facts: dict[str, Any]) -> None:
        assert state("Monthly overtime must not exceed 45 hours", **facts) is None

    def test_a_unit_that_the_statement_does_not_name_is_not_passed_over(self) -> None:
        assert state("Retention must be at least 6 months", retention_days=100) is None

    def test_a_currency_beside_the_amount_counts(self) -> None:
        statement = "An expense must not exceed 1,000 EUR"
        assert state(statement, expense=900, currency="USD") is None
        assert state(statement, expense=900, currency="EUR") is OutcomeState.PASS

    def test_money_in_another_currency_is_left_to_the_judge(self) -> None:
        statement = "A payment is at most 100 EUR."
        assert state(statement, payment={"value": 200, "unit": "USD"}) is None
        assert state(statement, payment={"value": 200, "unit": "EUR"}) is OutcomeState.FAIL


def order(statement: str, *steps: Any, key: str = "steps") -> tuple[OutcomeState, str] | None:
    outcome = check_order(statement, {key: list(steps)})
    if outcome is None:
        return None
    (evidence,) = outcome.evidence
    return outcome.state, evidence.path


class TestOrderInAStatement:
    BEFORE = "Approval must be obtained before payment."

    def test_the_first_step_out_of_order_is_named(self) -> None:
        assert order(self.BEFORE, "request", "approve", "pay") == (OutcomeState.PASS, "steps")
        assert order(self.BEFORE, "request", "pay", "approve") == (OutcomeState.FAIL, "steps[1]")
        assert order(self.BEFORE, "pay", "approve", key="sequence") == (
            OutcomeState.FAIL,
            "sequence[0]",
        )

    @pytest.mark.parametrize(
        "statement",
        [
            "Request -> approval -> payment",
            "Request, then approval, then payment",
            "A request is followed by approval, followed by payment",
        ],
    )
    def test_several_steps_may_be_named(self, statement: str) -> None:
        assert order(statement, "request", "approve", "pay") == (OutcomeState.PASS, "steps")
        assert order(statement, "request", "pay", "approve") == (OutcomeState.FAIL, "steps[1]")

    def test_after_turns_it_round(self) -> None:
        assert order("Payment comes only after approval.", "pay", "approve") == (
            OutcomeState.FAIL,
            "steps[0]",
        )

    def test_all_that_must_come_first_must_come_first(self) -> None:
        statement = "Review and approval come before payment."
        assert order(statement, "approve", "pay", "review") == (OutcomeState.FAIL, "steps[1]")
        assert order(statement, "approve", "review", "pay") == (OutcomeState.PASS, "steps")

    def test_steps_may_be_mappings(self) -> None:
        steps = [{"name": "pay"}, {"action": "approve"}]
        assert order(self.BEFORE, *steps) == (OutcomeState.FAIL, "steps[0]")

    def test_what_is_unclear_is_left_to_the_judge(self) -> None:
        assert order("Work is done with care.", "a", "b") is None
        assert order("Approval is given with care.", "approve") is None
        assert order("Approval before payment unless urgent.", "pay", "approve") is None
        assert order(self.BEFORE, "pay") is None
        assert order(self.BEFORE, "hire", "fire") is None
        assert order(self.BEFORE, 3, "pay") is None
        assert check_order(self.BEFORE, {}) is None
        assert check_order(self.BEFORE, {"steps": "approve, pay"}) is None
