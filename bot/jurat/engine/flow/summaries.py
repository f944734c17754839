"""What is remembered of a function that was followed, and what its next call depends on."""

from __future__ import annotations

from typing import Any

from jurat.engine.flow.program import UNKNOWN
from jurat.engine.flow.taints import Cleared
from jurat.engine.flow.values import Closure, Env, Given, Value

Summary = tuple[Value, Cleared, tuple[Cleared, Cleared], bool, dict[str, Value]]
"""What a function returns, what it has checked, then and by its answer, whether it never returns,
and which containers it changed."""


def build_call_key(closure: Closure, given: Given, env: Env | None) -> Any:
    """What a call of a function depends on, None if that is too much to say."""
    if closure.instance is not None or env is None:
        return None
    parts = []
    for one, value in given:
        key = _describe(value, 0)
        if key is None:
            return None
        parts.append((one.keyword, one.spread, key))
    return id(closure.function), id(closure.around), tuple(parts), frozenset(env.cleared.items())


def _describe(value: Value, depth: int) -> Any:
    if value.instance is not None or value.given is not None or depth > 3:
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
    taints = tuple((one.key, one.mixed) for one in value.taints)
    closure = id(value.closure) if value.closure is not None else None
    shape = value.items is None
    return taints, type(constant), constant, value.name, shape, tuple(items), closure, value.fixed
