"""The table in fixtures/rationales: every sub-score and flag is reasoned there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from jurat.audit import (
    RuleSet,
    banking_rules,
    decision_rationale_rules,
    groundlens_banking_rules,
    verdict_rationale_rules,
)
from jurat.audit.text import parse_text
from tests.support.growth import LINEAR, measure_growth

FIXTURES = Path(__file__).parents[2] / "fixtures" / "rationales"


def document(name: str) -> Mapping[str, Any]:
    text = (FIXTURES / f"{name}.yml").read_text(encoding="utf-8")
    loaded: Mapping[str, Any] = yaml.safe_load(text)
    return loaded


def cases(name: str, *rule_sets: RuleSet) -> Iterator[Any]:
    table = document(name)
    for entry in table["rationales"]:
        for rule_set in rule_sets:
            yield pytest.param({**table["case"], **entry}, rule_set, id=entry["name"])


@pytest.mark.parametrize(
    ("entry", "rule_set"),
    [
        *cases("decisions", decision_rationale_rules(), groundlens_banking_rules()),
        *cases("banking", banking_rules()),
    ],
)
def test_a_rationale_has_the_sub_scores_and_the_flag_that_its_fixture_reasons(
    entry: Mapping[str, Any], rule_set: RuleSet
) -> None:
    def audit() -> Any:
        return rule_set.evaluate(
            question=entry["question"],
            response=" ".join([entry["response"]] * entry.get("repeat", 1)),
            context=entry["context"],
            metadata=entry["metadata"],
            assume_metadata=entry.get("assume_metadata", False),
        )

    if "error" in entry:
        with pytest.raises(ValueError, match="^" + entry["error"].replace(".", r"\.") + "$"):
            audit()
        return
    result = audit()
    expected = {name: float(told.split()[0]) for name, told in entry["expected"].items()}
    assert result.sub_scores == expected, result.audit_explanation
    assert result.flagged is entry["flagged"]


@pytest.mark.parametrize("name", ["decisions", "banking"])
def test_the_reasons_in_the_fixtures_add_up(name: str) -> None:
    for entry in document(name)["rationales"]:
        for told in entry.get("expected", {}).values():
            score, _, reason = told.partition(" ")
            weights = [
                float(word.strip("';,()"))
                for word in reason.partition("- ")[0].split()
                if word.startswith(".")
            ]
            if weights:
                assert min(1.0, sum(weights)) == pytest.approx(float(score)), (entry["name"], told)


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(document("decisions")["rationales"]) >= 20


VERDICTS = document("verdicts")


@pytest.mark.parametrize("entry", VERDICTS["reasonings"], ids=lambda entry: entry["name"])
def test_a_reasoning_misses_the_rules_that_its_fixture_names(entry: Mapping[str, Any]) -> None:
    rule = VERDICTS["rules"][entry["rule"]]
    exceptions = rule.get("exceptions", [])
    result = verdict_rationale_rules(entry["verdict"]).evaluate(
        question="\n".join([rule["statement"], *exceptions]),
        response=" ".join([entry["reasoning"]] * entry.get("repeat", 1)),
        context=VERDICTS["material"],
        metadata={
            "confidence": 0.9,
            **entry,
            "exceptions": exceptions,
            "rule_id": rule["id"].replace(".", " "),
        },
    )
    missed = [item.rule_id for item in result.rule_results if not item.matched]
    assert sorted(missed) == sorted(f"verdict.{name}" for name in entry["missed"])
    assert result.flagged is entry["flagged"], result.audit_explanation


def test_flags_and_passes_of_both_verdicts_are_in_the_table() -> None:
    kinds = {(entry["verdict"], entry["flagged"]) for entry in VERDICTS["reasonings"]}
    assert kinds == {("DENY", True), ("DENY", False), ("ALLOW", True), ("ALLOW", False)}


def test_a_text_that_every_pattern_could_trip_over_is_read_in_linear_time() -> None:
    """A quadratic pattern would need hours here, not a moment."""
    hostile = "".join(
        piece * 30_000
        for piece in ("1.", "!", "“", '"', "`", "\n", " \t", "a.", "=== ", "§ ", "asks the ")
    )
    assert parse_text(hostile).length > 0
    for rule_set in (
        decision_rationale_rules(),
        banking_rules(),
        verdict_rationale_rules("DENY"),
        verdict_rationale_rules("ALLOW"),
    ):
        assert rule_set.evaluate(question=hostile, response=hostile, context=hostile).flagged


@pytest.mark.parametrize("unit", ["a", "a-", "1", " ", "from a to b "])
def test_one_long_run_of_a_text_is_read_in_linear_time(unit: str) -> None:
    rules = verdict_rationale_rules("DENY")

    def prepare(size: int) -> Callable[[], object]:
        text = f"{unit * size}x"
        rows = f"@@ -1 +1 @@\n-wait: 3{text}\n+wait: 4{text}"
        return lambda: rules.evaluate(question="Does it hold?", response=text, context=rows)

    assert measure_growth(prepare, 1_500) < LINEAR
