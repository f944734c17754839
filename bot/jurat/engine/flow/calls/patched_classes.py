"""What a program makes of classes once they are written: methods put into them, proxies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jurat.engine.flow.forms.program import SETTER, Parameter, Routine
from jurat.engine.flow.values.called_by_syntax import bind_method, bind_to_object
from jurat.engine.flow.values.value import ClassValue, Closure, Env, Given, Instance, Value

CONSTRUCTOR = "constructor"

_TRAPS = {"get": "__getattr__", "set": "__setattr__"}
"""Functions of a `Proxy` by the methods that Python has for the same."""


def put_into_class(known: ClassValue, name: str, value: Value) -> None:
    """A part of a class is another one from now on; a function is a method of its objects."""
    method = value.closure
    if method is not None and method.instance is None:
        known.methods = {
            **known.methods,
            name: replace(method, function=_make_method(known, method)),
        }
        known.fields.pop(name, None)
    else:
        known.methods = {key: one for key, one in known.methods.items() if key != name}
        known.fields[name] = value


def _make_method(known: ClassValue, method: Closure) -> Routine:
    """A function as a method: in Python its first parameter is its object."""
    function, first = method.function, next(iter(method.function.parameters), None)
    is_python = function.node.kind() in ("lambda", "function_definition")
    if not is_python or first is None or function.is_static or function.owner:
        return function
    return replace(
        function,
        owner=known.name,
        receiver=first.name,
        parameters=function.parameters[1:],
        stands_for=function,
    )


def find_own_setter(of: Value, name: str) -> Closure | None:
    """What a table has called when a part of it is set: `{set a(b) { … }}`."""
    held = (of.items or {}).get(SETTER + name)
    return bind_to_object(held, of).closure if held is not None else None


def read_described(described: Mapping[str, Value]) -> Mapping[str, Value]:
    """What `Object.defineProperty` puts into an object, by how the part's name begins."""
    found = {"": described.get("value"), SETTER: described.get("set")}
    getter = described.get("get")
    if getter is not None and getter.closure is not None:
        function = replace(
            getter.closure.function, is_property=True, stands_for=getter.closure.function
        )
        found[""] = Value(closure=replace(getter.closure, function=function))
    return {begins: value for begins, value in found.items() if value is not None}


def extend_class(known: ClassValue, given: Given) -> tuple[ClassValue, Given]:
    """`new A(b) { … }`: a class without a name, which does the rest as the one that it is made of;
    and what its object is handed.
    """
    own = {one.keyword: value.closure for one, value in given if one.keyword and value.closure}
    if not own:
        return known, given
    made = ClassValue(known.name, own, {}, {}, [known], inside=known.inside)
    return made, [one for one in given if one[0].keyword is None]


def make_class(values: Sequence[Value]) -> Value:
    """`type(name, bases, parts)`: a class that no statement declares."""
    name, bases, parts = values[:3]
    above = [one.known_class for one in (bases.items or {}).values() if one.known_class]
    made = ClassValue(str(name.constant), {}, {}, {}, above)
    for key, part in (parts.items or {}).items():
        put_into_class(made, str(key), part)
    return Value(known_class=made, name=made.name)


def find_described(instance: Instance, name: str) -> Closure | None:
    """What is called when a field is set that is a descriptor; None for any other."""
    held = instance.known.find_field(name)
    return bind_method(held, "__set__") if held is not None else None


def open_class_of(function: Closure) -> ClassValue:
    """The class of what `new f()` makes of a function, as JavaScript has them."""
    name = function.function.name or "function"
    return ClassValue(name, {CONSTRUCTOR: function}, {}, {})


def open_proxy(target: Value, traps: Mapping[str, Value]) -> Value:
    """`new Proxy(target, {get(of, name) {}, set(of, name, value) {}, apply(of, this, given) {}})`:
    an object whose class says what becomes of its parts; without such functions the target itself.
    """
    known = {name: one.closure for name, one in traps.items() if one.closure is not None}
    methods = {
        own: _bind_target(known[name], target) for name, own in _TRAPS.items() if name in known
    }
    if (called := known.get("apply")) is not None and len(called.function.parameters) > 2:
        bound = _bind_target(called, target)
        handed = replace(bound.function.parameters[-1], rest=True)
        methods["__call__"] = replace(bound, function=replace(bound.function, parameters=[handed]))
    if not methods:
        return target
    fields = {} if "get" in known else {str(key): one for key, one in (target.items or {}).items()}
    made = Instance(ClassValue("Proxy", methods, {}, {}), fields, made=True)
    return Value(target.taints, name="Proxy", instance=made)


def _bind_target(trap: Closure, target: Value) -> Closure:
    """A function of a proxy without the target that it is handed first."""
    first, *others = trap.function.parameters or [Parameter(trap.function.node, "")]
    around = Env({first.name: target}, trap.around)
    return replace(
        trap,
        function=replace(trap.function, parameters=others, stands_for=trap.function),
        around=around,
    )
