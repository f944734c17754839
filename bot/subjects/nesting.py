"""A look at how deeply a text is nested, before a grammar that may not survive it.

Three of the grammars keep their open blocks in a buffer of 1,024 bytes and end the process where
it overflows: YAML and Markdown at 256 open blocks, Kotlin at some 600 string templates inside each
other. The counts here are never less than what the grammar keeps open, and ordinary text does not
come near the limits.
"""

from __future__ import annotations

import re

MAX_BLOCKS = 200
"""Blocks of YAML or Markdown inside each other."""
MAX_TEMPLATES = 400
"""Braced templates in the strings of one Kotlin text, wherever they stand."""

_YAML = re.compile(r"[-?:](?=\s|$)")
_MARKDOWN = re.compile(r">|[-+*](?=\s|$)|[0-9]{1,9}[.)](?=\s|$)")


class TooDeeplyNestedError(Exception):
    """A text that its grammar might not survive."""

    def __init__(self) -> None:
        super().__init__("it is nested too deeply to be parsed safely")


def check_nesting(text: str, language: str) -> None:
    """Raise TooDeeplyNestedError where a grammar of `bot.subjects.languages` might overflow."""
    match language:
        case "yaml":
            deep = _blocks(text, _YAML, content=True) > MAX_BLOCKS
        case "markdown":
            deep = _blocks(text, _MARKDOWN, content=False) > MAX_BLOCKS
        case "kotlin":
            deep = text.count("${") > MAX_TEMPLATES
        case _:
            deep = False
    if deep:
        raise TooDeeplyNestedError


def _blocks(text: str, marker: re.Pattern[str], *, content: bool) -> int:
    """How many blocks are open at once, at most, were each ended only by one further left.

    A block begins at a marker at the start of a line, with `content` also where the line's own text
    begins; several may begin on one line, each further right than the one around it.
    """
    deepest = 0
    columns: list[int] = []
    for line in text.splitlines():
        begun = _begun(line.expandtabs(4), marker, content=content)
        if begun:
            while columns and columns[-1] >= begun[0]:
                columns.pop()
            columns += begun
            deepest = max(deepest, len(columns))
    return deepest


def _begun(line: str, marker: re.Pattern[str], *, content: bool) -> list[int]:
    """The columns at which blocks begin at the start of a line."""
    begun: list[int] = []
    place = 0
    while place < len(line):
        if line[place] == " ":
            place += 1
        elif match := marker.match(line, place):
            begun.append(place)
            place = match.end()
        else:
            if content:
                begun.append(place)
            break
    return begun
