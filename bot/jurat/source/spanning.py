"""Lines of a page of which one expression, or one tag, takes several.

To a template it is all the same where a line ends: what rules look for in a line they look for in
these as well, joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_EXPRESSIONS = (("{{", "}}"), ("{%", "%}"), ("<%", "%>"), ("${", "}"), ("#{", "}"), ("[(", ")]"))
"""What begins and ends an expression, in whatever language."""

_TAG = re.compile(r"<[A-Za-z]")
_IN_TAG = re.compile(r"[\"'>]")


def list_spanning(text: str) -> list[tuple[int, int]]:
    """The first and last row, from 0, of each run of lines that hang together, in order.

    Takes time in proportion to the text. What never ends takes no lines.
    """
    if "\n" not in text:
        return []
    places = sorted([*_iter_tags(text), *(p for pair in _EXPRESSIONS for p in _iter(text, *pair))])
    found: list[tuple[int, int]] = []
    row, counted = 0, 0
    for start, end in places:
        row += text.count("\n", counted, start)
        counted = start
        last = row + text.count("\n", start, end)
        if found and row <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        elif last > row:
            found.append((row, last))
    return found


def _iter(text: str, opening: str, closing: str) -> Iterator[tuple[int, int]]:
    at = text.find(opening)
    while at >= 0:
        end = text.find(closing, at + len(opening))
        if end < 0:
            return
        if text.find("\n", at, end) >= 0:
            yield at, end
        at = text.find(opening, end)


def _iter_tags(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while tag := _TAG.search(text, at):
        at = tag.end()
        while (found := _IN_TAG.search(text, at)) and found[0] != ">":
            closing = text.find(found[0], found.end())
            at = found.end() if closing < 0 else closing + 1
        if found is None:
            return
        at = found.end()
        if text.find("\n", tag.start(), at) >= 0:
            yield tag.start(), at
