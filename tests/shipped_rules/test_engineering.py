"""The shipped pack: every example comes out as its rule says."""

from __future__ import annotations

import re

import pytest

from jurat.engine.rule_examples import find_in_example, is_runnable, run_examples
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import Example, Rule, RuleKind

CORPUS = load_ruleset(read_pack("engineering"))
RULES = list(CORPUS.rules.values())


def by_id(rule: Rule) -> str:
    return rule.id


def test_every_rule_passes_the_checks_that_loading_a_shipped_pack_leaves_out() -> None:
    files = {path.replace(":", "/"): text for path, text in read_pack("engineering").items()}
    assert load_ruleset(files).rules.keys() == CORPUS.rules.keys()


def test_every_example_comes_out_as_its_rule_says() -> None:
    assert [str(failure) for failure in run_examples(CORPUS)] == []


@pytest.mark.parametrize("rule", RULES, ids=by_id)
def test_a_rule_explains_itself_and_has_examples_of_both_sorts(rule: Rule) -> None:
    assert len(rule.examples.valid) >= 2
    assert len(rule.examples.invalid) >= 2
    assert rule.rationale
    assert rule.fix
    assert rule.tags
    assert any("https://" in reference for reference in rule.references)


def test_the_pack_covers_its_three_languages_and_the_change_as_a_whole() -> None:
    names = [rule.id.split(".")[0] for rule in RULES]
    assert len(RULES) >= 30
    for family, least in {"py": 10, "js": 5, "go": 4, "secrets": 3, "change": 4}.items():
        assert names.count(family) >= least
    assert sum(rule.kind is RuleKind.NORMATIVE for rule in RULES) >= 2


def test_most_patterns_that_can_be_fixed_have_a_proven_fix() -> None:
    fixed = {
        rule.id
        for rule in RULES
        for example in rule.examples.invalid
        if isinstance(example, Example) and example.fixed is not None
    }
    assert len(fixed) >= 14


def test_rules_of_taste_only_observe() -> None:
    shadows = {rule.id for rule in RULES if rule.shadow}
    assert {"change.too-large", "change.function-too-long", "js.console-log"} <= shadows
    assert not any(rule.severity.rank == 3 for rule in RULES if rule.shadow)


@pytest.mark.parametrize("rule", [rule for rule in RULES if is_runnable(rule)], ids=by_id)
def test_a_rule_says_what_is_wrong_and_not_what_is_right(rule: Rule) -> None:
    said = [
        finding.message
        for example in rule.examples.invalid
        for finding in find_in_example(rule, CORPUS, example)
    ]
    assert len(said) >= len(rule.examples.invalid)
    for message in said:
        assert rule.statement not in message
        assert not re.search(r"\$[A-Z]{3,}|(?<![\"'])\$[a-z]+\b(?!\w*Raw)", message)
        assert message.endswith(".")


def test_a_secret_is_never_repeated() -> None:
    for rule in RULES:
        if "secrets" in rule.tags:
            for example in rule.examples.invalid:
                for finding in find_in_example(rule, CORPUS, example):
                    assert not re.search(r"[0-9]", finding.message)
