"""What JavaScript's own collections are made of: `new Map([[a, b]])`, `Object.values(a)`."""

from __future__ import annotations

from collections.abc import Sequence

from jurat.engine.flow.calls.containers import call_container
from jurat.engine.flow.forms.program import Call
from jurat.engine.flow.values.mappings import put_entry
from jurat.engine.flow.values.value import Value

_VIEWS = {
    "Object.values": "values", "Object.keys": "keys", "Object.entries": "entries",
    "Array.from": "copy",
}  # fmt: skip
"""Functions that answer with parts of what they are given, by the method that does the same."""

MAP = "Map"
"""What goes by this name is gone through by its entries."""

_NONE = Value(items={})


def call_collection(expression: Call, name: str, values: Sequence[Value]) -> Value | None:
    """A collection that is made, or a view of one whose parts are known; None for any other."""
    given = values[0] if values else _NONE
    if given.items is None or len(values) > 1:
        return None
    if name in _VIEWS:
        answered = call_container(given, _VIEWS[name], ())
        return None if answered is None else answered[1]
    if name == "Set" and expression.new and given.is_list:
        return given._replace(items=dict(given.items), box=object(), name=name)
    if (name == MAP and expression.new) or (name == "Object.fromEntries" and values):
        return _make_mapping(given, name)
    return None


def _make_mapping(pairs: Value, name: str) -> Value | None:
    """A mapping of pairs; None if one of them is not known to be a pair."""
    made = Value(pairs.taints, items={}, box=object(), name=name, partial=pairs.partial)
    for pair in (pairs.items or {}).values():
        if pair.items is None or not {0, 1} <= set(pair.items):
            return None
        made = put_entry(made, pair.items[0], pair.items[1])
    return made
