"""What a language finds by its name and then calls: methods, fields, constructors."""

from __future__ import annotations

from dataclasses import replace

from jurat.engine.flow.calls.foreign_calls import ForeignCalls
from jurat.engine.flow.forms.program import Attribute, Call
from jurat.engine.flow.values.called_by_syntax import hand_over
from jurat.engine.flow.values.value import NOTHING, Env, Given, Value

_METHODS = frozenset({"getMethod", "getDeclaredMethod", "MethodByName"})
_FIELDS = frozenset({"getField", "getDeclaredField"})
_CONSTRUCTORS = frozenset({"getConstructor", "getDeclaredConstructor", "getConstructors"})
"""Methods of a class, or of an object, that find one of its parts."""

_USES = frozenset({"invoke", "Call", "newInstance", "set", "get"})
"""Methods of what was found so."""

_WORDS = _METHODS | _FIELDS | _CONSTRUCTORS | _USES | {"getClass"}

_FIELD = "<field>"
"""What is known of a field that was found: its name."""


def call_found(
    calls: ForeignCalls, expression: Call, receiver: Value, given: Given, env: Env
) -> Value | None:
    """A call that finds a part of a class by its name, or uses one that was found so."""
    callee = expression.callee
    if not isinstance(callee, Attribute) or callee.name not in _WORDS:
        return None
    word, values = callee.name, [env.drop_cleared(value) for _, value in given]
    if (used := _apply_found(calls, expression, receiver, values, env)) is not None:
        return used
    known = receiver.known_class or (receiver.instance.known if receiver.instance else None)
    if known is None:
        return None
    if word == "getClass" or (word in _CONSTRUCTORS and receiver.known_class is not None):
        return Value(known_class=known, name=known.name)
    name = values[0].constant if values else None
    if word in _FIELDS and isinstance(name, str):
        return Value(given={_FIELD: values[0]})
    if word not in _METHODS or not isinstance(name, str):
        return None
    method = known.find_method(name)
    if method is None:
        return None
    return Value(closure=replace(method, instance=receiver.instance))


def _apply_found(
    calls: ForeignCalls,
    expression: Call,
    receiver: Value,
    values: list[Value],
    env: Env,
) -> Value | None:
    callee, method = expression.callee, receiver.closure
    if not isinstance(callee, Attribute) or not values:
        return None
    if method is not None and callee.name == "invoke":
        bound = replace(method, instance=values[0].instance or method.instance)
        return calls.read_property(expression.node, bound, hand_over(callee.node, *values[1:]))
    if method is not None and callee.name == "Call" and values[0].items is not None:
        parts = hand_over(callee.node, *values[0].items.values())
        return calls.read_property(expression.node, method, parts)
    if receiver.known_class is not None and callee.name == "newInstance":
        return calls.call(Call(expression.node, callee.of, expression.arguments, new=True), env)
    field = (receiver.given or {}).get(_FIELD)
    if field is None:
        return None
    part = Attribute(expression.node, expression.arguments[0].value, str(field.constant))
    if callee.name == "set" and len(values) > 1:
        calls.assign(part, values[1], env, expression.node)
        return NOTHING
    return calls.evaluate(part, env) if callee.name == "get" else None
