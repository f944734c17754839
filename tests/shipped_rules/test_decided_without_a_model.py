"""The engineering pack against a real change: what is computational is computed, not asked."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from jurat.engine.check import check_rules
from jurat.facts.assembly import build_subjects
from jurat.rules.config import Config
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import RuleKind
from jurat.rules.selection import SelectionCriteria, select_applicable
from jurat.source.diff_parser import parse_diff

DIFF = Path(__file__).parents[2] / "fixtures" / "diffs" / "payments-service.diff"


def test_no_computational_rule_of_the_pack_is_left_to_a_model() -> None:
    rule_set = load_ruleset(read_pack("engineering"))
    context = build_subjects(parse_diff(DIFF.read_bytes()))
    criteria = SelectionCriteria.of(Config.model_validate({"review": {"severity_min": "LOW"}}))
    selection = select_applicable(context, rule_set, criteria, dt.date(2026, 3, 2))
    undecided = check_rules(context, selection, rule_set).undecided
    assert [rule.id for rule in undecided if rule.kind is not RuleKind.NORMATIVE] == []
