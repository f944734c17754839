"""Which of many expressions a text may hold, told by one look for the words that each needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import re2

from jurat.rules.constraints import LinearRegex


class PhraseFilter:
    """Some expressions, over UTF-8 bytes, which are looked for in a text only if they may be there.

    An expression of several words needs one of each. Most texts have too few of them for all but a
    few expressions, and all words are looked for at once.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._filter = re2.Filter()
        options = re2.Options()
        options.log_errors = False
        for one in patterns:
            self._filter.Add(one.encode(), options)
        # Without any it cannot be compiled, and warns.
        if patterns:
            self._filter.Compile()
        # Those of the filter itself: compiled once more, they take as long and as much again.
        self._expressions: list[LinearRegex] = [self._filter.re(at) for at in range(len(patterns))]

    def list_likely(self, data: bytes) -> frozenset[int]:
        """The numbers of the expressions that may be in a text: of no other is there any."""
        if not self._expressions:
            return frozenset()
        return frozenset(cast("Sequence[int] | None", self._filter.Match(data, True)) or ())

    def finds_any(self, data: bytes, numbers: Sequence[int]) -> bool:
        """Whether one of some expressions is in a text."""
        return any(self._expressions[at].search(data) is not None for at in numbers)

    def finds_all(self, data: bytes, numbers: Sequence[int]) -> bool:
        """Whether each of some expressions is in a text."""
        return all(self._expressions[at].search(data) is not None for at in numbers)
