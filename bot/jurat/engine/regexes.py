"""Regex constraints over added lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, cast

from jurat.engine.baseline import Occurrence, squeeze
from jurat.findings.finding import Location
from jurat.rules.constraints import LinearRegex, RegexConstraint, compile_regex
from jurat.rules.messages import fill_first, join_messages
from jurat.source.diff import FileChange, Line
from jurat.source.languages import is_page
from jurat.source.notebooks import is_notebook, read_written_line
from jurat.source.paths import match_glob
from jurat.source.private_keys import find_whole_key
from jurat.source.spanning import list_spanning

MAX_SNIPPET = 400
"""Characters that a location quotes."""

_BEHIND = 12
"""Lines below a match in which what must follow it may stand."""

_LINES_OF_KEY = 250
"""Lines below its first one in which the rest of a key may stand."""

_MOST_COMPARED = 500
"""Matches over several lines that are looked for in the base; what is found later is new."""

# A blob of lines is searched first. What anchors to the text's ends, or turns multi-line mode off,
# means something else there.
_NOT_IN_A_BLOB = re.compile(r"\\[AzZ]|\(\?[a-zA-Z]*-")


class CodePlace(NamedTuple):
    """Lines on which something is new, what is wrong with it, and all that is new there."""

    location: Location
    message: str
    found: Sequence[Occurrence]


class LineQuery(NamedTuple):
    """An expression, and what may be said of a line that it matches (see rules/messages.py).

    What it matches counts only if `unless` matches nothing in it and `followed_by` something behind
    it, and in files of `whole_key_in` only if it begins all of a private key that is none of
    `known_keys`.
    """

    pattern: str
    messages: tuple[str, ...]
    followed_by: str = ""
    whole_key_in: tuple[str, ...] = ()
    known_keys: tuple[str, ...] = ()
    unless: str = ""


class _Expression(NamedTuple):
    line: LinearRegex
    blob: LinearRegex | None


@dataclass(frozen=True, slots=True)
class LineChanges:
    """What a file's hunks add and remove. `blob` is all that was added, in UTF-8.

    `joined` are runs of lines of a page that hang together, some of them added, each with the
    number of the first that was; `head` and `base` are all of it then, without white space.
    """

    path: str
    added: tuple[Line, ...]
    removed: tuple[Line, ...]
    blob: bytes
    joined: tuple[Line, ...] = ()
    head: str = ""
    base: str = ""


def list_changed_lines(file: FileChange) -> LineChanges:
    """The lines of a file that were added and removed; of a notebook what its strings say."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    if is_notebook(file.path):
        lines = [line._replace(text=read_written_line(line.text)) for line in lines]
    added = tuple(line for line in lines if line.kind == "added")
    joined = _list_joined(file) if added and is_page(file.path) else ()
    # CR as the lines have it below: `$` must mean the same in the blob.
    text = "\n".join(
        [*(line.text for line in added), *(line.text.replace("\n", " ") for line in joined)]
    )
    blob = text.replace("\r\n", "\n").removesuffix("\r").encode("utf-8", "replace")
    removed = tuple(line for line in lines if line.kind == "removed")
    if not joined:
        return LineChanges(file.path, added, removed, blob)
    sides = (_squeeze_side(file, "head"), _squeeze_side(file, "base"))
    return LineChanges(file.path, added, removed, blob, joined, *sides)


def _list_joined(file: FileChange) -> tuple[Line, ...]:
    """The runs of lines that hang together in a page and that the change adds to."""
    added = file.added_lines
    found: list[Line] = []
    for fragment in file.list_fragments("head"):
        lines = fragment.text.split("\n")
        for first, last in list_spanning(fragment.text):
            numbers = range(fragment.first_line + first, fragment.first_line + last + 1)
            if (number := next((one for one in numbers if one in added), None)) is not None:
                text = "\n".join(line.strip() for line in lines[first : last + 1])
                found.append(Line("added", None, number, text))
    return tuple(found)


def _squeeze_side(file: FileChange, side: Literal["base", "head"]) -> str:
    return squeeze("\n".join(fragment.text for fragment in file.list_fragments(side)))


def search_lines(changes: LineChanges, queries: Sequence[LineQuery]) -> list[CodePlace]:
    """The added lines in which some expression matches, in order. The code is the whole line."""
    found: dict[int, Line] = {}
    messages: dict[int, list[str]] = {}
    for query in queries:
        expression = _compile_expression(query.pattern)
        if expression.blob is not None and not expression.blob.search(changes.blob):
            continue
        is_of_key = any(match_glob(glob, changes.path) for glob in query.whole_key_in)
        for at, line in enumerate(changes.added):
            text = line.text.removesuffix("\r").encode("utf-8", "replace")
            match = _find_match(expression.line, query.unless, text)
            if line.new is not None and match is not None:
                if query.followed_by and not _is_followed(query, text[match.end() :], changes, at):
                    continue
                if is_of_key and not _is_key_begun(query, text[match.start() :], changes, at):
                    continue
                found[line.new] = line
                messages.setdefault(line.new, []).append(_build_message(query, match))
        for line, match in _iter_joined(changes, query, expression):
            if line.new is not None:
                found.setdefault(line.new, line._replace(text=line.text.replace("\n", " ")))
                messages.setdefault(line.new, []).append(_build_message(query, match))
    return [
        CodePlace(
            _build_location(changes.path, found[number]),
            join_messages(messages[number]),
            (_describe(changes.path, found[number]),),
        )
        for number in sorted(found)
    ]


def _iter_joined(
    changes: LineChanges, query: LineQuery, expression: _Expression
) -> Iterator[tuple[Line, re.Match[bytes]]]:
    """What an expression matches over the end of a line, if no more of it was there before."""
    if query.followed_by or query.whole_key_in:
        return
    compared = 0
    for line in changes.joined:
        lines = line.text.encode("utf-8", "replace")
        for match in _iter_matches(expression.line, query.unless, lines.replace(b"\n", b" ")):
            if b"\n" not in lines[match.start() : match.end()]:
                continue
            code = squeeze(match[0].decode(errors="replace"))
            compared += 1
            if compared > _MOST_COMPARED or changes.head.count(code) > changes.base.count(code):
                yield line, match
                break


def _find_match(expression: LinearRegex, unless: str, text: bytes) -> re.Match[bytes] | None:
    """The first match in a line that nothing in it excuses."""
    return next(_iter_matches(expression, unless, text), None)


def _iter_matches(expression: LinearRegex, unless: str, text: bytes) -> Iterator[re.Match[bytes]]:
    excuse = _compile_expression(unless).line if unless else None
    return (one for one in expression.finditer(text) if not (excuse and excuse.search(one[0])))


def _is_followed(query: LineQuery, rest: bytes, changes: LineChanges, at: int) -> bool:
    """Whether what must follow does, in the rest of the line `at` or in those added below it."""
    behind = b"\n".join((rest, *_list_below(changes, at, _BEHIND)))
    return _compile_expression(query.followed_by).line.search(behind) is not None


def _is_key_begun(query: LineQuery, begun: bytes, changes: LineChanges, at: int) -> bool:
    """Whether a private key that is used may begin in the line `at`, with what is added below."""
    lines = (begun, *_list_below(changes, at, _LINES_OF_KEY))
    letters = find_whole_key(b"\n".join(lines).decode("utf-8", "replace"))
    return bool(letters) and not letters.startswith(query.known_keys)


def _list_below(changes: LineChanges, at: int, most: int) -> list[bytes]:
    """The lines that are added right below one."""
    first = changes.added[at].new or 0
    return [
        line.text.encode("utf-8", "replace")
        for number, line in enumerate(changes.added[at + 1 : at + 1 + most], first + 1)
        if line.new == number
    ]


def _build_message(query: LineQuery, match: re.Match[bytes]) -> str:
    # RE2 gives the names of groups as it got the expression: in bytes.
    groups = cast("Mapping[bytes, bytes | None]", match.groupdict())

    def find(name: str) -> str | None:
        captured = groups.get(name.encode())
        return None if captured is None else captured.decode(errors="replace")

    return fill_first(query.messages, find)


def find_lines(changes: LineChanges, codes: Collection[str]) -> list[Occurrence]:
    """The removed lines that read like one of these codes."""
    removed = (_describe(changes.path, line) for line in changes.removed)
    return [item for item in removed if item.code in codes]


def _describe(path: str, line: Line) -> Occurrence:
    code = squeeze(line.text)
    return Occurrence(path, code, code)


def match_line(text: str, constraints: Sequence[RegexConstraint]) -> tuple[int, int] | None:
    """The characters of a line that the first expression to match it covers; None for none."""
    # RE2 works on UTF-8 and counts bytes; places are in characters.
    encoded = text.encode("utf-8", "replace")
    for constraint in constraints:
        match = _find_match(
            _compile_expression(constraint.pattern).line, constraint.unless, encoded
        )
        if match is not None and match.end() > match.start():
            before, found = encoded[: match.start()], encoded[match.start() : match.end()]
            start = len(before.decode(errors="replace"))
            return start, start + len(found.decode(errors="replace"))
    return None


@lru_cache(maxsize=512)
def _compile_expression(pattern: str) -> _Expression:
    blob = None if _NOT_IN_A_BLOB.search(pattern) else compile_regex(f"(?m){pattern}")
    return _Expression(compile_regex(pattern), blob)


def _build_location(path: str, line: Line) -> Location:
    fields: dict[str, str | int] = {"snippet": shorten(line.text.strip())}
    return Location(file_path=path, start_line=line.new, end_line=line.new, fields=fields)


def shorten(text: str, most: int = MAX_SNIPPET) -> str:
    """A quotation of bearable length."""
    return text if len(text) <= most else f"{text[:most]}…"
