"""docs/rules.md and docs/flows.md: what they show loads and works, and they leave no key out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from jurat.engine.rule_examples import run_examples
from jurat.rules.constraints import (
    CodeConstraint,
    FactConstraint,
    LookupComparison,
    OrderConstraint,
)
from jurat.rules.flows import FlowVocabulary
from jurat.rules.loader import load_config, load_ruleset
from jurat.rules.rule import Authority, Example, Pack, Relations, Rule
from jurat.rules.sinks import KINDS
from jurat.rules.validation import StrictModel

DOCS = Path(__file__).parents[2] / "docs"
PAGE = "".join(DOCS.joinpath(name).read_text("utf-8") for name in ("rules.md", "flows.md"))
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
RULES = [text for language, text in BLOCKS if language == "yaml" and "- id:" in text]
(TABLE,) = (text for language, text in BLOCKS if language == "csv")
(CONFIGURATION,) = (text for language, text in BLOCKS if language == "yaml" and "- id:" not in text)


def test_every_rule_on_the_pages_loads_and_its_examples_hold() -> None:
    files = {f".github/rules/{n}.yml": text for n, text in enumerate(RULES)}
    rule_set = load_ruleset({**files, ".github/rules/tables/notice.csv": TABLE})
    assert len(rule_set) == 9
    assert [str(failure) for failure in run_examples(rule_set)] == []
    for rule in rule_set.rules.values():
        assert rule.examples.valid
        assert rule.examples.invalid


def test_the_configuration_on_the_pages_loads() -> None:
    assert load_config(".github/jurat.yml", CONFIGURATION).rules == (".github/rules",)


@pytest.mark.parametrize(
    "model",
    [
        Rule,
        Example,
        Pack,
        Authority,
        Relations,
        LookupComparison,
        OrderConstraint,
        FlowVocabulary,
        *get_args(FactConstraint),
        *get_args(CodeConstraint),
    ],
)
def test_every_key_stands_on_a_page(model: type[StrictModel]) -> None:
    words = set(re.findall(r"[a-z_]+", PAGE))
    assert set(model.model_fields) - {"origin"} <= words


def test_every_kind_of_sink_stands_on_a_page() -> None:
    assert set(re.findall(r"`([a-z]+)`", PAGE)) >= KINDS - {""}
