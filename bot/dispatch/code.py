"""Code constraints of all rules over all files: what to search where, and what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, cast

from bot.corpus.constraints import PatternConstraint, RegexConstraint
from bot.corpus.patterns import matcher
from bot.corpus.rule import Rule
from bot.dispatch.matching import FileScan, Query, scan_file
from bot.dispatch.prefilter import Needles, may_match, needles
from bot.dispatch.regexes import LineChanges, line_changes, search
from bot.selection.fitting import fits_file
from bot.subjects.change import FileChange, FileStatus
from bot.subjects.parsing import ParseFailure, ParseMap
from bot.verdicts import Location, Remediation, UnreadFile


@dataclass(slots=True)
class CodeFindings:
    """What one rule's code constraints found: where, how to fix it, and what was not read.

    `files` counts the files that the rule looked at or should have.
    """

    locations: list[Location] = field(default_factory=list)
    remediations: list[Remediation] = field(default_factory=list)
    unread: list[UnreadFile] = field(default_factory=list)
    files: int = 0

    def first(self, most: int) -> CodeFindings:
        """The findings with at most so many places, and no fix for any other."""
        places = self.locations[:most]
        kept = {(place.file_path, place.start_line) for place in places}
        fixes = [fix for fix in self.remediations if (fix.file_path, fix.start_line) in kept]
        if len(places) == len(self.locations):
            fixes = self.remediations
        return CodeFindings(places, fixes, self.unread, self.files)


class _Pattern(NamedTuple):
    languages: tuple[str, ...]
    query: Query
    needles: Needles


class _Source:
    """A file as the rules of one run see it. What each of them asks for is made once."""

    def __init__(self, file: FileChange) -> None:
        self.file = file
        self.queries: list[Query] = []

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(fragment.text for fragment in self.file.fragments("head"))

    @cached_property
    def changes(self) -> LineChanges:
        return line_changes(self.file)


class _Wanted(NamedTuple):
    """The code constraints of a rule."""

    rule: Rule
    patterns: Sequence[_Pattern]
    regexes: Sequence[RegexConstraint]


def scan(
    work: Sequence[tuple[Rule, Sequence[FileChange]]], parse_map: ParseMap
) -> list[CodeFindings]:
    """The findings of each rule in its candidate files, in order.

    Each file is parsed once for all rules. Where only a diff is at hand, its fragments are parsed
    instead of whole files, and what they do not show is not seen. A file that could not be read or
    parsed is listed with every rule that it concerns, unless it lacks a word that the rule needs.
    """
    findings = [CodeFindings() for _ in work]
    sources: dict[str, _Source] = {}
    for number, (rule, candidates) in enumerate(work):
        wanted = _wanted(number, rule)
        for file in candidates:
            source = sources.get(file.path) or sources.setdefault(file.path, _Source(file))
            _look(wanted, source, findings[number])
    scans = [
        FileScan(source.file, tuple(source.queries))
        for source in sources.values()
        if source.queries
    ]
    for job, result in zip(scans, parse_map(scan_file, scans), strict=True):
        if isinstance(result, ParseFailure):
            for number in dict.fromkeys(query.rule for query in job.queries):
                findings[number].unread.append(UnreadFile(job.file.path, result.reason))
            continue
        for number, hits in result.items():
            findings[number].locations += hits.locations
            findings[number].remediations += hits.remediations
    for found in findings:
        found.locations.sort(key=lambda item: (item.file_path or "", item.start_line or 0))
        found.remediations.sort(key=lambda item: (item.file_path or "", item.start_line or 0))
    return findings


def _wanted(number: int, rule: Rule) -> _Wanted:
    patterns = []
    for item in rule.constraints:
        if isinstance(item, PatternConstraint):
            config = cast("Mapping[str, Any]", matcher(item))
            query = Query(
                rule=number,
                config=config,
                fix=item.fix,
                auto_applicable=item.auto_applicable,
                description=rule.fix or rule.statement,
            )
            patterns.append(_Pattern(item.languages, query, needles(config["rule"], item.utils)))
    regexes = [item for item in rule.constraints if isinstance(item, RegexConstraint)]
    return _Wanted(rule, patterns, regexes)


def _look(wanted: _Wanted, source: _Source, findings: CodeFindings) -> None:
    """Search a file for a rule's expressions, and note the patterns that it must be parsed for."""
    file = source.file
    patterns = [
        item
        for item in wanted.patterns
        if file.unlisted or not set(item.languages).isdisjoint(file.possible_languages)
    ]
    if file.status is FileStatus.REMOVED or not (patterns or wanted.regexes):
        return
    if not fits_file(wanted.rule, file):
        return
    findings.files += 1
    if file.unread is not None:
        findings.unread.append(UnreadFile(file.path, file.unread))
        return
    if wanted.regexes:
        findings.locations += search(source.changes, wanted.regexes)
    if any(hunk.new_length for hunk in file.hunks):
        source.queries += [item.query for item in patterns if may_match(item.needles, source.texts)]
