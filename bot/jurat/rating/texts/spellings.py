"""How a word is written where its letters have no marks: Prüfung as Pruefung, élève as eleve."""

from __future__ import annotations

import unicodedata

_IN_TWO = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa", "æ": "ae", "ł": "l"}
)
"""Letters that are written as two if there is no other way."""


def list_spellings(word: str) -> tuple[str, ...]:
    """A word in lower case, and the other ways to write it, each once."""
    if word.isascii():
        return (word,)
    in_two = _drop_marks(word.translate(_IN_TWO))
    return tuple(dict.fromkeys((word, in_two, _drop_marks(word))))


def _drop_marks(word: str) -> str:
    parts = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))
