"""The API that users of such checklists know: names, fields, accessors, defaults, errors."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import pytest

import jurat.audit
from jurat.audit import (
    ChecklistRule,
    RuleEvidence,
    RuleResult,
    RuleSet,
    RuleSetResult,
    banking_rules,
    decision_rationale_rules,
    groundlens_banking_rules,
    verdict_rationale_rules,
)

FIVE = ("groundedness", "completeness", "calibration", "traceability", "robustness")

WEIGHTS = {
    "grnd.claim_supported_by_context": 0.25,
    "grnd.atomic_decomposition": 0.20,
    "grnd.no_unsupported_extensions": 0.20,
    "grnd.regulatory_flag": 0.20,
    "grnd.counterfactual_robust": 0.15,
    "comp.addresses_all_parts": 0.40,
    "comp.governance_dimensions": 0.35,
    "comp.information_integration": 0.25,
    "cal.abstains_when_insufficient": 0.35,
    "cal.explicit_hedging": 0.30,
    "cal.confidence_score": 0.20,
    "cal.self_consistency": 0.15,
    "trace.specific_source_span": 0.25,
    "trace.natural_language_rationale": 0.20,
    "trace.falsifiable_actionable": 0.20,
    "trace.numeric_value": 0.15,
    "trace.audit_logged": 0.20,
    "rob.independent_validation": 0.40,
    "rob.prompt_injection_robust": 0.35,
    "rob.cross_source_conflict": 0.25,
}


def rule(
    rule_id: str = "custom.a", weight: float = 0.5, sub_score: str = "spec", *, matched: bool = True
) -> ChecklistRule:
    def check(_q: str, _r: str, _c: str | None, _m: dict[str, Any]) -> RuleEvidence:
        return RuleEvidence(matched, "span", "what was checked")

    return ChecklistRule(rule_id, "A rule.", weight, sub_score, check, "A source.")


def names(kind: type[Any]) -> list[str]:
    return [field.name for field in dataclasses.fields(kind)]


def test_the_names_can_be_imported() -> None:
    assert set(jurat.audit.__all__) == {
        "RuleEvidence",
        "ChecklistRule",
        "RuleResult",
        "RuleSetResult",
        "RuleSet",
        "banking_rules",
        "groundlens_banking_rules",
        "decision_rationale_rules",
        "verdict_rationale_rules",
    }


def test_evidence_has_its_fields() -> None:
    assert names(RuleEvidence) == ["matched", "span", "explanation"]
    evidence = RuleEvidence(matched=True, span="aml", explanation="names a flag")
    assert (evidence.matched, evidence.span, evidence.explanation) == (True, "aml", "names a flag")


def test_a_rule_has_its_fields() -> None:
    assert names(ChecklistRule) == [
        "id",
        "description",
        "weight",
        "sub_score",
        "check",
        "citation",
    ]
    given = rule()
    assert (given.id, given.description, given.weight) == ("custom.a", "A rule.", 0.5)
    assert (given.sub_score, given.citation) == ("spec", "A source.")
    assert given.check("q", "r", None, {}).matched
    without = ChecklistRule(
        id="x", description="d", weight=0.1, sub_score="spec", check=given.check
    )
    assert without.citation == ""


def test_a_result_echoes_its_rule() -> None:
    assert names(RuleResult) == [
        "rule_id",
        "sub_score",
        "weight",
        "matched",
        "evidence_span",
        "explanation",
    ]
    (first,) = RuleSet("s", (rule(),)).evaluate(question="q", response="r").rule_results
    assert first == RuleResult("custom.a", "spec", 0.5, True, "span", "what was checked")
    assert (first.rule_id, first.sub_score, first.weight) == ("custom.a", "spec", 0.5)
    assert (first.matched, first.evidence_span, first.explanation) == (
        True,
        "span",
        "what was checked",
    )


def test_the_whole_result_has_its_fields_and_accessors() -> None:
    assert names(RuleSetResult) == [
        "sub_scores",
        "quality",
        "flagged",
        "rule_results",
        "audit_explanation",
    ]
    accessors = ("spec", "expl", "bshift", *FIVE)
    scores = {name: (index + 1) / 10 for index, name in enumerate(accessors)}
    result = RuleSetResult(scores, 0.4, False, (), "text")
    assert {name: getattr(result, name) for name in accessors} == scores
    assert (result.quality, result.flagged, result.rule_results) == (0.4, False, ())
    assert result.audit_explanation == "text"
    empty = RuleSetResult({}, 0.0, True, (), "")
    assert [getattr(empty, name) for name in accessors] == [0.0] * 8


def test_a_rule_set_has_its_fields_and_defaults() -> None:
    assert names(RuleSet)[:5] == [
        "name",
        "rules",
        "sub_scores",
        "quality_floor",
        "flag_predicate",
    ]
    given = RuleSet("s", (rule(),))
    assert (given.name, given.rules[0].id) == ("s", "custom.a")
    assert given.sub_scores == ("spec", "expl", "bshift")
    assert given.quality_floor == 0.3
    assert given.flag_predicate is None
    assert given.assume_metadata is False
    assert given.provenance is None


def test_evaluate_takes_keywords_with_defaults() -> None:
    parameters = inspect.signature(RuleSet.evaluate).parameters
    wanted = ("question", "response", "context", "metadata")
    assert all(parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in wanted)
    assert parameters["context"].default is None
    assert parameters["metadata"].default is None
    assert parameters["assume_metadata"].default is False


def test_the_factories_have_their_defaults() -> None:
    for factory in (banking_rules, groundlens_banking_rules, decision_rationale_rules):
        assert inspect.signature(factory).parameters["quality_floor"].default == 0.3
    parameters = inspect.signature(decision_rationale_rules).parameters
    assert list(parameters)[:3] == ["domain", "regulations", "quality_floor"]
    assert parameters["domain"].default == "finance"
    assert parameters["regulations"].default == ()


@pytest.mark.parametrize("kind", [RuleEvidence, ChecklistRule, RuleResult, RuleSetResult, RuleSet])
def test_nothing_can_be_changed_afterwards(kind: type[Any]) -> None:
    assert kind.__dataclass_params__.frozen
    result = banking_rules().evaluate(question="q", response="r")
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.quality = 1.0  # type: ignore[misc]  # which is the point


def test_the_decision_rules_have_their_ids_and_weights() -> None:
    for rule_set in (decision_rationale_rules(), groundlens_banking_rules()):
        assert {item.id: item.weight for item in rule_set.rules} == WEIGHTS
        assert rule_set.sub_scores == FIVE
    assert decision_rationale_rules().name == "decision_rationale_v1_finance"
    assert groundlens_banking_rules().name == "groundlens_banking_v1"
    assert decision_rationale_rules().rules == groundlens_banking_rules().rules


def test_the_older_set_has_its_rules() -> None:
    rule_set = banking_rules(quality_floor=0.45)
    assert (rule_set.name, rule_set.quality_floor) == ("banking_v1", 0.45)
    counts = {
        name: sum(item.sub_score == name for item in rule_set.rules) for name in rule_set.sub_scores
    }
    assert counts == {"spec": 8, "expl": 8, "bshift": 6}


@pytest.mark.parametrize(
    "rule_set",
    [
        banking_rules(),
        decision_rationale_rules(),
        verdict_rationale_rules(),
        verdict_rationale_rules("ALLOW"),
    ],
    ids=lambda rule_set: rule_set.name,
)
def test_the_weights_of_each_sub_score_sum_to_one_and_each_rule_has_a_source(
    rule_set: RuleSet,
) -> None:
    for name in rule_set.sub_scores:
        weights = [item.weight for item in rule_set.rules if item.sub_score == name]
        assert sum(weights) == pytest.approx(1.0), name
    assert all(item.citation and item.description for item in rule_set.rules)
    assert len({item.id for item in rule_set.rules}) == len(rule_set.rules)


@pytest.mark.parametrize("response", ["", " ", "\n\t", "\u3000"])
def test_a_blank_response_is_an_error(response: str) -> None:
    for rule_set in (banking_rules(), decision_rationale_rules(), verdict_rationale_rules()):
        with pytest.raises(ValueError, match=r"^response must be a non-empty string\.$"):
            rule_set.evaluate(question="q", response=response)


def test_a_rule_of_no_sub_score_of_the_set_is_reported_and_not_counted() -> None:
    rule_set = RuleSet("s", (rule(), rule("custom.b", 0.9, "other")))
    result = rule_set.evaluate(question="q", response="r")
    assert result.sub_scores == {"spec": 0.5, "expl": 0.0, "bshift": 0.0}
    assert [item.rule_id for item in result.rule_results] == ["custom.a", "custom.b"]
    assert "Not counted" in result.audit_explanation


def test_without_a_predicate_the_floor_holds_for_spec_and_expl_and_not_for_bshift() -> None:
    rules = (rule("a", 0.3, "spec"), rule("b", 0.3, "expl"))
    assert not RuleSet("s", rules).evaluate(question="q", response="r").flagged
    assert RuleSet("s", rules[:1]).evaluate(question="q", response="r").flagged
    assert RuleSet("s", rules, quality_floor=0.31).evaluate(question="q", response="r").flagged


def test_without_spec_and_expl_the_floor_holds_for_every_sub_score() -> None:
    rules = (rule("a", 0.3, "tone"), rule("b", 0.2, "length"))
    result = RuleSet("s", rules, ("tone", "length")).evaluate(question="q", response="r")
    assert result.flagged
    assert "length 0.2 is below 0.3" in result.audit_explanation


def test_a_predicate_of_the_callers_own_decides() -> None:
    seen: list[dict[str, float]] = []

    def predicate(sub_scores: dict[str, float]) -> bool:
        seen.append(sub_scores)
        return sub_scores["spec"] > 0.4

    result = RuleSet("s", (rule(),), flag_predicate=predicate).evaluate(question="q", response="r")
    assert result.flagged is True
    assert seen == [{"spec": 0.5, "expl": 0.0, "bshift": 0.0}]
    assert "predicate of the set's own" in result.audit_explanation
    assert "0.3" not in result.audit_explanation


@pytest.mark.parametrize(
    ("scores", "flagged"),
    [
        ((0.5, 0.3, 0.4), False),
        ((0.4999, 0.3, 0.4), True),
        ((0.5, 0.2999, 0.4), True),
        ((0.5, 0.3, 0.3999), True),
        ((1.0, 1.0, 1.0), False),
    ],
)
def test_the_default_thresholds_are_strict(
    scores: tuple[float, float, float], flagged: bool
) -> None:
    predicate = decision_rationale_rules(quality_floor=0.99).flag_predicate
    assert predicate is not None
    given = dict(zip(("groundedness", "calibration", "traceability"), scores, strict=True))
    assert predicate({**given, "completeness": 0.0, "robustness": 0.0}) is flagged


def test_the_printed_thresholds_are_those_that_were_applied() -> None:
    text = (
        decision_rationale_rules(quality_floor=0.77)
        .evaluate(question="q", response="r")
        .audit_explanation
    )
    assert "groundedness 0.5, calibration 0.3, traceability 0.4" in text
    assert "0.77" not in text
    older = banking_rules(quality_floor=0.123456789).evaluate(question="q", response="r")
    assert "spec 0.123456789, expl 0.123456789" in older.audit_explanation


def test_the_explanation_names_the_set_the_result_and_every_rule() -> None:
    for rule_set in (banking_rules(), decision_rationale_rules(), verdict_rationale_rules()):
        result = rule_set.evaluate(question="q", response="The AML flag is present.")
        text = result.audit_explanation
        assert f"Ruleset: {rule_set.name}\n" in text
        assert "\nResult: FLAGGED (quality 0.0000)\n" in text
        for item in rule_set.rules:
            assert f"[{item.id}] {item.description}\n" in text
            assert f"Source: {item.citation}" in text
        for name, value in result.sub_scores.items():
            assert f"\n{name} {value}\n" in text


def test_evidence_is_shown_on_one_line_and_does_nothing() -> None:
    def check(_q: str, _r: str, _c: str | None, _m: dict[str, Any]) -> RuleEvidence:
        return RuleEvidence(matched=True, span="a\n\x1b[31mb\u202e" + "x" * 999, explanation="e\r")

    rule_set = RuleSet("s", (ChecklistRule("a", "d", 1.0, "spec", check),))
    text = rule_set.evaluate(question="q", response="r").audit_explanation
    assert 'e : "a U+001B[31mbU+202Ex' in text
    assert all(line.isprintable() for line in text.split("\n"))
    assert len(text) < 600


def test_metadata_that_is_absent_is_unknown_unless_it_is_assumed() -> None:
    told = {"question": "q", "response": "The AML flag is present."}
    strict = decision_rationale_rules().evaluate(**told)
    here = decision_rationale_rules().evaluate(**told, assume_metadata=True)
    everywhere = decision_rationale_rules(assume_metadata=True).evaluate(**told)
    keys = ("grnd.regulatory_flag", "grnd.counterfactual_robust", "cal.self_consistency")
    keys += ("trace.audit_logged", "rob.prompt_injection_robust")
    for result, wanted in ((strict, False), (here, True), (everywhere, True)):
        matched = {item.rule_id: item.matched for item in result.rule_results}
        assert [matched[key] for key in keys] == [wanted] * 5
    unknown = {item.rule_id: item.explanation for item in strict.rule_results}
    assert all("unknown: the metadata has no" in unknown[key] for key in keys)


def test_the_callers_metadata_is_not_changed() -> None:
    metadata: dict[str, Any] = {"flags_present": ["AML"]}
    decision_rationale_rules(assume_metadata=True).evaluate(
        question="q", response="r", metadata=metadata
    )
    assert metadata == {"flags_present": ["AML"]}


def test_an_independent_review_may_stand_in_the_metadata() -> None:
    for value, wanted in ((True, 0.4), ("yes", 0.0), (None, 0.0)):
        result = decision_rationale_rules().evaluate(
            question="q", response="r", metadata={"independent_review_completed": value}
        )
        assert result.robustness == wanted


def test_only_deny_and_allow_have_a_set() -> None:
    assert verdict_rationale_rules().name == "verdict_rationale_v1_deny"
    assert verdict_rationale_rules("ALLOW").name == "verdict_rationale_v1_allow"
    with pytest.raises(ValueError, match=r"unknown verdict 'MAYBE'; known are DENY, ALLOW"):
        verdict_rationale_rules("MAYBE")
