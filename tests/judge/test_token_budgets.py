"""What a review may spend: nothing more is asked beyond it, and what was not asked is no pass."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from jurat.findings.verdict import NotAssessedReason, Verdict
from jurat.judge.call_record import CallRecord
from jurat.judge.judge import ask_judge
from jurat.judge.protocol import JudgmentOptions, Price, TokenBudget
from jurat.judge.unasked import JudgeResult
from jurat.rules.rule import Severity
from tests.standins.gemini import reactions
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule, denying
from tests.support.values import a_context

RULES = [a_normative_rule(f"house.rule-{index}") for index in range(3)]
CHANGE = a_context(a_diff("pay.py", "+log(secret)"))


def judge(
    model: Spoken,
    rules: Any = tuple(RULES),
    *,
    budgets: tuple[TokenBudget, ...] = (),
    **options: Any,
) -> JudgeResult:
    given = JudgmentOptions(**options)
    record = CallRecord(budgets, given.prices)
    return asyncio.run(ask_judge(CHANGE, rules, model, Notebook(), given, record=record))


def allow(tokens: int) -> tuple[TokenBudget, ...]:
    return (TokenBudget(tokens, f"{tokens} tokens a day"),)


def test_without_enough_nothing_is_sent_and_nothing_passes() -> None:
    model = Spoken()
    found = judge(model, budgets=allow(500))
    assert (model.asked, found.models) == ([], ())
    assert {(item.verdict, item.gap) for item in found.verdicts} == {
        (Verdict.NOT_ASSESSED, NotAssessedReason.MODEL_FAILED)
    }
    assert "the budget of 500 tokens a day is used up" in found.verdicts[0].reasoning


def test_what_fails_and_is_asked_again_ends_within_the_budget() -> None:
    model = Spoken()
    model.behaviour = reactions.saying("{}")
    whole = judge(model)
    spent = sum(use.input_tokens + use.output_tokens for use in whole.models)
    limit = spent // 2
    model.asked.clear()
    found = judge(model, budgets=allow(limit), concurrency=8)
    again = sum(use.input_tokens + use.output_tokens for use in found.models)
    # Those under way count before they answer: what they write is little beside what they read.
    assert 0 < again <= 1.1 * limit
    assert {item.verdict for item in found.verdicts} == {Verdict.NOT_ASSESSED}


def test_a_denial_that_nobody_can_confirm_for_want_of_tokens_is_left_to_a_person() -> None:
    model = Spoken()
    critical = a_normative_rule(severity=Severity.CRITICAL)
    model.functions = {critical.id: denying("log(secret)")}
    once = judge(model, [critical]).models[0]
    found = judge(model, [critical], budgets=allow(once.input_tokens + once.output_tokens + 99))
    assert found.verdicts[0].verdict is Verdict.NEEDS_CONFIRMATION
    assert "is used up" in found.verdicts[0].note


def test_a_price_makes_a_cost() -> None:
    model = Spoken()
    prices = {"spoken-flash": Price(input=1.0, output=10.0)}
    (use,) = judge(model, prices=prices).models
    assert use.cost == pytest.approx((use.input_tokens + 10 * use.output_tokens) / 1e6)
    (unpriced,) = judge(model).models
    assert unpriced.cost is None
