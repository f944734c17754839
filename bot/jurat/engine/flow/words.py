"""Lists of words that are written as one text, as they read best in code."""

from __future__ import annotations


def split_words(words: str) -> frozenset[str]:
    """The words of a list that is written as text."""
    return frozenset(words.split())
