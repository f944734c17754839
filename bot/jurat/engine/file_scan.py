"""The patterns of all rules over one file, both sides of which parse once.

A function of plain, picklable values, so that a pool can run it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

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
from jurat.engine.file_matches import (
    Extent,
    FilePart,
    NodeMatch,
    build_fixes,
    build_location,
    build_message,
    build_replacement,
    build_step,
    parse_parts,
    read_match_phrase,
)
from jurat.engine.fixes import Replacement
from jurat.engine.guard_places import GuardedCode, HeadPart, read_guarded
from jurat.engine.inner_guards import is_asked_inside
from jurat.engine.pattern_search import PatternQuery
from jurat.engine.regexes import CodePlace
from jurat.engine.removals import (
    build_removed_location,
    find_removed,
    list_brought_lines,
    read_scopes,
    to_guard,
    to_guarded_code,
    to_head_part,
)
from jurat.engine.renames import pair_renamed
from jurat.engine.successors import is_reworded, is_succeeded
from jurat.findings.finding import Fix, Location
from jurat.rules.messages import join_messages
from jurat.source.definitions import build_enclosing_name
from jurat.source.diff import FileChange, Function
from jurat.source.names import UnresolvedNamesError

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
        self._base: list[FilePart] | None = None
        self._search = CodeSearch(job.queries)

    def scan(self) -> Mapping[int, PatternMatches]:
        file = self._file
        head = parse_parts(file, "head")
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
        self, head: Sequence[FilePart], asked: Sequence[PatternQuery], causes: CauseFinder
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
        guards = [to_guard(*pair) for pair in before]
        parts = [to_head_part(part) for part in head]
        scopes = cache(lambda: read_scopes(head))
        lost = find_removed(
            guards,
            [to_guard(match, self._describe(match, head=True)) for match in found],
            scopes,
            self._lines,
            lambda run, guard: (
                causes.is_deletion(run)
                or not is_reworded(to_guarded_code(guard, run.start), guard.node, parts, run.added)
            ),
        )
        return tuple(
            Removal(
                CodePlace(
                    build_removed_location(self._file, guards[at], cause),
                    build_message(before[at][0]),
                    (guards[at].occurrence,),
                ),
                scopes().get(guards[at].guarded.partition(".")[0]),
                "" if (text := read_guarded(guards[at].node)) in scopes().written else text,
                not (guards[at].guarded or guards[at].route),
            )
            for at, cause in lost
            if not self._is_served(before[at][0], to_guarded_code(guards[at], cause.line), parts)
        )

    def _is_served(self, guard: NodeMatch, guarded: GuardedCode, parts: Sequence[HeadPart]) -> bool:
        """Whether added lines do what a guard did, in its place or in what it guarded."""
        added = self._file.added_lines
        return is_succeeded(guarded, guard.query.instead, parts, added) or is_asked_inside(
            guard.node, guarded, guard.part.language, parts, added
        )

    def _explain_broken_lines(self, head: Sequence[FilePart]) -> tuple[str, ...]:
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
            self._base = self._base or parse_parts(before, "base")
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

    def _match_before(self, queries: Sequence[PatternQuery]) -> list[tuple[NodeMatch, Occurrence]]:
        before = self._file.as_base()
        if before is None:
            return []
        if self._base is None:
            self._base = parse_parts(before, "base")
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
        found: Sequence[NodeMatch],
        heads: Mapping[Extent, Occurrence],
        before: Sequence[tuple[NodeMatch, Occurrence]],
        news: Sequence[int],
        gone: Sequence[int],
    ) -> tuple[list[int], list[int]]:
        """Of what is new and what is gone, that which is not the other under another name."""
        matches = {match.extent: match for match in found}
        extents = list(heads)
        new = [
            (heads[extents[index]], read_match_phrase(matches[extents[index]])) for index in news
        ]
        old = [(before[index][1], read_match_phrase(before[index][0])) for index in gone]
        alone, left = pair_renamed(new, old)
        return [news[index] for index in alone], [gone[index] for index in left]

    def _describe(self, match: NodeMatch, *, head: bool) -> Occurrence:
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
            bool(match.doubt),
        )

    def _iter_matches(
        self, parts: Sequence[FilePart], queries: Sequence[PatternQuery]
    ) -> Iterator[NodeMatch]:
        """The matches in the lines of the file, without those that begin or end in scaffolding."""
        for query in queries:
            for part in parts:
                tree, fragment = part.parsed, part.fragment
                last_line = fragment.first_line + len(part.lines) - 1
                found = self._search.find(query, tree.root, tree.text, part.language)
                for node, steps, doubt in found:
                    span = node.range()
                    first, last = tree.first_line + span.start.line, tree.first_line + span.end.line
                    if span.end.column == 0 and last > first:
                        last -= 1
                    # A fragment may stand inside of a made-up class: what matches is nobody's.
                    if fragment.first_line <= first and last <= last_line:
                        way = tuple(build_step(tree, step) for step in steps)
                        yield NodeMatch(query, part, node, first, last, way, doubt)

    def _list_unfollowed(
        self, parts: Sequence[FilePart], queries: Sequence[PatternQuery]
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

    def _is_certain(self, match: NodeMatch) -> bool:
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
        new: Sequence[NodeMatch],
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
            messages_at.setdefault(span, {})[build_message(match)] = None
            if span not in places or (places[span].doubt and not match.doubt):
                location = build_location(self._file, match, around)
                cause = causes.find(match.query, occurrence.code, match.first, match.last)
                places[span] = replace(location, cause=cause) if cause else location
            edit = build_replacement(match)
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
            tuple(build_fixes(self._file, parts, edits)),
            gone,
        )


def _drop_repeated(found: Sequence[NodeMatch]) -> list[NodeMatch]:
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


def _is_setting(match: NodeMatch) -> bool:
    question = match.query.questions.get(match.part.language)
    return question is not None and bool(question.settings)


def _group_by_rule(queries: Iterable[PatternQuery]) -> Mapping[int, list[PatternQuery]]:
    grouped: dict[int, list[PatternQuery]] = {}
    for query in queries:
        grouped.setdefault(query.rule, []).append(query)
    return grouped


def _iter_errors(parts: Sequence[FilePart]) -> Iterator[tuple[int, int, str]]:
    """The parse errors of a whole text, from the first to the last line of each.

    A piece of a text breaks at its ends, whatever is in it, and says nothing.
    """
    for part in parts:
        if part.parsed.partial:
            continue
        for node in part.parsed.root.find_all({"rule": {"kind": "ERROR"}}):
            span, above = node.range(), part.parsed.first_line
            yield above + span.start.line, above + span.end.line, squeeze(node.text())
