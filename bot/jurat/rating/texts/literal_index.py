"""Which expressions for names may fit one, by the letters that each cannot do without."""

from __future__ import annotations

from collections.abc import Iterable

from jurat.rules.constraints import LinearRegex, compile_regex

_SHORTEST, _FIRST = 2, 3
"""Letters of the shortest literal, and those by which all longer ones are looked up."""


class LiteralIndex:
    """Letters in a row, each with the numbers of the expressions that fit no name without some."""

    def __init__(self, literals: Iterable[tuple[str, int]]) -> None:
        self._wanted: dict[str, set[int]] = {}
        self._by_first: dict[str, list[str]] = {}
        for literal, number in literals:
            self._wanted.setdefault(literal, set()).add(number)
        for literal in self._wanted:
            if len(literal) > _SHORTEST:
                self._by_first.setdefault(literal[:_FIRST], []).append(literal)
        self._firsts = frozenset(self._by_first)
        self._shortest = [literal for literal in self._wanted if len(literal) == _SHORTEST]

    def find(self, letters: str) -> list[int]:
        """The expressions, in order, that may fit a name of these letters, without its "_"."""
        found: set[int] = set()
        begun = {letters[at : at + _FIRST] for at in range(len(letters) - _SHORTEST + 1)}
        for first in begun & self._firsts:
            for literal in self._by_first[first]:
                if literal in letters:
                    found |= self._wanted[literal]
        for literal in self._shortest:
            if literal in letters:
                found |= self._wanted[literal]
        return sorted(found)

    def compile(self) -> LinearRegex | None:
        """All the literals as one expression, None if there are none."""
        return compile_regex("|".join(sorted(self._wanted))) if self._wanted else None
