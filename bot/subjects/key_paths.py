"""Where a value stands among facts, and in the text that they were read from."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

KeyPath = tuple[str | int, ...]
"""Where a value stands in a document: mapping keys and list indices from the root."""

MAX_DEPTH = 60
"""Levels of a document that is read: whoever walks one may call itself for each of them."""


class Span(NamedTuple):
    """Where a value stands in its text.

    Lines are 1-based and inclusive, from the line of the value's key on; only a newline ends one.
    `start` and `end` bound the value without its key, in characters (Unicode code points) from the
    start of the text, `end` exclusive. `body_line` is the line of the value's own first line where
    each of them is a line of the text, as in a literal block of YAML; else 0.
    """

    first_line: int
    last_line: int
    start: int
    end: int
    body_line: int = 0


def dotted(where: KeyPath) -> str:
    """A path as a person writes it: `rules[3].constraints[0].operator`."""
    text = ""
    for part in where:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def json_path(where: KeyPath) -> str:
    """A path as in RFC 9535: `$.items[0].amount`; a key that is no name stands in brackets.

    A hyphen is let pass in a name, as people write it and common readers of such paths accept it.
    """
    return "$" + "".join(map(_segment, where))


def _segment(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    if part.replace("-", "_").isidentifier():
        return f".{part}"
    return f"[{json.dumps(part, ensure_ascii=False)}]"


def line_counter(text: str) -> Callable[[int], int]:
    """The function from a character's index to its 1-based line in `text`."""
    ends = [index for index, character in enumerate(text) if character == "\n"]
    return lambda index: bisect_left(ends, index) + 1
