"""An index over the metadata of all rules, so that a change asks only about what it can meet.

Built once for a corpus. It says in one go what `metadata.reason_against` says rule by rule, and
exactly that: a property test holds the two together.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import TypeVar

from bot.corpus.rule import Corpus, Modality, Rule, Severity
from bot.selection.fitting import names_files, needs_file
from bot.selection.members import Members, Postings, members_of, postings_of, union
from bot.selection.path_index import PathIndex, path_index
from bot.selection.selection import Criteria
from bot.subjects.context import EvaluationContext
from bot.subjects.kinds import SubjectKind

T = TypeVar("T")
Scope = tuple[str, ...]
Dated = tuple[tuple[dt.date, int], ...]
"""Days in their order, each with the position of a rule."""


@dataclass(frozen=True, slots=True)
class RuleIndex:
    """What is known of a corpus before any change is seen. Made by `index_of`.

    `at_scope` holds the rules of exactly a scope, `under_scope` those of the scope or one below it.
    `since` and `until` hold the first and the last day of rules that have one. `about_facts` are
    the rules that facts without a file can meet, `without_files` those that mention no files.
    """

    rules: tuple[Rule, ...]
    everything: Members
    by_severity: Mapping[Severity, Members]
    by_modality: Mapping[Modality, Members]
    by_kind: Mapping[SubjectKind, Members]
    by_tag: Mapping[str, Postings]
    unscoped: Members
    at_scope: Mapping[Scope, Postings]
    under_scope: Mapping[Scope, Postings]
    since: Dated
    until: Dated
    about_facts: Members
    without_files: Members
    with_files: PathIndex

    def those(self, members: Members) -> tuple[Rule, ...]:
        """The members, in the corpus's order."""
        return tuple(compress(self.rules, members.to_bytes(len(self.rules), "little")))


@lru_cache(maxsize=8)
def index_of(corpus: Corpus) -> RuleIndex:
    """The index of a corpus, kept for the last few corpora: a corpus never changes."""
    rules = tuple(corpus.rules.values())
    size = len(rules)
    about_files = [(at, rule) for at, rule in enumerate(rules) if names_files(rule)]
    everything = members_of(range(size), size)
    return RuleIndex(
        rules=rules,
        everything=everything,
        by_severity=_sets(rules, lambda rule: (rule.severity,)),
        by_modality=_sets(rules, lambda rule: (rule.modality,)),
        by_kind=_sets(rules, lambda rule: rule.subject_kinds or SubjectKind),
        by_tag=_postings(rules, lambda rule: rule.tags),
        unscoped=members_of((at for at, rule in enumerate(rules) if not rule.scope), size),
        at_scope=_postings(rules, lambda rule: map(_segments, rule.scope)),
        under_scope=_postings(rules, _scopes_above),
        since=_dated((rule.effective.since, at) for at, rule in enumerate(rules)),
        until=_dated((rule.effective.until, at) for at, rule in enumerate(rules)),
        about_facts=members_of((at for at, rule in enumerate(rules) if not needs_file(rule)), size),
        without_files=everything ^ members_of((at for at, _ in about_files), size),
        with_files=path_index(about_files, size),
    )


def applicable(
    index: RuleIndex, context: EvaluationContext, criteria: Criteria, today: dt.date
) -> Members:
    """The rules whose metadata fits."""
    found = _in_force(index, today)
    found &= _any_of(
        index.by_severity, (each for each in Severity if each.rank >= criteria.severity_min.rank)
    )
    if criteria.modalities:
        found &= _any_of(index.by_modality, criteria.modalities)
    if criteria.tags:
        tagged = (index.by_tag[tag] for tag in criteria.tags if tag in index.by_tag)
        found &= union(tagged, len(index.rules))
    if context.scope is not None:
        asked = (_segments(scope) for scope in (context.scope, context.repository) if scope)
        found &= _in_scope(index, asked)
    meant = 0
    for subject in context.subjects:
        fitting = index.about_facts
        if any(file.unlisted for file in subject.files):
            fitting = index.everything
        elif subject.files:
            fitting = index.without_files | index.with_files.about(subject.files)
        meant |= fitting & _any_of(index.by_kind, subject.kinds)
    return found & meant


def _in_force(index: RuleIndex, today: dt.date) -> Members:
    early = index.since[bisect_right(index.since, today, key=_day) :]
    late = index.until[: bisect_left(index.until, today, key=_day)]
    if not early and not late:
        return index.everything
    selector = bytearray(b"\x01") * len(index.rules)
    for _, position in (*early, *late):
        selector[position] = 0
    return int.from_bytes(selector, "little")


def _in_scope(index: RuleIndex, asked: Iterable[Scope]) -> Members:
    """The rules without a scope, and those whose scope begins as one asked for, or it as theirs."""
    met: list[Postings] = []
    for scope in asked:
        *above, _ = _lineage(scope)
        met += (index.at_scope[part] for part in above if part in index.at_scope)
        if scope in index.under_scope:
            met.append(index.under_scope[scope])
    return index.unscoped | union(met, len(index.rules))


def _any_of(sets: Mapping[T, Members], wanted: Iterable[T]) -> Members:
    together = 0
    for key in wanted:
        together |= sets.get(key, 0)
    return together


def _positions(
    rules: tuple[Rule, ...], values: Callable[[Rule], Iterable[T]]
) -> dict[T, list[int]]:
    found: defaultdict[T, list[int]] = defaultdict(list)
    for position, rule in enumerate(rules):
        for value in dict.fromkeys(values(rule)):
            found[value].append(position)
    return found


def _sets(rules: tuple[Rule, ...], values: Callable[[Rule], Iterable[T]]) -> dict[T, Members]:
    size = len(rules)
    return {value: members_of(at, size) for value, at in _positions(rules, values).items()}


def _postings(rules: tuple[Rule, ...], values: Callable[[Rule], Iterable[T]]) -> dict[T, Postings]:
    size = len(rules)
    return {value: postings_of(at, size) for value, at in _positions(rules, values).items()}


def _dated(days: Iterable[tuple[dt.date | None, int]]) -> Dated:
    return tuple(sorted((day, position) for day, position in days if day is not None))


def _day(entry: tuple[dt.date, int]) -> dt.date:
    return entry[0]


def _segments(scope: str) -> Scope:
    return tuple(scope.strip("/").split("/"))


def _lineage(scope: Scope) -> Iterator[Scope]:
    """A scope's first segment, its first two, and so on to the whole."""
    return (scope[:length] for length in range(1, len(scope) + 1))


def _scopes_above(rule: Rule) -> Iterator[Scope]:
    return (part for scope in rule.scope for part in _lineage(_segments(scope)))
