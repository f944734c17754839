"""How a text is put together of values: joined, filled in, or by an operator."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ast_grep_py import SgNode

from jurat.engine.flow.calls.containers import is_builder
from jurat.engine.flow.forms.program import UNKNOWN
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.folding import fold_sum
from jurat.engine.flow.values.mappings import set_item
from jurat.engine.flow.values.named_secrets import keep_guessed
from jurat.engine.flow.values.taints import HOLE, extend_before, merge_taints
from jurat.engine.flow.values.value import Closure, Value, collect, extend_name

_ANY = "any method"
"""A method that no rule names: what is said of it is said of all."""

_WRITING = ("__format__", "toString", "__str__", "String", "[Symbol.toPrimitive]")
"""Methods that say what an object is as a text."""


_TOLD_HOW = frozenset({"__format__", "[Symbol.toPrimitive]"})
"""Those that are handed how it is to be written."""


def _concatenate(parts: Sequence[Value]) -> Value:
    """Lists put together."""
    made = Value(items={})
    for part in parts:
        if part.items is None:
            made = made._replace(taints=merge_taints((*made.taints, *part.taints)))
            continue
        at = len(made.items or {})
        for number, item in enumerate(part.items.values()):
            made = set_item(made, at + number, item)
        made = made._replace(taints=merge_taints((*made.taints, *part.taints)))
    return made


PERCENT_HOLE = re.compile(r"%(?:\(\w+\))?[-+ #0-9.*]*[a-zA-Z]")

BRACE_HOLE = re.compile(r"\{[^{}]*\}")

_OPERATOR_METHODS = {"%": "__mod__", "+": "__add__"}


def write_out(evaluator: Evaluator, node: SgNode, value: Value) -> Value:
    """A value as it is put into a text: an object of the file is what its method makes, and a
    builder all that was put into it.
    """
    if is_builder(value):
        return join_text(evaluator, [*(value.items or {}).values(), Value(value.taints)])
    for name in _WRITING:
        own = (value.items or {}).get(name)
        if own is not None and own.closure is not None:
            return evaluator.read_property(node, own.closure)
    if value.instance is None:
        return value
    for name in _WRITING:
        method = value.instance.known.find_method(name)
        if method is not None and (name in _TOLD_HOW or not method.function.parameters):
            bound = Closure(method.function, method.around, value.instance, held=value.taints)
            return evaluator.read_property(node, bound)
    return value


def join_text(evaluator: Evaluator, parts: Sequence[Value]) -> Value:
    """Values put together into one text, or numbers into one sum."""
    constants = [part.constant for part in parts]
    if UNKNOWN not in constants:
        folded = fold_sum(constants)
        if folded is not UNKNOWN:
            return Value(constant=folded)
    if any(part.items is not None for part in parts):
        return _concatenate(parts)
    before, taints = "", []
    mixed = len(parts) > 1
    for part in parts:
        if isinstance(part.constant, str | int | float):
            before = extend_before(before, str(part.constant))
            continue
        for taint in part.taints:
            text = extend_before(before, taint.before)
            taints.append(
                taint._replace(
                    before=text,
                    mixed=mixed or taint.mixed,
                    foreign=taint.foreign and not mixed,
                    found=taint.found and not mixed,
                )
            )
        before = extend_before(before, part.start + HOLE)
    return Value(merge_taints(taints), start=before.partition(HOLE)[0])


def fit_beside(evaluator: Evaluator, left: Value, operator_: str, right: Value) -> Value:
    """What an operator of the left side makes of the right one: markup escapes a text."""
    method = _OPERATOR_METHODS.get(operator_)
    if method is None or not left.name:
        return right
    parts = right.items
    if parts is not None:
        fit = {key: fit_beside(evaluator, left, operator_, part) for key, part in parts.items()}
        right = right._replace(items=fit)
    if not find_operator(evaluator, left.name, method):
        return right
    called = extend_name(left.name, f".{method}()")
    return right._replace(taints=evaluator.sanitize(right.taints, called))


def find_operator(evaluator: Evaluator, name: str, method: str) -> int:
    """The questions that an operator of a value answers, and not whatever is called on it.

    `uuid.*()` makes a text of its own, and what is added to that is no more fit than before.
    """
    meant = evaluator.matcher.find_sanitizer(extend_name(name, f".{method}()"))
    return meant and meant & ~evaluator.matcher.find_sanitizer(extend_name(name, f".{_ANY}()"))


def fill_text(
    evaluator: Evaluator, template: str, values: Sequence[Value], pattern: re.Pattern[str]
) -> Value:
    """A text with values in its holes, which look like `%s` or `{}`. Numbers carry nothing."""
    holes = list(pattern.finditer(template))
    if len(holes) < len(values) or len(values) == 0:
        return join_text(evaluator, [Value(constant=template.partition("{")[0]), *values])
    parts: list[Value] = []
    at = 0
    for hole, value in zip(holes, values, strict=False):
        parts.append(Value(constant=template[at : hole.start()]))
        is_number = hole[0][0] == "%" and hole[0][-1] in "dioxXeEfFgGbtc"
        held = value if value.items is None else Value(collect([value]))
        parts.append(Value(keep_guessed(evaluator, [value])) if is_number else held)
        at = hole.end()
    rest = template[at:]
    return join_text(evaluator, [*parts, *([Value(constant=rest)] if rest else [])])
