"""A judge and a house's own rules: it may block by those whose twins it tells apart."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from jurat.judge.protocol import JudgeError, JudgeErrorKind, JudgmentOptions, Prompt, Reply
from jurat.judge.twins import is_broken_example
from jurat.probes.rule_twins import ask_rule_twins, count_twins
from jurat.reports.probe_report import render_trials
from jurat.rules.config import merge_configs
from jurat.rules.level import Level
from jurat.rules.loader import load_configuration_file
from jurat.rules.rule import Example, Examples, Rule
from jurat.rules.trial import LEAST_PAIRS, RuleTrial
from tests.standins.gemini import reactions
from tests.standins.gemini.reading import Asked, ListedRule
from tests.standins.gemini.script import Verdict, allowed, denied
from tests.support.gemini import Spoken, a_normative_rule
from tests.support.values import a_rule

EXAMPLES = Examples(
    valid=(Example(code='log.info("user %s", user.id)'),),
    invalid=(Example(code='log.info("user %s", user.password)'),),
)
RULE = a_normative_rule(examples=EXAMPLES)
BARE = a_normative_rule("house.bare")
COMPUTED = a_rule(
    "house.computed",
    constraints=[{"type": "numeric", "field_path": "x", "operator": "<", "threshold": 1}],
)


def know(asked: Asked, rule: ListedRule) -> Verdict:
    """Deny what has the form of the example that breaks the rule."""
    for shown in asked.about(rule):
        text = "\n".join(line.text.strip() for line in shown.lines)
        if is_broken_example(RULE, text):
            return denied(asked, rule, shown, shown.lines[0])
    return allowed(asked, rule)


def try_rules(judge: Spoken, rules: Sequence[Rule] = (RULE,), pairs: int = 5) -> list[RuleTrial]:
    asked = ask_rule_twins(rules, judge, JudgmentOptions(), pairs=pairs)
    return list(asyncio.run(asked))


def test_who_tells_every_pair_apart_may_block() -> None:
    judge = Spoken()
    judge.functions = {RULE.id: know}
    (trial,) = try_rules(judge)
    assert (trial.pairs, trial.caught, trial.passed) == (5, 5, 5)
    assert trial.may_block
    assert len(judge.asked) == count_twins([RULE], 5) == 10


def test_a_few_pairs_are_not_enough() -> None:
    judge = Spoken()
    judge.functions = {RULE.id: know}
    (trial,) = try_rules(judge, pairs=LEAST_PAIRS - 1)
    assert trial.caught == trial.passed == LEAST_PAIRS - 1
    assert not trial.may_block


@pytest.mark.parametrize(
    "behaviour",
    [
        reactions.allowing_all,
        reactions.lying_on_controls,
        reactions.saying("{}"),
        reactions.saying("LGTM"),
        reactions.without(RULE.id),
    ],
)
def test_no_constant_and_no_hostile_judge_may(behaviour: reactions.Behaviour) -> None:
    judge = Spoken()
    judge.functions, judge.behaviour = {RULE.id: know}, behaviour
    (trial,) = try_rules(judge)
    assert trial.pairs == 5
    assert not trial.may_block
    assert trial.caught == 0


def test_who_denies_whatever_is_asked_may_not() -> None:
    judge = Spoken()
    judge.functions = {
        RULE.id: lambda asked, rule: denied(
            asked, rule, asked.about(rule)[0], asked.about(rule)[0].lines[0]
        )
    }
    assert not try_rules(judge)[0].may_block


class Away(Spoken):
    async def ask(self, prompt: Prompt) -> Reply:
        raise JudgeError(JudgeErrorKind.UNAVAILABLE, "it is away")


def test_who_does_not_answer_may_not() -> None:
    (trial,) = try_rules(Away())
    assert (trial.pairs, trial.may_block) == (0, False)
    assert trial.problem == "no answer: it is away"


def test_what_cannot_be_asked_says_why() -> None:
    judge = Spoken()
    computed, bare = try_rules(judge, [COMPUTED, BARE])
    assert (computed.problem, bare.problem) == (
        "it is computed",
        "it has no examples of code on both sides",
    )
    assert not computed.may_block
    assert judge.asked == []


TRIALS = [
    RuleTrial("house.good", 5, 5, 5),
    RuleTrial("house.weak", 5, 4, 5),
    RuleTrial("house.computed", problem="it is computed"),
    RuleTrial("house.new", 5, 0, 5),
]
LINES = (
    "model-1 may block by 1 of 4 rules.\n"
    "  house.good      may block      5 of 5 caught, 5 of 5 passed\n"
    "  house.weak      may not block  4 of 5 caught, 5 of 5 passed\n"
    "  house.computed  not asked      it is computed\n"
    "  house.new       may not block  0 of 5 caught, 5 of 5 passed\n"
)


def test_each_rule_is_a_line() -> None:
    text = render_trials(TRIALS, "model-1", blocking=frozenset(), kept=True, as_json=False)
    assert text == LINES


@pytest.mark.parametrize("kept", [True, False])
def test_what_it_may_not_do_is_a_configuration_that_can_be_taken_over(kept: bool) -> None:
    blocking = {"house.good", "house.weak", "house.computed"}
    text = render_trials(TRIALS, "model-1", blocking=blocking, kept=kept, as_json=False)
    assert text.startswith(LINES)
    assert ("Reviews with this database and model do not block" in text) is kept
    file = load_configuration_file("jurat.yml", "version: 1\n" + text[text.index("levels:") :])
    # A rule that only observes is not named: that would make it count.
    assert merge_configs([file]).levels == {"house.weak": Level.WARN}
