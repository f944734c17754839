"""Variables that a check has set, as `ok = True` or `problems.append(name)`, and what they say.

Where two ways meet on which a variable is something and nothing, it tells later which way was
taken, and so what was checked on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Attribute,
    Call,
    Container,
    Expression,
    Module,
    Name,
    Relationship,
)
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.taints import Cleared, add_cleared, meet_cleared
from jurat.engine.flow.values.value import NOTHING, Env, Flag, Value, iter_taints

_ERROR = re.compile(r"(?:Error|Exception)(?:\(\))?$")
"""Ends the name of an error that was made: it is something."""

_SIZES = frozenset({"length", "size"})
_OF_SIZE = {
    (">", 0): True, (">=", 1): True, ("!=", 0): True,
    ("==", 0): False, ("<=", 0): False, ("<", 1): False,
}  # fmt: skip
"""Whether a comparison of a size with a number says that there is something."""

_EMPTINESS = frozenset({"isEmpty", "is_empty"})
_OF_CONTAINERS = _SIZES | _EMPTINESS

UNTOLD: Flag = ({}, {})
"""What a variable says of which nobody knows any more whether it is something."""


Sides = tuple[Cleared | None, Cleared | None]
"""A flag, with None in place of what a variable cannot be."""

_MOST_PARTS = 4
"""How many a function answers together: more are a record, of which none speaks of another."""


def join_flags(one: Env, other: Env, changed: Iterable[str]) -> dict[str, Flag]:
    """What variables say where two ways meet; `changed` are those that are not the same there."""
    found = {name: flag for name, flag in one.flags.items() if other.flags.get(name) is flag}
    for name in changed:
        sides = [_tell(env, name) for env in (one, other)]
        known = [side for side in sides if side is not None]
        if len(known) < len(sides):
            # Of a list that may hold something nobody knows it from its parts.
            found |= {name: UNTOLD} if known else {}
        elif name in one.flags or name in other.flags or _are_apart(*known):
            found[name] = _meet(side[0] for side in known), _meet(side[1] for side in known)
    return found


def _are_apart(one: Sides, other: Sides) -> bool:
    """Whether a variable is something on one of two ways, and nothing on the other."""
    return (one[0] is None) is not (other[0] is None)


def _tell(env: Env, name: str) -> Sides | None:
    """What holds if a variable is something and if it is nothing, None for what it cannot be."""
    if (known := env.flags.get(name)) is not None:
        return add_cleared(known[0], env.cleared), add_cleared(known[1], env.cleared)
    is_something = _is_something(env.values[name])
    if is_something is None:
        return None
    return (env.cleared, None) if is_something else (None, env.cleared)


def _is_something(value: Value) -> bool | None:
    """Whether a value is something; None if that is not known."""
    if value.constant is not UNKNOWN:
        return bool(value.constant)
    if value.items is not None and not value.taints and not value.partial:
        return bool(value.items)
    return True if _ERROR.search(value.name) and not value.taints else None


def _meet(sides: Iterable[Cleared | None]) -> Cleared:
    """What holds on each of the ways that there are."""
    ways: list[Cleared] = [side for side in sides if side is not None]
    return reduce(meet_cleared, ways) if ways else {}


def tell_parts(evaluator: Evaluator, said: Expression | None, env: Env) -> dict[Any, Sides]:
    """What each part says of the others that are answered together, as in `return ok, path`."""
    if not isinstance(said, Container) or not 1 < len(said.entries) <= _MOST_PARTS:
        return {}
    found: dict[Any, Sides] = {}
    for position, (key, part, spread) in enumerate(said.entries):
        place = position if key is None else getattr(key, "value", UNKNOWN)
        if spread or place is UNKNOWN:
            return {}
        found[place] = _tell_part(evaluator, part, env)
    return found


def _tell_part(evaluator: Evaluator, part: Expression, env: Env) -> Sides:
    value = evaluator.results.get(id(part), NOTHING)
    is_something = _is_something(value)
    if is_something is not None:
        return (env.cleared, None) if is_something else (None, env.cleared)
    if any(iter_taints(value)):
        return env.cleared, env.cleared
    yes, no = env.copy(), env.copy()
    evaluator.narrow(part, yes, holds=True)
    evaluator.narrow(part, no, holds=False)
    return yes.cleared, no.cleared


def meet_parts(ways: Sequence[Mapping[Any, Sides]]) -> dict[Any, Flag]:
    """What each part says whichever way was taken; nothing if one of them answers no such parts."""
    if not ways or not all(ways):
        return {}
    shared = set(ways[0]).intersection(*ways[1:])
    return {
        place: (_meet(way[place][0] for way in ways), _meet(way[place][1] for way in ways))
        for place in shared
    }


def narrow_flag(evaluator: Evaluator, condition: Expression, env: Env, *, holds: bool) -> None:
    """What a variable says that is asked whether it is something, or whether it holds something."""
    if isinstance(condition, Relationship):
        # `len(problems) > 0`, `errors.length === 0`.
        bound = evaluator.results.get(id(condition.right), NOTHING).constant
        answers = _OF_SIZE.get((condition.operator, bound)) if isinstance(bound, int) else None
        if answers is not None and not isinstance(condition.left, Name):
            narrow_flag(evaluator, condition.left, env, holds=holds is answers)
        return
    asked, turned = _find_asked(evaluator, condition, env)
    flag = env.flags.get(asked) if asked is not None else None
    if flag is None:
        return
    env.cleared = add_cleared(env.cleared, flag[0 if holds is not turned else 1])


def _find_asked(evaluator: Evaluator, condition: Expression, env: Env) -> tuple[str | None, bool]:
    """The variable that a condition is about, and whether its yes means that it is nothing."""
    turned = False
    of: Expression | None = None
    if isinstance(condition, Name):
        held = env.values.get(condition.name)
        holds = evaluator.language.counts_empty_as_true
        is_array = holds and held is not None and held.items is not None
        return (None if is_array else condition.name), False
    if isinstance(condition, Attribute) and condition.name in _SIZES:
        of = condition.of
    elif isinstance(condition, Call):
        callee, arguments = condition.callee, condition.arguments
        if isinstance(callee, Attribute) and callee.name in _OF_CONTAINERS and not arguments:
            of, turned = callee.of, callee.name in _EMPTINESS
        elif isinstance(callee, Name | Module) and callee.name == "len" and arguments:
            of = arguments[0].value
    return (of.name if isinstance(of, Name) else None), turned
