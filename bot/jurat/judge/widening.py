"""Hunks of a text with the rest of the passages that they begin and end in.

A clause is judged as it now reads, and three lines of context are not a clause.
"""

from __future__ import annotations

from collections.abc import Sequence

from jurat.facts.context import Passage, find_passage
from jurat.source.diff import FileChange, Hunk, Line

MOST = 40
"""Lines that a hunk is widened by at either end: a section may be as long as a book."""


def expand_hunks(file: FileChange, passages: Sequence[Passage]) -> tuple[Hunk, ...]:
    """The hunks of a file, those that meet as one; as they are where its text is not at hand."""
    if file.head is None or not passages:
        return file.hunks
    texts = file.head.split("\n")
    found: list[Hunk] = []
    for hunk, following in zip(file.hunks, [*file.hunks[1:], None], strict=True):
        first, last = _find_reach(hunk, passages)
        if following is not None:
            # Not into the next hunk: its lines would stand twice, once as they were not.
            last = min(last, _get_first_line(following) - 1)
        first = max(first, _get_last_line(found[-1]) + 1) if found else first
        before = _build_context_lines(texts, first, _get_first_line(hunk) - 1)
        lines = (*before, *hunk.lines, *_build_context_lines(texts, _get_last_line(hunk) + 1, last))
        if found and first == _get_last_line(found[-1]) + 1:
            met = found.pop()
            first, lines = _get_first_line(met), (*met.lines, *lines)
        length = sum(line.kind != "removed" for line in lines)
        found.append(Hunk(hunk.old_start, hunk.old_length, first, length, hunk.section, lines))
    return tuple(found)


def _find_reach(hunk: Hunk, passages: Sequence[Passage]) -> tuple[int, int]:
    """The first and the last line of the passages around a hunk's ends, as far as MOST goes."""
    begin, end = _get_first_line(hunk), _get_last_line(hunk)
    around, ending = find_passage(passages, begin), find_passage(passages, end)
    first = begin if around is None else min(begin, max(around.first_line, begin - MOST))
    last = end if ending is None else max(end, min(ending.last_line, end + MOST))
    return first, last


def _get_first_line(hunk: Hunk) -> int:
    """The first head line of a hunk. One without any stands behind its `new_start`."""
    return hunk.new_start if hunk.new_length else hunk.new_start + 1


def _get_last_line(hunk: Hunk) -> int:
    """The last head line of a hunk, or the one before it if it has none."""
    return _get_first_line(hunk) + hunk.new_length - 1


def _build_context_lines(texts: Sequence[str], first: int, last: int) -> tuple[Line, ...]:
    return tuple(
        Line("context", None, number, texts[number - 1]) for number in range(first, last + 1)
    )
