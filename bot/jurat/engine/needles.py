"""Words without which a pattern cannot match, so that most patterns need not look at most files.

ast-grep compiles a pattern anew for every file. Looking for a word first costs a thousandth of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from jurat.engine.regex_literals import IGNORES_CASE, rank_selectivity, read_needles

Needles = frozenset[str] | None
"""One of these stands in every text that matches; None if nothing is known."""

_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9_$])[A-Za-z_][A-Za-z0-9_]{2,}")
_WORDS = re.compile(r"\w+")
_CONJUNCTS = ("inside", "has", "precedes", "follows")


class FileWords:
    """What is at hand of a file, as needles are looked for in it: each of them once."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._held: dict[str, bool] = {}

    @cached_property
    def words(self) -> frozenset[str]:
        """All words, identifiers among them, of code, texts and comments."""
        return frozenset(word for text in self.texts for word in _WORDS.findall(text))

    def holds(self, needle: str) -> bool:
        """Whether one of the texts has a needle anywhere in it."""
        found = self._held.get(needle)
        if found is None:
            folds, said = needle.startswith(IGNORES_CASE), needle.removeprefix(IGNORES_CASE)
            # A word stands inside of words only, and of those a file has few.
            if said.replace("_", "a").isalnum():
                found = said in (self._folded_vocabulary if folds else self._vocabulary)
            else:
                found = any(said in text for text in (self._folded if folds else self.texts))
            self._held[needle] = found
        return found

    def can_match(self, wanted: Needles) -> bool:
        """Whether a rule with these needles can match in one of the texts."""
        return wanted is None or any(map(self.holds, wanted))

    @cached_property
    def _vocabulary(self) -> str:
        return "\n".join(self.words)

    @cached_property
    def _folded_vocabulary(self) -> str:
        return self._vocabulary.casefold()

    @cached_property
    def _folded(self) -> Sequence[str]:
        return [text.casefold() for text in self.texts]


def extract_needles(
    rule: object,
    utils: Mapping[str, Any],
    names: Mapping[str, Sequence[str]] | None = None,
    constraints: Mapping[str, Any] | None = None,
) -> Needles:
    """What must stand in a text for an ast-grep rule to match in it.

    `names` are utilities that match what means one of some names, by whatever alias. `constraints`
    are those on the rule's metavariables.
    """
    known = {**utils, **{key: {_NAMES: said} for key, said in (names or {}).items()}}
    found = [_list_rule_needles(rule, known, depth=0)]
    pattern = rule.get("pattern") if isinstance(rule, Mapping) else None
    if isinstance(pattern, str):
        # What the rule's own pattern binds is always bound, and its constraint always asked.
        found += [
            _list_rule_needles(constraint, known, depth=0)
            for name, constraint in (constraints or {}).items()
            if re.search(rf"\${name}\b", pattern)
        ]
    return min((item for item in found if item), key=rank_selectivity, default=None)


_NAMES = "names"
"""The key, which ast-grep has not, of a utility for names."""


def _list_name_needles(said: object) -> Needles:
    """The word of each name that stands in a file whatever alias it goes by there."""
    if not isinstance(said, (list, tuple)):
        return None
    return _combine_branch_needles([_find_name_needle(name) for name in said])


def _find_name_needle(name: str) -> Needles:
    module, _, last = name.rpartition(".")
    # An instance may be made by a function that is not called as its class is.
    if not module or (last.islower() and "*" not in last):
        word = last.removesuffix("()")
    else:
        word = module.rpartition("/")[2].partition(".")[0]
        if word in _ROOTS:
            word = last
    return frozenset({word}) if len(word) >= 2 and "*" not in word else None


_ROOTS = frozenset({"com", "io", "jakarta", "java", "javax", "net", "org"})
"""What Java's packages begin with: it stands in files whatever they use."""


def _list_rule_needles(rule: object, utils: Mapping[str, Any], depth: int) -> Needles:
    # `utils` may refer to each other in a circle. No needle is always right, only slower.
    if not isinstance(rule, Mapping) or depth > 20:
        return None
    found = [
        _list_pattern_needles(rule.get("pattern")),
        read_needles(regex) if isinstance(regex := rule.get("regex"), str) else None,
        _list_name_needles(rule.get(_NAMES)),
    ]
    found += [_list_rule_needles(rule.get(key), utils, depth + 1) for key in _CONJUNCTS]
    found += [_list_rule_needles(item, utils, depth + 1) for item in _to_items(rule.get("all"))]
    found.append(
        _combine_branch_needles(
            [_list_rule_needles(item, utils, depth + 1) for item in _to_items(rule.get("any"))]
        )
    )
    name = rule.get("matches")
    if isinstance(name, str):
        found.append(_list_rule_needles(utils.get(name), utils, depth + 1))
    # All of them must stand there, so that any one will do: the one that excludes most.
    return min((item for item in found if item), key=rank_selectivity, default=None)


def _to_items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _combine_branch_needles(branches: list[Needles]) -> Needles:
    known = [branch for branch in branches if branch]
    # One branch without a needle may match anything: then nothing is known of the whole.
    if not branches or len(known) < len(branches):
        return None
    return frozenset().union(*known)


def _list_pattern_needles(pattern: object) -> Needles:
    """The longest word of a pattern. A context says less: only a part of it must match."""
    if not isinstance(pattern, str):
        return None
    words = _IDENTIFIER.findall(pattern)
    return frozenset({max(words, key=len)}) if words else None
