"""What a text states: figures, dates, spans, names. An empty form and a promise have none of them.

Only as much of a text is read as it takes to find as many as are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_CITED = re.compile(
    r"\b(?:art(?:icle|ikel)?s?\.?|annex|iso(?:/iec)?|iec|nist|section|chapter|clause|abs\.?|lit\.?|nr\.?"
    r"|regulation|directive|recital)\s*(?:\(eu\)\s*)?[\w./-]+(?:\(\w+\))*|\(eu\)\s*[\d/]+"
    r"|(?m:^[ \t]*(?:#+[ \t]*)?(?:\d+[.)]|step \d+))|https?://\S+|\{\{[^{}\n]*\}\}|\b\d+\s*%\s*(?:secure|safe|compliant|fair)",
    re.IGNORECASE,
)
_MONTHS = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_ADDRESS = r"|[\w.+-]{1,64}@[\w-]+\.\w+"
_VALUES = (
    # A word's beginning once for all: within a word nothing is tried.
    r"\b(?:\d+(?:[.,]\d+)?\s?(?:%|per cent\b|percent\b)|(?:\d+|one|two)\s?(?:of|/|out of|in)\s?\d+"
    r"|0?\.\d+\b|20\d\d(?:-\d\d){0,2}\b|[Qq][1-4]\b"
    rf"|\d{{1,2}}\.? (?:{_MONTHS})\b|(?:{_MONTHS}) \d{{1,2}}\b|(?:{_MONTHS})\s+20\d\d"
    r"|(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|eighteen|thirty|half an?|one|a"
    r"|same)[\s-]"
    r"(?:\w+\s)?(?:second|minute|min|hour|day|week|month|year|tage?|monate?|jahre?)s?\b"
    r"|(?:every|each) (?:\w+ )?(?:year|quarter|month|week|day|night|monday|friday|release)s?\b"
    r"|(?:daily|nightly|weekly|fortnightly|monthly|quarterly|half-yearly|yearly|annually)\b"
    r"|\d{1,3}(?:[ ,.]\d{3})+\b|\d{2,}(?= [a-z]{3,})"
    rf"{_ADDRESS}"
    r"|[A-Z]\.\s?[A-Z][a-z]+|(?:Dr|Ms|Mr|Mrs|Prof)\.?\s[A-Z]\w+"
    r"|[nN]\s?=\s?\d+|[1-5] ?[x\u00d7] ?[1-5]\b)|\|\s*\d+(?:[.,]\d+)?\s*(?=\|)"
)
_VALUE = re.compile(_VALUES)
_BARE_VALUE = re.compile(_VALUES.replace(_ADDRESS, ""))
"""The same of a text without an address, which otherwise is looked for in each of its words."""
_INLINE = re.compile(r"`[^`\n]+`")
"""What a program calls things is no value of anything."""


_APART = re.compile(r"(?<=[,;{}\[\]\"'])\n(?=[ \t]*[^\s\d|])")
"""The end of a line in which no value is, as one would have to go on with a word or a figure."""
_PART = 4_000
"""Characters of a text that are looked at at once."""


def count_values(text: str, enough: int | None = None) -> int:
    """The different figures, dates, spans, names and addresses that a text states.

    Numbers of articles, standards and headings are nobody's own. From `enough` on none is counted.
    """
    found: set[str] = set()
    for part in _iter_parts(text):
        stated = _VALUE if "@" in part else _BARE_VALUE
        for value in stated.finditer(_CITED.sub(" ", _INLINE.sub(" ", part))):
            found.add(value[0].lower())
            if len(found) == enough:
                return len(found)
    return len(found)


def _iter_parts(text: str) -> Iterator[str]:
    """A text in parts, each read only when it is asked for: most states enough at its beginning."""
    start = 0
    while end := _APART.search(text, start + _PART):
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]
