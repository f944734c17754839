"""What a pattern takes out of a value: `case Point(x, y=a)`, `o instanceof Point(int x, var y)`.

Each part goes to its own variable. What is known of an object by its fields stays so: the text of
the one is none of the other, and a number is no text.
"""

from __future__ import annotations

from collections.abc import Sequence

from ast_grep_py import SgNode

from jurat.engine.flow.calls.parts import get_part
from jurat.engine.flow.forms.program import UNKNOWN, Shape
from jurat.engine.flow.statements.frames import Runner
from jurat.engine.flow.values.named_secrets import keep_guessed
from jurat.engine.flow.values.value import Env, Value, collect


def assign_shape(runner: Runner, target: Shape, value: Value, env: Env, node: SgNode) -> None:
    """Put what fits a pattern into its variables."""
    if runner.is_number_type(target.kind):
        value = Value(keep_guessed(runner, [value]), name=target.kind)
    if target.whole is not None:
        runner.assign(target.whole, value, env, node)
    fields = _list_fields(runner, target, value)
    for position, (name, part) in enumerate(target.parts):
        field = name or (fields[position] if position < len(fields) else None)
        runner.assign(part, _take_field(runner, target, value, field, node), env, node)


def _list_fields(runner: Runner, target: Shape, value: Value) -> Sequence[str]:
    """The fields that a pattern names by their places, if the file has its class."""
    if _is_of_kind(target, value) and value.instance is not None:
        return value.instance.known.list_fields()
    declared = runner.find_object(target.kind)
    return declared.known.list_fields() if declared is not None else ()


def _is_of_kind(target: Shape, value: Value) -> bool:
    return value.instance is not None and target.kind in value.instance.known.list_names()


def _take_field(
    runner: Runner, target: Shape, value: Value, field: str | None, node: SgNode
) -> Value:
    """One part: by its name if that is known, else whatever the whole holds."""
    declared = runner.find_object(target.kind)
    kind = declared.known.find_type(field) if declared is not None and field is not None else ""
    if runner.is_number_type(kind):
        return Value(keep_guessed(runner, [value]), name=kind)
    is_known = field is not None and (value.instance is None or _is_of_kind(target, value))
    if field is not None and is_known and (value.instance is not None or target.is_open):
        return get_part(runner, node, value, field)
    return value._replace(constant=UNKNOWN, items=None, instance=None, taints=collect([value]))
