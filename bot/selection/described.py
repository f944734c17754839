"""What facts describe, where nobody says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.corpus.rule import Corpus, Rule
from bot.subjects.context import Facts
from bot.subjects.kinds import SubjectKind

_FIRST_KEY = re.compile(r"[^.\[\]]+")


def described_kind(facts: Facts, corpus: Corpus, *, otherwise: SubjectKind) -> SubjectKind | None:
    """The kind that all rules which compute with one of `facts` are about.

    Without it, facts on overtime would be a decision, or join a code diff, and the rule on the
    overtime of events would not be asked. None where no such rule names its kinds, where they have
    none in common, and where `otherwise`, which the facts belong to by default, is one of them.
    Facts that do not join a code diff are never one by themselves.
    """
    possible = _possible(otherwise)
    named = _named(facts, corpus, possible)
    common = possible.intersection(*named)
    if not named or otherwise in common:
        return None
    return next((kind for kind in SubjectKind if kind in common), None)


def disputed_kinds(
    facts: Facts, corpus: Corpus, *, otherwise: SubjectKind
) -> frozenset[SubjectKind]:
    """Every kind that a rule which computes with one of `facts` is about, where none is common.

    The facts are of all of them then: to choose one would be to leave the other rules unasked.
    """
    named = _named(facts, corpus, _possible(otherwise))
    if not named or frozenset.intersection(*named):
        return frozenset()
    return frozenset.union(*named)


def _possible(otherwise: SubjectKind) -> frozenset[SubjectKind]:
    every = frozenset(SubjectKind)
    return every if otherwise is SubjectKind.CODE_DIFF else every - {SubjectKind.CODE_DIFF}


def _named(
    facts: Facts, corpus: Corpus, possible: frozenset[SubjectKind]
) -> list[frozenset[SubjectKind]]:
    return [kinds for rule in corpus.rules.values() if (kinds := possible & _kinds(rule, facts))]


def _kinds(rule: Rule, facts: Facts) -> frozenset[SubjectKind]:
    """What a rule is about, where it reads one of the facts."""
    if not rule.subject_kinds or facts.keys().isdisjoint(_keys_read(rule)):
        return frozenset()
    return frozenset(rule.subject_kinds)


def _keys_read(rule: Rule) -> Iterator[str]:
    for stated in (*rule.constraints, *rule.preconditions):
        path = getattr(stated, "field_path", "")
        if first := _FIRST_KEY.match(path):
            yield first.group()
