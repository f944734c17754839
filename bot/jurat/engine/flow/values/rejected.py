"""Texts of which it is enough that a value has none, by the questions that this answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

Mask = int
"""A bit for each question."""


class RejectedTexts:
    """What the questions list: texts, each enough, or several with spaces between, all of which
    must be missing.
    """

    def __init__(self, lists: Iterable[Iterable[str]]) -> None:
        self._enough: dict[str, Mask] = {}
        self._together: dict[frozenset[str], Mask] = {}
        self._each: dict[str, Mask] = {}
        for number, listed in enumerate(lists):
            for said in listed:
                texts = frozenset(said.split()) or frozenset({said})
                if len(texts) == 1:
                    self._enough[said] = self._enough.get(said, 0) | 1 << number
                else:
                    self._together[texts] = self._together.get(texts, 0) | 1 << number
                for text in texts:
                    self._each[text] = self._each.get(text, 0) | 1 << number

    @property
    def texts(self) -> Collection[str]:
        """All that are listed."""
        return self._each

    def get(self, text: object) -> Mask:
        """The questions that are answered for a value that does not hold a text."""
        return self._enough.get(text, 0) if isinstance(text, str) else 0

    def takes_part(self, text: str) -> bool:
        """Whether a text is one of several that must all be missing."""
        return any(text in one for texts in self._together for one in texts)

    def find_missing(self, missing: Collection[str]) -> Mask:
        """The questions that are answered if all of these are missing; a part stands for what it
        is a part of.
        """
        mask = 0
        for texts, questions in self._together.items() if missing else ():
            if all(any(part in text for part in missing) for text in texts):
                mask |= questions
        return mask

    def find_unheld(self, can_hold: Callable[[str], bool]) -> Mask:
        """The questions with such texts, none of which a value can hold."""
        listed = held = 0
        for text, mask in self._each.items():
            listed |= mask
            if mask & ~held and can_hold(text):
                held |= mask
        return listed & ~held

    def find_safe(self, characters: frozenset[str]) -> tuple[Mask, Mask]:
        """The questions with such texts, and those of them whose texts these characters make up."""
        listed = unsafe = 0
        for text, mask in self._each.items():
            listed |= mask
            unsafe |= mask if characters.issuperset(text) else 0
        return listed, unsafe
