"""Statements that take what one table says, and only if it says nothing what another does."""

from __future__ import annotations

import re
from collections.abc import Iterator

_EITHER = re.compile(
    r"\b(?:coalesce|ifnull|nvl)\s*\(\s*(\w+)\.(\w+)\s*,\s*(\w+)\.(\w+)", re.IGNORECASE
)
_NAMED = re.compile(
    r"\b(?:from|join)\s+[\"`]?(\w+)[\"`]?(?:\s+(?:as\s+)?(?!on\b|where\b|left\b|join\b)(\w+))?",
    re.IGNORECASE,
)


def list_preferred(text: str) -> Iterator[tuple[str, str]]:
    """The tables that a statement looks into, each with the one that it looks into otherwise."""
    found = list(_EITHER.findall(text))
    if not found:
        return
    tables = {(alias or table).lower(): table.lower() for table, alias in _NAMED.findall(text)}
    for first, _, second, _ in found:
        one, other = tables.get(first.lower(), ""), tables.get(second.lower(), "")
        if one and other and one != other:
            yield one, other
