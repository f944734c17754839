"""The patterns of all rules over one file, both sides of which parse once.

A function of plain, picklable values, so that a pool can run it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

from ast_grep_py import SgNode

from jurat.engine.baseline import (
    LineMap,
    Occurrence,
    find_news,
    map_innermost_functions,
    quote_lines,
    squeeze,
)
from jurat.engine.causes import CauseFinder
from jurat.engine.code_search import CodeSearch
from jurat.engine.disguises import explain_disguise
from jurat.engine.fixes import Replacement, build_line_fixes, fill_template, find_capture
from jurat.engine.inner_guards import is_asked_inside
from jurat.engine.pattern_search import PatternQuery
from jurat.engine.regexes import CodePlace, shorten
from jurat.engine.removals import GuardMatch, Scopes, find_removed, list_brought_lines
from jurat.engine.renames import Phrase, pair_renamed, read_phrase
from jurat.engine.successors import (
    GuardedCode,
    HeadPart,
    blank_idle_text,
    find_guarded_name,
    find_route,
    find_router,
    is_reworded,
    is_succeeded,
    read_guarded,
)
from jurat.findings.finding import Cause, Fix, Location, Step
from jurat.rules.messages import READING, SINK, SOURCE, fill_first, join_messages
from jurat.source.definitions import build_enclosing_name, find_definitions
from jurat.source.diff import FileChange, Function, TextFragment
from jurat.source.disguises import read_plainly
from jurat.source.grammars import GRAMMARS
from jurat.source.names import UnresolvedNamesError
from jurat.source.syntax import ParseResult, parse_side

_MOST_STEP = 120
"""Characters that a step on the way of a value quotes."""

_UNDECODABLE = "\ufffd"
"""Stands for bytes that are no UTF-8. A line that holds it cannot be written back."""

_DEFINES = re.compile(r"\b(def|class|func|function)\b|=>|\)\s*\{")
"""A line that may put what stands below it into another function."""


@dataclass(frozen=True, slots=True)
class FileScan:
    """The work on one file.

    `judged` are the numbers of the rules that were about its base version as well: what another
    rule would have found there excuses nothing.
    """

    file: FileChange
    queries: tuple[PatternQuery, ...]
    judged: frozenset[int] = frozenset()


class Removal(NamedTuple):
    """What the change took away that must not go.

    `around` is the code of the head around that place. `gone` is what it guarded, squeezed, if the
    head has not got that either, "" if it has. `for_file` is whether it stood in no function.
    """

    place: CodePlace
    around: str
    gone: str
    for_file: bool


@dataclass(frozen=True, slots=True)
class PatternMatches:
    """What the queries of one rule found in one file, in the order of lines.

    `places` have what is new, `gone` is what only the base had, `removed` what it lost of what must
    not go. `unread` says why a file could not
    be judged, `unfollowed` which functions that the change touches were too much to follow values
    in, and which of its lines no parser could read.
    """

    places: tuple[CodePlace, ...] = ()
    remediations: tuple[Fix, ...] = ()
    gone: tuple[Occurrence, ...] = ()
    unread: str | None = None
    unfollowed: tuple[str, ...] = ()
    removed: tuple[Removal, ...] = ()


class _FilePart(NamedTuple):
    """What is at hand of a file, in one piece: its lines as they are, and as they were parsed."""

    number: int
    fragment: TextFragment
    lines: Sequence[str]
    parsed: ParseResult
    language: str


Extent = tuple[int, int, int]
"""A part of a file, and the characters of it that a match covers."""


class _NodeMatch(NamedTuple):
    query: PatternQuery
    part: _FilePart
    node: SgNode
    first: int
    last: int
    steps: tuple[Step, ...] = ()

    @property
    def extent(self) -> Extent:
        """What two patterns of one rule may both have found."""
        span = self.node.range()
        return self.part.number, span.start.index, span.end.index


def scan_file(job: FileScan) -> Mapping[int, PatternMatches]:
    """What is new in one file, and what is gone from it, by the number of the rule.

    The head is looked at as a whole: what stands on a line that nobody touched is new if it did
    not break the rule before. Rules that find nothing in the head are left out.
    """
    return _FileScanner(job).scan()


def list_base_occurrences(job: FileScan) -> Mapping[int, tuple[Occurrence, ...]]:
    """What the rules of a job found in the base of its file, by their number."""
    scanner = _FileScanner(job)
    return {
        rule: tuple(scanner.list_before(queries))
        for rule, queries in _group_by_rule(job.queries).items()
    }


class _FileScanner:
    """One file with what its rules share: the parts of each side, parsed, and its line map."""

    def __init__(self, job: FileScan) -> None:
        self._job = job
        self._file = job.file
        self._lines = LineMap.of(job.file)
        self._base: list[_FilePart] | None = None
        self._search = CodeSearch(job.queries)

    def scan(self) -> Mapping[int, PatternMatches]:
        file = self._file
        head = _parse_parts(file, "head")
        around = map_innermost_functions(file)
        causes = CauseFinder(file, self._lines, self._search)
        results = {}
        roots = [(part.parsed.first_line, part.parsed.root) for part in head]
        disguise = explain_disguise(file, roots)
        broken = (*self._explain_broken_lines(head), *([disguise] if disguise else ()))
        for rule, asked in _group_by_rule(self._job.queries).items():
            removed = self._find_removed(head, asked, causes) if rule in self._job.judged else ()
            if removed:
                results[rule] = PatternMatches(removed=removed)
            queries = [query for query in asked if not query.removed]
            try:
                found = list(self._iter_matches(head, queries))
            except UnresolvedNamesError as error:
                results[rule] = PatternMatches(unread=str(error))
                continue
            found = _drop_repeated(found)
            unfollowed = (*broken, *self._list_unfollowed(head, queries))
            # Only now: most rules find nothing in the head, and then the base need not be parsed.
            if not found:
                if unfollowed:
                    results[rule] = PatternMatches(unfollowed=unfollowed, removed=removed)
                continue
            heads = {match.extent: self._describe(match, head=True) for match in found}
            before = self._match_before(queries) if rule in self._job.judged else []
            bases = [occurrence for _, occurrence in before]
            news, gone = find_news(list(heads.values()), bases)
            if news and gone:
                news, gone = self._pair_renamed(found, heads, before, news, gone)
            extents = list(heads)
            fresh = {extents[index] for index in news}
            new = [match for match in found if match.extent in fresh and self._is_certain(match)]
            matches = self._build_matches(
                new, heads, around, causes, tuple(bases[index] for index in gone)
            )
            results[rule] = replace(matches, unfollowed=unfollowed, removed=removed)
        return results

    def _find_removed(
        self, head: Sequence[_FilePart], asked: Sequence[PatternQuery], causes: CauseFinder
    ) -> tuple[Removal, ...]:
        """What the change took away of what must not go."""
        queries = [query for query in asked if query.removed]
        if not queries or self._file.head is None:
            return ()
        before = self._match_before(queries)
        # If nothing was guarded nothing can be lost: most heads need not be searched.
        if not before:
            return ()
        if not any(occurrence.run is not None for _, occurrence in before) and not any(
            _DEFINES.search(line) for line in list_brought_lines(self._file)
        ):
            return ()
        try:
            found = list(self._iter_matches(head, queries))
        except UnresolvedNamesError:
            return ()
        guards = [_to_guard(*pair) for pair in before]
        parts = [_to_head_part(part) for part in head]
        scopes = cache(lambda: _read_scopes(head))
        lost = find_removed(
            guards,
            [_to_guard(match, self._describe(match, head=True)) for match in found],
            scopes,
            self._lines,
            lambda run, guard: (
                causes.is_deletion(run)
                or not is_reworded(_to_guarded_code(guard, run.start), guard.node, parts, run.added)
            ),
        )
        return tuple(
            Removal(
                CodePlace(
                    _build_removed_location(self._file, guards[at], cause),
                    _build_message(before[at][0]),
                    (guards[at].occurrence,),
                ),
                scopes().get(guards[at].guarded.partition(".")[0]),
                "" if (text := read_guarded(guards[at].node)) in scopes().written else text,
                not (guards[at].guarded or guards[at].route),
            )
            for at, cause in lost
            if not self._is_served(before[at][0], _to_guarded_code(guards[at], cause.line), parts)
        )

    def _is_served(
        self, guard: _NodeMatch, guarded: GuardedCode, parts: Sequence[HeadPart]
    ) -> bool:
        """Whether added lines do what a guard did, in its place or in what it guarded."""
        added = self._file.added_lines
        return is_succeeded(guarded, guard.query.instead, parts, added) or is_asked_inside(
            guard.node, guarded, guard.part.language, parts, added
        )

    def _explain_broken_lines(self, head: Sequence[_FilePart]) -> tuple[str, ...]:
        """Why no pattern passes on added lines that stand in a parse error; empty for none."""
        added = self._file.added_lines
        errors = [
            (first, last, text)
            for first, last, text in _iter_errors(head)
            if not added.isdisjoint(range(first, last + 1))
        ]
        before = self._file.as_base() if errors else None
        if before is not None:
            # What was as broken before is only indented, or in a file of another name.
            self._base = self._base or _parse_parts(before, "base")
            known = {text for _, _, text in _iter_errors(self._base)}
            errors = [error for error in errors if error[2] not in known]
        if not errors:
            return ()
        first, last = errors[0][0], max(last for _, last, _ in errors)
        named = f"line {first}" if first == last else f"lines {first} to {last}"
        return (f"its parser makes nothing of {named}",)

    def list_before(self, queries: Sequence[PatternQuery]) -> list[Occurrence]:
        """What the queries find in the base, each thing once."""
        return [occurrence for _, occurrence in self._match_before(queries)]

    def _match_before(self, queries: Sequence[PatternQuery]) -> list[tuple[_NodeMatch, Occurrence]]:
        before = self._file.as_base()
        if before is None:
            return []
        if self._base is None:
            self._base = _parse_parts(before, "base")
        # A kind of node that another grammar does not know is an error there, not a miss.
        fitting = [item for item in queries if before.language in item.languages]
        try:
            found = self._iter_matches(self._base, fitting)
            matches = {match.extent: match for match in found}
        except UnresolvedNamesError:
            # A base that cannot be read excuses nothing.
            return []
        return [(match, self._describe(match, head=False)) for match in matches.values()]

    def _pair_renamed(
        self,
        found: Sequence[_NodeMatch],
        heads: Mapping[Extent, Occurrence],
        before: Sequence[tuple[_NodeMatch, Occurrence]],
        news: Sequence[int],
        gone: Sequence[int],
    ) -> tuple[list[int], list[int]]:
        """Of what is new and what is gone, that which is not the other under another name."""
        matches = {match.extent: match for match in found}
        extents = list(heads)
        new = [(heads[extents[index]], _read_phrase(matches[extents[index]])) for index in news]
        old = [(before[index][1], _read_phrase(before[index][0])) for index in gone]
        alone, left = pair_renamed(new, old)
        return [news[index] for index in alone], [gone[index] for index in left]

    def _describe(self, match: _NodeMatch, *, head: bool) -> Occurrence:
        first, last, part = match.first, match.last, match.part
        above = part.fragment.first_line
        if head:
            kept = self._lines.find_kept(first)
        else:
            kept = None if self._lines.find_run(first, first, head=False) is not None else first
        return Occurrence(
            self._file.path,
            squeeze(match.node.text()),
            quote_lines(part.lines, first - above, last - above),
            build_enclosing_name(match.node, self._file.language or ""),
            kept,
            self._lines.find_run(first, last, head=head),
        )

    def _iter_matches(
        self, parts: Sequence[_FilePart], queries: Sequence[PatternQuery]
    ) -> Iterator[_NodeMatch]:
        """The matches in the lines of the file, without those that begin or end in scaffolding."""
        for query in queries:
            for part in parts:
                tree, fragment = part.parsed, part.fragment
                last_line = fragment.first_line + len(part.lines) - 1
                for node, steps in self._search.find(query, tree.root, tree.text, part.language):
                    span = node.range()
                    first, last = tree.first_line + span.start.line, tree.first_line + span.end.line
                    if span.end.column == 0 and last > first:
                        last -= 1
                    # A fragment may stand inside of a made-up class: what matches is nobody's.
                    if fragment.first_line <= first and last <= last_line:
                        way = tuple(_build_step(tree, step) for step in steps)
                        yield _NodeMatch(query, part, node, first, last, way)

    def _list_unfollowed(
        self, parts: Sequence[_FilePart], queries: Sequence[PatternQuery]
    ) -> tuple[str, ...]:
        """The functions that the change touches and in which no values were followed."""
        found: dict[str, None] = {}
        for query in queries:
            for part in parts:
                for one in self._search.list_unfollowed(
                    query, part.parsed.root, part.parsed.text, part.language
                ):
                    first = part.parsed.first_line + one.first
                    last = part.parsed.first_line + one.last
                    if self._lines.is_touched(first, last):
                        name = f"{one.name}, " if one.name else ""
                        found[f"{name}lines {first} to {last}: {one.reason}"] = None
        return tuple(found)

    def _is_certain(self, match: _NodeMatch) -> bool:
        """Whether a match may count as new.

        Of a file of which only hunks are at hand, one beside the changed lines may be the work of
        a grammar that made something else of another fragment.
        """
        if not match.part.parsed.partial:
            return True
        if self._lines.is_touched(match.first, match.last):
            return True
        if any(match.first < run.start <= match.last for run in self._lines.runs):
            return True
        return all(part.parsed.clean for part in (match.part, *(self._base or ())))

    def _build_matches(
        self,
        new: Sequence[_NodeMatch],
        heads: Mapping[Extent, Occurrence],
        around: Mapping[int, Function],
        causes: CauseFinder,
        gone: tuple[Occurrence, ...],
    ) -> PatternMatches:
        places: dict[tuple[int, int], Location] = {}
        messages_at: dict[tuple[int, int], dict[str, None]] = {}
        occurrences_at: dict[tuple[int, int], dict[Extent, Occurrence]] = {}
        edits: dict[tuple[int, str], list[Replacement]] = {}
        for match in new:
            occurrence = heads[match.extent]
            span = match.first, match.last
            occurrences_at.setdefault(span, {})[match.extent] = occurrence
            messages_at.setdefault(span, {})[_build_message(match)] = None
            if span not in places:
                location = _build_location(self._file, match, around)
                cause = causes.find(match.query, occurrence.code, match.first, match.last)
                places[span] = replace(location, cause=cause) if cause else location
            edit = _build_replacement(match)
            if edit is not None:
                key = match.part.number, match.query.description
                edits.setdefault(key, []).append(edit)
        parts = {match.part.number: match.part for match in new}
        return PatternMatches(
            tuple(
                CodePlace(
                    places[span],
                    join_messages(messages_at[span]),
                    tuple(occurrences_at[span].values()),
                )
                for span in sorted(places)
            ),
            tuple(_build_fixes(self._file, parts, edits)),
            gone,
        )


def _to_guard(match: _NodeMatch, occurrence: Occurrence) -> GuardMatch:
    guarded = find_guarded_name(match.node, match.part.language)
    route, router = find_route(match.node), find_router(match.node.text())
    return GuardMatch(match.node, occurrence, guarded, route, router, match.first, match.last)


def _to_guarded_code(guard: GuardMatch, line: int) -> GuardedCode:
    is_text = guard.node.kind() == "string"
    return GuardedCode(guard.guarded, guard.route, guard.router, line, is_text)


def _to_head_part(part: _FilePart) -> HeadPart:
    return HeadPart(part.parsed.root, part.parsed.text, part.parsed.first_line, part.language)


def _read_scopes(parts: Sequence[_FilePart]) -> Scopes:
    """The functions and scopes of a version."""
    texts: dict[str, str] = {}
    written = whole = ""
    for part in parts:
        lines = blank_idle_text(_to_head_part(part))
        written += squeeze(part.parsed.text)
        whole += "\n".join(lines)
        if part.language not in GRAMMARS:
            continue
        for one in find_definitions(part.parsed, part.language):
            first = part.parsed.first_line
            own = lines[max(one.start_line - first, 0) : one.end_line - first + 1]
            texts[one.qualified_name] = "\n".join(own)
    return Scopes(written, whole, texts)


def _build_removed_location(file: FileChange, guard: GuardMatch, cause: Cause) -> Location:
    """Where it stood: the line that follows it in the head, or the last one."""
    line = max(min(cause.line, (file.head or "").count("\n")), 1)
    fields: dict[str, str | int] = {"snippet": shorten(guard.node.text())}
    if guard.guarded:
        fields["function_name"] = guard.guarded
    return Location(file_path=file.path, start_line=line, end_line=line, fields=fields, cause=cause)


def _drop_repeated(found: Sequence[_NodeMatch]) -> list[_NodeMatch]:
    """The matches without those of settings around what another constraint of the rule matches."""
    written = [match.extent for match in found if not _is_setting(match)]
    return [
        match
        for match in found
        if not _is_setting(match)
        or not any(
            number == match.extent[0] and match.extent[1] <= first and last <= match.extent[2]
            for number, first, last in written
        )
    ]


def _is_setting(match: _NodeMatch) -> bool:
    question = match.query.questions.get(match.part.language)
    return question is not None and bool(question.settings)


def _read_phrase(match: _NodeMatch) -> Phrase | None:
    return read_phrase(match.node, match.part.parsed.text, match.part.language)


def _group_by_rule(queries: Iterable[PatternQuery]) -> Mapping[int, list[PatternQuery]]:
    grouped: dict[int, list[PatternQuery]] = {}
    for query in queries:
        grouped.setdefault(query.rule, []).append(query)
    return grouped


def _parse_parts(file: FileChange, side: Literal["base", "head"]) -> list[_FilePart]:
    pieces = zip(file.list_fragments(side), parse_side(file, side), strict=False)
    return [
        _FilePart(number, fragment, fragment.text.split("\n"), tree, file.language or "")
        for number, (fragment, tree) in enumerate(pieces)
    ]


def _iter_errors(parts: Sequence[_FilePart]) -> Iterator[tuple[int, int, str]]:
    """The parse errors of a whole text, from the first to the last line of each.

    A piece of a text breaks at its ends, whatever is in it, and says nothing.
    """
    for part in parts:
        if part.parsed.partial:
            continue
        for node in part.parsed.root.find_all({"rule": {"kind": "ERROR"}}):
            span, above = node.range(), part.parsed.first_line
            yield above + span.start.line, above + span.end.line, squeeze(node.text())


def _build_location(
    file: FileChange, match: _NodeMatch, around: Mapping[int, Function]
) -> Location:
    fields: dict[str, str | int] = {"snippet": shorten(match.node.text())}
    if match.first in around:
        fields["function_name"] = around[match.first].qualified_name
    return Location(
        file_path=file.path,
        start_line=match.first,
        end_line=match.last,
        fields=fields,
        steps=match.steps,
    )


def _build_step(tree: ParseResult, node: SgNode) -> Step:
    text = node.text().partition("\n")[0].strip()
    return Step(tree.first_line + node.range().start.line, shorten(text, _MOST_STEP))


def _describe_sink(node: SgNode) -> str:
    """What a value arrives at, as the code has it: a call without its arguments."""
    called = node.field("function") or node.field("constructor")
    return called.text() if called is not None else node.text().partition("(")[0].strip()


def _build_message(match: _NodeMatch) -> str:
    def find(name: str) -> str | None:
        if match.steps:
            return {SOURCE: match.steps[0].text, SINK: _describe_sink(match.node)}.get(name)
        if match.query.disguised and name == READING:
            return read_plainly(match.node.text())
        return find_capture(match.node, name, match.part.parsed.text)

    return fill_first(match.query.messages, find)


def _build_replacement(match: _NodeMatch) -> Replacement | None:
    if match.query.fix is None:
        return None
    text = fill_template(match.query.fix, match.node, match.part.parsed.text)
    if text is None:
        return None
    span = match.node.range()
    query = match.query
    return Replacement(
        span.start.index, span.end.index, text, query.auto_applicable, query.consequence
    )


def _build_fixes(
    file: FileChange,
    parts: Mapping[int, _FilePart],
    edits: Mapping[tuple[int, str], Sequence[Replacement]],
) -> Iterator[Fix]:
    for (number, description), group in edits.items():
        part = parts[number]
        for fix in build_line_fixes(file.path, part.parsed.text, group, description):
            # Bytes that are no UTF-8 were read as U+FFFD: written back, they would be lost.
            if _UNDECODABLE not in fix.original:
                yield _to_file_fix(fix, part)


def _to_file_fix(fix: Fix, part: _FilePart) -> Fix:
    """A remediation of parsed lines as one of the file's: with their numbers and their margin."""
    tree, fragment = part.parsed, part.fragment
    if not tree.partial or fix.start_line is None or fix.end_line is None:
        return fix
    start, end = tree.first_line + fix.start_line - 1, tree.first_line + fix.end_line - 1
    first = fragment.first_line
    original = part.lines[start - first : end - first + 1]
    margin = original[0][: tree.column]
    lines = [margin + line if line.strip() else line for line in fix.replacement.split("\n")]
    return replace(
        fix,
        start_line=start,
        end_line=end,
        original="\n".join(original),
        replacement="\n".join(lines),
    )
