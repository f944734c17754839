"""Names compared by their words: `requestApproval`, `request_approval` and `RequestApproval`."""

from __future__ import annotations

import re
from functools import lru_cache

import bracex

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_APART = re.compile(r"[^A-Za-z0-9*]+")
_TAIL = re.compile(r"[\w$@]+(?:(?:\.|::|->|\?\.|!!?\.|&\.)[\w$@]+)*$")
_GENERICS = re.compile(r"<[^<>]*>")
_BETWEEN = re.compile(r"\.|::|->|\?\.|!!?\.|&\.")
_LONGEST = 300
"""Characters of a callee that are looked at: a chain of calls can be pages long."""


@lru_cache(maxsize=65_536)
def words_of(name: str) -> str:
    """A name's words in lower case, joined with "_"."""
    return _APART.sub("_", _HUMP.sub("_", name)).strip("_").lower()


@lru_cache(maxsize=65_536)
def segments_of(callee: str) -> tuple[str, ...]:
    """The names in the dotted end of what is called, outermost first, each as `words_of` has it.

    Of `a.b(x).c.d` that is `c` and `d`: what a call gave back has no name.
    """
    bare = _GENERICS.sub("", callee[-_LONGEST:]).rstrip("!? \n")
    tail = _TAIL.search(bare)
    return tuple(words_of(part) for part in _BETWEEN.split(tail[0])) if tail else ()


def name_pattern(wanted: str) -> str:
    """An expression for `words_of` a name. `*` is any number of whole words, {a,b} a choice."""
    return f"(?:{'|'.join(map(_pattern, bracex.expand(wanted)))})"


def _pattern(wanted: str) -> str:
    pattern, word_before = "", False
    for part in _parts(wanted):
        if part == "*":
            pattern += "(?:_[a-z0-9]+)*" if word_before else "(?:[a-z0-9]+_)*"
        else:
            starred = pattern.endswith("*")
            pattern += ("_" if word_before and starred else "_?" if word_before else "") + part
            word_before = True
    return pattern


def _parts(wanted: str) -> list[str]:
    return words_of(wanted.replace("*", "_*_")).split("_")
