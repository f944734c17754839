"""Both versions of one file, each parsed once, and what queries match in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from jurat.engine.baseline import LineMap, Occurrence, map_innermost_functions, quote_lines, squeeze
from jurat.engine.code_search import CodeSearch
from jurat.engine.file_matches import FilePart, NodeMatch, build_step, parse_parts
from jurat.engine.idle_code import can_rest, drop_idle_code
from jurat.engine.pattern_search import PatternQuery
from jurat.source.definitions import build_enclosing_name
from jurat.source.diff import FileChange, Function
from jurat.source.embedded import has_code_inside
from jurat.source.names import UnresolvedNamesError


class FileVersions:
    """The head and the base of a file, as all rules of a run share them."""

    def __init__(
        self, file: FileChange, search: CodeSearch, search_before: CodeSearch | None = None
    ) -> None:
        self.file = file
        self.lines = LineMap.of(file)
        self._search = search
        self._search_before = search_before or search
        self._base: list[FilePart] | None = None

    @cached_property
    def head(self) -> list[FilePart]:
        """What is at hand of the head."""
        return parse_parts(self.file, "head")

    @cached_property
    def functions(self) -> Mapping[int, Function]:
        """The innermost function around each line of the head."""
        return map_innermost_functions(self.file)

    @cached_property
    def live(self) -> FileVersions:
        """Both without the code that never runs, if the change may be the reason that some does."""
        file = self.file
        if file.head is None or file.language is None or has_code_inside(file.path):
            return self
        if not can_rest([line.text for hunk in file.hunks for line in hunk.lines]):
            return self
        head = drop_idle_code(file.head, file.language)
        if head == file.head:
            return self
        base = None if file.base is None else drop_idle_code(file.base, file.language)
        found = FileVersions(replace(file, head=head, base=base), self._search, self._search_before)
        found.lines = self.lines
        return found

    def _parse_base(self, before: FileChange) -> list[FilePart]:
        if self._base is None:
            self._base = parse_parts(before, "base")
        return self._base

    def match_head(self, queries: Sequence[PatternQuery]) -> list[NodeMatch]:
        """What queries match in the head. Raises UnresolvedNamesError if names cannot be told."""
        return list(self._iter_matches(self.head, queries, self._search))

    def match_base(self, queries: Sequence[PatternQuery]) -> list[tuple[NodeMatch, Occurrence]]:
        """What queries match in the base, each thing once; nothing if names cannot be told."""
        before = self.file.as_base()
        if before is None:
            return []
        base = self._parse_base(before)
        # A kind of node that another grammar does not know is an error there, not a miss.
        fitting = [item for item in queries if before.language in item.languages]
        search = self._search_before
        try:
            matches = {match.extent: match for match in self._iter_matches(base, fitting, search)}
        except UnresolvedNamesError:
            # A base that cannot be read excuses nothing.
            return []
        return [(match, self.describe(match, head=False)) for match in matches.values()]

    def _iter_matches(
        self, parts: Sequence[FilePart], queries: Sequence[PatternQuery], search: CodeSearch
    ) -> Iterator[NodeMatch]:
        """The matches in the lines of the file, without those that begin or end in scaffolding."""
        for query in queries:
            for part in parts:
                tree, fragment = part.parsed, part.fragment
                last_line = fragment.first_line + len(part.lines) - 1
                found = search.find(query, tree.root, tree.text, part.language, self.file.path)
                for node, steps, doubt in found:
                    span = node.range()
                    first, last = tree.first_line + span.start.line, tree.first_line + span.end.line
                    if span.end.column == 0 and last > first:
                        last -= 1
                    # A fragment may stand inside of a made-up class: what matches is nobody's.
                    if fragment.first_line <= first and last <= last_line:
                        way = tuple(build_step(tree, step) for step in steps)
                        yield NodeMatch(query, part, node, first, last, way, doubt)

    def describe(self, match: NodeMatch, *, head: bool) -> Occurrence:
        """A match as it is compared with those of the other version."""
        first, last, part = match.first, match.last, match.part
        above = part.fragment.first_line
        if head:
            kept = self.lines.find_kept(first)
        else:
            kept = None if self.lines.find_run(first, first, head=False) is not None else first
        return Occurrence(
            self.file.path,
            squeeze(match.node.text()),
            quote_lines(part.lines, first - above, last - above),
            build_enclosing_name(match.node, self.file.language or ""),
            kept,
            self.lines.find_run(first, last, head=head),
            bool(match.doubt),
        )

    def explain_broken_lines(self) -> tuple[str, ...]:
        """Why no pattern passes on added lines that stand in a parse error; empty for none."""
        added = self.file.added_lines
        errors = [
            (first, last, text)
            for first, last, text in _iter_errors(self.head)
            if not added.isdisjoint(range(first, last + 1))
        ]
        before = self.file.as_base() if errors else None
        if before is not None:
            # What was as broken before is only indented, or in a file of another name.
            known = {text for _, _, text in _iter_errors(self._parse_base(before))}
            errors = [error for error in errors if error[2] not in known]
        if not errors:
            return ()
        first, last = errors[0][0], max(last for _, last, _ in errors)
        named = f"line {first}" if first == last else f"lines {first} to {last}"
        return (f"its parser makes nothing of {named}",)

    def list_unfollowed(self, queries: Sequence[PatternQuery]) -> tuple[str, ...]:
        """The functions that the change touches and in which no values were followed."""
        found: dict[str, None] = {}
        for query in queries:
            for part in self.head:
                for one in self._search.list_unfollowed(
                    query, part.parsed.root, part.parsed.text, part.language
                ):
                    first = part.parsed.first_line + one.first
                    last = part.parsed.first_line + one.last
                    if self.lines.is_touched(first, last):
                        name = f"{one.name}, " if one.name else ""
                        found[f"{name}lines {first} to {last}: {one.reason}"] = None
        return tuple(found)

    def is_certain(self, match: NodeMatch) -> bool:
        """Whether a match may count as new.

        Of a file of which only hunks are at hand, one beside the changed lines may be the work of
        a grammar that made something else of another fragment.
        """
        if not match.part.parsed.partial:
            return True
        if self.lines.is_touched(match.first, match.last):
            return True
        if any(match.first < run.start <= match.last for run in self.lines.runs):
            return True
        return all(part.parsed.clean for part in (match.part, *(self._base or ())))


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
