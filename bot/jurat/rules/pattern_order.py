"""In which order the parts of a pattern are asked: the cheap ones first.

All of an `all` must hold, and ast-grep asks them as they are written. A part that goes through a
whole file for each call in it takes as long as the file is large, squared, if nothing is asked
before it. Parts that have a metavariable in common stay in their order: there the first decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_METAVARIABLE = re.compile(r"\$+[A-Z_][A-Z0-9_]*")

_LOOKS = {"has": (50, 4), "inside": (6, 1), "precedes": (6, 1), "follows": (6, 1)}
"""How many nodes a relation looks at, about: all the way, or one step."""

_MOST_NESTED = 20
"""Utilities that refer to each other; in a circle they would have no end."""


def place_parts(rule: Any, utils: Mapping[str, Any]) -> Any:
    """A rule with the parts of each `all` in the order of what they cost. It matches the same."""
    if isinstance(rule, list):
        return [place_parts(one, utils) for one in rule]
    if not isinstance(rule, Mapping):
        return rule
    made = {key: place_parts(value, utils) for key, value in rule.items()}
    parts = made.get("all")
    if isinstance(parts, list) and _are_apart(parts, utils):
        made["all"] = sorted(parts, key=lambda one: _estimate(one, utils, 0))
    return made


def _are_apart(parts: Sequence[Any], utils: Mapping[str, Any]) -> bool:
    bound = [frozenset(_list_metavariables(one, utils, 0)) for one in parts]
    return len(frozenset[str]().union(*bound)) == sum(map(len, bound))


def _list_metavariables(rule: Any, utils: Mapping[str, Any], depth: int) -> Iterator[str]:
    if isinstance(rule, str):
        yield from _METAVARIABLE.findall(rule)
    elif isinstance(rule, Mapping):
        if depth < _MOST_NESTED and rule.get("matches") in utils:
            yield from _list_metavariables(utils[rule["matches"]], utils, depth + 1)
        rule = list(rule.values())
    for one in rule if isinstance(rule, list) else ():
        yield from _list_metavariables(one, utils, depth)


def _estimate(rule: Any, utils: Mapping[str, Any], depth: int) -> int:
    """About how many nodes are looked at to decide about one."""
    if not isinstance(rule, Mapping) or depth > _MOST_NESTED:
        return 1
    known = utils.get(rule.get("matches", ""))
    parts = [*rule.get("all", ()), *rule.get("any", ()), rule.get("not"), known]
    cost = sum(_estimate(one, utils, depth + 1) for one in parts if one is not None)
    for relation, (far, near) in _LOOKS.items():
        if (of := rule.get(relation)) is not None:
            nodes = near if of.get("stopBy", "neighbor") == "neighbor" else far
            cost += nodes * _estimate(of, utils, depth + 1)
    return 1 + cost
