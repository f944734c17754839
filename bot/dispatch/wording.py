"""Words of prose and of fact keys in a form in which they can be compared."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_ENDINGS = ("ations", "ation", "ments", "ment", "ions", "ion", "als", "al", "ings", "ing")
_SHORT_ENDINGS = ("ed", "es", "s", "e")


def words(text: str) -> list[str]:
    """The words of prose, of snake_case and of camelCase, in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def stem(word: str) -> str:
    """A word without its ending: approve, approved and approval are one, as are line and lines."""
    for ending in (*_ENDINGS, *_SHORT_ENDINGS):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text."""
    return frozenset(stem(word) for word in words(text))
