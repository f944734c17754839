"""Words without which a pattern cannot match, so that most patterns need not look at most files.

ast-grep compiles a pattern anew for every file. Looking for a word first costs a thousandth of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from jurat.engine.regex_literals import IGNORES_CASE, NON_ASCII, rank_selectivity, read_needles

T = TypeVar("T")

Needles = tuple[frozenset[str], ...]
"""Of each of these sets one text stands in every text that matches, the rarest first.

Empty if nothing is known.
"""

_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9_$])[A-Za-z_][A-Za-z0-9_]{2,}")
_WORDS = re.compile(r"\w+")
_BARE_WORDS = re.compile(r"(?<![\w.])\w+")
_CONJUNCTS = ("inside", "has", "precedes", "follows")
_MOST_SETS = 6


class FileWords:
    """What is at hand of a file, as needles are looked for in it: each of them once.

    `words` are those that count if not all of them do.
    """

    def __init__(self, texts: Sequence[str], words: frozenset[str] | None = None) -> None:
        self.texts = texts
        if words is not None:
            self.words = words
        self._held: dict[str, bool] = {}
        self._answers: dict[Hashable, Any] = {}

    @cached_property
    def words(self) -> frozenset[str]:
        """All words, identifiers among them, of code, texts and comments."""
        return frozenset[str]().union(*map(_find_words, self.texts))

    @cached_property
    def bare_words(self) -> frozenset[str]:
        """The words that stand somewhere without a dot before them."""
        return frozenset[str]().union(*map(_BARE_WORDS.findall, self.texts))

    def holds(self, needle: str) -> bool:
        """Whether one of the texts has a needle anywhere in it."""
        found = self._held.get(needle)
        if found is None and needle == NON_ASCII:
            found = self._held[needle] = not all(text.isascii() for text in self.texts)
        if found is None:
            folds, said, is_word = _read_needle(needle)
            # A word stands inside of words only, and of those a file has few.
            if is_word:
                found = said in (self._folded_vocabulary if folds else self._vocabulary)
            else:
                found = any(said in text for text in (self._folded if folds else self.texts))
            self._held[needle] = found
        return found

    def ask(self, question: Hashable, answer: Callable[[], T]) -> T:
        """What is asked of the words again and again, answered once."""
        if question not in self._answers:
            self._answers[question] = answer()
        found: T = self._answers[question]
        return found

    def can_match(self, wanted: Needles) -> bool:
        """Whether a rule with these needles can match in one of the texts."""
        # Plain loops, as in `match_glob`: each rule asks this of each file.
        for one in wanted:
            for needle in one:
                found = self._held.get(needle)
                if self.holds(needle) if found is None else found:
                    break
            else:
                return False
        return True

    @cached_property
    def _vocabulary(self) -> str:
        return "\n".join(self.words)

    @cached_property
    def _folded_vocabulary(self) -> str:
        return self._vocabulary.casefold()

    @cached_property
    def _folded(self) -> Sequence[str]:
        return [text.casefold() for text in self.texts]


# A file of a small change is asked for its words alone, as a program, and with each that it is
# followed together with.
@lru_cache(maxsize=64)
def _find_words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text))


@lru_cache(maxsize=4096)
def _read_needle(needle: str) -> tuple[bool, str, bool]:
    """Whether case is no matter, the text that is looked for, and whether that is a word."""
    folds, said = needle.startswith(IGNORES_CASE), needle.removeprefix(IGNORES_CASE)
    return folds, said, said.replace("_", "a").isalnum()


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
    found = [*_list_rule_needles(rule, known, depth=0)]
    pattern = rule.get("pattern") if isinstance(rule, Mapping) else None
    if isinstance(pattern, str):
        # What the rule's own pattern binds is always bound, and its constraint always asked.
        for name, constraint in (constraints or {}).items():
            if re.search(rf"\${name}\b", pattern):
                found += _list_rule_needles(constraint, known, depth=0)
    return _rank_needles(found)


_NAMES = "names"
"""The key, which ast-grep has not, of a utility for names."""


def _list_name_needles(said: object) -> Needles:
    """The words of each name that stand in a file whatever alias it goes by there."""
    if not isinstance(said, (list, tuple)):
        return ()
    return _combine_branch_needles([_find_name_needles(name) for name in said])


def _find_name_needles(name: str) -> Needles:
    module, _, last = name.rpartition(".")
    word = module.rpartition("/")[2].partition(".")[0]
    # An instance may be made by a function that is not called as its class is.
    if not module or (last.islower() and "*" not in last):
        words = [last.removesuffix("()"), word]
    elif word in _ROOTS:
        # Of Java's packages nothing need be said, of a class its name.
        words = [module.rpartition(".")[2] if "*" in last else last]
    else:
        words = [word]
    return tuple(
        frozenset({one}) for one in words if len(one) >= 2 and "*" not in one and one not in _ROOTS
    )


_ROOTS = frozenset({"com", "io", "jakarta", "java", "javax", "net", "org"})
"""What Java's packages begin with: it stands in files whatever they use."""


def _list_rule_needles(rule: object, utils: Mapping[str, Any], depth: int) -> Needles:
    # `utils` may refer to each other in a circle. No needle is always right, only slower.
    if not isinstance(rule, Mapping) or depth > 20:
        return ()
    regex, name = rule.get("regex"), rule.get("matches")
    wanted = read_needles(regex) if isinstance(regex, str) else None
    parts = [*map(rule.get, _CONJUNCTS), *_to_items(rule.get("all"))]
    if isinstance(name, str):
        parts.append(utils.get(name))
    branches = [_list_rule_needles(item, utils, depth + 1) for item in _to_items(rule.get("any"))]
    return _rank_needles(
        [
            *_list_pattern_needles(rule.get("pattern")),
            *([wanted] if wanted else []),
            *_list_name_needles(rule.get(_NAMES)),
            *_combine_branch_needles(branches),
            *(one for part in parts for one in _list_rule_needles(part, utils, depth + 1)),
        ]
    )


def _to_items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _rank_needles(found: Iterable[frozenset[str]]) -> Needles:
    """All of them must stand there: those that exclude most come first."""
    return tuple(sorted(dict.fromkeys(found), key=rank_selectivity)[:_MOST_SETS])


def _combine_branch_needles(branches: Sequence[Needles]) -> Needles:
    """What a text needs in which any of several branches matches: the first of each, and so on.

    One branch without a needle may match anything: then nothing is known of the whole.
    """
    return tuple(frozenset().union(*sets) for sets in zip(*branches, strict=False))


def _list_pattern_needles(pattern: object) -> Needles:
    """The words of a pattern. A context says less: only a part of it must match."""
    if not isinstance(pattern, str):
        return ()
    return tuple(frozenset({word}) for word in _IDENTIFIER.findall(pattern))
