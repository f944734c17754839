"""Where each value of a JSON text stands. The standard parser tells it of none."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from bot.subjects.key_paths import KeyPath, Span, line_counter

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')
"""A string, a sign or a word. A text that was parsed before holds nothing else."""


@dataclass(slots=True)
class _Open:
    """A list or an object that is being read, and where it began, with and without its key."""

    is_list: bool
    first: int
    start: int


def json_spans(text: str) -> dict[KeyPath, Span]:
    """The place of every value of a text that is known to be JSON, and of the whole as ()."""
    line_at = line_counter(text)
    spans: dict[KeyPath, Span] = {}
    opened: list[_Open] = []
    where: list[str | int] = []
    key: int | None = None

    def note(first: int, start: int, end: int) -> None:
        spans[tuple(where)] = Span(line_at(first), line_at(end - 1), start, end)

    for match in _TOKEN.finditer(text):
        written, at = match[0], match.start()
        if written in ("[", "{"):
            opened.append(_Open(written == "[", at if key is None else key, at))
            where.append(0)
            key = None
        elif written in ("]", "}"):
            closed = opened.pop()
            where.pop()
            note(closed.first, closed.start, match.end())
        elif written == ",":
            key = None
            if opened[-1].is_list:
                where[-1] = int(where[-1]) + 1
        elif written == ":":
            continue
        elif opened and not opened[-1].is_list and key is None:
            where[-1] = json.loads(written)
            key = at
        else:
            note(at if key is None else key, at, match.end())
    return spans
