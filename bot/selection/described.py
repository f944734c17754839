"""What facts describe, where nobody says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set

from bot.corpus.rule import Corpus, Rule
from bot.subjects.context import Facts
from bot.subjects.kinds import SubjectKind

_FIRST_KEY = re.compile(r"[^.\[\]]+")


def described_kind(facts: Facts, corpus: Corpus) -> SubjectKind | None:
    """The kind that all rules which compute with one of `facts` are about.

    Without it, facts on overtime would be a decision, and the rule on the overtime of events would
    not be asked. None where no such rule names its kinds, where they have none in common, and where
    a decision, which facts are by default, is one that they have. Code is described by a change.
    """
    common: Set[SubjectKind] = frozenset(SubjectKind) - {SubjectKind.CODE_DIFF}
    named = [kinds for rule in corpus.rules.values() if (kinds := _kinds(rule, facts))]
    for kinds in named:
        common = common & kinds
    if not named or SubjectKind.DECISION in common:
        return None
    return next((kind for kind in SubjectKind if kind in common), None)


def _kinds(rule: Rule, facts: Mapping[str, object]) -> Set[SubjectKind]:
    """What a rule is about beside code, where it reads one of the facts."""
    if not rule.subject_kinds or facts.keys().isdisjoint(_keys_read(rule)):
        return frozenset()
    return frozenset(rule.subject_kinds) - {SubjectKind.CODE_DIFF}


def _keys_read(rule: Rule) -> Iterator[str]:
    for stated in (*rule.constraints, *rule.preconditions):
        path = getattr(stated, "field_path", "")
        if first := _FIRST_KEY.match(path):
            yield first.group()
