"""Calls that stand for a name, or put off another call."""

from __future__ import annotations

from collections.abc import Sequence

from jurat.engine.flow.calls.foreign_calls import ForeignCalls
from jurat.engine.flow.calls.found_by_name import call_found
from jurat.engine.flow.calls.parts import get_part, join_over
from jurat.engine.flow.calls.patched_classes import (
    make_class,
    open_proxy,
    put_into_class,
    read_described,
)
from jurat.engine.flow.calls.script_collections import call_collection
from jurat.engine.flow.forms.language_traits import PYTHON
from jurat.engine.flow.forms.program import UNKNOWN, Argument, Attribute, Call
from jurat.engine.flow.sinks.hits import check_sinks
from jurat.engine.flow.values.called_by_syntax import read_by
from jurat.engine.flow.values.joins import join_values
from jurat.engine.flow.values.mappings import set_item
from jurat.engine.flow.values.namespaces import update_by_names
from jurat.engine.flow.values.taints import REMOTE, merge_taints
from jurat.engine.flow.values.value import NOTHING, Env, Given, Value
from jurat.engine.flow.words import split_words

_READERS_BY_NAME = frozenset({"getattr", "Reflect.get"})

_TEXTS = frozenset({"str", "string", "String"})

_NAMESPACES = frozenset({"locals", "globals", "vars"})
"""What has all variables by their names."""

_EVALUATORS = frozenset({"eval", "builtins.eval"})

_IMPORTERS = frozenset({"__import__", "importlib.import_module", "builtins.__import__"})

_IDENTITIES = split_words(
    """
    java.util.Objects.requireNonNull Objects.requireNonNull Object.freeze
    com.google.common.base.Preconditions.checkNotNull structuredClone net/http.HandlerFunc
    Promise.resolve reflect.ValueOf sync.OnceValue sync.OnceFunc
    """
)
"""What returns what it is given first, or ends in an error."""

_BY_METHOD = {"next": "__next__", "str": "__str__", "bytes": "__bytes__"}
"""Functions that ask an object for what its method says."""

_MAPPINGS = frozenset({"dict", "dataclasses.asdict", "attr.asdict", "attrs.asdict", "vars"})
"""What makes a mapping: of others, or of the fields of an object."""

_MERGERS = frozenset({"Object.assign", "Object.setPrototypeOf"})
"""What gives an object the parts of others."""

_PARTIALS = frozenset({"functools.partial", "lodash.partial"})


def _build_mapping(given: Given) -> Value | None:
    """`dict(known, key=value, **more)`, `asdict(object)`; None if it is made of what is neither."""
    made = Value(name="dict()", items={}, box=object())
    for argument, value in given:
        if value.instance is not None and value.instance.made:
            made = made._replace(items={**(made.items or {}), **value.instance.fields})
            continue
        if argument.keyword is not None:
            made = set_item(made, argument.keyword, value)
        elif value.items is None or value.is_list:
            return None
        else:
            made = made._replace(
                items={**(made.items or {}), **value.items},
                taints=merge_taints((*made.taints, *value.taints)),
                partial=made.partial or value.partial,
            )
    return made


def call_reflection(
    calls: ForeignCalls, expression: Call, name: str, given: Given, env: Env
) -> Value | None:
    """A call that stands for a name, or puts off another call; None for any other."""
    values = [value for _, value in given]
    first, second = (values[at] if at < len(values) else NOTHING for at in (0, 1))
    if name in _BY_METHOD and first.instance is not None:
        return read_by(calls, expression.node, first, _BY_METHOD[name])
    if (found := _call_by_name(calls, expression, name, given, env)) is not None:
        return found
    if name in _TEXTS and isinstance(first.constant, str):
        return Value(constant=first.constant)
    if name in _IMPORTERS and isinstance(first.constant, str):
        return Value(name=first.constant)
    if name == "setattr" and len(values) > 2 and isinstance(second.constant, str):
        target = Attribute(expression.node, expression.arguments[0].value, second.constant)
        calls.assign(target, values[2], env, expression.node)
        return NOTHING
    is_python = calls.language is PYTHON
    if not is_python and (used := _call_part(calls, expression, given, env)) is not None:
        return used
    if name in _MERGERS and len(values) > 1:
        return _merge_into(calls, expression, values, env)
    if not is_python and (made := call_collection(expression, name, values)) is not None:
        return made
    if name in _IDENTITIES and values:
        return first
    if name in _MAPPINGS and given and is_python:
        return _build_mapping(given)
    if name in _PARTIALS and (first.closure or first.name):
        return first._replace(bound=(*first.bound, *given[1:]))
    return None


def _call_part(calls: ForeignCalls, expression: Call, given: Given, env: Env) -> Value | None:
    """A method of a function, or of what was found by its name; None for any other."""
    if not isinstance(expression.callee, Attribute):
        return None
    of = calls.results.get(id(expression.callee.of), NOTHING)
    if (used := call_found(calls, expression, of, given, env)) is not None:
        return used
    if of.closure is None and not calls.matcher.find_sinks(of.name):
        return None
    return _call_by_method(calls, expression, of, given, env)


def _call_by_name(
    calls: ForeignCalls, expression: Call, name: str, given: Given, env: Env
) -> Value | None:
    """A variable, a function or a part that a text or a table names; None for any other call."""
    values = [value for _, value in given]
    second = values[1] if len(values) > 1 else NOTHING
    is_python = calls.language is PYTHON
    if is_python and update_by_names(calls, expression, given, env):
        return NOTHING
    if name == "type" and len(values) > 2:
        return make_class(values)
    if name in _READERS_BY_NAME and isinstance(second.constant, str):
        found = get_part(calls, expression.node, values[0], second.constant)
        return found if len(values) < 3 else join_values(found, values[2])
    if name in _NAMESPACES and not values and is_python:
        return Value(name=f"{name}()", items=_list_variables(env), partial=True)
    said = values[0].constant if values else UNKNOWN
    if name in _EVALUATORS and isinstance(said, str) and said.isidentifier():
        return env.look_up(said)
    if name in ("Reflect.apply", "Reflect.construct") and len(expression.arguments) > 1:
        function, rest = expression.arguments[0], expression.arguments[-1]
        spread, makes = [Argument(rest.value, None, spread=True)], name == "Reflect.construct"
        return calls.call(Call(expression.node, function.value, spread, makes), env)
    if name == "Proxy" and expression.new and values:
        return open_proxy(values[0], (second.items or {}))
    if name == "Object.create" and values[:1] and values[0].items is not None:
        return values[0]._replace(box=object())
    if name == "Object.defineProperty" and len(values) > 2 and isinstance(second.constant, str):
        of = expression.arguments[0].value
        for begins, held in read_described(values[2].items or {}).items():
            target = Attribute(expression.node, of, begins + second.constant)
            calls.assign(target, held, env, expression.node)
        return calls.evaluate(of, env)
    return None


def _list_variables(env: Env) -> dict[str, Value]:
    """What can be named at a place."""
    found: dict[str, Value] = {}
    around: Env | None = env
    while around is not None:
        found = {**around.values, **found}
        around = around.parent
    return found


def _merge_into(calls: ForeignCalls, expression: Call, values: Sequence[Value], env: Env) -> Value:
    """`Object.assign(a, b, c)`: the first, with what the others have."""
    first = values[0]
    if first.known_class is not None:
        for key, item in (
            (key, item) for one in values[1:] for key, item in (one.items or {}).items()
        ):
            put_into_class(first.known_class, str(key), item)
        return first
    changed = first._replace(items=first.items or {})
    for value in values[1:]:
        for key, item in (value.items or {}).items():
            changed = set_item(changed, key, item)
        if value.items is None and any(one.strength == REMOTE for one in value.taints):
            changed = join_over(calls, expression.node, changed, value)
        if value.items is None and value.taints:
            # Whoever sends the whole of it sends the parts that are believed as well.
            right = f"{first.name}.role"
            check_sinks(calls, expression.node, right, [(None, value)], env, assigned=True)
        changed = changed._replace(taints=merge_taints((*changed.taints, *value.taints)))
    calls.update(expression.arguments[0].value, changed, env)
    return changed


def _call_by_method(
    calls: ForeignCalls, expression: Call, function: Value, given: Given, env: Env
) -> Value | None:
    """`f.call(o, a)`, `f.apply(o, [a])`, `f.bind(o, a)` of a function that is known."""
    callee = expression.callee
    word, rest = getattr(callee, "name", ""), expression.arguments[1:]
    if word == "bind":
        return function._replace(bound=(*function.bound, *given[1:]))
    if word not in ("call", "apply") or not isinstance(callee, Attribute):
        return None
    spread = [Argument(one.value, None, word == "apply" or one.spread) for one in rest]
    return calls.call(Call(expression.node, callee.of, spread), env)
