"""What joins one piece of code to another: the names that stand in both."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jurat.source.diff import FileChange, Function, FunctionChange

_WORD = re.compile(r"[^\W\d]\w+")
_PROSE = "markdown"
_HEADING = re.compile(r"#{1,6}\s+\S")
_COMMON = re.compile(
    r"and|any|as|assert|async|await|bool|break|case|catch|char|class|const|continue|def|"
    r"default|del|do|double|elif|else|enum|err|except|export|extends|final|finally|float|fn|"
    r"for|from|func|function|go|if|implements|import|in|int|interface|is|let|long|match|new|"
    r"nil|none|not|null|number|object|of|or|package|pass|private|protected|public|raise|range|"
    r"return|self|static|str|string|struct|super|switch|this|throw|throws|true|try|type|typeof|"
    r"undefined|use|val|var|void|while|with|yield|false",
    re.IGNORECASE,
)
"""Words that stand in any code, and join no two pieces of it."""


def find_words(text: str) -> frozenset[str]:
    """The names in a text, whatever they are names of."""
    return frozenset(word for word in _WORD.findall(text) if not _COMMON.fullmatch(word))


def list_outer_functions(file: FileChange) -> tuple[Function, ...]:
    """The functions of a file's head that the change touches, but for those inside of others."""
    there = [
        item
        for item in file.functions
        if item.change is not FunctionChange.REMOVED and not item.partial
    ]
    found: list[Function] = []
    for item in sorted(there, key=lambda one: (one.start_line, -one.end_line)):
        if not found or item.start_line > found[-1].end_line:
            found.append(item)
    return tuple(found)


def is_paragraph_start(text: str, before: str, language: str | None = None) -> bool:
    """Whether a line begins statements of their own: at the margin, behind an empty line.

    Of a text in Markdown it is a heading, since what a paragraph says it says under that.
    """
    if language == _PROSE:
        return is_heading(text)
    return bool(text) and not text[0].isspace() and text[0] not in ")]}" and not before.strip()


def is_heading(text: str) -> bool:
    """Whether a line of Markdown is a heading. One of a shell's comments in a fence is not told."""
    return _HEADING.match(text) is not None


def find_heading(lines: Sequence[str], number: int) -> str:
    """The heading of Markdown that stands above a line, which counts from 1; "" if none does."""
    above = (lines[at] for at in range(min(number - 1, len(lines)) - 1, -1, -1))
    return next(filter(is_heading, above), "").strip()
