"""What operators make of constants."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from jurat.engine.flow.forms.program import UNKNOWN
from jurat.engine.flow.values.value import Value

_MOST_TEXT = 2_000
"""Characters of a constant that is worked out."""

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod,
}  # fmt: skip

_COMPARING: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b, "is": operator.eq, "is not": operator.ne,
}  # fmt: skip


def fold_sum(constants: Sequence[Any]) -> Any:
    """The sum of numbers, or a text of several that is not too long."""
    if all(isinstance(one, int | float) for one in constants):
        return sum(constants)
    if all(isinstance(one, str | int | float) for one in constants):
        text = "".join(str(one) for one in constants)
        return text if len(text) <= _MOST_TEXT else UNKNOWN
    return UNKNOWN


def fold_binary(operator_: str, left: Any, right: Any) -> Any:
    """What an operator makes of two numbers."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        fold = _ARITHMETIC.get(operator_)
        if fold is not None and abs(left) < 1e9 and abs(right) < 1e9:
            try:
                return fold(left, right)
            except ArithmeticError:
                return UNKNOWN
    return UNKNOWN


def fold_piece(word: str, of: Value, given: Sequence[Value]) -> Any:
    """The piece of a constant text that a method cuts out by numbers: `"ABC".charAt(1)`."""
    text, places = of.constant, [one.constant for one in given]
    if not isinstance(text, str) or not all(type(one) is int for one in places):
        return UNKNOWN
    if word == "charAt" and len(places) == 1:
        return text[places[0]] if 0 <= places[0] < len(text) else UNKNOWN
    if word == "substring" and len(places) in (1, 2) and sorted([0, *places]) == [0, *places]:
        return text[slice(*places) if len(places) > 1 else slice(places[0], None)]
    return UNKNOWN


def fold_comparison(operator_: str, left: Value, right: Value) -> Any:
    """Whether a comparison of constants holds."""
    fold = _COMPARING.get(operator_)
    other: Any = right.constant
    if operator_ in ("in", "not in") and right.items is not None and not right.taints:
        other = [item.constant for item in right.items.values()]
        if UNKNOWN in other:
            return UNKNOWN
    if fold is None or left.constant is UNKNOWN or other is UNKNOWN:
        return UNKNOWN
    try:
        return bool(fold(left.constant, other))
    except TypeError:
        return UNKNOWN
