"""What a list is folded into: `names.reduce((line, name) => line + name, "ls")`.

The function is handed what it has made so far, and an element: what begins the text, or the list,
is what it was told, and not any of what is gone through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from jurat.engine.flow.forms.program import Argument
from jurat.engine.flow.values.value import Closure, Given, Value


class Fold(NamedTuple):
    """A function of two, what it goes through, and what it begins with."""

    function: Closure
    several: Value
    first: tuple[Argument, Value]


def find_fold(name: str, receiver: Value, given: Given) -> Fold | None:
    """The fold that a call is if it is told what it begins with; None for any other call."""
    if name.rpartition(".")[2] not in ("reduce", "reduceRight", "fold"):
        return None
    values = [value for _, value in given]
    if name.endswith("functools.reduce"):
        function = values[0].closure if len(values) == 3 else None
        several, first = (values[1], given[2]) if function else (receiver, None)
    elif len(values) == 2:
        # JavaScript hands the function first, Java the beginning.
        at = 0 if values[0].closure is not None else 1
        function, several, first = values[at].closure, receiver, given[1 - at]
    else:
        return None
    if function is None or first is None or len(function.function.parameters) < 2:
        return None
    return Fold(function, several, first)


_MOST_IN_ORDER = 8


def list_in_order(several: Value) -> Sequence[Value]:
    """The elements in their order if it is known which there are, as of functions that are put
    behind each other; else none.
    """
    if several.taints or several.partial or not several.is_list or not several.items:
        return ()
    return tuple(several.items.values()) if len(several.items) <= _MOST_IN_ORDER else ()
