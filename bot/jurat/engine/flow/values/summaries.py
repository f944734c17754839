"""What is remembered of a function that was followed, and what its next call depends on."""

from __future__ import annotations

from typing import Any, NamedTuple

from jurat.engine.flow.forms.program import UNKNOWN, Routine
from jurat.engine.flow.values.taints import Cleared
from jurat.engine.flow.values.value import Closure, Env, Given, Instance, Truths, Value

Summary = tuple[Value, Cleared, Truths, bool, dict[str, Value]]
"""What a function returns, what it has checked, then and by its answer, whether it never returns,
and which containers it changed."""

_DEEPEST = 6
_MOST_FIELDS = 40
"""How far a value is described, and how many fields of an object: past that it is followed anew."""


class CallKey(NamedTuple):
    """What a call depends on. `held` is what the object of a method holds before it.

    Functions, scopes and objects are in it themselves: a number of theirs would be another's once
    they are gone.
    """

    function: Routine
    around: Env
    held: Any
    given: tuple[Any, ...]
    cleared: frozenset[tuple[tuple[str, tuple[str, ...]], int]]


def build_call_key(closure: Closure, given: Given, env: Env | None) -> CallKey | None:
    """What a call of a function depends on, None if that is too much to say."""
    if env is None:
        return None
    held = describe_object(closure)
    if held is None:
        return None
    parts = []
    for one, value in given:
        key = _describe(value, 0)
        if key is None:
            return None
        parts.append((one.keyword, one.spread, key))
    cleared = frozenset(env.cleared.items())
    return CallKey(closure.function, closure.around, held, tuple(parts), cleared)


def describe_object(closure: Closure) -> Any:
    """What the object of a method holds, () for a function, None if that is too much to say."""
    if closure.instance is None:
        return ()
    held = tuple(taint.key for taint in closure.held)
    fields = _describe_fields(closure.instance, 0)
    return None if fields is None else (fields, held, frozenset(closure.cleared.items()))


def _describe_fields(instance: Instance, depth: int) -> Any:
    if depth > _DEEPEST or len(instance.fields) > _MOST_FIELDS:
        return None
    fields: list[Any] = []
    for name, value in instance.fields.items():
        described = _describe(value, depth + 1)
        if described is None:
            return None
        fields.append((name, described))
    # By the object and no number of it: as part of a key it lives as long as that.
    return instance, tuple(fields)


def _describe(value: Value, depth: int) -> Any:
    if value.given is not None or depth > _DEEPEST:
        return None
    held = None
    if value.instance is not None:
        held = _describe_fields(value.instance, depth + 1)
        if held is None:
            return None
    constant = value.constant
    if constant is not UNKNOWN and not isinstance(constant, str | int | float | bool | None):
        return None
    items: list[Any] = []
    for key, item in (value.items or {}).items():
        described = _describe(item, depth + 1)
        if described is None:
            return None
        items.append((key, described))
    taints = tuple(one.key for one in value.taints)
    shape = value.items is None
    known = value.closure, held, value.known_class
    return taints, type(constant), constant, value.name, shape, tuple(items), known, value.fixed
