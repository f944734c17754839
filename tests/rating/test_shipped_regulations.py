"""The three packs that come with Jurat hold the clauses that they promise."""

from __future__ import annotations

import pytest

from jurat.rating.law import choose_packs, load_regulations
from jurat.rating.named_rules import list_named_rules
from jurat.rating.pack import AI_CLASSES, Classification, RegulationPack, RiskClass
from jurat.rules.loader import list_packs
from jurat.rules.loader import list_regulations as shipped_ids
from tests.support.rating import ALL_APPLY

CLAUSES = {
    "eu-ai-act": [
        "4",
        *(f"5(1)({point})" for point in ("a", "b", "ba", "bb", *"cdefgh")),
        *("9", "10", "11", "12(1)", "12(2)", "13", "14(1)", "14(4)(d)", "14(4)(e)"),
        *("15(1)", "15(4)", "15(5)", "19", "26(6)", "27", "50(1)", "50(2)", "50(3)", "50(4)"),
        *("72", "73"),
    ],
    "gdpr": ["5", "13", "17", "22", "25", "30", "32", "35"],
    "nist-ai-rmf": [
        *("GOVERN 1.4", "GOVERN 1.5", "MAP 1.1", "MAP 3.4", "MEASURE 2.3", "MEASURE 2.7"),
        *("MEASURE 2.8", "MEASURE 2.11", "MANAGE 2.3", "MANAGE 4.1"),
    ],
}


def test_each_pack_has_exactly_its_clauses() -> None:
    found = {
        pack.regulation.id: [clause.id for clause in pack.clauses]
        for pack in load_regulations(ALL_APPLY)
    }
    assert found == CLAUSES


def test_a_file_is_named_by_its_regulation() -> None:
    assert shipped_ids() == tuple(CLAUSES)


def test_regulations_are_no_pack_of_rules() -> None:
    assert "regulations" not in list_packs()


@pytest.mark.parametrize("pack", load_regulations(ALL_APPLY), ids=lambda pack: pack.regulation.id)
def test_weights_add_up_to_one(pack: RegulationPack) -> None:
    for clause in pack.clauses:
        total = sum(item.weight for item in clause.checker.deterministic)
        assert total == pytest.approx(1.0), clause.id


def test_prohibitions_alone_apply_to_what_is_no_ai_system() -> None:
    for pack in load_regulations(ALL_APPLY):
        for clause in pack.clauses:
            for_all = RiskClass.NOT_AI in clause.in_scope_when.risk
            assert for_all == clause.negative == clause.id.startswith("5(1)"), clause.id
            assert for_all or set(clause.in_scope_when.risk) <= set(AI_CLASSES)


def test_what_code_cannot_tell_is_left_to_a_person() -> None:
    external = [
        clause.id
        for pack in load_regulations(ALL_APPLY)
        for clause in pack.clauses
        if clause.classification is Classification.EXTERNAL
    ]
    assert external == ["5(1)(bb)", "5(1)(h)"]


def test_every_named_rule_is_used() -> None:
    used = {
        item.rule
        for pack in load_regulations(ALL_APPLY)
        for clause in pack.clauses
        for item in clause.checker.deterministic
    }
    assert used == set(list_named_rules())


def test_regulations_are_chosen_by_id_and_each_once() -> None:
    assert [pack.regulation.id for pack in choose_packs(["gdpr", "gdpr"], ALL_APPLY)] == ["gdpr"]
    assert len(choose_packs([], ALL_APPLY)) == 3
