"""What a reasoning quotes, and whether it stands in the material."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache

_QUOTED = re.compile(
    r'"([^"\n]*)"|`([^`\n]*)`'
    # Bounded, so that many marks that nothing closes cost no more than one look ahead each.
    r"|“([^”]{0,400})”|„([^“”]{0,400})[“”]|«([^»]{0,400})»|「([^」]{0,400})」"
)
_LEAST = 3
"""Characters below which a quote stands nearly anywhere, as where verdicts are anchored."""

_MOST = 50
"""Quotes of one text that are looked up."""


def quotes(text: str) -> list[str]:
    """The passages of a text that stand in quotation marks or backticks.

    Where quotation marks stand inside a quotation, the whole of it is among them too.
    """
    found = ["".join(groups) for groups in _QUOTED.findall(text)]
    if text.count('"') > 2:
        found.append(text[text.index('"') + 1 : text.rindex('"')])
    return found[:_MOST]


def unquoted(text: str) -> str:
    """The text without its quoted passages."""
    return _QUOTED.sub(' "" ', text)


def standing(passages: Iterable[str], material: str) -> str:
    """The first of the passages that stands in the material, "" where none does.

    Each line of a passage must stand in a line of the material, white space aside, and neither
    begin nor end inside a word there; a passage of one or two characters must be all of a line. A
    value may stand there as JSON writes it.
    """
    for passage in passages:
        for written in (passage, json.dumps(passage, ensure_ascii=False)[1:-1]):
            lines = [" ".join(line.split()) for line in written.split("\n")]
            lines = [line for line in lines if line]
            stands = _stands if sum(map(len, lines)) >= _LEAST else _is_a_line
            if lines and all(stands(line, material) for line in lines):
                return passage
    return ""


def _is_a_line(text: str, material: str) -> bool:
    # Lines of a change begin with their number and "+", lines of a long value with "| ".
    line = rf"(?m)^(?:\d{{1,9}}\+|\|)?[ \t]*{re.escape(text)}[ \t\r]*$"
    return re.search(line, material) is not None


def _stands(line: str, material: str) -> bool:
    return _stands_exactly(line, material) or _stands_exactly(line, _spaced(material))


def _stands_exactly(line: str, text: str) -> bool:
    start = text.find(line)
    while start >= 0 and not _whole(start, len(line), text):
        start = text.find(line, start + len(line))
    return start >= 0


def _whole(start: int, length: int, text: str) -> bool:
    """Whether no word goes on over either end of a passage of `text`."""
    end = start + length
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (
        (_in_word(before) and _in_word(text[start]))
        or (_in_word(after) and _in_word(text[end - 1]))
    )


def _in_word(character: str) -> bool:
    return character.isalnum() and character.isascii()


@lru_cache(maxsize=2)
def _spaced(material: str) -> str:
    return "\n".join(" ".join(line.split()) for line in material.split("\n"))
