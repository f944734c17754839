from __future__ import annotations

import pytest

from jurat.engine.rule_examples import run_examples
from tests.support.code import rule_text, rules

PATTERN = "{type: pattern, language: python, pattern: bad($$$A), fix: good($$$A)}"


def problems(*lines: str, constraint: str = PATTERN) -> list[str]:
    rule_set = rules(rule_text(f"constraints: [{constraint}]", *lines))
    return [f"{failure.example} {failure.problem}" for failure in run_examples(rule_set)]


def test_examples_that_come_out_as_said_are_no_news() -> None:
    assert not problems(
        "examples:",
        "  valid: [good(1), {code: bad(1), path: a.go, language: go}]",
        "  invalid: [bad(1), {code: bad(1), fixed: good(1)}]",
    )


@pytest.mark.parametrize(
    ("examples", "expected"),
    [
        (
            "{valid: [bad(1)]}",
            "valid[0] is caught: Added code breaks the rule at example.python:1.",
        ),
        ("{invalid: [good(1)]}", "invalid[0] is not caught: Nothing added in 1 file breaks"),
        ("{invalid: [bad(1), 'f(']}", "invalid[1] does not parse as python"),
        ("{invalid: [{code: bad(1), fixed: bad(2)}]}", "invalid[0] is fixed to 'good(1)\\n'"),
        ("{invalid: [{code: bad(1), language: go}]}", "invalid[0] is not caught"),
    ],
)
def test_an_example_that_comes_out_otherwise_is_named(examples: str, expected: str) -> None:
    (problem,) = problems(f"examples: {examples}")
    assert problem.startswith(expected)


def test_a_fix_must_leave_code_that_parses_and_passes() -> None:
    broken = PATTERN.replace("good($$$A)", "'good('")
    assert (
        "does not parse once fixed"
        in problems("examples: {invalid: [bad(1)]}", constraint=broken)[0]
    )
    useless = PATTERN.replace("good($$$A)", "'bad($$$A, 1)'")
    assert (
        "still breaks the rule once fixed"
        in (problems("examples: {invalid: [bad(1)]}", constraint=useless)[0])
    )


def test_a_rule_over_facts_has_facts_as_examples() -> None:
    numeric = '{type: numeric, field_path: a.b, operator: "<", threshold: 3}'
    assert not problems(
        "examples: {valid: [{facts: {a: {b: 2}}}], invalid: [{facts: {a: {b: 3}}}]}",
        constraint=numeric,
    )
    assert problems("examples: {invalid: [{facts: {}}]}", constraint=numeric) == [
        "invalid[0] is not caught: the rule does not look at it, or cannot decide it"
    ]


def test_a_path_that_the_rule_excludes_is_valid() -> None:
    assert not problems(
        "paths: ['!tests/**']", "examples: {valid: [{code: bad(1), path: tests/a.py}]}"
    )


def test_a_failure_says_where_its_rule_stands() -> None:
    rule_set = rules(rule_text(f"constraints: [{PATTERN}]", "examples: {valid: [bad(1)]}"))
    (failure,) = run_examples(rule_set)
    assert str(failure).startswith("rules.yml:2: test.rule: valid[0] is caught")


def test_examples_of_rules_that_a_model_judges_are_passed_over() -> None:
    rule_set = rules(rule_text("examples: {invalid: [anything]}", kind="normative"))
    assert run_examples(rule_set) == []
