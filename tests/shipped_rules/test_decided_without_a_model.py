"""The engineering pack against a real change: what is computational is computed, not asked."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from jurat.engine.check import dispatch
from jurat.facts.assembly import assemble
from jurat.rules.config import Configuration
from jurat.rules.loader import load_corpus, read_pack
from jurat.rules.rule import RuleKind
from jurat.rules.selection import Criteria, select
from jurat.source.diff_parser import parse_diff

DIFF = Path(__file__).parents[2] / "fixtures" / "diffs" / "payments-service.diff"


def test_no_computational_rule_of_the_pack_is_left_to_a_model() -> None:
    corpus = load_corpus(read_pack("engineering"))
    context = assemble(parse_diff(DIFF.read_bytes()))
    criteria = Criteria.of(Configuration.model_validate({"review": {"severity_min": "LOW"}}))
    selection = select(context, corpus, criteria, dt.date(2026, 3, 2))
    undecided = dispatch(context, selection, corpus).undecided
    assert [rule.id for rule in undecided if rule.kind is not RuleKind.NORMATIVE] == []
