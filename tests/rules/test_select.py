"""Selection as a whole: what is kept, what is cut, and the reason for every rule left out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.facts.context import EvaluationContext
from jurat.rules.rule import Effective, Modality, Rule, RuleKind, RuleSet, Severity
from jurat.rules.selection import (
    DEPTH,
    Selection,
    SelectionCriteria,
    find_contenders,
    rank_rules,
    select_applicable,
)
from tests.support.values import a_context, a_file, a_rule

TODAY = dt.date(2026, 6, 1)
CONTEXT = a_context(a_file("src/app.py"), intent="certificates")


def advice(rule_id: str, **fields: Any) -> Rule:
    """A rule that a model judges and that cannot block."""
    values = {"kind": RuleKind.NORMATIVE, "modality": Modality.SHOULD}
    return a_rule(rule_id, **{**values, **fields})


def blocking(rule_id: str, **fields: Any) -> Rule:
    """A rule that a model judges and that can block."""
    return a_rule(rule_id, kind=RuleKind.NORMATIVE, **fields)


def selected(rules: Sequence[Rule], max_rules: int = 20, **fields: Any) -> Selection:
    rule_set = RuleSet({rule.id: rule for rule in rules})
    return select_applicable(
        CONTEXT, rule_set, SelectionCriteria(max_rules=max_rules, **fields), TODAY
    )


def ids(rules: Sequence[Rule]) -> list[str]:
    return [rule.id for rule in rules]


def test_rules_that_need_no_model_always_run() -> None:
    computed = [a_rule(f"c{n}") for n in range(30)]
    selection = selected([advice("a"), *computed, advice("b")], 1)
    assert ids(selection.rules) == ["a", *ids(computed)]
    assert ids([item.rule for item in selection.omitted]) == ["b"]


def test_what_may_block_is_never_cut() -> None:
    selection = selected([advice("a"), *(blocking(f"b{n}") for n in range(5))], 3)
    assert ids(selection.rules) == [f"b{n}" for n in range(5)]
    (omitted,) = selection.omitted
    assert omitted.reason == "beyond max_rules (3): 5 rules that may block come first"


def test_what_may_block_comes_first_and_the_rest_by_rank() -> None:
    rules = [
        advice("names", statement="Names are short."),
        advice("certificates", statement="Certificates are verified."),
        blocking("block", statement="Nothing in common."),
    ]
    selection = selected(rules, 2)
    assert ids(selection.rules) == ["certificates", "block"]
    (omitted,) = selection.omitted
    assert omitted.rule.id == "names"
    assert omitted.reason == "number 2 of 2 by relevance and authority, beyond max_rules (2)"


def test_what_is_alike_in_relevance_is_ordered_by_authority() -> None:
    law = advice("law", references=("Art. 7 GDPR",))
    house = advice("house", references=("House rule: errors",))
    for rules in ([law, house], [house, law]):
        assert ids(selected(rules, 1).rules) == ["law"]


def test_nothing_is_cut_at_the_bound_itself() -> None:
    selection = selected([advice(f"a{n}") for n in range(4)], 4)
    assert len(selection.rules) == 4
    assert selection.omitted == ()


def test_relevance_is_asked_only_about_what_is_contested() -> None:
    asked: list[str] = []

    def relevance(
        _context: EvaluationContext, _rule_set: RuleSet, rules: Sequence[Rule]
    ) -> list[float]:
        asked.extend(ids(rules))
        return [0.5] * len(rules)

    rules = [blocking("b"), advice("x"), a_rule("c"), advice("y")]
    rule_set = RuleSet({rule.id: rule for rule in rules})
    for bound, expected in ((3, []), (2, ["x", "y"]), (1, [])):
        asked.clear()
        criteria = SelectionCriteria(max_rules=bound)
        select_applicable(CONTEXT, rule_set, criteria, TODAY, relevance=relevance)
        assert asked == expected
        assert ids(find_contenders(CONTEXT, rule_set, criteria, TODAY)) == expected


@pytest.mark.parametrize(
    ("fields", "criteria", "reason"),
    [
        ({"effective": Effective(since=dt.date(2026, 6, 2))}, {}, "not in force before 2026-06-02"),
        (
            {"effective": Effective(until=dt.date(2026, 5, 31))},
            {},
            "no longer in force since 2026-05-31",
        ),
        ({"severity": Severity.LOW}, {}, "severity LOW is below the minimum MEDIUM"),
        ({}, {"modalities": frozenset({Modality.MAY})}, "modality MUST_NOT was not asked for"),
        ({}, {"tags": frozenset({"x"})}, "has none of the tags asked for"),
        ({"paths": ("docs/**",)}, {}, "no changed file fits its paths and languages"),
        ({"subject_kinds": ("event",)}, {}, "is about event"),
    ],
)
def test_every_rule_left_out_has_its_reason(
    fields: dict[str, Any], criteria: dict[str, Any], reason: str
) -> None:
    selection = selected([a_rule("out", **fields)], **criteria)
    assert selection.rules == ()
    (left_out,) = selection.inapplicable
    assert (left_out.rule.id, left_out.reason) == ("out", reason)


def test_no_rules_select_none() -> None:
    selection = selected([])
    assert (selection.rules, selection.omitted, len(selection.inapplicable)) == ((), (), 0)


RULES = st.lists(
    st.builds(
        advice,
        st.uuids().map(str),
        kind=st.sampled_from(list(RuleKind)),
        modality=st.sampled_from(list(Modality)),
        severity=st.sampled_from(list(Severity)),
        paths=st.sampled_from([(), ("src/**",), ("docs/**",)]),
        statement=st.sampled_from(["Certificates are verified.", "Names are short.", "Nothing."]),
    ),
    max_size=15,
    unique_by=lambda rule: rule.id,
)


@given(RULES, st.integers(1, 6))
def test_each_rule_is_selected_omitted_or_inapplicable(rules: list[Rule], bound: int) -> None:
    selection = selected(rules, bound)
    omitted = [item.rule.id for item in selection.omitted]
    inapplicable = [item.rule.id for item in selection.inapplicable]
    kept = ids(selection.rules)
    assert sorted([*kept, *omitted, *inapplicable]) == sorted(ids(rules))
    assert kept == [rule.id for rule in rules if rule.id in set(kept)]
    judged = [rule for rule in selection.rules if rule.kind is RuleKind.NORMATIVE]
    first = [rule for rule in judged if rule.modality.binding and rule.severity.rank >= 2]
    assert len(judged) <= max(bound, len(first))
    assert not omitted or len(judged) >= bound
    assert all(item.reason for item in (*selection.omitted, *selection.inapplicable))


def test_rules_beyond_the_depth_keep_their_order_behind_it() -> None:
    rules = [advice(f"r{n:03}") for n in range(DEPTH + 2)]
    rules[-1] = advice("law", references=("Art. 7 GDPR",))
    ranked = rank_rules(CONTEXT, RuleSet(), rules, lambda *given: [0.5] * len(given[2]))
    assert len(ranked) == len(rules)
    assert ids(ranked[-2:]) == [f"r{DEPTH:03}", "law"]
