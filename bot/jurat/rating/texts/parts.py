"""A thing that is told by its parts: each is said in so many ways that it is no chance word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """Something that is said in at least `least` different ways; `asked` if to the model itself."""

    words: re.Pattern[str]
    least: int = 1
    asked: bool = False

    def is_said(self, text: str) -> bool:
        """Whether a text in lower case says it."""
        return len(set(_iter_stems(self.words.findall(text)))) >= self.least


def build_part(words: str, least: int = 1, *, asked: bool = False) -> Part:
    """The part that these words tell; they may hold no group that is kept."""
    return Part(re.compile(rf"\b(?:{words})\b"), least, asked)


def _iter_stems(words: Iterable[str]) -> Iterable[str]:
    """A word and its plural are one thing said."""
    return (word.rstrip("s")[:6] for word in words)
