"""Where a reasoning puts things, and by how much: held against the lines and figures there are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from jurat.audit.checks import remove_quotes
from jurat.audit.text import parse_text, split_sentences

LINE = re.compile(r"\b(?:[Ll]ines? |L)(\d{1,6})(?:\s?(?:-|\u2013|to|and)\s?L?(\d{1,6}))?\b")
"""A line of the material, or the first and the last of several, as a text names it."""
NUMBERED = re.compile(r"(?m)^\s{0,2}(\d{1,7})[+:|]")
# A hunk as jurat.judge.excerpts shows it, or as git does.
_HUNK = re.compile(r"(?m)^@@ (?:-\d+(?:,\d+)? \+)?(\d+)")
_AS_GIT = re.compile(r"(?m)^@@ -\d")
_HEADER = ("=== ", "--- ", "+++ ", "diff --git ")
_MISCOUNT = 5
"""Lines by which a model miscounts, and which prove no invention."""


def find_unshown_line(text: str, context: str) -> str:
    """The words by which a text names a line far from any that is shown; or ""."""
    numbers = _list_line_numbers(context)
    for match in LINE.finditer(text) if numbers else ():
        if not any(abs(int(match.group(1)) - number) <= _MISCOUNT for number in numbers):
            return match.group()
    return ""


@lru_cache(maxsize=4)
def _list_line_numbers(context: str) -> frozenset[int]:
    """The numbers of the lines of a change that are shown, as far as these are numbered."""
    numbers = {int(number) for number in NUMBERED.findall(context)}
    following = None
    for row in context.split("\n"):
        if opened := _HUNK.match(row):
            following = int(opened.group(1))
        elif row.startswith(_HEADER):
            following = None
        elif following is not None and not row.startswith("-"):
            numbers.add(following)
            following += 1
    numbered = NUMBERED.search(context) or _AS_GIT.search(context)
    return frozenset(numbers) if numbered else frozenset()


_NUMBERED_ROW = re.compile(r"^\s{0,2}(\d{1,7})[+:| ](.*)$")
_AT_LINE = re.compile(
    r"`?([A-Za-z_$][\w.$]*(?:\([^()\n`]{0,40}\))?)[`\"']?\s+"
    r"(?:(?:is|are|stands?|sits?|comes?|appears?|happens?)\s+)?(?:\w+ed\s+)?(?:on|at|in)\s+"
    r"(?:line |l\.\s?|L)(\d{1,6})\b(?!\s?(?:-|to|and)\s?\d)",
)
_IS_CODE = re.compile(r"[._$(]|[a-z][A-Z]")
_SLACK = 2
"""Lines by which a thing may be misplaced where they are numbered: a statement has several."""


@lru_cache(maxsize=4)
def _read_rows(context: str) -> Mapping[int, str]:
    """The numbered lines of a change, as jurat.judge.excerpts shows them, if they are of one file.

    If there are more, the number of a line says nothing.
    """
    rows: dict[int, str] = {}
    if context.count("\n=== ") + context.startswith("=== ") > 1:
        return {}
    for row in context.split("\n"):
        if match := _NUMBERED_ROW.match(row):
            rows[int(match.group(1))] = match.group(2)
    return rows


def find_misplaced(text: str, context: str) -> str:
    """The words by which a text puts a name on a line far from any that has it; or ""."""
    rows = _read_rows(context)
    for match in _AT_LINE.finditer(text) if rows else ():
        name, line = match.group(1).partition("(")[0], int(match.group(2))
        # A word of prose is said of many lines: "the error is dropped in line 93".
        if line not in rows or not _IS_CODE.search(match.group(1)):
            continue
        places = [number for number, row in rows.items() if _has_name(row, name)]
        if places and min(abs(number - line) for number in places) > _SLACK:
            return match.group()
    return ""


def _has_name(row: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", row, re.IGNORECASE) is not None


_FIGURE = re.compile(r"(?<![\w.:#-])(\d[\d,_]*(?:\.\d+)?)(?![\w.]*\d)(?!\s?%)")
_OF_A_NAME = re.compile(r"(?:[A-Z][\w.]*|\b(?:lines?|version|status|code|l\.)) ?$")
_STATUS = range(100, 600)


def find_foreign_figure(text: str, rule: str, context: str) -> str:
    """A figure that a text gives for a rule with a bound, and that nothing shown leads to; or "".

    Led to is what stands in the rule or the material, and what is a multiple or a part of it. The
    numbers of versions, lines and answers of a server are none.
    """
    given = f"{rule}\n{_ROW_NUMBER.sub('', context)}"
    known = {_read_figure(number) for number in re.findall(r"\d[\d,_]*(?:\.\d+)?", given)}
    if not parse_text(rule.split("\n", 1)[0]).numbers:
        return ""
    for sentence in split_sentences(remove_quotes(text)):
        for match in _FIGURE.finditer(sentence):
            value = _read_figure(match.group(1))
            if value < _SMALLEST or _OF_A_NAME.search(sentence[: match.start()]):
                continue
            if value in _STATUS and len(match.group(1)) == len(str(max(_STATUS))):
                continue
            if not any(_is_led_to(one, value) for one in known):
                return match.group()
    return ""


_ROW_NUMBER = re.compile(r"(?m)^(?:\s{0,2}\d{1,7}[+:| ]|@@[^\n]*$)")
_SMALLEST = 4
"""Smaller numbers are counts of what somebody saw."""


def _read_figure(number: str) -> float:
    return float(number.replace(",", "").replace("_", "") or 0)


def _is_led_to(known: float, value: float) -> bool:
    if known in (value, 0):
        return known == value
    larger, smaller = max(known, value), min(known, value)
    return smaller > 1 and (larger / smaller) % 1 == 0
