"""Suppressions: `jurat: ignore RULE until DATE -- reason` in a comment of the source.

One stands behind the code it is about, or on a line of its own above it. Only one that the base
version holds as well, for the same line, governs anything: a change cannot excuse itself.

Other tools' comments for one line (`noqa`, `nosec`, `nosemgrep`, `eslint-disable-line`, `nolint`,
`NOSONAR`) are read as well, for the rules that name what these tools call the same. Those for a
whole file or block are not: they would excuse what a change adds below them.
"""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, NamedTuple

from ast_grep_py import Rule

from jurat.source.diff import FileChange, TextFragment
from jurat.source.embedded import is_component
from jurat.source.grammars import COMMENT_KINDS
from jurat.source.syntax import ParseResult, parse_side

MOST = 100
"""Suppressions of one file that are read."""

_READ = 800
"""Characters behind a mark that are looked at."""

_MARK = re.compile(r"jurat:[ \t]*ignore\b[ \t]*")
_TWIN_MARK = re.compile(
    r"\b(?:(?i:noqa)|nosec|nosemgrep|nolint|NOSONAR|eslint-disable-(?:next-)?line)\b"
)
_RULE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_UNTIL = re.compile(r"[ \t]+until[ \t]+(\S{1,20})")
_REASON = re.compile(r"[ \t]+--[ \t]*(\S.{0,500})", re.DOTALL)
_CLOSER = re.compile(r"[ \t]*(?:\*/[ \t]*\}?|--+>|-\}|\]\])[ \t]*\Z")
_BEFORE = re.compile(r"[^\w\"'`]*\Z")
"""What may stand between the start of a comment's line and the mark: signs alone."""

_PLAIN_COMMENT = re.compile(r"[ \t]*(?:#|//|--|;|%|<!--)")
"""How a line that is a comment begins, in a language without a grammar."""

_FORM = "write `jurat: ignore RULE until YYYY-MM-DD -- reason`"


@dataclass(frozen=True, slots=True)
class Suppression:
    """One suppression in the head version of a file.

    `line` is where it stands and `target` the line that it is about, both 1-based; None if
    there is none below it. `added` is True if the change wrote it, or moved it to another line:
    it governs nothing then. `problem` says why it cannot be read, and then the rest may be empty.
    It counts until the end of the day `until`, in UTC. `twins` is what another tool's comment
    names, as `tool:id` or the tool alone; then it is about all rules that are known so, for good,
    and `reason` is the comment.
    """

    path: str
    line: int
    target: int | None
    rule_id: str = ""
    until: dt.date | None = None
    reason: str = ""
    added: bool = False
    problem: str = ""
    twins: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """What it names, as a reader knows it."""
        return self.rule_id or ", ".join(sorted(self.twins)) or "?"

    def means(self, rule_id: str, also_known_as: Iterable[str]) -> bool:
        """Whether it is about a rule: by its id, or by what another tool calls the same."""
        if not self.twins:
            return self.rule_id == rule_id
        # A tool's name alone stands for all of its checks: its comment names none.
        return any(
            twin in self.twins or twin.partition(":")[0] in self.twins for twin in also_known_as
        )


class _Style(NamedTuple):
    """How suppressions of a kind are written; `keeps` is whether their word is part of the text."""

    pattern: re.Pattern[str]
    before: re.Pattern[str]
    keeps: bool


_OURS = _Style(_MARK, _BEFORE, keeps=False)
_TWIN = _Style(_TWIN_MARK, re.compile(r""), keeps=True)


class _SuppressionMark(NamedTuple):
    line: int
    target: int | None
    text: str


def has_suppression_marker(file: FileChange) -> bool:
    """Whether a file's head version may hold one: reading it costs a parse."""
    return file.unread is None and any(
        _MARK.search(part.text) for part in file.list_fragments("head")
    )


def has_twin_marker(file: FileChange) -> bool:
    """Whether a file's head version may hold a comment for another tool."""
    return file.unread is None and any(
        _TWIN_MARK.search(part.text) for part in file.list_fragments("head")
    )


def read_twins(file: FileChange) -> tuple[Suppression, ...]:
    """The comments for other tools in the head version, in order, with what they name there."""
    return tuple(
        Suppression(
            file.path,
            mark.line,
            mark.target,
            reason=mark.text[:_SHOWN],
            added=added,
            twins=_list_twins(mark.text),
        )
        for mark, added in _pair_marks(file, _TWIN)
    )


_SHOWN = 80
"""Characters of another tool's comment that are shown."""

_NAMES = re.compile(r"[A-Za-z@][A-Za-z0-9@/._-]*")
_CODES = re.compile(r"\b[A-Z]{1,4}[0-9]{2,5}\b")


def _list_twins(text: str) -> frozenset[str]:
    """What a comment for another tool names, from the tool's word on."""
    word = _TWIN_MARK.match(text)
    if word is None:
        return frozenset()
    said = text[word.end() :]
    after_colon = said.lstrip().removeprefix(":") if said.lstrip().startswith(":") else ""
    tool = word[0].lower().partition("-")[0]
    if tool == "nosonar":
        return frozenset({"sonar"})
    if tool == "noqa":
        named = {f"ruff:{code}" for code in _CODES.findall(after_colon)}
        return frozenset(named) or frozenset({"ruff"})
    if tool == "nosec":
        # gosec reads the same word, with codes of its own.
        codes = [code for code in _CODES.findall(said) if code[0] in _NOSEC]
        named = {f"{_NOSEC[code[0]]}:{code}" for code in codes}
        return frozenset(named) or frozenset(_NOSEC.values())
    if tool == "nolint":
        named = set(_NAMES.findall(after_colon.partition("//")[0]))
        return frozenset(named - {"all"}) or frozenset(_GO_LINTERS)
    tool, listed = ("semgrep", after_colon) if tool == "nosemgrep" else (tool, said)
    named = {f"{tool}:{name}" for name in _NAMES.findall(listed.partition(" -- ")[0])}
    return frozenset(named) or frozenset({tool})


_NOSEC = {"B": "bandit", "G": "gosec"}
_GO_LINTERS = ("gosec", "errcheck", "staticcheck", "revive")


def read_suppressions(file: FileChange) -> tuple[Suppression, ...]:
    """The suppressions of the head version, in order; of a file seen in part, those in sight."""
    return tuple(
        _build_suppression(file, mark, added=added) for mark, added in _pair_marks(file, _OURS)
    )


def _pair_marks(file: FileChange, style: _Style) -> Iterator[tuple[_SuppressionMark, bool]]:
    """The marks of the head version, each with whether the change has added it."""
    after = _find_marks(file, "head", style)
    if not after:
        return
    known = list(_find_marks(file, "base", style))
    alignment = _Alignment(file)
    for mark in after:
        same = next((one for one in known if alignment.is_same(one, mark)), None)
        # Each suppression of the base excuses one of the head: copied twice, one of the two is new.
        if same is not None:
            known.remove(same)
        yield mark, same is None


def _build_suppression(file: FileChange, mark: _SuppressionMark, *, added: bool) -> Suppression:
    """The suppression that a mark's text spells, or what is wrong with it."""
    text = _CLOSER.sub("", mark.text).strip()
    rule = _RULE.match(text)
    if rule is None:
        return _build_unreadable(file, mark, f"it names no rule: {_FORM}", added)
    until = _UNTIL.match(text, rule.end())
    if until is None:
        return _build_unreadable(file, mark, f"it has no end: {_FORM}", added, rule[0])
    try:
        day = dt.date.fromisoformat(until[1])
    except ValueError:
        problem = "its end is no date such as 2027-01-31"
        return _build_unreadable(file, mark, problem, added, rule[0])
    reason = _REASON.match(text, until.end())
    if reason is None:
        return _build_unreadable(file, mark, f"it has no reason: {_FORM}", added, rule[0])
    return Suppression(file.path, mark.line, mark.target, rule[0], day, reason[1].strip(), added)


def _build_unreadable(
    file: FileChange, mark: _SuppressionMark, problem: str, added: bool, rule_id: str = ""
) -> Suppression:
    return Suppression(
        file.path, mark.line, mark.target, rule_id=rule_id, added=added, problem=problem
    )


class _Alignment:
    """Which lines of the two versions of a file are the same line, changed or not.

    A line that the change left alone is itself. Lines that it removed and those that it put in
    their place, between two lines left alone, are taken for one.
    """

    def __init__(self, file: FileChange) -> None:
        self._changed: dict[str, dict[int, int]] = {"base": {}, "head": {}}
        self._shifts: list[tuple[int, int]] = []
        block = 0
        for hunk in file.hunks:
            for line in hunk.lines:
                if line.kind == "context":
                    block += 1
                elif line.new is not None:
                    self._changed["head"][line.new] = block
                elif line.old is not None:
                    self._changed["base"][line.old] = block
            block += 1
            old_end = hunk.old_start + hunk.old_length if hunk.old_length else hunk.old_start + 1
            new_end = hunk.new_start + hunk.new_length if hunk.new_length else hunk.new_start + 1
            self._shifts.append((new_end, new_end - old_end))
        self._contexts = {
            line.new: line.old
            for hunk in file.hunks
            for line in hunk.lines
            if line.kind == "context" and line.new is not None
        }

    def is_same(self, before: _SuppressionMark, after: _SuppressionMark) -> bool:
        """Whether two marks say the same of the same line."""
        if before.text != after.text or not self._is_aligned(before.line, after.line):
            return False
        if before.target is None or after.target is None:
            return before.target is after.target
        return self._is_aligned(before.target, after.target)

    def _is_aligned(self, base: int, head: int) -> bool:
        if (block := self._changed["head"].get(head)) is not None:
            return self._changed["base"].get(base) == block
        return self._find_origin(head) == base

    def _find_origin(self, head: int) -> int | None:
        """The base's number of a line that the change left alone."""
        if head in self._contexts:
            return self._contexts[head]
        passed = bisect_right(self._shifts, (head, 1 << 60))
        return head - (self._shifts[passed - 1][1] if passed else 0)


def _find_marks(
    file: FileChange, side: Literal["base", "head"], style: _Style
) -> tuple[_SuppressionMark, ...]:
    """The marks of one side, at most MOST. In a string or in prose there is none."""
    found: Iterable[_SuppressionMark]
    if file.language is None:
        parts = file.list_fragments(side)
        found = (mark for part in parts for mark in _find_plain_marks(part, style))
    else:
        found = (
            mark
            for source in parse_side(file, side)
            if style.pattern.search(source.text)
            for mark in _find_parsed_marks(source, file.language, style)
        )
        if is_component(file.path):
            found = chain(found, _find_marks_in_markup(file, side, style))
    return tuple(mark for mark, _ in zip(found, range(MOST), strict=False))


def _find_marks_in_markup(
    file: FileChange, side: Literal["base", "head"], style: _Style
) -> Iterator[_SuppressionMark]:
    """The marks of a component in comments outside of its scripts."""
    for part, code in zip(file.list_fragments(side), file.list_code(side), strict=True):
        rows, scripts = part.text.split("\n"), code.text.split("\n")
        for mark in _find_plain_marks(part, style):
            row = mark.line - part.first_line
            if rows[row].lstrip().startswith("<!--") and not scripts[row].strip():
                yield mark


def _find_plain_marks(part: TextFragment, style: _Style) -> Iterator[_SuppressionMark]:
    lines = part.text.split("\n")
    comment = [_PLAIN_COMMENT.match(line) for line in lines]
    below = _find_code_below(lines, lambda row: comment[row] is not None)
    for row, line in enumerate(lines):
        opened = comment[row]
        mark = style.pattern.search(line) if opened else None
        if opened and mark and style.before.match(line[opened.end() : mark.start()]):
            target = below[row]
            yield _SuppressionMark(
                part.first_line + row,
                None if target is None else part.first_line + target,
                _get_text(line, mark, style),
            )


def _find_parsed_marks(
    source: ParseResult, language: str, style: _Style
) -> Iterator[_SuppressionMark]:
    lines = source.text.split("\n")
    comments = _Comments(source, language)
    below = _find_code_below(
        lines, lambda row: comments.has_place(row, _measure_indent(lines[row]))
    )
    for row, line in enumerate(lines):
        mark = style.pattern.search(line)
        start = None if mark is None else comments.start(row, mark.start())
        if mark is None or start is None or not style.before.match(line[start : mark.start()]):
            continue
        # A comment in JSX stands in braces.
        alone = line[:start].strip() in ("", "{")
        target = below[row] if alone else row
        if not _is_inside(source, row):
            continue
        yield _SuppressionMark(
            source.first_line + row,
            None if target is None else source.first_line + target,
            _get_text(line, mark, style),
        )


def _get_text(line: str, mark: re.Match[str], style: _Style) -> str:
    """What a mark says, as far as anybody reads it."""
    start = mark.start() if style.keeps else mark.end()
    return line[start : start + _READ].rstrip()


class _Comments:
    """The comments of a tree, by place: rows and columns from 0."""

    def __init__(self, source: ParseResult, language: str) -> None:
        kinds = COMMENT_KINDS.get(language, ("comment",))
        spans = []
        for node in source.root.find_all({"rule": {"any": [Rule(kind=kind) for kind in kinds]}}):
            # An html_block of Markdown may be any markup.
            if language != "markdown" or node.text().lstrip().startswith("<!--"):
                span = node.range()
                start = (span.start.line, span.start.column)
                spans.append((start, (span.end.line, span.end.column)))
        self._spans = sorted(spans)

    def start(self, row: int, column: int) -> int | None:
        """The column where the comment begins that holds a place, on that row; None for none."""
        at = bisect_right(self._spans, ((row, column), (1 << 60, 0))) - 1
        if at < 0:
            return None
        (first_row, first_column), end = self._spans[at]
        if (row, column) >= end:
            return None
        return first_column if first_row == row else 0

    def has_place(self, row: int, column: int) -> bool:
        """Whether a place lies in a comment."""
        return self.start(row, column) is not None


def _find_code_below(lines: Sequence[str], is_comment: Callable[[int], bool]) -> list[int | None]:
    """For each row the next one below it that is neither blank nor a comment."""
    below: list[int | None] = []
    found: int | None = None
    for row in reversed(range(len(lines))):
        below.append(found)
        if lines[row].strip() and not is_comment(row):
            found = row
    return below[::-1]


def _is_inside(source: ParseResult, row: int) -> bool:
    """Whether a row is the file's own, and no scaffolding around a fragment of it."""
    line = source.first_line + row
    return line >= 1 and (source.last_line is None or line <= source.last_line)


def _measure_indent(line: str) -> int:
    return len(line) - len(line.lstrip())
