"""Recall of rule selection on the labelled changes. It may rise, and must not fall unseen."""

from __future__ import annotations

import dataclasses

import pytest

from jurat.rules.rule import RuleKind
from jurat.rules.selection import select_applicable
from tests.rules import labelled

CHANGES = labelled.changes()


def test_there_are_enough_rules_changes_and_domains() -> None:
    rules = labelled.rule_set().rules
    assert len(rules) >= 150
    assert len(CHANGES) >= 60
    assert len({rule_id.partition(".")[0] for rule_id in rules}) >= 10
    assert {rule.kind for rule in rules.values()} == {RuleKind.NORMATIVE}


def test_every_label_is_a_rule_whose_metadata_fits() -> None:
    for change in CHANGES:
        fitting = {rule.id for rule in labelled.candidates(change)}
        assert change.right
        assert change.right <= fitting, change.context.intent


def test_relevance_alone_finds_most_of_the_right_rules() -> None:
    found = labelled.recall([labelled.by_relevance(change) for change in CHANGES])
    assert found.at_10 / found.labels >= 0.75
    assert found.at_20 / found.labels >= 0.82


def test_authority_costs_no_recall() -> None:
    alone = labelled.recall([labelled.by_relevance(change) for change in CHANGES])
    found = labelled.recall([labelled.by_authority(change) for change in CHANGES])
    assert found.at_20 >= alone.at_20
    assert found.at_20 / found.labels >= 0.84


def test_no_relevance_finds_few_of_them() -> None:
    found = labelled.recall(
        [labelled.by_relevance(change, lambda *given: [0.0] * len(given[2])) for change in CHANGES]
    )
    assert found.at_20 / found.labels < 0.25


def test_the_whole_selection_keeps_what_may_block_and_the_best_of_the_rest() -> None:
    kept = 0
    for change in CHANGES:
        criteria = dataclasses.replace(labelled.EVERYTHING, max_rules=100)
        selection = select_applicable(change.context, labelled.rule_set(), criteria, labelled.TODAY)
        assert len(selection.rules) <= 100
        kept += len(change.right & {rule.id for rule in selection.rules})
    assert kept / sum(len(change.right) for change in CHANGES) >= 0.75


@pytest.mark.parametrize("change", CHANGES[:3], ids=lambda change: change.context.intent[:20])
def test_a_ranking_is_the_same_every_time(change: labelled.LabelledChange) -> None:
    assert labelled.by_authority(change) == labelled.by_authority(change)
