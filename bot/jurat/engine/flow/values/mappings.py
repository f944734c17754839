"""What stands under which key of something: a check of the keys says nothing of what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any

from jurat.engine.flow.forms.program import UNKNOWN
from jurat.engine.flow.values.joins import MOST_ITEMS, join_values
from jurat.engine.flow.values.taints import Taint, Taints, merge_taints
from jurat.engine.flow.values.value import Value, collect, iter_taints

_KEPT = "kept under "
"""Begins the step to what is kept under one key of something that nobody knows."""

KEY = "key of"
"""The step to a key of a mapping that somebody outside chose."""

HELD = "held by"
"""The step to what a mapping holds under a key that nobody knows."""


def keep_under(key: Any, taints: Iterable[Taint]) -> Iterator[Taint]:
    """The origins of what is kept under a constant key of something that nobody knows."""
    step = f"{_KEPT}{key}" if _is_constant_key(key) else ""
    return (one.enter(step) if step else one for one in taints)


def take_kept(key: Any, taints: Taints) -> Taints:
    """The origins of what is read under a key: what was kept under another one is not there."""
    if not _is_constant_key(key):
        return taints
    kept = f"{_KEPT}{key}"
    return tuple(
        one._replace(path=one.path[:-1]) if one.path and one.path[-1] == kept else one
        for one in taints
        if not one.path or one.path[-1] == kept or not one.path[-1].startswith(_KEPT)
    )


def _is_constant_key(key: Any) -> bool:
    return isinstance(key, str | int | float | bool) and key is not UNKNOWN


_MOST_CHOICES = 12


def pick_any(container: Value) -> Value:
    """A part of a container, whichever it is."""
    parts = (container.items or {}).values()
    choices = [one for one in parts if one.closure or one.known_class or _is_called_so(one)]
    held = Value(take_held(collect([container])), choices=choices[:_MOST_CHOICES])
    known = [one.instance.known for one in parts if one.instance is not None]
    if not parts or len(known) < len(parts):
        return held
    if any(one is not known[0] and (one.methods or known[0].methods) for one in known):
        # Whose method would be called?
        return held
    return held._replace(instance=reduce(join_values, parts).instance)


def _is_called_so(value: Value) -> bool:
    """Whether a value is something of a module, by its name: a function may be."""
    return "." in value.name and value.constant is UNKNOWN and not value.name.endswith(")")


def read_key(value: Value) -> Any:
    """What something is kept under: a constant, or one that stands elsewhere, by its name."""
    is_named = value.name.rpartition(".")[2].isupper() and "." in value.name
    return (
        value.name
        if value.constant is UNKNOWN and is_named and not value.taints
        else value.constant
    )


def set_item(container: Value, key: Any, value: Value) -> Value:
    """A container with one more part; one whose key nobody knows is in the whole."""
    hashable = _is_constant_key(key)
    items = container.items
    if items is not None and hashable and (len(items) < MOST_ITEMS or key in items):
        return container._replace(items={**items, key: value})
    return container._replace(taints=merge_taints((*container.taints, *iter_taints(value))))


def put_entry(mapping: Value, key: Value, value: Value) -> Value:
    """A mapping with one more entry: of a key that nobody knows, whose it is and what it holds."""
    if _is_constant_key(said := read_key(key)):
        return set_item(mapping, said, value)
    keys = (one.enter(KEY) for one in key.taints if one.path[-1:] != (KEY,))
    chosen = (one for one in key.taints if one.path[-1:] == (KEY,))
    held = (one.enter(HELD) for one in iter_taints(value))
    taints = merge_taints((*mapping.taints, *keys, *chosen, *held))
    return mapping._replace(taints=taints, partial=True)


def take_held(taints: Taints) -> Taints:
    """The origins of what a mapping holds, whatever its keys are."""
    return tuple(
        one._replace(path=one.path[:-1]) if one.path[-1:] == (HELD,) else one
        for one in taints
        if one.path[-1:] != (KEY,)
    )


def take_keys(taints: Taints) -> Taints:
    """The origins of the keys, which are what a loop goes through."""
    return tuple(one for one in taints if one.path[-1:] != (HELD,))


def read_way(value: Value) -> Any:
    """What something is kept under: a constant, or a list of constants as the steps of a way."""
    if not value.items:
        return value.constant
    parts = [one.constant for one in value.items.values()]
    return UNKNOWN if UNKNOWN in parts or value.taints else "/".join(map(str, parts))
