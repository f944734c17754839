"""Regex constraints: text that must not appear in an added line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from bot.corpus.constraints import RegexConstraint
from bot.corpus.expressions import Expression, compile_regex
from bot.subjects.change import FileChange, Line
from bot.verdicts import Location

MAX_SNIPPET = 400
"""Characters that a location quotes."""

# A blob of lines is searched first. What anchors to the text's ends, or turns multi-line mode off,
# means something else there.
_NOT_IN_A_BLOB = re.compile(r"\\[AzZ]|\(\?[a-zA-Z]*-")


class _Expression(NamedTuple):
    line: Expression
    blob: Expression | None


@dataclass(frozen=True, slots=True)
class LineChanges:
    """What a file's hunks add and remove. `blob` is all added lines, in UTF-8."""

    path: str
    added: tuple[Line, ...]
    removed: tuple[Line, ...]
    blob: bytes


def line_changes(file: FileChange) -> LineChanges:
    """The lines of a file that were added and removed."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    added = tuple(line for line in lines if line.kind == "added")
    text = "\n".join(line.text for line in added).replace("\r\n", "\n").removesuffix("\r")
    removed = tuple(line for line in lines if line.kind == "removed")
    return LineChanges(file.path, added, removed, text.encode("utf-8", "replace"))


def search(changes: LineChanges, constraints: Sequence[RegexConstraint]) -> list[Location]:
    """The added lines in which some expression matches, without lines that only moved."""
    found: dict[int, Location] = {}
    for constraint in constraints:
        expression = _compiled(constraint.pattern)
        if expression.blob is not None and not expression.blob.search(changes.blob):
            continue
        moved = Counter(_normal(line) for line in changes.removed)
        for line in changes.added:
            text = line.text.removesuffix("\r").encode("utf-8", "replace")
            if line.new is None or not expression.line.search(text):
                continue
            normal = _normal(line)
            if moved[normal] > 0:
                moved[normal] -= 1
                continue
            found.setdefault(line.new, _location(changes.path, line))
    return [found[number] for number in sorted(found)]


def matched(text: str, constraints: Sequence[RegexConstraint]) -> tuple[int, int] | None:
    """The characters of a line that the first expression to match it covers; None for none."""
    encoded = text.encode("utf-8", "replace")
    for constraint in constraints:
        match = _compiled(constraint.pattern).line.search(encoded)
        if match is not None and match.end() > match.start():
            before, found = encoded[: match.start()], encoded[match.start() : match.end()]
            start = len(before.decode(errors="replace"))
            return start, start + len(found.decode(errors="replace"))
    return None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> _Expression:
    blob = None if _NOT_IN_A_BLOB.search(pattern) else compile_regex(f"(?m){pattern}")
    return _Expression(compile_regex(pattern), blob)


def _normal(line: Line) -> str:
    return " ".join(line.text.split())


def _location(path: str, line: Line) -> Location:
    fields: dict[str, str | int] = {"snippet": shortened(line.text.strip())}
    return Location(file_path=path, start_line=line.new, end_line=line.new, fields=fields)


def shortened(text: str) -> str:
    """A quotation of bearable length."""
    return text if len(text) <= MAX_SNIPPET else f"{text[:MAX_SNIPPET]}…"
