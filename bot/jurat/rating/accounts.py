"""Which accounts a text gives, and in which of its sections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jurat.rating.account_table import ACCOUNTS, DONE, HARMED, REGISTER
from jurat.rules.constraints import compile_regex

SHOWN_ACCOUNTS = frozenset({"privacy_notice"})
"""Those that people are given, and that pages and programs therefore hold."""
MAY_TELL = compile_regex(
    r"(?i)complain|supervisory|withdraw|erasure|rectif|legitimate interest|data protection|privacy@"
)
"""Something of which a text that is given to people has at least one."""
_LEAST_WORDS = 25
"""Words below which nothing is accounted for."""
_LONGEST = 900
"""Words beyond which a page is no one account: it is looked at section by section."""


def find_accounts(
    wanted: Iterable[str], whole: str, parts: Iterable[tuple[int, str]]
) -> Iterator[tuple[str, int]]:
    """The accounts that a page gives, each with the line at which it, or its section, begins.

    `whole` is what the page says, `parts` are its sections with their first lines.
    """
    names = tuple(wanted)
    passages = [(1, whole)] if len(whole.split()) <= _LONGEST else list(parts)
    for first, passage in passages:
        text = " ".join(passage.lower().split())
        if text.count(" ") < _LEAST_WORDS:
            continue
        for name in names:
            given = is_register(passage) if name == REGISTER else ACCOUNTS[name].is_given(text)
            if given:
                yield name, first


# A risk register is known by its rows: each has what may happen, how bad it is and what is done.

_ROW_START = re.compile(r"\s*(?:[-*+|]|\d+[.)]|\{|[A-Z]{1,3}\d+\b)")
_RATED = re.compile(
    r"\b(?:likely|unlikely|possible|rare|high|medium|low|severe|serious|minor|moderate|critical"
    r"|frequent"
    r"|[1-5]\s*[x*\u00d7/]\s*[1-5]|likelihood|severity|probability)\b|\|\s*[1-5]\s*\|",
    re.IGNORECASE,
)
_ROWS = 2


def count_risks(text: str) -> int:
    """The entries of a text that say what may happen, how likely or bad it is, and what is done."""
    entries: list[str] = []
    for line in text.split("\n"):
        if _ROW_START.match(line) or not entries:
            entries.append(line)
        elif line.strip():
            entries[-1] += " " + line
    return sum(
        1
        for entry in entries
        if len(entry.split()) >= _ROW_WORDS
        and _RATED.search(entry)
        and DONE.is_said(_RATED.sub(" ", entry).lower())
    )


_ROW_WORDS = 9


def is_register(text: str) -> bool:
    """Whether a text is a list of risks with what is done about each."""
    return count_risks(text) >= _ROWS and HARMED.is_said(text.lower())
