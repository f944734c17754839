"""Rule sets that users write, and every way to write them wrongly."""

from __future__ import annotations

import pytest

from jurat.audit.custom import load_rule_set
from jurat.errors import RuleError

GOOD = r"""
version: 1
name: acme_reviews_v1
sub_scores: [reasons, specificity]
flag_below: {specificity: 0.6}
rules:
  - id: acme.names-owner
    description: An owner is named.
    weight: 0.4
    sub_score: specificity
    words: [owner, "accountab*"]
    citation: House rule 12
  - id: acme.cites-decision
    description: A decision record is cited.
    weight: 0.6
    sub_score: specificity
    regex: '\bADR-\d+\b'
  - id: acme.reasons
    description: A reason is given.
    weight: 1
    sub_score: reasons
    words: [because]
"""


def test_words_and_patterns_match_in_any_letter_case() -> None:
    rule_set = load_rule_set("acme.yml", GOOD)
    assert rule_set.name == "acme_reviews_v1"
    result = rule_set.evaluate(
        question="q", response="ACCOUNTABLE is team A, see adr-12, BECAUSE it is so."
    )
    assert list(result.sub_scores.items()) == [("reasons", 1.0), ("specificity", 1.0)]
    assert not result.flagged
    spans = [item.evidence_span for item in result.rule_results]
    assert spans == ["accountable", "adr-12", "because"]
    assert "Source: House rule 12" in result.audit_explanation
    assert "Thresholds, flagged below: specificity 0.6." in result.audit_explanation


def test_the_thresholds_of_the_file_decide() -> None:
    rule_set = load_rule_set("acme.yml", GOOD)
    assert rule_set.evaluate(question="q", response="The owner, because.").flagged
    assert not rule_set.evaluate(question="q", response="ADR-1").flagged


def test_words_inside_words_are_not_those_words() -> None:
    rule_set = load_rule_set("acme.yml", GOOD)
    result = rule_set.evaluate(question="q", response="Downers and unaccountability.")
    assert set(result.sub_scores.values()) == {0.0}


def test_without_thresholds_the_floor_holds_for_each_sub_score() -> None:
    text = GOOD.replace("flag_below: {specificity: 0.6}", "quality_floor: 0.5")
    rule_set = load_rule_set("acme.yml", text.replace("sub_scores: [reasons, specificity]\n", ""))
    assert rule_set.sub_scores == ("specificity", "reasons")
    result = rule_set.evaluate(question="q", response="ADR-1")
    assert result.flagged
    assert "reasons 0.0 is below 0.5" in result.audit_explanation


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("  citation:", "  citatoin:", "acme.yml:12: rules[0].citatoin: unknown key; did you mean"),
        ("weight: 0.4", "weight: 1.4", "acme.yml:9: rules[0].weight: must be at most 1"),
        ("weight: 0.4", "weight: 0", "acme.yml:9: rules[0].weight: must be more than 0"),
        ("weight: 0.4", "weight: a lot", "acme.yml:9: rules[0].weight: must be a number"),
        ("    citation: House rule 12", "    citation: 12", "acme.yml:12: rules[0].citation: must"),
        ("name: acme_reviews_v1", "name: ''", "acme.yml:3: name: must not be empty"),
        ("version: 1", "version: 2", "acme.yml:2: version: must be one of 1"),
        (
            "id: acme.reasons",
            "id: acme.names-owner",
            "acme.yml:18: rules[2].id: the id 'acme.names-owner' stands on line 7 already",
        ),
        (
            "sub_score: reasons",
            "sub_score: reason",
            "acme.yml:21: rules[2].sub_score: unknown sub-score 'reason'; did you mean 'reasons'?",
        ),
        (
            "flag_below: {specificity: 0.6}",
            "flag_below: {specifity: 0.6}",
            "acme.yml:5: flag_below.specifity: unknown sub-score; did you mean 'specificity'?",
        ),
        (
            "[reasons, specificity]",
            "[reasons, specificity, tone]",
            "acme.yml:4: sub_scores[2]: no rule has this sub-score",
        ),
        (
            "[reasons, specificity]",
            "[reasons, specificity, reasons]",
            "acme.yml:4: sub_scores[2]: stands twice",
        ),
        ("[because]", "[]", "acme.yml:22: rules[2].words: must not be empty"),
        ("[because]", "['be*cause']", "acme.yml:22: rules[2].words[0]: 'be*cause' is no phrase"),
        (
            "    words: [because]",
            "    words: [because]\n    regex: x",
            "acme.yml:18: rules[2]: needs either words or a regex, and not both",
        ),
        ("    words: [because]", "", "acme.yml:18: rules[2]: needs either words or a regex"),
        (r"'\bADR-\d+\b'", "'(ADR'", "acme.yml:17: rules[1].regex: not a regular expression"),
        (r"'\bADR-\d+\b'", "'A*'", "acme.yml:17: rules[1].regex: matches the empty text"),
        (r"'\bADR-\d+\b'", r"'(?=A)A'", "acme.yml:17: rules[1].regex: not a regular expression"),
    ],
)
def test_a_mistake_is_named_with_file_line_and_key(old: str, new: str, told: str) -> None:
    assert old in GOOD
    with pytest.raises(RuleError) as caught:
        load_rule_set("acme.yml", GOOD.replace(old, new))
    errors = [str(error) for error in (caught.value, *caught.value.others)]
    assert any(error.startswith(told) for error in errors), errors


def test_all_mistakes_are_named_at_once() -> None:
    text = GOOD.replace("weight: 0.4", "weight: 2").replace("weight: 0.6", "weight: 3")
    with pytest.raises(RuleError) as caught:
        load_rule_set("acme.yml", text)
    assert [error.line for error in (caught.value, *caught.value.others)] == [9, 15]


@pytest.mark.parametrize("text", ["", "rules: []", "- a", "rules: {", "name: x"])
def test_what_is_no_rule_set_is_an_error(text: str) -> None:
    with pytest.raises(RuleError, match=r"^acme\.yml"):
        load_rule_set("acme.yml", text)
