"""Code constraints of all rules over all files, each of which is parsed once.

The work on a file is a function of plain, picklable values, so that a pool can run it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, cast

from ast_grep_py import Config, SgNode

from jurat.engine.baseline import Baseline, CodeOccurrence, map_innermost_functions
from jurat.engine.fixes import Replacement, build_line_fixes, fill_template
from jurat.engine.regexes import (
    LineChanges,
    Needles,
    can_match,
    extract_needles,
    list_changed_lines,
    search_changes,
    shorten,
)
from jurat.findings.finding import Fix, Location
from jurat.findings.verdict import UnreadFile
from jurat.rules.constraints import PatternConstraint, RegexConstraint
from jurat.rules.matching import fits_file
from jurat.rules.patterns import compile_pattern
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange, FileStatus, Function, TextFragment
from jurat.source.parsing import ParseFailure, ParseMap
from jurat.source.syntax import ParseResult, parse_side

_UNDECODABLE = "\ufffd"
"""Stands for bytes that are no UTF-8. A line that holds it cannot be written back."""


@dataclass(frozen=True, slots=True)
class PatternQuery:
    """One pattern. `rule` is its rule's number in this run, `config` what ast-grep takes."""

    rule: int
    config: Mapping[str, Any]
    fix: str | None
    auto_applicable: bool
    description: str


@dataclass(frozen=True, slots=True)
class FileScan:
    """The work on one file."""

    file: FileChange
    queries: tuple[PatternQuery, ...]


@dataclass(frozen=True, slots=True)
class PatternMatches:
    """What the queries of one rule found in one file, in the order of lines."""

    locations: tuple[Location, ...]
    remediations: tuple[Fix, ...]


class _FilePart(NamedTuple):
    """What is at hand of a file, in one piece: its lines as they are, and as they were parsed."""

    number: int
    fragment: TextFragment
    parsed: ParseResult


class _NodeMatch(NamedTuple):
    part: _FilePart
    node: SgNode
    first: int
    last: int


def scan_file(job: FileScan) -> Mapping[int, PatternMatches]:
    """What all queries found in one file, by the number of their rule. Both sides parse once.

    A match counts where it touches an added line and did not stand in the base: see
    `jurat.engine.baseline`.
    """
    head, added = _parse_parts(job.file, "head"), job.file.added_lines
    base: list[_FilePart] | None = None
    stood = Baseline(job.file)
    around = map_innermost_functions(job.file)
    locations: dict[int, dict[tuple[int, int], Location]] = {}
    edits: dict[tuple[int, int, str], list[Replacement]] = {}
    for query in job.queries:
        found = [match for part in head for match in _iter_matches(part, query)]
        if not any(_is_touching(match, added) for match in found):
            continue
        # Only now: most queries find nothing in the head, and then the base need not be parsed.
        if base is None:
            base = _parse_parts(job.file, "base")
        before = [match for part in base for match in _iter_matches(part, query)]
        for match in _filter_new(found, before, added, stood):
            places = locations.setdefault(query.rule, {})
            places.setdefault((match.first, match.last), _build_location(job.file, match, around))
            edit = _build_replacement(query, match)
            if edit is not None:
                key = (query.rule, match.part.number, query.description)
                edits.setdefault(key, []).append(edit)
    fixes: dict[int, list[Fix]] = {}
    for (rule, number, description), group in edits.items():
        part = head[number]
        remediations = build_line_fixes(job.file.path, part.parsed.text, group, description)
        # Bytes that are no UTF-8 were read as U+FFFD: written back, they would be lost.
        fixes.setdefault(rule, []).extend(
            _to_file_fix(fix, part) for fix in remediations if _UNDECODABLE not in fix.original
        )
    return {
        rule: PatternMatches(
            tuple(places[key] for key in sorted(places)), tuple(fixes.get(rule, ()))
        )
        for rule, places in locations.items()
    }


def _parse_parts(file: FileChange, side: Literal["base", "head"]) -> list[_FilePart]:
    pieces = zip(file.list_fragments(side), parse_side(file, side), strict=True)
    return [_FilePart(number, fragment, tree) for number, (fragment, tree) in enumerate(pieces)]


def _iter_matches(part: _FilePart, query: PatternQuery) -> Iterator[_NodeMatch]:
    """The matches in the lines of the file, without those that begin or end in scaffolding."""
    tree, fragment = part.parsed, part.fragment
    last_line = fragment.first_line + fragment.text.count("\n")
    for node in tree.root.find_all(cast("Config", query.config)):
        span = node.range()
        first, last = tree.first_line + span.start.line, tree.first_line + span.end.line
        if span.end.column == 0 and last > first:
            last -= 1
        # A fragment may stand inside of a made-up class: what matches that is nobody's code.
        if fragment.first_line <= first and last <= last_line:
            yield _NodeMatch(part, node, first, last)


def _is_touching(match: _NodeMatch, added: frozenset[int]) -> bool:
    return any(line in added for line in range(match.first, match.last + 1))


def _normalize_match(node: SgNode) -> str:
    """The text of a match, whatever its indentation and line breaks."""
    return " ".join(node.text().split())


def _filter_new(
    found: Sequence[_NodeMatch],
    before: Sequence[_NodeMatch],
    added: frozenset[int],
    stood: Baseline,
) -> list[_NodeMatch]:
    """The matches that touch added lines and did not stand in the base."""
    touching = [match for match in found if _is_touching(match, added)]
    news = stood.find_new(
        [
            CodeOccurrence(_normalize_match(match.node), match.first, match.last)
            for match in touching
        ],
        [CodeOccurrence(_normalize_match(match.node), match.first, match.last) for match in before],
        Counter(_normalize_match(match.node) for match in found if not _is_touching(match, added)),
    )
    return [touching[index] for index in news]


def _build_location(
    file: FileChange, match: _NodeMatch, around: Mapping[int, Function]
) -> Location:
    fields: dict[str, str | int] = {"snippet": shorten(match.node.text())}
    if match.first in around:
        fields["function_name"] = around[match.first].qualified_name
    return Location(file_path=file.path, start_line=match.first, end_line=match.last, fields=fields)


def _build_replacement(query: PatternQuery, match: _NodeMatch) -> Replacement | None:
    if query.fix is None:
        return None
    text = fill_template(query.fix, match.node, match.part.parsed.text)
    if text is None:
        return None
    span = match.node.range()
    return Replacement(span.start.index, span.end.index, text, query.auto_applicable)


def _to_file_fix(fix: Fix, part: _FilePart) -> Fix:
    """A remediation of parsed lines as one of the file's: with their numbers and their margin."""
    tree, fragment = part.parsed, part.fragment
    if not tree.partial or fix.start_line is None or fix.end_line is None:
        return fix
    start, end = tree.first_line + fix.start_line - 1, tree.first_line + fix.end_line - 1
    first = fragment.first_line
    original = fragment.text.split("\n")[start - first : end - first + 1]
    margin = original[0][: tree.column]
    lines = [margin + line if line.strip() else line for line in fix.replacement.split("\n")]
    return replace(
        fix,
        start_line=start,
        end_line=end,
        original="\n".join(original),
        replacement="\n".join(lines),
    )


# Code constraints of all rules over all files: what to search where, and what came out.


@dataclass(slots=True)
class CodeMatches:
    """What one rule's code constraints found: where, how to fix it, and what was not read.

    `files` counts the files that the rule looked at or should have.
    """

    locations: list[Location] = field(default_factory=list)
    remediations: list[Fix] = field(default_factory=list)
    unread: list[UnreadFile] = field(default_factory=list)
    files: int = 0

    def limit(self, most: int) -> CodeMatches:
        """The findings with at most so many places, and no fix for any other."""
        places = self.locations[:most]
        kept = {(place.file_path, place.start_line) for place in places}
        fixes = [fix for fix in self.remediations if (fix.file_path, fix.start_line) in kept]
        if len(places) == len(self.locations):
            fixes = self.remediations
        return CodeMatches(places, fixes, self.unread, self.files)


class _Pattern(NamedTuple):
    languages: tuple[str, ...]
    query: PatternQuery
    needles: Needles


class _Source:
    """A file as the rules of one run see it. What each of them asks for is made once."""

    def __init__(self, file: FileChange) -> None:
        self.file = file
        self.queries: list[PatternQuery] = []

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(fragment.text for fragment in self.file.list_fragments("head"))

    @cached_property
    def changes(self) -> LineChanges:
        return list_changed_lines(self.file)


class _RuleQueries(NamedTuple):
    """The code constraints of a rule."""

    rule: Rule
    patterns: Sequence[_Pattern]
    regexes: Sequence[RegexConstraint]


def scan_code(
    work: Sequence[tuple[Rule, Sequence[FileChange]]], parse_map: ParseMap
) -> list[CodeMatches]:
    """The findings of each rule in its candidate files, in order.

    Each file is parsed once for all rules. Where only a diff is at hand, its fragments are parsed
    instead of whole files, and what they do not show is not seen. A file that could not be read or
    parsed is listed with every rule that it concerns, unless it lacks a word that the rule needs.
    """
    findings = [CodeMatches() for _ in work]
    # By path, for all rules: one parse, one blob of added lines, one task for the pool.
    sources: dict[str, _Source] = {}
    for number, (rule, candidates) in enumerate(work):
        wanted = _build_wanted(number, rule)
        for file in candidates:
            source = sources.get(file.path) or sources.setdefault(file.path, _Source(file))
            _search_file(wanted, source, findings[number])
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


def _build_wanted(number: int, rule: Rule) -> _RuleQueries:
    patterns = []
    for item in rule.constraints:
        if isinstance(item, PatternConstraint):
            config = cast("Mapping[str, Any]", compile_pattern(item))
            query = PatternQuery(
                rule=number,
                config=config,
                fix=item.fix,
                auto_applicable=item.auto_applicable,
                description=rule.fix or rule.statement,
            )
            patterns.append(
                _Pattern(item.languages, query, extract_needles(config["rule"], item.utils))
            )
    regexes = [item for item in rule.constraints if isinstance(item, RegexConstraint)]
    return _RuleQueries(rule, patterns, regexes)


def _search_file(wanted: _RuleQueries, source: _Source, findings: CodeMatches) -> None:
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
    # Counted before this: a rule that should have looked at the file must say that it did not.
    if file.unread is not None:
        findings.unread.append(UnreadFile(file.path, file.unread))
        return
    if wanted.regexes:
        findings.locations += search_changes(source.changes, wanted.regexes)
    if any(hunk.new_length for hunk in file.hunks):
        source.queries += [item.query for item in patterns if can_match(item.needles, source.texts)]
