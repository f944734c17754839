"""One match in a file: what was parsed around it, where it is, what is said of it, and its fix."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Literal, NamedTuple

from ast_grep_py import SgNode

from jurat.engine.code_search import PassedNode
from jurat.engine.fixes import Replacement, build_line_fixes, fill_template, find_capture
from jurat.engine.pattern_search import PatternQuery
from jurat.engine.regexes import shorten
from jurat.engine.renames import Phrase, read_phrase
from jurat.findings.finding import Fix, Location, Step
from jurat.rules.messages import READING, SINK, SOURCE, fill_first
from jurat.source.diff import FileChange, Function, TextFragment
from jurat.source.disguises import read_plainly
from jurat.source.markup import spell_as_markup
from jurat.source.notebooks import is_notebook, write_cell_lines
from jurat.source.syntax import ParseResult, parse_side

_MOST_STEP = 120
"""Characters that a step on the way of a value quotes."""

_UNDECODABLE = "\ufffd"
"""Stands for bytes that are no UTF-8. A line that holds it cannot be written back."""


class FilePart(NamedTuple):
    """What is at hand of a file, in one piece: its lines as they are, and as they were parsed."""

    number: int
    fragment: TextFragment
    lines: Sequence[str]
    parsed: ParseResult
    language: str


Extent = tuple[int, int, int]
"""A part of a file, and the characters of it that a match covers."""


class NodeMatch(NamedTuple):
    """What a pattern matched, on which lines of the file, and the steps of a value on its way.

    `doubt` says what of that way nobody has seen.
    """

    query: PatternQuery
    part: FilePart
    node: SgNode
    first: int
    last: int
    steps: tuple[Step, ...] = ()
    doubt: str = ""

    @property
    def extent(self) -> Extent:
        """What two patterns of one rule may both have found."""
        span = self.node.range()
        return self.part.number, span.start.index, span.end.index


def read_match_phrase(match: NodeMatch) -> Phrase | None:
    """What was matched, to be told again under other names; None if its language has none."""
    return read_phrase(match.node, match.part.parsed.text, match.part.language)


def parse_parts(file: FileChange, side: Literal["base", "head"]) -> list[FilePart]:
    """What is at hand of one side of a file, parsed."""
    pieces = zip(file.list_fragments(side), parse_side(file, side), strict=False)
    return [
        FilePart(number, fragment, fragment.text.split("\n"), tree, file.language or "")
        for number, (fragment, tree) in enumerate(pieces)
    ]


def build_location(file: FileChange, match: NodeMatch, around: Mapping[int, Function]) -> Location:
    """Where a match is. `around` are the innermost functions, by line."""
    fields: dict[str, str | int] = {"snippet": shorten(spell_as_markup(match.node.text()))}
    if match.first in around:
        fields["function_name"] = around[match.first].qualified_name
    return Location(
        file_path=file.path,
        start_line=match.first,
        end_line=match.last,
        fields=fields,
        steps=match.steps,
        doubt=match.doubt,
    )


def build_step(tree: ParseResult, passed: PassedNode) -> Step:
    """A step of a value: the first line of the code that it passes."""
    line = spell_as_markup(passed.node.text().partition("\n")[0].strip())
    text = shorten(line, _MOST_STEP)
    # Of another file the whole is at hand.
    first_line = 1 if passed.path else tree.first_line
    return Step(first_line + passed.node.range().start.line, text, passed.path)


def _describe_sink(node: SgNode) -> str:
    """What a value arrives at, as the code has it: a call without its arguments."""
    called = node.field("function") or node.field("constructor")
    text = called.text() if called is not None else node.text().partition("(")[0].strip()
    return spell_as_markup(text)


def build_message(match: NodeMatch) -> str:
    """What the rule says of a match, and why it only advises if there is a doubt."""

    def find(name: str) -> str | None:
        if match.steps:
            return {SOURCE: match.steps[0].text, SINK: _describe_sink(match.node)}.get(name)
        if match.query.disguised and name == READING:
            return read_plainly(match.node.text())
        return find_capture(match.node, name, match.part.parsed.text)

    said = fill_first(match.query.messages, find)
    return f"{said} It only advises: {match.doubt}." if match.doubt else said


def build_replacement(match: NodeMatch) -> Replacement | None:
    """What the rule would write instead, None if it has no fix or cannot fill it here."""
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


def build_fixes(
    file: FileChange,
    parts: Mapping[int, FilePart],
    edits: Mapping[tuple[int, str], Sequence[Replacement]],
) -> Iterator[Fix]:
    """The fixes of whole lines, by the part and the description of the edits in them."""
    for (number, description), group in edits.items():
        part = parts[number]
        # Not as parsed: around the script of a component, that is blank.
        is_as_parsed = part.parsed.partial or is_notebook(file.path)
        text = part.parsed.text if is_as_parsed else part.fragment.text
        placed = group if is_as_parsed else _place_in_file(group, part)
        for line_fix in build_line_fixes(file.path, text, placed, description):
            fix = _to_cell_fix(line_fix, part) if is_notebook(file.path) else line_fix
            if fix is None:
                continue
            # Bytes that are no UTF-8 were read as U+FFFD: written back, they would be lost.
            if _UNDECODABLE not in fix.original:
                yield _to_file_fix(fix, part)


def _place_in_file(edits: Sequence[Replacement], part: FilePart) -> Sequence[Replacement]:
    """Edits of the code of a component as edits of its file: lines of markup are longer as code."""
    if len(part.parsed.text) == len(part.fragment.text):
        return edits
    written, parsed = part.lines, part.parsed.text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in parsed), initial=0))
    longer = list(
        accumulate((len(a) - len(b) for a, b in zip(parsed, written, strict=True)), initial=0)
    )
    placed = []
    for edit in edits:
        first, last = (bisect_right(starts, at) - 1 for at in (edit.start, edit.end))
        # What stands for markup in a script is nothing that could be written there.
        if longer[first] == longer[last + 1]:
            start, end = edit.start - longer[first], edit.end - longer[first]
            placed.append(edit._replace(start=start, end=end))
    return placed


def _to_file_fix(fix: Fix, part: FilePart) -> Fix:
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


def _to_cell_fix(fix: Fix, part: FilePart) -> Fix | None:
    """A remediation of lines of code as one of the strings of a notebook; None if it is none."""
    if fix.start_line is None or fix.end_line is None:
        return None
    written = part.lines[fix.start_line - 1 : fix.end_line]
    new = [] if fix.type == "delete" else fix.replacement.split("\n")
    lines = write_cell_lines(written, fix.original.split("\n"), new)
    if lines is None:
        return None
    return replace(fix, original="\n".join(written), replacement="\n".join(lines))
