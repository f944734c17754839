"""What a judge's trial on a rule does to the rule: a failed one keeps it from blocking."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurat.rules.config import Config
from jurat.rules.enforcement import apply_levels
from jurat.rules.level import Level
from jurat.rules.maturity import apply_trials
from jurat.rules.merit import Merit, OutcomeCounts
from jurat.rules.rule import Maturity, Rule, RuleSet, Severity
from jurat.rules.trial import RuleTrial
from tests.support.values import a_rule

RULE = a_rule("house.names")
FAILED = RuleTrial("house.names", 5, 3, 5, model="flash-1")
PASSED = RuleTrial("house.names", 5, 5, 5, model="flash-1")
PLAIN = "HIGH reaches `block_on`, HIGH"


def under(trial: RuleTrial, rule: Rule = RULE, **configuration: object) -> Rule:
    rules = apply_trials(RuleSet({rule.id: rule}), {rule.revision: trial})
    return apply_levels(rules, Config.model_validate(configuration)).rules[rule.id]


@pytest.mark.parametrize(
    ("trial", "level", "reason"),
    [
        (FAILED, Level.WARN, "caught 3 of 5 that break it and passed 5 of 5 that keep it"),
        (replace(FAILED, caught=5, passed=4), Level.WARN, "passed 4 of 5 that keep it"),
        # One wrong answer is one, however few were asked; right ones must be enough.
        (RuleTrial("house.names", 1, 0, 1, model="flash-1"), Level.WARN, "caught 0 of 1"),
        (PASSED, Level.BLOCK, "of twins of its examples flash-1 caught 5 of 5"),
        (RuleTrial("house.names", 4, 4, 4), Level.BLOCK, PLAIN),
        (RuleTrial("house.names", problem="no answer: it is away"), Level.BLOCK, PLAIN),
        (replace(PASSED, problem="no answer: it is away"), Level.BLOCK, PLAIN),
    ],
)
def test_a_judge_that_took_a_twin_for_the_other_does_not_block(
    trial: RuleTrial, level: Level, reason: str
) -> None:
    enforced = under(trial).enforcement
    assert enforced.level is level
    assert reason in enforced.reason


def test_it_says_nothing_of_the_rule_once_that_has_changed() -> None:
    other = a_rule("house.names", statement="No log line holds a name.")
    rules = RuleSet({other.id: other})
    assert apply_trials(rules, {RULE.revision: FAILED}) is rules


def test_who_names_the_rule_has_the_last_word() -> None:
    assert under(FAILED, levels={"house.names": "block"}).enforcement.level is Level.BLOCK
    assert under(PASSED, levels={"house.names": "warn"}).enforcement.level is Level.WARN


def test_a_passed_one_lifts_nothing() -> None:
    observes = a_rule("house.names", maturity=Maturity.EXPERIMENTAL)
    assert under(PASSED, observes).enforcement.level is Level.OBSERVE
    low = a_rule("house.names", severity=Severity.LOW)
    assert under(PASSED, low).enforcement.level is Level.WARN
    wrong = RULE.with_merit(Merit(OutcomeCounts(40, 30), OutcomeCounts(40, 30)))
    assert under(PASSED, wrong).enforcement.level is Level.WARN
