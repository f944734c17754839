"""Canaries made of a rule's own examples: who fails them is not heard on that rule."""

from __future__ import annotations

import asyncio
import json
from random import Random
from typing import Any

import pytest

from jurat.findings.verdict import Verdict
from jurat.judge.judge import ask_judge
from jurat.judge.twins import is_broken_example, make_twins
from jurat.judge.unasked import JudgeResult
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import Rule
from tests.standins.gemini import reactions
from tests.standins.gemini.reading import Asked
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule, denying
from tests.support.values import a_context

LOGS = load_ruleset(read_pack("engineering")).rules["logs.no-personal-data"]
OTHER = a_normative_rule("house.no-print", statement="Nothing is printed.")
CONTEXT = a_context(a_diff("src/pay.py", "+total = add(price, tax)", "+store.save(total)"))


def judge(model: Spoken, *rules: Rule, context: Any = CONTEXT) -> JudgeResult:
    return asyncio.run(ask_judge(context, rules, model, Notebook()))


def list_twins(asked: Asked, rule: Rule = LOGS) -> list[Any]:
    return [
        item
        for item in asked.rules
        if item.id != rule.id and item.statement == " ".join(rule.statement.split())
    ]


def tokens(result: JudgeResult) -> int:
    return sum(use.input_tokens + use.output_tokens for use in result.models)


def test_twins_keep_the_form_of_their_examples_and_none_of_their_words() -> None:
    texts = set()
    for seed in range(60):
        twins = make_twins(LOGS, ["src/pay.py"], Random(seed))
        assert sorted(twin.breaks for twin in twins) == [False, True]
        for twin in twins:
            code = "\n".join(twin.lines)
            assert is_broken_example(LOGS, code) is twin.breaks
            assert (twin.path.startswith("src/"), twin.language) == (True, "python")
            assert "user." not in code
            assert "login" not in code
            texts.add(code)
    # From four examples.
    assert len(texts) > 40


def test_a_rule_that_may_block_always_brings_a_pair_of_twins() -> None:
    for _ in range(20):
        model = Spoken()
        judge(model, LOGS, OTHER)
        (asked,) = model.asked
        twins = list_twins(asked)
        assert len(twins) == 2
        # In the form of the change: beside its files, as added lines, and not first or last always.
        for twin in twins:
            (shown,) = asked.about(twin)
            assert shown.label.startswith("src/")
            assert all(line.added for line in shown.lines)


def test_the_others_take_turns() -> None:
    rules = [
        a_normative_rule(
            f"house.advice-{index}",
            statement=f"Call {index} is not made.",
            modality="SHOULD",
            severity="LOW",
            examples={"invalid": (f"call_{index}(order.id)",), "valid": ("pass_by(order.id)",)},
        )
        for index in range(4)
    ]
    seen = set()
    for _ in range(24):
        model = Spoken()
        model.functions = {rule.id: denying(f"call_{i}(") for i, rule in enumerate(rules)}
        judge(model, *rules)
        listed = [rule.id for rule in rules if list_twins(model.asked[0], rule)]
        assert len(listed) == 1
        seen.update(listed)
    assert len(seen) == 4


def answer_twins(verdict: str) -> reactions.Behaviour:
    """Right about everything but the twins."""

    def edit(asked: Asked, given: Any) -> None:
        twins = {item.id for item in list_twins(asked)}
        for entry in given["verdicts"]:
            if entry["rule"] in twins:
                entry["verdict"] = verdict

    return reactions.edited(edit)


@pytest.mark.parametrize("verdict", ["ALLOW", "DENY", "NEEDS_CONFIRMATION"])
def test_who_misjudges_a_twin_is_not_heard_on_its_rule_alone(verdict: str) -> None:
    model = Spoken()
    model.behaviour = answer_twins(verdict)
    logs, other = judge(model, LOGS, OTHER).verdicts
    assert (logs.verdict, other.verdict) == (Verdict.NOT_ASSESSED, Verdict.ALLOW)
    assert "misjudged an example of the rule's own, twice" in logs.reasoning
    # Asked once more, with twins drawn anew, and not told of them.
    first, again = model.asked
    assert "misjudged" not in again.user
    assert {item.id for item in again.rules if item.id == OTHER.id} == set()
    assert first.fenced != again.fenced


@pytest.mark.parametrize("verdict", ["ALLOW", "DENY"])
def test_a_constant_judge_fails_every_batch(verdict: str) -> None:
    model = Spoken()

    def edit(_asked: Asked, given: Any) -> Any:
        for entry in given["verdicts"]:
            entry["verdict"] = verdict
        return json.loads(json.dumps(given))

    model.behaviour = reactions.edited(edit)
    found = {item.verdict for item in judge(model, LOGS, OTHER).verdicts}
    assert found == {Verdict.NOT_ASSESSED}


def test_twins_cost_at_most_a_seventh_of_the_tokens_on_average() -> None:
    bare = LOGS.model_copy(update={"examples": type(LOGS.examples)()})
    spent, without = 0, 0
    for files in (1, 2, 5, 20):
        for rules in (1, 5, 12):
            context = a_context(
                *(
                    a_diff(f"src/part_{i}.py", *(f"+total_{i} = add({n})" for n in range(20)))
                    for i in range(files)
                )
            )
            others = [
                a_normative_rule(f"house.rule-{index}", statement=f"Figure {index} is kept.")
                for index in range(rules)
            ]
            spent += tokens(judge(Spoken(), LOGS, *others, context=context))
            without += tokens(judge(Spoken(), bare, *others, context=context))
    print(f"twins: {spent} tokens, without: {without}, {spent / without - 1:.1%} more")
    assert without < spent <= 1.15 * without
