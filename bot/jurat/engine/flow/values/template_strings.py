"""Python's template strings, https://peps.python.org/pep-0750: `t"<p>{name}</p>"` is no text yet.

Whoever takes one makes a text of it, and knows what was put in: a library's statement is fit, and a
function of the file does what it does with each part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from jurat.engine.flow.values.joins import join_values
from jurat.engine.flow.values.value import NOTHING, ClassValue, Instance, Value

_INTERPOLATION = ClassValue(
    "Interpolation", {}, {}, dict.fromkeys(("value", "expression", "conversion", "format_spec"), "")
)
_TEMPLATE = ClassValue(
    "Template", {}, {}, dict.fromkeys(("strings", "interpolations", "values"), "")
)
_PARTS = "parts in order"


def build_template(parts: Sequence[tuple[Value, bool]]) -> Value:
    """A template of its parts in order; each says whether it was put in."""
    inside = [value for value, is_put_in in parts if is_put_in]
    wrapped = iter([_wrap(value) for value in inside])
    ordered = [next(wrapped) if is_put_in else value for value, is_put_in in parts]
    fields = {
        "strings": _list(value for value, is_put_in in parts if not is_put_in),
        "interpolations": _list(map(_wrap, inside)),
        "values": _list(inside),
        _PARTS: _list([reduce(join_values, ordered, NOTHING)] if ordered else []),
    }
    made = Instance(_TEMPLATE, fields, made=True)
    return Value(name="string.templatelib.Template", instance=made)


def list_template_parts(of: Value) -> Value | None:
    """What a loop over a template goes through; None for anything else."""
    if of.instance is None or of.instance.known is not _TEMPLATE:
        return None
    return of.instance.fields[_PARTS]


def _wrap(value: Value) -> Value:
    made = Instance(_INTERPOLATION, {"value": value}, made=True)
    return Value(name="string.templatelib.Interpolation", instance=made)


def _list(values: Iterable[Value]) -> Value:
    return Value(items=dict(enumerate(values)))
