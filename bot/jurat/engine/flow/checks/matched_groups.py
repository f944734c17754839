"""What a regular expression has found in a text: groups, each fit for what its part lets through.

In `re.match("([0-9]+)-(.*)", text)` the first group is a number, and the second may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from jurat.engine.flow.checks.replacements import EACH
from jurat.engine.flow.checks.text_checks import find_matched
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.value import NOTHING, Value, iter_taints
from jurat.engine.flow.words import split_words

_ONE = split_words("match fullmatch search exec matcher FindStringSubmatch FindSubmatch")
"""Methods that return the groups of one match."""

_EACH = split_words("finditer matchAll FindAllStringSubmatch FindAllSubmatch")
"""Methods that return the groups of each match."""

_TEXT = split_words("FindString Find")
_TEXTS = split_words("findall FindAllString FindAll")
"""Methods that return the whole of a match, and of each."""

_ASKED = _ONE | _EACH | _TEXT | _TEXTS

_PATTERN = re.compile(
    r"(?:^|[./])(?:re|regex)\.\w+$|(?:(?:compile|MustCompile|Compile)\(\)|RegExp(?:\(\))?)(?:/g)?$"
)
"""The name of a function that is given a pattern, and of what has been made of one."""

_SAID = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?(?:P?<(?P<name>[A-Za-z]\w*)>|[^)]?))?|\)", re.DOTALL
)
_FLAGS = re.compile(r"^\(\?[aimsuxUL]+\)")
_MOST_MATCHES = 4
"""Matches that anybody takes by their number."""


class _PatternGroup(NamedTuple):
    """A group by its number, and by its name if it has one, with its part of the pattern."""

    number: int
    name: str
    text: str


@lru_cache(maxsize=256)
def _list_groups(pattern: str) -> tuple[_PatternGroup, ...]:
    """The groups of a pattern that are kept, the whole first; none if it is not understood."""
    flags = _FLAGS.match(pattern)
    begun: list[tuple[int, str, int]] = []
    found = [_PatternGroup(0, "", pattern)]
    number = 0
    for mark in _SAID.finditer(pattern):
        said = mark[0]
        if said[0] == "(":
            is_kept = said == "(" or mark["name"] is not None
            number += is_kept
            begun.append((number if is_kept else 0, mark["name"] or "", mark.end()))
        elif said == ")":
            if not begun:
                return ()
            own, name, start = begun.pop()
            text = (flags[0] if flags else "") + pattern[start : mark.start()]
            found += [_PatternGroup(own, name, text)] if own else []
    return () if begun else tuple(sorted(found))


def read_groups(
    evaluator: Evaluator, name: str, receiver: Value, values: Sequence[Value]
) -> Value | None:
    """What a call finds by a pattern that is known; None for any other call."""
    word = name.rpartition(".")[2]
    if word not in _ASKED:
        return None
    pattern, text = _tell_apart(name, receiver, values)
    groups = _list_groups(pattern.constant) if pattern is not None else ()
    if pattern is None or not groups:
        return None
    taints = tuple(iter_taints(text))
    held = {one: _hold(evaluator, one, text) for one in groups}
    whole, own = held[groups[0]], groups[1:]
    if word in _TEXT:
        return whole
    if word in _TEXTS or (word == "match" and pattern.name.endswith(EACH)):
        one = whole
        if word == "findall" and own:
            parts = [held[group] for group in own]
            one = parts[0] if len(parts) == 1 else Value(items=dict(enumerate(parts)))
        return _repeat(one)
    items: dict[Any, Value] = {group.number: held[group] for group in groups}
    named = {group.name: held[group] for group in own if group.name}
    if named:
        items |= {**named, "groups": Value(items=named)}
    match = Value(items=items, name=f"{name}()")
    if word in _EACH:
        return _repeat(match)
    # Java asks a matcher itself whether the text fits.
    return match._replace(taints=taints, constant=pattern.constant) if word == "matcher" else match


def _tell_apart(name: str, receiver: Value, values: Sequence[Value]) -> tuple[Value | None, Value]:
    """The pattern of a call and the text that it is looked for in."""
    said = [receiver, *values[:2]]
    for at, one in enumerate(said):
        is_pattern = isinstance(one.constant, str) and not one.taints
        if is_pattern and (_PATTERN.search(one.name) or _PATTERN.search(name)):
            others = [other for place, other in enumerate(said) if place != at]
            text = next((other for other in others if any(iter_taints(other))), NOTHING)
            return one, text
    return None, NOTHING


def _hold(evaluator: Evaluator, group: _PatternGroup, text: Value) -> Value:
    answered = find_matched(evaluator, group.text, "fullmatch")
    taints = (one.drop_answered(answered) for one in iter_taints(text))
    if group.number:
        taints = (one.enter(f"group {group.number}") for one in taints)
    return Value(tuple(one for one in taints if one.matters))


def _repeat(one: Value) -> Value:
    return Value(items=dict.fromkeys(range(_MOST_MATCHES), one), partial=True)
