"""The lines of a text in which an expression may be found, by one search over the whole."""

from __future__ import annotations

from collections.abc import Iterator

from jurat.rules.constraints import LinearRegex


def list_touched_lines(expression: LinearRegex, data: bytes) -> Iterator[int]:
    """The lines, from 1, of which something is in a match; the expression is one over many lines.

    Whatever it matches of a line alone begins in one of them: in the others it would be found.
    """
    line, at = 1, 0
    for match in expression.finditer(data):
        line += data.count(b"\n", at, match.start())
        at = match.start()
        yield from range(line, line + match[0].count(b"\n") + 1)
