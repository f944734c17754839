"""Words as people mean them: whole, in any letter case, with umlauts in either spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self
from unicodedata import normalize

from pydantic import AfterValidator

_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
"""Soft hyphens, zero-width characters and direction marks: they split words that look whole."""

_WORD = re.compile(r"[^\W_]+")
_STAR = "*"


def fold(text: str) -> str:
    """The text in small letters, compatibility forms resolved, umlauts spelled out (ä as ae)."""
    visible = _INVISIBLE.sub("", text).encode("utf-8", "replace").decode("utf-8")
    return normalize("NFKC", normalize("NFKC", visible).casefold()).translate(_SPELLED_OUT)


def words(text: str) -> list[str]:
    """The folded words of a text in order: runs of letters and digits."""
    return _WORD.findall(fold(text))


def _phrase(text: str) -> str:
    stems = [part.removesuffix(_STAR) for part in text.split()]
    if not stems or any(_STAR in stem or not words(stem) for stem in stems):
        problem = f"{text!r} is no phrase: write one or more words, with * only at the end of one"
        raise ValueError(problem)
    return text


Phrase = Annotated[str, AfterValidator(_phrase)]
"""Words that follow each other; one that ends in "*" stands for every word that begins so."""

Phrases = tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Hears many phrases in one pass over a text, in time linear in the text.

    A phrase never matches inside a word: "laut" is not heard in "lautet".
    """

    _labels: tuple[str, ...]
    _patterns: tuple[Any, ...]
    _set: Any

    @classmethod
    def of(cls, phrases: Mapping[str, Sequence[str]]) -> Self:
        """A lexicon of phrases by the label that each stands for."""
        import re2  # noqa: PLC0415 - only a review that ranks needs it

        labels = tuple(label for label, entries in phrases.items() for _ in entries)
        written = [_pattern(phrase) for entries in phrases.values() for phrase in entries]
        together = re2.Set.SearchSet()
        for pattern in written:
            together.Add(pattern)
        if written:
            together.Compile()
        return cls(labels, tuple(re2.compile(pattern) for pattern in written), together)

    def without(self, text: str) -> str:
        """The words of a text that belong to none of the phrases."""
        spaced = f" {' '.join(words(text))} "
        for pattern in self._patterns:
            spaced = pattern.sub(" ", spaced)
        return str(spaced).strip()

    def heard(self, text: str) -> dict[str, list[int]]:
        """For each label that is heard, where each of its phrases first stands, in characters."""
        spaced = f" {' '.join(words(text))} "
        found: dict[str, list[int]] = {}
        for index in sorted(self._set.Match(spaced) or ()) if self._labels else ():
            place = self._patterns[index].search(spaced)
            found.setdefault(self._labels[index], []).append(place.start() if place else 0)
        return found


def _pattern(phrase: str) -> str:
    parts: list[str] = []
    for part in phrase.split():
        inner: Iterable[str] = words(part)
        parts.append(" ".join(inner) + ("[^ ]*" if part.endswith(_STAR) else ""))
    return f" {' '.join(parts)} "
