"""What changes in force is named, and whether it loosens."""

from __future__ import annotations

from typing import Any

import pytest

from jurat.rules.config import Config
from jurat.rules.constraints import NumericConstraint
from jurat.rules.rule import Maturity, Modality, Rule, RuleKind, RuleSet, Severity
from jurat.rules.ruleset_diff import (
    ActiveRules,
    ChangeDirection,
    diff_rulesets,
    list_changed_normative,
)
from tests.support.values import a_rule

LOOSER, STRICTER, CHANGED = ChangeDirection


def in_force(*rules: Rule, tables: Any = None, **configuration: Any) -> ActiveRules:
    rule_set = RuleSet({rule.id: rule for rule in rules}, (), tables or {})
    return ActiveRules(Config.model_validate(configuration), rule_set)


def between(old: ActiveRules, new: ActiveRules) -> list[tuple[str, str, ChangeDirection]]:
    return [(item.subject, item.what, item.direction) for item in diff_rulesets(old, new)]


def limit(threshold: int, operator: Any = "<=") -> dict[str, Any]:
    constraint = NumericConstraint(
        type="numeric", field_path="change.lines", operator=operator, threshold=threshold
    )
    return {"constraints": (constraint,)}


RULE = "py.no-md5"


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ({}, {"severity": Severity.LOW}, "severity"),
        ({}, {"modality": Modality.SHOULD}, "modality"),
        ({}, {"maturity": Maturity.EXPERIMENTAL}, "maturity"),
        (limit(3), limit(4), "threshold of change.lines"),
        (limit(3, "<"), limit(4, "<"), "threshold of change.lines"),
        (limit(4, ">="), limit(3, ">="), "threshold of change.lines"),
        (limit(3), {}, "constraints"),
    ],
)
def test_a_rule_is_loosened_one_way_and_tightened_the_other(
    old: dict[str, Any], new: dict[str, Any], what: str
) -> None:
    before, after = in_force(a_rule(**old)), in_force(a_rule(**new))
    assert between(before, after) == [(RULE, what, LOOSER)]
    assert between(after, before) == [(RULE, what, STRICTER)]


def test_a_rule_that_is_gone_or_new_is_said_with_its_weight() -> None:
    empty, full = in_force(), in_force(a_rule(maturity=Maturity.EXPERIMENTAL))
    (gone,) = diff_rulesets(full, empty)
    assert (gone.direction, gone.before, gone.after) == (
        LOOSER,
        "MUST_NOT HIGH, experimental",
        None,
    )
    assert between(empty, full) == [(RULE, "rule", STRICTER)]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ({}, {"paths": ("src/**",), "statement": "Other."}, "statement, paths"),
        (limit(3), limit(3, "=="), "constraints"),
        (limit(3, "=="), limit(4, "=="), "threshold of change.lines"),
        ({}, {"pin": True}, "pin"),
    ],
)
def test_what_may_go_either_way_is_only_named(
    old: dict[str, Any], new: dict[str, Any], what: str
) -> None:
    assert between(in_force(a_rule(**old)), in_force(a_rule(**new))) == [(RULE, what, CHANGED)]


def test_another_table_is_another_rule() -> None:
    old = in_force(a_rule(), tables={(RULE, "t.csv"): ({"a": "1"},)})
    new = in_force(a_rule(), tables={(RULE, "t.csv"): ({"a": "2"},)})
    assert between(old, new) == [(RULE, "lookup table", CHANGED)]


def test_words_change_nothing_in_force_and_are_still_another_text() -> None:
    old, new = in_force(a_rule()), in_force(a_rule(rationale="Better put."))
    assert diff_rulesets(old, new) == ()
    assert not old.has_same_text(new)
    moved = in_force(a_rule(origin="elsewhere.yml:3"))
    assert old.has_same_text(moved)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ({}, {"ignore": ["**"]}, "ignore"),
        ({}, {"review": {"max_rules": 10}}, "review.max_rules"),
        ({}, {"review": {"severity_min": "HIGH"}}, "review.severity_min"),
        ({"review": {"drafts": True}}, {}, "review.drafts"),
        ({}, {"review": {"needs_confirmation": "neutral"}}, "review.needs_confirmation"),
        ({}, {"review": {"unassessed": "neutral"}}, "review.unassessed"),
        ({}, {"commands": {"permission": "read"}}, "commands.permission"),
        ({"rating": {"fail_below": 2}}, {}, "rating.fail_below"),
        ({"rating": {"regulations": ["eu"]}}, {}, "rating.regulations"),
    ],
)
def test_a_setting_is_loosened_one_way_and_tightened_the_other(
    old: dict[str, Any], new: dict[str, Any], key: str
) -> None:
    assert between(in_force(**old), in_force(**new)) == [(key, "setting", LOOSER)]
    assert between(in_force(**new), in_force(**old)) == [(key, "setting", STRICTER)]


def test_other_settings_are_only_named_and_lists_of_rules_not_at_all() -> None:
    new = in_force(packs=[], rules=["x"], surfaces={"a/**": "document"}, review={"max_comments": 3})
    assert between(in_force(), new) == [
        ("surfaces", "setting", CHANGED),
        ("review.max_comments", "setting", CHANGED),
    ]


def test_the_looser_comes_first() -> None:
    old = in_force(a_rule("a"), a_rule("b"))
    new = in_force(a_rule("a", severity=Severity.CRITICAL), review={"severity_min": "HIGH"})
    assert [item.direction for item in diff_rulesets(old, new)] == [LOOSER, LOOSER, STRICTER]


def test_rules_that_a_model_decides_are_named() -> None:
    normative = a_rule("n", kind=RuleKind.NORMATIVE)
    kept = a_rule("k", kind=RuleKind.NORMATIVE)
    old = in_force(normative, kept, a_rule("c"))
    new = in_force(kept, a_rule("m", kind=RuleKind.NORMATIVE))
    assert list_changed_normative(old, new) == ("n", "m")
