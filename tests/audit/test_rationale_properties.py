"""What holds of the arithmetic whatever the weights are."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jurat.audit import (
    ChecklistRule,
    RuleEvidence,
    RuleSet,
    banking_rules,
    decision_rationale_rules,
    verdict_rationale_rules,
)
from jurat.audit.checklist import compute_geometric_mean, sum_capped

WEIGHTS = st.lists(st.floats(0, 1), max_size=12)
SCORES = st.lists(st.floats(0, 1).map(lambda value: round(value, 4)), min_size=1, max_size=8)


@given(WEIGHTS, st.randoms(use_true_random=False))
def test_a_capped_sum_is_a_share_in_any_order(weights: list[float], dice: Any) -> None:
    total = sum_capped(weights)
    assert 0.0 <= total <= 1.0
    assert total == round(total, 4)
    assert math.isclose(total, min(1.0, sum(weights)), abs_tol=0.5001e-4)
    dice.shuffle(weights)
    assert sum_capped(weights) == total


@given(WEIGHTS, st.floats(0, 1))
def test_one_more_weight_never_lowers_a_capped_sum(weights: list[float], more: float) -> None:
    assert sum_capped([*weights, more]) >= sum_capped(weights)


def test_a_capped_sum_never_falls_below_zero() -> None:
    assert sum_capped([0.2, -0.5]) == 0.0


@given(SCORES)
def test_a_geometric_mean_lies_between_its_least_and_its_greatest(scores: list[float]) -> None:
    mean = compute_geometric_mean(scores)
    assert (0.0 if 0.0 in scores else min(scores)) <= mean <= max(scores)
    assert (mean == 0.0) is (0.0 in scores)


@given(SCORES, st.data())
def test_a_greater_score_never_lowers_a_geometric_mean(
    scores: list[float], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(scores) - 1))
    greater = [*scores]
    greater[index] = data.draw(st.floats(scores[index], 1))
    assert compute_geometric_mean(greater) >= compute_geometric_mean(scores)


@given(st.floats(0.0001, 1).map(lambda value: round(value, 4)), st.integers(1, 8))
def test_the_geometric_mean_of_equal_scores_is_that_score(score: float, count: int) -> None:
    assert compute_geometric_mean([score] * count) == score


def test_the_geometric_mean_of_nothing_is_nothing() -> None:
    assert compute_geometric_mean([]) == 0.0


def rules(matched: list[tuple[str, float, bool]]) -> tuple[ChecklistRule, ...]:
    def check(found: bool) -> Any:
        return lambda _q, _r, _c, _m: RuleEvidence(found, "", "")

    return tuple(
        ChecklistRule(f"r{index}", "d", weight, name, check(found))
        for index, (name, weight, found) in enumerate(matched)
    )


@given(
    st.lists(
        st.tuples(st.sampled_from(["spec", "expl", "bshift"]), st.floats(0, 1), st.booleans()),
        max_size=15,
    ),
    st.data(),
)
def test_one_more_match_never_lowers_a_score_and_never_raises_a_flag(
    matched: list[tuple[str, float, bool]], data: st.DataObject
) -> None:
    before = RuleSet("s", rules(matched)).evaluate(question="q", response="r")
    if not matched:
        assert before.quality == 0.0
        return
    index = data.draw(st.integers(0, len(matched) - 1))
    name, weight, _ = matched[index]
    after = RuleSet(
        "s", rules([*matched[:index], (name, weight, True), *matched[index + 1 :]])
    ).evaluate(question="q", response="r")
    assert after.quality >= before.quality
    assert all(after.sub_scores[key] >= before.sub_scores[key] for key in before.sub_scores)
    assert before.flagged or not after.flagged
    assert before.quality == compute_geometric_mean(before.sub_scores.values())


@given(st.text(min_size=1).filter(str.strip), st.text(), st.none() | st.text())
def test_any_text_can_be_audited_twice_alike(
    response: str, question: str, context: str | None
) -> None:
    for rule_set in (
        banking_rules(),
        decision_rationale_rules(),
        verdict_rationale_rules("DENY"),
        verdict_rationale_rules("ALLOW"),
    ):
        told = {"question": question, "response": response, "context": context}
        first = rule_set.evaluate(**told)
        assert first == rule_set.evaluate(**told)
        assert all(line.isprintable() for line in first.audit_explanation.split("\n"))
        assert all(0.0 <= value <= 1.0 for value in first.sub_scores.values())
