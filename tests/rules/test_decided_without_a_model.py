"""The engineering pack against a real change: what is computational is computed, not asked."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from bot.corpus.configuration import Configuration
from bot.corpus.loading import load_corpus
from bot.corpus.packs import read_pack
from bot.corpus.rule import RuleKind
from bot.dispatch.dispatching import dispatch
from bot.selection.metadata import select
from bot.selection.selection import Criteria
from bot.subjects.assembly import assemble
from bot.subjects.diff import parse_diff

DIFF = Path(__file__).parents[2] / "fixtures" / "diffs" / "payments-service.diff"


def test_no_computational_rule_of_the_pack_is_left_to_a_model() -> None:
    corpus = load_corpus(read_pack("engineering"))
    context = assemble(parse_diff(DIFF.read_bytes()))
    criteria = Criteria.of(Configuration.model_validate({"review": {"severity_min": "LOW"}}))
    selection = select(context, corpus, criteria, dt.date(2026, 3, 2))
    undecided = dispatch(context, selection, corpus).undecided
    assert [rule.id for rule in undecided if rule.kind is not RuleKind.NORMATIVE] == []
