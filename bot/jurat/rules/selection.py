"""Stage 2: the rules that apply to a context, those that are cut, and why."""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import compress
from typing import NamedTuple, TypeVar, overload

from jurat.facts.context import EvaluationContext, Facts, SubjectKind
from jurat.rules.authority import Candidate, rerank_by_authority
from jurat.rules.config import Config
from jurat.rules.matching import (
    fits_language,
    fits_path,
    fits_scope,
    fits_subject,
    languages_of,
    names_files,
    needs_file,
)
from jurat.rules.relevance import Relevance, intent_of, rank_by_words
from jurat.rules.rule import Modality, Rule, RuleKind, RuleSet, Severity
from jurat.rules.vocabulary import shipped_vocabulary
from jurat.source.diff import FileChange
from jurat.source.paths import matches

# What facts describe, where nobody says.

_FIRST_KEY = re.compile(r"[^.\[\]]+")


class FactsKind(NamedTuple):
    """What the rules that compute with facts say of these.

    `kind` is the one that all of the rules are about. None where no such rule names its kinds,
    where they have none in common, and where what the facts belong to by default is one of them.
    `disputed` is every kind that one of the rules is about, where none is common: the facts are of
    all of them then, for to choose one would be to leave the other rules unasked.
    """

    kind: SubjectKind | None = None
    disputed: frozenset[SubjectKind] = frozenset()


def infer_kind(facts: Facts, corpus: RuleSet, *, otherwise: SubjectKind) -> FactsKind:
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
        return FactsKind()
    common = frozenset.intersection(*named)
    if not common:
        return FactsKind(disputed=frozenset.union(*named))
    if otherwise in common:
        return FactsKind()
    return FactsKind(next(kind for kind in SubjectKind if kind in common))


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


# Sets of rules, by their positions in a corpus, as integers with one byte for each rule.
#
# Byte i, counted from the least significant, is 1 where rule i belongs to the set. Unions and
# intersections over 100,000 rules then take microseconds, and `itertools.compress` reads the bytes.

Members = int

_SPARSE = 64
"""A set of fewer than one rule in this many is kept as positions: it takes less room that way."""


@dataclass(frozen=True, slots=True)
class Postings:
    """A set of rules that share some value: as positions where they are few, else as members."""

    positions: tuple[int, ...] = ()
    members: Members = 0


def members_of(positions: Iterable[int], size: int) -> Members:
    """The set of the rules at these positions, of `size` rules in all."""
    selector = bytearray(size)
    for position in positions:
        selector[position] = 1
    return int.from_bytes(selector, "little")


def postings_of(positions: list[int], size: int) -> Postings:
    """The same, in the form that takes less room."""
    if len(positions) * _SPARSE < size:
        return Postings(positions=tuple(positions))
    return Postings(members=members_of(positions, size))


def union(postings: Iterable[Postings], size: int) -> Members:
    """All rules that belong to one of the sets."""
    together = 0
    selector = bytearray(size)
    for item in postings:
        together |= item.members
        for position in item.positions:
            selector[position] = 1
    return together | int.from_bytes(selector, "little")


# Globs by their shape: where most globs end up is known from a path without trying the globs.
#
# A glob such as `src/**`, `**/*.py` or `**/Dockerfile` has a key that only the paths it means can
# carry, and a test that needs no regular expression. Any other glob keeps its test of jurat.source
# and the key of whatever part of it is literal. Both together mean exactly what `matches` means.

Test = Callable[[str], bool]


class Key(NamedTuple):
    """Something literal that a path carries: `kind` says which part of it `text` is."""

    kind: str
    text: str


ANY = Key("any", "")
"""Of globs that hold nothing literal to look for."""

_LITERAL = re.compile(r"[^*?\[\]{}\\!/]+")
_ENDING = re.compile(r"\*([^*?\[\]{}\\!/]+)")
_MAX_CHOICES = 64
"""Alternatives of braces that are taken apart; a glob with more is tested as a whole."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One glob without braces: the key that its paths carry, and whether a path is one of them.

    The test holds for plain paths (see `is_plain`) that carry the key.
    """

    key: Key
    test: Test


def is_plain(path: str) -> bool:
    """Whether a path is as git writes it: no empty segment, "." or ".."."""
    return not any(segment in ("", ".", "..") for segment in path.split("/"))


def keys_of(path: str) -> Iterator[Key]:
    """Every key that a plain path carries."""
    *folders, name = path.split("/")
    yield ANY
    yield Key("path", path)
    yield Key("name", name)
    yield Key("extension", _extension(name))
    above = ""
    for folder in folders:
        above = f"{above}/{folder}" if above else folder
        yield Key("below", above)
    for folder in set(folders):
        yield Key("folder", folder)


def shapes_of(glob: str) -> tuple[Shape, ...]:
    """The shapes that together mean what a glob means, one for each choice in braces."""
    if "{" not in glob:
        return (_shape(glob),)
    choices = _expanded(glob)
    return (_generic(glob),) if choices is None else tuple(_shape(choice) for choice in choices)


@dataclass(frozen=True, slots=True)
class PathTest:
    """A rule's `paths`: some glob means the path, and none that starts with "!" excludes it."""

    keys: frozenset[Key]
    _including: tuple[Test, ...]
    _excluding: tuple[Test, ...]

    @classmethod
    def of(cls, globs: Sequence[str]) -> PathTest:
        """The test of a rule's globs. Without one that includes, every path is meant."""
        including = [
            shape for glob in globs if not glob.startswith("!") for shape in shapes_of(glob)
        ]
        excluding = [
            shape for glob in globs if glob.startswith("!") for shape in shapes_of(glob[1:])
        ]
        return cls(
            frozenset(shape.key for shape in including) or frozenset({ANY}),
            tuple(shape.test for shape in including),
            tuple(shape.test for shape in excluding),
        )

    def means(self, path: str) -> bool:
        """Whether a plain path that carries one of the keys is meant."""
        if any(test(path) for test in self._excluding):
            return False
        return not self._including or any(test(path) for test in self._including)


def _expanded(glob: str) -> Sequence[str] | None:
    import bracex  # noqa: PLC0415 - what wcmatch takes braces apart with, and has loaded by now

    try:
        choices = list(bracex.iexpand(glob, keep_escapes=True, limit=_MAX_CHOICES))
    except bracex.ExpansionLimitException:
        return None
    return None if any("{" in choice for choice in choices) else choices


def _shape(glob: str) -> Shape:
    segments = glob.split("/")
    if segments[-2:] == ["**", "*"]:
        segments.pop()
    literal = [bool(_LITERAL.fullmatch(part)) and part not in (".", "..") for part in segments]
    if all(literal):
        return Shape(Key("path", glob), partial(_equals, glob))
    first = literal.index(False)
    prefix, rest = "/".join(segments[:first]), segments[first:]
    if rest == ["**"]:
        return Shape(Key("below", prefix), partial(_below, prefix)) if prefix else _everything()
    if len(rest) == 2 and rest[0] == "**" and not prefix and literal[-1]:
        return Shape(Key("name", rest[1]), partial(_named, rest[1]))
    if len(rest) == 2 and rest[0] == "**" and (ending := _ENDING.fullmatch(rest[1])):
        return _with_ending(prefix, ending[1])
    if len(rest) >= 3 and rest[0] == rest[-1] == "**" and not prefix and all(literal[1:-1]):
        middle = rest[1:-1]
        return Shape(Key("folder", middle[0]), partial(_inside, "/".join(middle)))
    return _generic(glob, prefix, segments[-1])


def _everything() -> Shape:
    return Shape(ANY, lambda _: True)


def _with_ending(prefix: str, ending: str) -> Shape:
    if prefix:
        return Shape(Key("below", prefix), partial(_below_and_ends, prefix, ending))
    extension = _extension(ending)
    return Shape(Key("extension", extension) if extension else ANY, partial(_ends, ending))


def _generic(glob: str, prefix: str = "", last: str = "") -> Shape:
    """A glob that only its own test understands, tried where its literal parts fit at least."""
    if _LITERAL.fullmatch(last):
        ending, key = f"/{last}", Key("name", last)
    else:
        match = _ENDING.fullmatch(last)
        ending = match[1] if match else ""
        extension = _extension(ending)
        key = Key("extension", extension) if extension else ANY
        key = Key("below", prefix) if prefix else key
    beginning = f"{prefix}/" if prefix else ""
    return Shape(key, partial(_fits, beginning, ending, glob))


def _extension(name: str) -> str:
    """From the last dot on, "" without one. The same for a name and for how the name ends."""
    return name[at:] if (at := name.rfind(".")) >= 0 else ""


def _fits(beginning: str, ending: str, glob: str, path: str) -> bool:
    return path.startswith(beginning) and f"/{path}".endswith(ending) and matches(glob, path)


def _equals(glob: str, path: str) -> bool:
    return path == glob


def _named(name: str, path: str) -> bool:
    return path == name or path.endswith(f"/{name}")


def _below(prefix: str, path: str) -> bool:
    return path.startswith(f"{prefix}/")


def _ends(ending: str, path: str) -> bool:
    return path.endswith(ending)


def _below_and_ends(prefix: str, ending: str, path: str) -> bool:
    return path.startswith(f"{prefix}/") and path.endswith(ending)


def _inside(folders: str, path: str) -> bool:
    return f"/{folders}/" in f"/{path.rpartition('/')[0]}/"


# The rules about files, found from a file's path and language without trying every rule.


@dataclass(frozen=True, slots=True)
class _LanguageGroup:
    """Rules that have their globs and their languages in common; `example` is one of them."""

    example: Rule
    rules: Postings


@dataclass(frozen=True, slots=True)
class _PathGroup:
    """Rules that have their globs in common, by their languages."""

    test: PathTest
    by_language: tuple[_LanguageGroup, ...]

    def means(self, path: str, *, plain: bool) -> bool:
        """Whether the globs mean a path, which carries one of the test's keys if it is plain."""
        return self.test.means(path) if plain else fits_path(self.by_language[0].example, path)


@dataclass(frozen=True, slots=True)
class PathIndex:
    """Path groups, and by each key the groups whose paths may carry it. Made by `path_index`."""

    size: int
    groups: tuple[_PathGroup, ...]
    by_key: Mapping[Key, tuple[int, ...]]

    def about(self, files: Iterable[FileChange]) -> Members:
        """The rules that are about some of the files, by its path and its language at once."""
        met: list[Postings] = []
        waiting: dict[int, tuple[_LanguageGroup, ...]] = {}
        seen = ((file.path, each) for file in files for each in file.possible_languages)
        for path, language in dict.fromkeys(seen):
            plain = is_plain(path)
            # A path that is not plain may carry no key and fit a glob all the same: all groups are
            # tried.
            for number in self.near(path) if plain else range(len(self.groups)):
                group = self.groups[number]
                left = waiting.get(number, group.by_language)
                fitting = [item for item in left if fits_language(item.example, language)]
                if fitting and group.means(path, plain=plain):
                    met += (item.rules for item in fitting)
                    done = set(map(id, fitting))
                    waiting[number] = tuple(item for item in left if id(item) not in done)
        return union(met, self.size)

    def near(self, path: str) -> Collection[int]:
        """The groups that may mean a plain path, by their numbers."""
        found: dict[int, None] = {}
        for key in keys_of(path):
            found |= dict.fromkeys(self.by_key.get(key, ()))
        return found


def path_index(rules: Sequence[tuple[int, Rule]], size: int) -> PathIndex:
    """The index of the rules about files, each with its position among `size` rules."""
    together: defaultdict[tuple[str, ...], defaultdict[tuple[str, ...], list[int]]]
    together = defaultdict(lambda: defaultdict(list))
    examples: dict[int, Rule] = {}
    for position, rule in rules:
        together[rule.paths][languages_of(rule)].append(position)
        examples[position] = rule
    groups = tuple(
        _PathGroup(
            PathTest.of(globs),
            tuple(
                _LanguageGroup(examples[positions[0]], postings_of(positions, size))
                for positions in by_language.values()
            ),
        )
        for globs, by_language in together.items()
    )
    by_key: defaultdict[Key, list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        for key in group.test.keys:
            by_key[key].append(number)
    return PathIndex(size, groups, {key: tuple(numbers) for key, numbers in by_key.items()})


# An index over the metadata of all rules, so that a change asks only about what it can meet.
#
# Built once for a corpus. It says in one go what `explain_inapplicable` says rule by rule, and
# exactly that: a property test holds the two together.

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
def index_of(corpus: RuleSet) -> RuleIndex:
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
    index: RuleIndex, context: EvaluationContext, criteria: SelectionCriteria, today: dt.date
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
    # The common case, in which no byte needs to be touched.
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


# Stage 2 as a whole: by metadata, then by relevance and authority, then the cut.


def select(
    context: EvaluationContext,
    corpus: RuleSet,
    criteria: SelectionCriteria,
    today: dt.date,
    *,
    relevance: Relevance = rank_by_words,
) -> Selection:
    """The rules that apply, in the corpus's order, with a reason for every rule left out.

    Rules that need no model always run; the others are cut at `criteria.max_rules`.
    """
    index = index_of(corpus)
    found = applicable(index, context, criteria, today)
    fitting = index.those(found)
    kept, omitted = cap_rules(
        [rule for rule in fitting if needs_model(rule)],
        criteria.max_rules,
        lambda rules: rank_rules(context, corpus, rules, relevance),
    )
    judged = {rule.id for rule in kept}
    return Selection(
        rules=tuple(rule for rule in fitting if not needs_model(rule) or rule.id in judged),
        omitted=omitted,
        inapplicable=InapplicableRules(
            index.those(index.everything ^ found),
            partial(_reason_to_leave_out, context=context, criteria=criteria, today=today),
        ),
    )


def find_contenders(
    context: EvaluationContext, corpus: RuleSet, criteria: SelectionCriteria, today: dt.date
) -> list[Rule]:
    """The rules among which `select` asks relevance to decide. Empty where it decides nothing."""
    index = index_of(corpus)
    asked: list[Rule] = []

    def note(rules: Sequence[Rule]) -> Sequence[Rule]:
        asked.extend(rules)
        return rules

    fitting = index.those(applicable(index, context, criteria, today))
    cap_rules([rule for rule in fitting if needs_model(rule)], criteria.max_rules, note)
    return asked


def needs_model(rule: Rule) -> bool:
    """Whether a rule is judged by a model from the start. Others are computed first."""
    return rule.kind is RuleKind.NORMATIVE


def cap_rules(
    rules: Sequence[Rule], max_rules: int, rank: Callable[[Sequence[Rule]], Sequence[Rule]]
) -> tuple[tuple[Rule, ...], tuple[OmittedRule, ...]]:
    """The rules that a model judges, and those beyond the bound with the reason.

    MUST and MUST_NOT rules of severity HIGH and above come first, and are kept even where they
    alone exceed the bound. `rank` puts the others in order, best first; it is asked only where some
    of them, and not all, can be kept.
    """
    first = [rule for rule in rules if _indispensable(rule)]
    others: Sequence[Rule] = [rule for rule in rules if not _indispensable(rule)]
    places = max(0, max_rules - len(first))
    if places == 0:
        reason = f"beyond max_rules ({max_rules}): {len(first)} rules that may block come first"
        return tuple(first), tuple(OmittedRule(rule, reason) for rule in others)
    # Not if it decides nothing: `find_contenders` has what comes here embedded, at a price.
    if len(others) > places:
        others = rank(others)
    beyond = f"of {len(others)} by relevance and authority, beyond max_rules ({max_rules})"
    return (*first, *others[:places]), tuple(
        OmittedRule(rule, f"number {number} {beyond}")
        for number, rule in enumerate(others[places:], places + 1)
    )


def _indispensable(rule: Rule) -> bool:
    return rule.modality.binding and rule.severity.rank >= 2


def _reason_to_leave_out(
    rule: Rule, context: EvaluationContext, criteria: SelectionCriteria, today: dt.date
) -> str:
    reason = explain_inapplicable(rule, context, criteria, today)
    if reason is None:
        raise AssertionError(f"the index leaves out {rule.id}, which applies")
    return reason


def explain_inapplicable(
    rule: Rule, context: EvaluationContext, criteria: SelectionCriteria, today: dt.date
) -> str | None:
    """Why a rule does not apply, or None."""
    since, until = rule.effective.since, rule.effective.until
    if since is not None and today < since:
        return f"not in force before {since}"
    if until is not None and today > until:
        return f"no longer in force since {until}"
    if rule.severity.rank < criteria.severity_min.rank:
        return f"severity {rule.severity} is below the minimum {criteria.severity_min}"
    if criteria.modalities and rule.modality not in criteria.modalities:
        return f"modality {rule.modality} was not asked for"
    if criteria.tags and not criteria.tags.intersection(rule.tags):
        return "has none of the tags asked for"
    if not fits_scope(rule, context):
        return f"scope {', '.join(rule.scope)} does not meet {context.scope}"
    kinds = frozenset[SubjectKind]().union(*(subject.kinds for subject in context.subjects))
    if rule.subject_kinds and kinds.isdisjoint(rule.subject_kinds):
        return f"is about {', '.join(rule.subject_kinds)}"
    if not any(fits_subject(rule, subject) for subject in context.subjects):
        return "no changed file fits its paths and languages" if names_files(rule) else "no subject"
    return None


# Rules in the order in which they deserve to be judged.

DEPTH = 500
"""Rules that are re-ordered by authority, the most relevant ones: five times the largest bound on
rules. The others keep their order behind them."""


def rank_rules(
    context: EvaluationContext, corpus: RuleSet, rules: Sequence[Rule], relevance: Relevance
) -> list[Rule]:
    """All the rules, by relevance and then by authority, best first. Equals keep their order."""
    scores = relevance(context, corpus, rules)
    order = sorted(range(len(rules)), key=lambda at: -scores[at])
    near = {rules[at].id: rules[at] for at in order[:DEPTH]}
    ranked = rerank_by_authority(
        intent_of(context),
        [Candidate.of(rules[at], scores[at]) for at in order[:DEPTH]],
        shipped_vocabulary(),
    )
    return [near[item.candidate.id] for item in ranked] + [rules[at] for at in order[DEPTH:]]


@dataclass(frozen=True, slots=True)
class OmittedRule:
    """A rule that was left out before anything was judged, and why."""

    rule: Rule
    reason: str


@dataclass(frozen=True, slots=True)
class SelectionCriteria:
    """What narrows the corpus besides the subject itself.

    `max_rules` (1 to 100) bounds the rules that a model must judge; rules that are decided without
    a model always run when their metadata fits.
    """

    max_rules: int = 20
    severity_min: Severity = Severity.MEDIUM
    modalities: frozenset[Modality] = frozenset()
    tags: frozenset[str] = frozenset()

    @classmethod
    def of(cls, configuration: Config) -> SelectionCriteria:
        """What a repository's configuration asks for."""
        return cls(configuration.review.max_rules, configuration.review.severity_min)


@dataclass(frozen=True, slots=True, eq=False)
class InapplicableRules(Sequence[OmittedRule]):
    """Rules that do not apply. The reason of each is worked out only when it is looked at."""

    rules: Sequence[Rule]
    reason: Callable[[Rule], str]

    def __len__(self) -> int:
        return len(self.rules)

    @overload
    def __getitem__(self, at: int) -> OmittedRule: ...

    @overload
    def __getitem__(self, at: slice) -> InapplicableRules: ...

    def __getitem__(self, at: int | slice) -> OmittedRule | InapplicableRules:
        if isinstance(at, slice):
            return InapplicableRules(self.rules[at], self.reason)
        rule = self.rules[at]
        return OmittedRule(rule, self.reason(rule))


@dataclass(frozen=True, slots=True)
class Selection:
    """Stage 2's result.

    `rules` apply and are within the bound. `omitted` apply but were cut by it: they are reported as
    not assessed. `inapplicable` do not apply, each with the reason.
    """

    rules: tuple[Rule, ...]
    omitted: tuple[OmittedRule, ...] = ()
    inapplicable: Sequence[OmittedRule] = ()
