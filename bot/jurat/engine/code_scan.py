"""Code constraints of all rules over all files: what to search where, and what is new of it.

Each file is parsed once for all rules. What one file lost may have moved to another: the rest of
the change is asked before anything is called new.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple
from weakref import ref

from jurat.engine.baseline import Occurrence, find_news, squeeze
from jurat.engine.disguises import has_signs_of_disguise
from jurat.engine.file_scan import (
    FileScan,
    PatternMatches,
    Removal,
    list_base_occurrences,
    scan_file,
)
from jurat.engine.flow.needs import FlowNeeds, compile_needs
from jurat.engine.needles import FileWords, Needles, extract_needles
from jurat.engine.pattern_search import PatternQuery, build_query
from jurat.engine.regexes import (
    CodePlace,
    LineChanges,
    LineQuery,
    find_lines,
    list_changed_lines,
    search_lines,
)
from jurat.engine.removals import is_asked, is_final, list_brought_lines, list_holders
from jurat.findings.finding import Fix, Location
from jurat.findings.verdict import UnreadFile
from jurat.rules.constraints import PatternConstraint, RegexConstraint
from jurat.rules.flows import FlowConstraint, SettingConstraint
from jurat.rules.matching import find_unread_reason, fits_file
from jurat.rules.messages import list_messages
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange, FileStatus
from jurat.source.parsing import ParseFailure, ParseMap


@dataclass(slots=True)
class CodeMatches:
    """What one rule's code constraints found, how to fix it, and what was not read.

    `files` counts the files that the rule looked at or should have.
    """

    places: list[CodePlace] = field(default_factory=list)
    remediations: list[Fix] = field(default_factory=list)
    unread: list[UnreadFile] = field(default_factory=list)
    files: int = 0

    def limit(self, most: int) -> CodeMatches:
        """The findings with at most so many places, and no fix for any other."""
        places = self.places[:most]
        kept = {_get_start(place.location) for place in places}
        fixes = [fix for fix in self.remediations if _get_start(fix) in kept]
        if len(places) == len(self.places):
            fixes = self.remediations
        return CodeMatches(places, fixes, self.unread, self.files)


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A query, and what must stand in a file for it to be met there."""

    query: PatternQuery
    needles: Needles = ()
    _needs: dict[str, FlowNeeds] = field(default_factory=dict)

    def fits(self, file: FileChange, words: FileWords) -> bool:
        """Whether the query can be met in a file of these words."""
        if not self.query.questions:
            return words.can_match(self.needles)
        return any(
            self._get_needs(language).are_met(words)
            for language in self.query.questions
            if file.unlisted or language in file.possible_languages
        )

    def _get_needs(self, language: str) -> FlowNeeds:
        # Kept here as well: to look a question up compares its hundreds of names.
        if language not in self._needs:
            self._needs[language] = compile_needs(self.query.questions[language])
        return self._needs[language]


class _Source:
    """A file as the rules of one run see it. What each of them asks for is made once."""

    def __init__(self, file: FileChange) -> None:
        self.file = file
        self.before = file.as_base()
        self.queries: list[PatternQuery] = []
        self.judged: set[int] = set()

    @cached_property
    def has_signs_of_disguise(self) -> bool:
        return has_signs_of_disguise(self.file)

    @cached_property
    def words(self) -> FileWords:
        return _read_words(self.file, "head")

    def can_hold(self, pattern: _Pattern) -> bool:
        """Whether the file may hold it: what must not go, before the change that takes it away."""
        if not pattern.query.removed:
            return pattern.fits(self.file, self.words)
        if self.before is None or not self.changes.removed:
            return False
        return pattern.fits(self.before, self.words_before)

    @cached_property
    def words_before(self) -> FileWords:
        return _read_words(self.before or self.file, "base")

    @cached_property
    def brought(self) -> tuple[str, ...]:
        return list_brought_lines(self.file)

    @cached_property
    def changes(self) -> LineChanges:
        return list_changed_lines(self.file)

    @cached_property
    def lost(self) -> str:
        """The lines that were taken away, without white space."""
        return squeeze(" ".join(line.text for line in self.changes.removed))


class _RuleQueries(NamedTuple):
    """The code constraints of a rule."""

    number: int
    rule: Rule
    patterns: Sequence[_Pattern]
    regexes: Sequence[LineQuery]

    def list_patterns(self, file: FileChange) -> list[_Pattern]:
        """Those for a language that a file may be written in."""
        languages = file.possible_languages
        return [
            item
            for item in self.patterns
            if file.unlisted or not set(item.query.languages).isdisjoint(languages)
        ]

    def number_queries(self, patterns: Sequence[_Pattern]) -> list[PatternQuery]:
        """The queries of some of them, as those of this rule of the run."""
        return [replace(item.query, rule=self.number) for item in patterns]

    def is_judging_base(self, source: _Source) -> bool:
        """Whether the rule was about what the file was before the change."""
        return source.before is not None and fits_file(self.rule, source.before)


def scan_code(
    work: Sequence[tuple[Rule, Sequence[FileChange]]], parse_map: ParseMap
) -> list[CodeMatches]:
    """The new findings of each rule in its candidate files, in order.

    Each file is parsed once for all rules. If only a diff is at hand, its fragments are parsed
    instead of whole files, and what they do not show is not seen. A file that could not be read or
    parsed is listed with every rule that it concerns, unless it lacks a word that the rule needs.
    """
    scan = _Scan(work)
    scan.run(parse_map)
    return scan.list_findings()


class _Scan:
    """One run: what its rules look for in which files, and what came of it."""

    def __init__(self, work: Sequence[tuple[Rule, Sequence[FileChange]]]) -> None:
        self._findings = [CodeMatches() for _ in work]
        self._removed: list[list[Removal]] = [[] for _ in work]
        # By path, for all rules: one parse, one blob of added lines, one task for the pool.
        self._sources: dict[str, _Source] = {}
        self._places: list[list[CodePlace]] = [[] for _ in work]
        self._gone: list[dict[str, Sequence[Occurrence]]] = [{} for _ in work]
        self._wanted: list[_RuleQueries] = []
        self._candidates = [[self._get_source(file) for file in files] for _, files in work]
        for number, (rule, _) in enumerate(work):
            wanted = _build_wanted(number, rule)
            self._wanted.append(wanted)
            for source in self._candidates[number]:
                self._search_file(wanted, source)

    def _get_source(self, file: FileChange) -> _Source:
        return self._sources.get(file.path) or self._sources.setdefault(file.path, _Source(file))

    def run(self, parse_map: ParseMap) -> None:
        """Parse what has to be parsed, and settle what moved between files."""
        scans = [
            FileScan(source.file, tuple(source.queries), frozenset(source.judged))
            for source in self._sources.values()
            if source.queries
        ]
        for job, result in zip(scans, parse_map(scan_file, scans), strict=True):
            if isinstance(result, ParseFailure):
                for number in dict.fromkeys(query.rule for query in job.queries):
                    self._findings[number].unread.append(UnreadFile(job.file.path, result.reason))
                continue
            for number, hits in result.items():
                self._add(number, job.file.path, hits)
        self._add_donors(parse_map)
        for number in range(len(self._findings)):
            self._settle(number)

    def list_findings(self) -> list[CodeMatches]:
        """What each rule found, in the order of paths and lines."""
        for found in self._findings:
            found.places.sort(key=lambda place: _get_start(place.location))
            found.remediations.sort(key=_get_start)
        return self._findings

    def _search_file(self, wanted: _RuleQueries, source: _Source) -> None:
        """Search a file for a rule's expressions, and note the patterns it must be parsed for."""
        file, number = source.file, wanted.number
        patterns = wanted.list_patterns(file)
        if file.status is FileStatus.REMOVED or not (patterns or wanted.regexes):
            return
        if not fits_file(wanted.rule, file):
            return
        findings = self._findings[number]
        findings.files += 1
        # Counted before this: a rule that should have looked at the file must say that it did not.
        if (reason := find_unread_reason(wanted.rule, file)) is not None:
            findings.unread.append(UnreadFile(file.path, reason))
            if file.unread is not None:
                return
        if patterns and file.unparsed:
            findings.unread.append(UnreadFile(file.path, file.unparsed))
            patterns = []
        if wanted.regexes and (places := search_lines(source.changes, wanted.regexes)):
            self._add_lines(wanted, source, places)
        # In a disguise no word stands as it runs: a file without a rule's words may hold them.
        fitting = (
            patterns
            if source.has_signs_of_disguise
            else [item for item in patterns if source.can_hold(item)]
        )
        if fitting:
            source.queries += wanted.number_queries(fitting)
            if wanted.is_judging_base(source):
                source.judged.add(number)

    def _add(self, number: int, path: str, hits: PatternMatches) -> None:
        if hits.unread is not None:
            self._findings[number].unread.append(UnreadFile(path, hits.unread))
        self._places[number] += hits.places
        self._removed[number] += hits.removed
        self._gone[number][path] = (*self._gone[number].get(path, ()), *hits.gone)
        self._findings[number].remediations += hits.remediations
        self._findings[number].unread += [UnreadFile(path, why) for why in hits.unfollowed]

    def _add_lines(
        self,
        wanted: _RuleQueries,
        source: _Source,
        places: Sequence[CodePlace],
    ) -> None:
        heads = [item for place in places for item in place.found]
        codes = {item.code for item in heads}
        bases = find_lines(source.changes, codes) if wanted.is_judging_base(source) else []
        news, gone = find_news(heads, bases)
        self._places[wanted.number] += [places[at] for at in news]
        self._gone[wanted.number][source.file.path] = [bases[at] for at in gone]

    def _add_donors(self, parse_map: ParseMap) -> None:
        """Add what files lost that the rules have not looked at, if something like it is new."""
        lost = "\0".join(source.lost for source in self._sources.values())
        queries: dict[str, list[PatternQuery]] = {}
        for wanted, places in zip(self._wanted, self._places, strict=True):
            codes = {item.code for place in places for item in place.found}
            # Of all files first: what nobody took away has moved from nowhere.
            codes = {code for code in codes if _can_hold(lost, code)}
            if not codes:
                continue
            for source in self._candidates[wanted.number]:
                if source.file.path in self._gone[wanted.number]:
                    continue
                if any(_can_hold(source.lost, code) for code in codes) and wanted.is_judging_base(
                    source
                ):
                    asked = self._list_lost(wanted, source, codes)
                    queries.setdefault(source.file.path, []).extend(asked)
        jobs = [
            FileScan(self._sources[path].file, tuple(asked))
            for path, asked in queries.items()
            if asked
        ]
        for job, result in zip(jobs, parse_map(list_base_occurrences, jobs), strict=True):
            # A base that cannot be parsed excuses nothing.
            if not isinstance(result, ParseFailure):
                for number, gone in result.items():
                    before = self._gone[number].get(job.file.path, ())
                    self._gone[number][job.file.path] = (*before, *gone)

    def _list_lost(
        self, wanted: _RuleQueries, source: _Source, codes: Collection[str]
    ) -> list[PatternQuery]:
        """Add the lines that were lost; the patterns to look for in the base are handed back."""
        if source.file.unread is not None or source.before is None:
            return []
        if wanted.regexes:
            lines = find_lines(source.changes, codes)
            self._gone[wanted.number][source.file.path] = lines
        words = _read_words(source.before, "base")
        patterns = wanted.list_patterns(source.before)
        return wanted.number_queries([item for item in patterns if item.fits(source.before, words)])

    def _settle(self, number: int) -> None:
        """Keep of a rule's places those that did not move there from another file."""
        places, findings = self._places[number], self._findings[number]
        heads = [item for place in places for item in place.found]
        bases = [item for gone in self._gone[number].values() for item in gone]
        news = {id(heads[at]) for at in find_news(heads, bases, across=True)[0]}
        for place in places:
            if any(id(item) in news for item in place.found):
                findings.places.append(place)
            else:
                findings.remediations = [
                    fix for fix in findings.remediations if not _is_at(fix, place.location)
                ]
        findings.places += [one.place for one in self._removed[number] if self._is_missed(one)]

    def _is_missed(self, removal: Removal) -> bool:
        """Whether it was not brought to another file, from where its place is served."""
        code, path = removal.place.found[0].code, removal.place.location.file_path
        for source in self._sources.values():
            # In the file itself it guards something else.
            if source.file.path == path or code not in (new := squeeze("".join(source.brought))):
                continue
            if removal.for_file or (removal.gone and removal.gone in new):
                return False
            holders = list_holders(source.file, code)
            answers = not is_final(code) and _ENDS_THERE.match(new.partition(code)[2]) is not None
            if is_asked(removal.around, holders, answers=answers):
                return False
        return True


def _read_words(file: FileChange, side: Literal["base", "head"]) -> FileWords:
    return FileWords([fragment.text for fragment in file.list_fragments(side)])


def _get_start(item: Location | Fix) -> tuple[str, int]:
    return item.file_path or "", item.start_line or 0


def _can_hold(lost: str, code: str) -> bool:
    """Whether a text that was taken away may hold the code: a diff may keep one of its ends."""
    return code[:_ENDS] in lost or code[-_ENDS:] in lost


_ENDS_THERE = re.compile(r"return|\}|def|async|func|export|class|@|$")
"""What follows, without white space, if a function does no more than to ask."""

_ENDS = 24
"""Characters at either end of a code that are looked for."""


def _is_at(fix: Fix, place: Location) -> bool:
    return (
        fix.file_path == place.file_path
        and (fix.start_line or 0) <= (place.end_line or 0)
        and (place.start_line or 0) <= (fix.end_line or 0)
    )


TreeConstraint = PatternConstraint | FlowConstraint | SettingConstraint
"""What is looked for in the tree of a file."""


def _build_pattern(rule: Rule, constraint: TreeConstraint) -> _Pattern:
    if isinstance(constraint, PatternConstraint):
        query = build_query(rule, constraint)
        needles = extract_needles(
            query.config["rule"], constraint.utils, constraint.names, constraint.constraints
        )
        return _Pattern(query, needles)
    query = PatternQuery(
        messages=list_messages(rule, constraint),
        languages=constraint.languages,
        config={},
        names={},
        fix=None,
        auto_applicable=False,
        description=rule.fix or rule.statement,
        questions=constraint.questions,
    )
    return _Pattern(query)


class _Kept(NamedTuple):
    """The pattern of a constraint, and what of its rule went into it."""

    constraint: ref[TreeConstraint]
    said: tuple[str | None, ...]
    pattern: _Pattern


_KEPT: dict[int, _Kept] = {}
"""By the identity of a constraint, which has no hash: a server asks the same rules for years."""

_MOST_KEPT = 4096


def _get_pattern(rule: Rule, constraint: TreeConstraint) -> _Pattern:
    said = (rule.message, rule.statement, rule.fix)
    kept = _KEPT.get(id(constraint))
    # Another object may have taken the place in memory of one that is gone, and a rule that an
    # organisation words anew has the constraints of the shipped one.
    if kept is None or kept.constraint() is not constraint or kept.said != said:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        kept = _Kept(ref(constraint), said, _build_pattern(rule, constraint))
        _KEPT[id(constraint)] = kept
    return kept.pattern


def _build_wanted(number: int, rule: Rule) -> _RuleQueries:
    patterns = [
        _get_pattern(rule, item) for item in rule.constraints if isinstance(item, TreeConstraint)
    ]
    regexes = [
        LineQuery(item.pattern, list_messages(rule, item), item.followed_by)
        for item in rule.constraints
        if isinstance(item, RegexConstraint)
    ]
    return _RuleQueries(number, rule, patterns, regexes)
