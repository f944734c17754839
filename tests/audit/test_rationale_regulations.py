"""The explanation narrowed to the regulations that a reader has to answer to."""

from __future__ import annotations

import itertools

import pytest

from jurat.audit import decision_rationale_rules
from jurat.audit.provenance import PROVENANCE, REGULATIONS

KEYS = {
    "eu_ai_act",
    "sr_26_2",
    "sr_11_7",
    "nist_ai_600_1",
    "nist_ai_rmf",
    "iso_42001",
    "ecb_internal_models",
    "eba_gl_2020_06",
    "pra_ss1_23",
    "hipaa",
    "gdpr",
}


def explained(*regulations: str) -> str:
    rule_set = decision_rationale_rules(regulations=regulations)
    return rule_set.evaluate(question="q", response="The AML flag is present.").audit_explanation


def sources(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith("Source: ")]


def test_the_keys_are_known() -> None:
    assert set(REGULATIONS) == KEYS


def test_every_provision_is_of_a_known_regulation_and_every_regulation_is_provided_for() -> None:
    used = set(itertools.chain.from_iterable(item.provisions for item in PROVENANCE.values()))
    assert used == KEYS


@pytest.mark.parametrize("key", sorted(KEYS))
def test_only_the_regulation_asked_for_is_shown(key: str) -> None:
    shown = sources(explained(key))
    assert len(shown) == 20
    others = [name for other, name in REGULATIONS.items() if other != key]
    for line, rule in zip(shown, decision_rationale_rules().rules, strict=True):
        if key in PROVENANCE[rule.id].provisions:
            assert line.startswith(f"Source: {REGULATIONS[key]} ")
        else:
            assert line == "Source: none in the regulations asked for"
        assert not any(name in line for name in others)


def test_several_are_shown_together_in_one_order() -> None:
    assert explained("gdpr", "eu_ai_act") == explained("eu_ai_act", "gdpr", "gdpr")
    (first, *_) = sources(explained("gdpr", "eu_ai_act"))
    assert first.index("EU AI Act") < first.index("GDPR")


def test_rules_weights_and_scores_stay_the_same() -> None:
    narrow, wide = decision_rationale_rules(regulations=("hipaa",)), decision_rationale_rules()
    assert narrow.rules == wide.rules
    assert (narrow.name, narrow.sub_scores) == (wide.name, wide.sub_scores)
    given = {"question": "q", "response": "The AML flag is present."}
    assert narrow.evaluate(**given).rule_results == wide.evaluate(**given).rule_results


def test_without_regulations_each_rule_shows_all_its_sources_in_full() -> None:
    shown = sources(explained())
    assert [line.removeprefix("Source: ") for line in shown] == [
        rule.citation for rule in decision_rationale_rules().rules
    ]


def test_what_is_unknown_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown regulation 'GDPR'; known are eu_ai_act, "):
        decision_rationale_rules(regulations=("gdpr", "GDPR"))
    with pytest.raises(ValueError, match="unknown domain 'healthcare'; known are finance"):
        decision_rationale_rules(domain="healthcare")
