"""Of which classes there can be an object: those that anything but themselves names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache

from jurat.rating.code.function_facts import FileFacts, FunctionFacts

_WORD = re.compile(r"[A-Za-z_]\w*")
_DOTTED = re.compile(r"[\w.:/]+$")
_SEARCHING = frozenset(
    ("__subclasses__", "getmembers", "iter_modules", "walk_packages", "entry_points", "globals")
)
"""By these a program finds classes that it does not name."""
_PLAIN = frozenset(("object", "ABC", "Protocol", "Generic"))
"""Bases for whose sake no library makes an object."""


def list_unmade(files: Mapping[str, FileFacts]) -> frozenset[tuple[str, str]]:
    """The classes of a program's files that nothing names but what stands in them.

    Of a class that extends a library's that library may make an object. A text may name a class as
    well: settings and containers do.
    """
    bases = {(path, name): of for path, facts in files.items() for name, of in facts.classes}
    own = {name for _, name in bases} | _PLAIN
    naming: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for path, facts in files.items():
        for word, owner in _iter_named(facts):
            if word in own:
                naming[word].add((path, owner))
            elif word in _SEARCHING:
                return frozenset()
    return frozenset(
        one
        for one, of in bases.items()
        if not naming[one[1]] - {one} and all(_get_end(base) in own for base in of)
    )


def _iter_named(facts: FileFacts) -> Iterator[tuple[str, str]]:
    """Each name that a file mentions, with the class in which it does."""
    for name, meant in (*facts.imported, *facts.variables):
        if meant != f"local:{name}":
            yield _get_end(meant), ""
    for name, bases in facts.classes:
        yield from ((_get_end(base), name) for base in bases)
    for function in facts.functions:
        for word in _iter_words(function):
            yield word, function.owner


def _iter_words(function: FunctionFacts) -> Iterator[str]:
    yield from map(_get_end, function.refers)
    for call in (*function.calls, *function.marks):
        yield from _split(call.callee)
    yield from (_get_end(text) for text in function.says if _DOTTED.match(text))


@lru_cache(maxsize=65_536)
def _split(name: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(name))


def _get_end(name: str) -> str:
    words = _split(name)
    return words[-1] if words else ""
