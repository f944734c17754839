"""Texts without which a regular expression cannot match, read from the expression.

The expressions are those of the crate that ast-grep asks (https://docs.rs/regex/latest/regex/).
What is not understood here says nothing, which is always right.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

IGNORES_CASE = "(?i)"
"""Begins a needle that stands in a text whatever its case. It is in lower case itself."""

NON_ASCII = "[^\\x00-\\x7F]"
"""Stands for any character beyond ASCII: not for this text itself."""

SHORTEST = 3
"""Characters of a needle: what is shorter stands in most files. A backslash is rare, and is two."""

_MOST_CHOICES = 40
_FLAGS = re.compile(r"\(\?([imsuU]*)(?:-([imsuU]+))?([:)])")
_GROUP = re.compile(r"\((?:\?P?<\w+>)?(?!\?)")
_QUANTIFIER = re.compile(r"([?*+]|\{(\d+)(?:,\d*)?\})[?]?")
_CLASS = re.compile(r"\[\^?\]?(?:[^\[\]\\&~-]|\\[^pPx]|-(?!-)|&(?!&)|~(?!~))*\]")
_FOREIGN = r"(?:\\x\{0*(?:[89A-Fa-f][0-9A-Fa-f]|[1-9A-Fa-f][0-9A-Fa-f]{2,5})\}|[^\x00-\x7F])"
_FOREIGN_CLASS = re.compile(rf"\[(?:(?:{_FOREIGN}(?:-{_FOREIGN})?)+|\^\\x00-\\x7[Ff])\]")
_ESCAPE = re.compile(r"\\(?:([^\w\s])|([bBAz])|[dDwWsSntrfva]|[pP]\{\w+\}|x[0-9A-Fa-f]{2})")
_SPECIAL = frozenset("*+?{}[]()|\\")


class _UnreadError(Exception):
    """An expression with something in it that is not understood."""


def rank_selectivity(wanted: frozenset[str]) -> tuple[int, int]:
    """Fewer and longer needles exclude more."""
    return len(wanted), -min(len(needle) for needle in wanted)


@lru_cache(maxsize=2048)
def read_needles(expression: str) -> frozenset[str] | None:
    """Texts one of which stands in every text that an expression matches, None if none is known."""
    try:
        reader = _Reader(expression)
        found, _ = reader.read_choices(folds=False)
    except _UnreadError:
        return None
    return found if reader.at == len(expression) else None


class _Sequence:
    """Expressions behind each other: what they may say so far without a gap, and what they must."""

    def __init__(self) -> None:
        self.run = frozenset({""})
        self.is_exact = True
        self.needles: list[frozenset[str]] = []

    def add(self, texts: frozenset[str], *, folds: bool) -> None:
        """One of these texts follows right behind."""
        if len(self.run) * len(texts) > _MOST_CHOICES:
            self.interrupt(folds=folds)
        if len(texts) <= _MOST_CHOICES:
            self.run = frozenset(map("".join, product(self.run, texts)))
        else:
            self.is_exact = False

    def interrupt(self, *, folds: bool) -> None:
        """Anything may follow."""
        if min(len(text) + text.count("\\") for text in self.run) >= SHORTEST:
            self.needles.append(_build_needles(self.run, folds=folds))
        self.run, self.is_exact = frozenset({""}), False


def _build_needles(texts: frozenset[str], *, folds: bool) -> frozenset[str]:
    return frozenset(IGNORES_CASE + one.casefold() for one in texts) if folds else texts


class _Reader:
    """One expression from its beginning to its end; `at` is the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def read_choices(self, *, folds: bool) -> tuple[frozenset[str] | None, frozenset[str] | None]:
        """What one of several expressions needs, and all that they match if it is a few texts."""
        needles: list[frozenset[str] | None] = []
        exact: list[frozenset[str] | None] = []
        while True:
            wanted, texts, folds = self._read_sequence(folds=folds)
            needles.append(wanted)
            exact.append(texts)
            if not self.text.startswith("|", self.at):
                break
            self.at += 1
        known = [one for one in needles if one]
        said = [one for one in exact if one is not None]
        return (
            frozenset().union(*known) if len(known) == len(needles) else None,
            frozenset().union(*said) if len(said) == len(exact) else None,
        )

    def _read_sequence(
        self, *, folds: bool
    ) -> tuple[frozenset[str] | None, frozenset[str] | None, bool]:
        found = _Sequence()
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            if flags := _FLAGS.match(self.text, self.at):
                self.at = flags.end()
                changed = ("i" in flags[1]) or (folds and "i" not in (flags[2] or ""))
                if flags[3] == ")":
                    if changed is not folds and found.run != {""}:
                        found.interrupt(folds=folds)
                    found.is_exact = found.is_exact and changed is folds
                    folds = changed
                    continue
                self._read_group(found, folds=folds, inner=changed)
            elif group := _GROUP.match(self.text, self.at):
                self.at = group.end()
                self._read_group(found, folds=folds, inner=folds)
            else:
                self._read_character(found, folds=folds)
        exact = found.run if found.is_exact else None
        found.interrupt(folds=folds)
        return min(found.needles, key=rank_selectivity, default=None), exact, folds

    def _read_group(self, found: _Sequence, *, folds: bool, inner: bool) -> None:
        needles, exact = self.read_choices(folds=inner)
        if not self.text.startswith(")", self.at):
            raise _UnreadError
        self.at += 1
        least, is_once = self._read_quantifier()
        if exact is not None and inner is folds and is_once:
            found.add(exact, folds=folds)
            return
        found.interrupt(folds=folds)
        if least and needles is not None:
            found.needles.append(needles)

    def _read_character(self, found: _Sequence, *, folds: bool) -> None:
        """A single character, or a class of them, as often as it is said."""
        char, literal, has_width = self.text[self.at], None, True
        foreign = _FOREIGN_CLASS.match(self.text, self.at)
        if foreign is not None:
            self.at = foreign.end()
        elif char == "\\":
            escape = _ESCAPE.match(self.text, self.at)
            if escape is None:
                raise _UnreadError
            self.at, literal, has_width = escape.end(), escape[1], not escape[2]
        elif char == "[":
            chars = _CLASS.match(self.text, self.at)
            if chars is None:
                raise _UnreadError
            self.at = chars.end()
        elif char in _SPECIAL:
            raise _UnreadError
        else:
            self.at += 1
            literal, has_width = (None if char in ".^$" else char), char not in "^$"
        least, is_once = self._read_quantifier()
        if not has_width:
            return
        # Whatever the case, a Kelvin sign is a k and a long s an s.
        if foreign is not None and least and not folds:
            found.needles.append(frozenset({NON_ASCII}))
        if literal is not None and least:
            found.add(frozenset({literal}), folds=folds)
        if literal is None or not is_once:
            found.interrupt(folds=folds)

    def _read_quantifier(self) -> tuple[int, bool]:
        """How often at least something is there, and whether that is once and no more."""
        found = _QUANTIFIER.match(self.text, self.at)
        if found is None:
            return 1, True
        self.at = found.end()
        if _QUANTIFIER.match(self.text, self.at):
            raise _UnreadError
        return (int(found[2]) if found[2] else int(found[1] == "+")), False
