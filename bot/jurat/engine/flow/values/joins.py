"""What is known where two ways meet: of a value that is either of two, and of all that holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from jurat.engine.flow.forms.program import UNKNOWN
from jurat.engine.flow.values.flags import join_flags
from jurat.engine.flow.values.taints import meet_cleared, merge_taints
from jurat.engine.flow.values.value import NOTHING, Env, Instance, Value, iter_taints

MOST_ITEMS = 64
"""Parts of a container that are told from each other."""

_DEEPEST = 4
"""Parts within parts that are joined one by one."""


WORKED_OUT = re.compile(
    r"(?:os\.path\.(?:abspath|realpath|normpath)|path\.(?:posix\.|win32\.)?resolve"
    r"|realpath(?:Sync)?|filepath\.(?:Abs|Clean|EvalSymlinks|Join)|getCanonicalPath"
    r"|(?:Path|Paths\.get\(\)|(?:Path\.of|resolve|normalize|to(?:Real|Absolute)Path)\(\))"
    r"\.toString)\(\)$"
)
"""Ends the name of a path as a text that never ends with a separator, but for the root."""


def join_values(one: Value, other: Value, depth: int = 0) -> Value:
    """What is known of a value that is either of two."""
    if one is other:
        return one
    same = type(one.constant) is type(other.constant) and one.constant == other.constant
    items: dict[Any, Value] | None = None
    taints = (*one.taints, *other.taints)
    if one.items is not None and other.items is not None and depth < _DEEPEST:
        keys = list(dict.fromkeys([*one.items, *other.items]))[:MOST_ITEMS]
        # What only one list has is in both from here on: a text that may have been appended.
        both = one.is_list and other.is_list
        items = {
            key: join_values(
                _get_or_other(one.items, other.items, key, both=both),
                _get_or_other(other.items, one.items, key, both=both),
                depth + 1,
            )
            for key in keys
        }
    elif one.items or other.items:
        taints = (*iter_taints(one), *iter_taints(other))
    return Value(
        merge_taints(taints),
        one.constant if same or _is_run_alike(one, other) else UNKNOWN,
        _join_names(one.name, other.name),
        items,
        one.closure or other.closure,
        join_instances(one.instance, other.instance, depth),
        one.known_class or other.known_class,
        one.box or other.box,
        one.bound or other.bound,
        _find_shared_beginning(one.beginning, other.beginning),
        one.fixed and other.fixed,
        _join_given(one.given, other.given, depth),
        join_values(one.default, other.default) if one.default and other.default else None,
        one.partial or other.partial,
        _join_choices(one, other),
    )


_MOST_FUNCTIONS = 12


def _join_choices(one: Value, other: Value) -> Sequence[Value]:
    """The functions of which a value is one that is either of two."""
    if one.closure is None and other.closure is None:
        return one.choices or other.choices
    several: dict[int, Value] = {}
    for value in (one, other):
        for each in value.choices or ((value,) if value.closure is not None else ()):
            several.setdefault(id(each.closure and each.closure.function), each)
    return tuple(several.values())[:_MOST_FUNCTIONS] if len(several) > 1 else ()


_RUN_FLAGS = frozenset({"-c", "/c", "/C"})
"""What each system's shell takes for: run the line that follows."""


def _is_run_alike(one: Value, other: Value) -> bool:
    """Whether two words say the same, each to the shell of its system."""
    said = one.constant, other.constant
    return all(isinstance(word, str) and word in _RUN_FLAGS for word in said)


def _get_or_other(
    one: Mapping[Any, Value], other: Mapping[Any, Value], key: object, *, both: bool
) -> Value:
    """A part of a container; of one that only the other has, what that has, or maybe nothing."""
    found = one.get(key)
    if found is not None:
        return found
    held = other.get(key, NOTHING)
    return held if both or held.items is not None else NOTHING


def _join_names(one: str, other: str) -> str:
    """The name of what is either of two: a constant's is told by all ways here, or by none.

    So is that of a path that no separator ends: behind `if !HasSuffix(dir, "/")` it may get one.
    """
    name = one or other
    is_of_all = name.rpartition(".")[2].isupper() or WORKED_OUT.search(name)
    return name if one == other or not is_of_all else ""


def join_instances(one: Instance | None, other: Instance | None, depth: int = 0) -> Instance | None:
    """An object that is either of two: `return Order{}, err` beside the order that was made."""
    if one is None or other is None or one is other or depth >= _DEEPEST:
        return one or other
    if one.known is not other.known and (one.known.methods or other.known.methods):
        return one
    fields = {
        name: join_values(one.fields.get(name, NOTHING), other.fields.get(name, NOTHING), depth + 1)
        for name in dict.fromkeys([*one.fields, *other.fields])
    }
    return Instance(one.known, fields, made=one.made and other.made)


def _join_given(
    one: Mapping[str, Value] | None, other: Mapping[str, Value] | None, depth: int
) -> Mapping[str, Value] | None:
    """What an object was told that is either of two: what only one was told, nobody knows."""
    if one is other:
        return one
    if one is None or other is None or depth >= _DEEPEST:
        return None
    return {
        name: join_values(one.get(name, NOTHING), other.get(name, NOTHING), depth + 1)
        for name in dict.fromkeys([*one, *other])
    }


def _find_shared_beginning(one: str, other: str) -> str:
    """What two texts begin with alike."""
    if one == other:
        return one
    if not (one and other):
        return ""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(letter for letter, _ in alike)


def join_envs(envs: Sequence[Env]) -> Env | None:
    """What holds where several paths meet; None if none leads here."""
    alive = [env for env in envs if not env.dead]
    if not alive:
        return None
    whole = alive[0]
    for env in alive[1:]:
        values = dict(whole.values)
        changed: list[str] = []
        for name, value in env.values.items():
            before = values.get(name)
            if before is value:
                continue
            if before is None:
                values[name] = value
            else:
                changed.append(name)
                # `if bad(a): a = "/"` leaves what was put right on one path, and fit on the other.
                values[name] = join_values(whole.drop_cleared(before), env.drop_cleared(value))
        cleared = meet_cleared(whole.cleared, env.cleared)
        conditions = {
            name: one for name, one in whole.conditions.items() if env.conditions.get(name) is one
        }
        whole = Env(
            values, whole.parent, cleared, conditions, whole.outer | env.outer,
            present=whole.present & env.present, flags=join_flags(whole, env, changed),
        )  # fmt: skip
    return whole
