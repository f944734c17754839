"""What facts describe, where nobody says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from bot.corpus.rule import Corpus, Rule
from bot.subjects.context import Facts
from bot.subjects.kinds import SubjectKind

_FIRST_KEY = re.compile(r"[^.\[\]]+")


class Described(NamedTuple):
    """What the rules that compute with facts say of these.

    `kind` is the one that all of the rules are about. None where no such rule names its kinds,
    where they have none in common, and where what the facts belong to by default is one of them.
    `disputed` is every kind that one of the rules is about, where none is common: the facts are of
    all of them then, for to choose one would be to leave the other rules unasked.
    """

    kind: SubjectKind | None = None
    disputed: frozenset[SubjectKind] = frozenset()


def described(facts: Facts, corpus: Corpus, *, otherwise: SubjectKind) -> Described:
    """What `facts` describe, which belong to `otherwise` by default.

    Without it, facts on overtime would be a decision, or join a code diff, and the rule on the
    overtime of events would not be asked. Facts that do not join a code diff are never one by
    themselves.
    """
    possible = frozenset(SubjectKind)
    if otherwise is not SubjectKind.CODE_DIFF:
        possible -= {SubjectKind.CODE_DIFF}
    # Most changes come without facts: no rule need be looked at then.
    rules = corpus.rules.values() if facts else ()
    named = [kinds for rule in rules if (kinds := possible & _kinds(rule, facts))]
    if not named:
        return Described()
    common = frozenset.intersection(*named)
    if not common:
        return Described(disputed=frozenset.union(*named))
    if otherwise in common:
        return Described()
    return Described(next(kind for kind in SubjectKind if kind in common))


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
