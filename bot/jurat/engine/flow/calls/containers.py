"""Methods of lists, mappings and the like, as far as their parts are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jurat.engine.flow.forms.program import UNKNOWN, Argument
from jurat.engine.flow.values.joins import join_values
from jurat.engine.flow.values.mappings import (
    KEY,
    pick_any,
    put_entry,
    read_key,
    set_item,
    take_held,
    take_keys,
)
from jurat.engine.flow.values.taints import Taints, merge_taints
from jurat.engine.flow.values.value import NOTHING, Value, collect
from jurat.engine.flow.words import split_words

MUTATORS = split_words(
    """
    append add push extend insert update put write writelines set addAll unshift appendleft
    concat WriteString Write ReadFrom setdefault add_header putAll Add Set Store setProperty
    """
)
"""Methods that put what they are given into what they are called on."""

_BUILDERS = split_words(
    """
    StringBuilder StringBuffer java.lang.StringBuilder java.lang.StringBuffer strings.Builder
    bytes.Buffer io.StringIO StringJoiner java.util.StringJoiner
    """
)
"""What a text is put together in: a list of its parts, in order."""

_WRITERS = frozenset(
    {"append", "add", "write", "WriteString", "Write", "WriteByte", "WriteRune", "ReadFrom"}
)
TELLERS = frozenset({"toString", "String", "getvalue"})
"""Methods that return the text of a builder."""

Result = tuple[Value, Value]
"""The container as it is then, and what the call returns."""


def is_builder(of: Value) -> bool:
    """Whether something is a text whose parts are known."""
    return of.items is not None and of.name in _BUILDERS


def open_builder(made: Value, parts: Sequence[Value]) -> Value:
    """Something new by its name; what a text is put together in has the first of its parts."""
    if made.name not in _BUILDERS or made.items is not None:
        return made
    return Value(name=made.name, items=dict(enumerate(parts)), box=object())


def call_container(
    of: Value, method: str, given: Sequence[tuple[Argument, Value]]
) -> Result | None:
    """A method of a container whose parts are known; None if it is none, or does not tell."""
    arguments = [value for _, value in given]
    if of.name.endswith("ConfigParser"):
        return _call_sections(of, method, arguments)
    if of.items is None:
        return None
    if of.name in _BUILDERS and method in (*_WRITERS, "insert"):
        write = _insert if method == "insert" else _append
        changed, _ = write(of, arguments) or (of, NOTHING)
        return changed, changed
    if method == "update":
        return _update(of, given)
    rule = _METHODS.get(method)
    return None if rule is None else rule(of, arguments)


def cut_list(of: Value, start: object = None, end: object = None) -> Value | None:
    """The parts of a list from one place to before another; None if it or a place is not known."""
    if not of.is_list or of.partial or of.taints:
        return None
    if not (isinstance(start, int | None) and isinstance(end, int | None)):
        return None
    parts = list((of.items or {}).values())[start:end]
    return of._replace(items=dict(enumerate(parts)), box=object())


def _slice(of: Value, arguments: Sequence[Value]) -> Result | None:
    cut = cut_list(of, *(one.constant for one in arguments[:2]))
    return None if cut is None else (of, cut)


def _collect(of: Value, arguments: Sequence[Value]) -> Result | None:
    """`collect(Collectors.toList())` has the parts that the stream had."""
    into = arguments[0].name.rpartition(".")[2] if arguments else ""
    return (of, of) if into.startswith(("toList", "toSet", "toUnmodifiable")) else None


def _call_sections(of: Value, method: str, arguments: Sequence[Value]) -> Result | None:
    """Something with sections and options, such as Python's configparser."""
    keys = [one.constant for one in arguments[:2]]
    if len(keys) < 2 or not all(isinstance(key, str) for key in keys):
        return None
    key = "\0".join(keys)
    held = of if of.items is not None else of._replace(items={})
    if method == "set" and len(arguments) > 2:
        return set_item(held, key, arguments[2]), NOTHING
    if method == "get" and held.items is not None and key in held.items:
        return of, join_values(held.items[key], Value(of.taints)) if of.taints else held.items[key]
    return None


def _append(of: Value, arguments: Sequence[Value]) -> Result | None:
    if not arguments or not of.is_list:
        return None
    for value in arguments:
        of = set_item(of, len(of.items or {}), value)
    return of, NOTHING


def _is_at_place(arguments: Sequence[Value]) -> bool:
    """Whether the first of two says where the other is put: Java's `add(0, one)`."""
    return len(arguments) == 2 and isinstance(arguments[0].constant, int)


def _extend(of: Value, arguments: Sequence[Value]) -> Result | None:
    if len(arguments) != 1 or arguments[0].items is None or not of.is_list:
        return None
    if not arguments[0].is_list:
        return None
    changed, _ = _append(of, list(arguments[0].items.values())) or (of, NOTHING)
    taints = merge_taints((*changed.taints, *arguments[0].taints))
    return changed._replace(taints=taints), NOTHING


def _update(of: Value, given: Sequence[tuple[Argument, Value]]) -> Result | None:
    """`a.update(b, key=c)`: a mapping over which others are laid; None for a set."""
    if of.items and of.is_list:
        return None
    for argument, value in given:
        if argument.keyword is not None:
            of = set_item(of, argument.keyword, value)
        elif value.items is None or (value.items and value.is_list):
            return None
        else:
            for key, part in value.items.items():
                of = set_item(of, key, part)
            taints = merge_taints((*of.taints, *value.taints))
            of = of._replace(taints=taints, partial=of.partial or value.partial)
    return of, NOTHING


def _concatenate(of: Value, arguments: Sequence[Value]) -> Result | None:
    """`a.concat(b, c)`: a list of its own."""
    made = of._replace(items=dict(of.items or {}), box=object())
    for value in arguments:
        added = list((value.items or {}).values()) if value.is_list else [value]
        made, _ = _append(made, added) or (made, NOTHING)
        if value.is_list:
            made = made._replace(taints=merge_taints((*made.taints, *value.taints)))
    return (of, made) if of.is_list and of.items else None


def _pop(of: Value, arguments: Sequence[Value]) -> Result | None:
    items = dict(of.items or {})
    if not of.is_list:
        key = arguments[0].constant if arguments else UNKNOWN
        if not isinstance(key, str):
            return None
        found = items.pop(key, NOTHING)
        return of._replace(items=items), found
    at: Any = arguments[0].constant if arguments else len(items) - 1
    if not isinstance(at, int) or not items or not -len(items) <= at < len(items):
        return None
    rest = list(items.values())
    found = rest.pop(at)
    return of._replace(items=dict(enumerate(rest))), found


def _insert(of: Value, arguments: Sequence[Value]) -> Result | None:
    if len(arguments) != 2 or not of.is_list or not isinstance(arguments[0].constant, int):
        return None
    rest = list((of.items or {}).values())
    rest.insert(arguments[0].constant, arguments[1])
    return of._replace(items=dict(enumerate(rest))), NOTHING


def _shift(of: Value, _arguments: Sequence[Value]) -> Result | None:
    return _pop(of, [Value(constant=0)]) if of.is_list else None


def _get(of: Value, arguments: Sequence[Value]) -> Result | None:
    if not arguments or of.items is None:
        return None
    key = read_key(arguments[0])
    default = arguments[1] if len(arguments) > 1 else NOTHING
    if key is UNKNOWN or not isinstance(key, str | int | float | bool):
        picked = pick_any(of)
        return of, picked._replace(taints=merge_taints((*picked.taints, *collect([default]))))
    found, others = of.items.get(key, default), take_held(of.taints)
    return of, join_values(found, Value(others)) if others else found


def _put(of: Value, arguments: Sequence[Value]) -> Result | None:
    if len(arguments) != 2:
        return None
    if of.is_list and of.items and isinstance(arguments[0].constant, int):
        return set_item(of, arguments[0].constant, arguments[1]), NOTHING
    return put_entry(of, arguments[0], arguments[1]), NOTHING


def _list_values(of: Value, _arguments: Sequence[Value]) -> Result | None:
    parts = (of.items or {}).values()
    return of, Value(take_held(of.taints), items=dict(enumerate(parts)))


def list_keys(of: Value, _arguments: Sequence[Value]) -> Result:
    """The keys of a mapping."""
    keys = [Value(constant=key) for key in of.items or {}]
    return of, Value(take_keys(of.taints), items=dict(enumerate(keys)))


def _list_pairs(of: Value, _arguments: Sequence[Value]) -> Result | None:
    pairs = [
        Value(items={0: Value(constant=key), 1: value}) for key, value in (of.items or {}).items()
    ]
    if of.taints:
        pairs.append(Value(items={0: Value(_list_chosen(of)), 1: Value(take_held(of.taints))}))
    return of, Value(items=dict(enumerate(pairs)))


def _list_chosen(of: Value) -> Taints:
    """The origins of keys that nobody here has written."""
    return tuple(one for one in take_keys(of.taints) if of.partial or one.path[-1:] == (KEY,))


def _read_group(of: Value, arguments: Sequence[Value]) -> Result | None:
    """A group of a match, the whole of it if none is asked for, a list if several are."""
    keys = [one.constant for one in arguments] or [0]
    found = [(of.items or {}).get(key) for key in keys]
    parts = [one for one in found if one is not None]
    if len(parts) < len(keys):
        return None
    return of, parts[0] if len(parts) == 1 else Value(items=dict(enumerate(parts)))


def _list_groups(of: Value, _arguments: Sequence[Value]) -> Result | None:
    parts = [one for key, one in (of.items or {}).items() if isinstance(key, int) and key]
    return of, Value(items=dict(enumerate(parts)))


def _get_side(side: int | str) -> Callable[[Value, Sequence[Value]], Result | None]:
    """The key of an entry, or what stands under it."""

    def read(of: Value, _arguments: Sequence[Value]) -> Result | None:
        return (of, of.items[side]) if of.items is not None and side in of.items else None

    return read


_VIEWS = split_words(
    """
    stream parallelStream limit skip sorted distinct toList toArray iterator listIterator reversed
    """
)
"""Methods that return the same parts, or some of them, maybe in another order."""

_METHODS: dict[str, Callable[[Value, Sequence[Value]], Result | None]] = {
    **dict.fromkeys(_VIEWS, lambda of, _arguments: (of, of)),
    "append": _append,
    "add": lambda of, arguments: (_insert if _is_at_place(arguments) else _append)(of, arguments),
    "push": _append,
    "concat": _concatenate,
    "extend": _extend,
    "addAll": _extend,
    "insert": _insert,
    "pop": _pop,
    "remove": lambda of, arguments: _pop(of, arguments) if of.is_list else None,
    "shift": _shift,
    "get": _get,
    "getOrDefault": _get,
    "put": _put,
    "set": _put,
    "values": _list_values,
    "keys": list_keys,
    "items": _list_pairs,
    "entries": _list_pairs,
    "entrySet": _list_pairs,
    "keySet": list_keys,
    "getKey": _get_side(0),
    "getValue": _get_side(1),
    "group": _read_group,
    "groups": _list_groups,
    "groupdict": _get_side("groups"),
    "collect": _collect,
    "slice": _slice,
    "subList": _slice,
    "copy": lambda of, _arguments: (of, of),
}
