"""Methods that the language itself calls: `of()` is `__call__`, `for a in of` is `__iter__`.

Or a library that a class is made for: who starts a thread has its `run` called.
"""

from __future__ import annotations

from dataclasses import replace

from ast_grep_py import SgNode

from jurat.engine.flow.forms.program import UNKNOWN, Argument, Constant, Routine
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.taints import REMOTE
from jurat.engine.flow.values.template_strings import list_template_parts
from jurat.engine.flow.values.value import ClassValue, Closure, Env, Given, Instance, Value

_OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "<<": "lshift",
    ">>": "rshift",
    "&": "and",
    "|": "or",
    "^": "xor",
}
"""What the methods are called that Python asks for an operator."""

_WAYS_THROUGH = ("__iter__", "__aiter__", "[Symbol.iterator]", "[Symbol.asyncIterator]", "iterator")
_STEPS = ("__next__", "__anext__", "next")
"""Methods that say how an object is gone through, and what comes next."""

_STARTED = {"start": "run"}
"""By what somebody calls, what a library then calls."""

_STARTING = ("Thread", "Process")
"""End the names of the classes of libraries for which that is so."""


def bind_method(of: Value, name: str) -> Closure | None:
    """A method of an object of the file's classes, by the name that the language has for it."""
    if of.instance is None:
        return None
    method = of.instance.known.find_method(name)
    return method and Closure(method.function, method.around, of.instance)


def bind_to_class(known: ClassValue, method: Closure, shared: Instance | None) -> Closure:
    """A method that is called on the class itself: Python hands it to those marked so.

    `shared` is an object of it where a static method names what is of the class without saying so.
    """
    if shared is not None and method.instance is None and _is_static(method.function):
        return replace(method, instance=shared)
    if not method.function.is_of_class:
        return method
    return Closure(method.function, method.around, Instance(known, known.copy_fields()))


def _is_static(function: Routine) -> bool:
    """Whether a method is of its class, and not of an object, as Java says it."""
    modifiers = function.node.child(0)
    if modifiers is None or modifiers.kind() != "modifiers":
        return False
    return "static" in modifiers.text().split()


def bind_to_sent(of: Value, instance: Instance, method: Closure) -> Closure:
    """A method of an object, which somebody outside may have sent."""
    held = tuple(taint for taint in of.taints if taint.strength == REMOTE)
    return Closure(method.function, method.around, instance, held=held)


def bind_first(method: Closure, given: Given) -> Closure | None:
    """`Box.read(box, key)`, `map(Box::read)`: a method of a class that is handed its object; None
    for any other.
    """
    function = method.function
    if method.instance is not None or len(given) != len(function.parameters) + 1:
        return None
    first = given[0][1].instance
    is_own = first is not None and function.owner in first.known.list_names()
    is_bound = function.owner and (function.receiver or is_own)
    return bind_to_sent(given[0][1], first, method) if first is not None and is_bound else None


def bind_to_object(called: Value, of: Value) -> Value:
    """A function of a table of them, as `{run() { this.stop() }}`: the table is its `this`."""
    method = called.closure
    if method is None or of.items is None or method.instance is not None:
        return called
    if method.function.node.kind() not in ("method_definition", "function_expression"):
        return called
    return called._replace(closure=replace(method, around=Env({"this": of}, method.around)))


def read_by(evaluator: Evaluator, node: SgNode, of: Value, name: str) -> Value | None:
    """What such a method returns; None if the object has none."""
    method = bind_method(of, name)
    return None if method is None else evaluator.read_property(node, method)


def call_operator(
    evaluator: Evaluator, node: SgNode, operator: str, left: Value, right: Value
) -> Value | None:
    """What an object's own operator makes of the two sides; None if neither has one."""
    word = _OPERATORS.get(operator)
    for of, other, name in ((left, right, f"__{word}__"), (right, left, f"__r{word}__")):
        if word is not None and (method := bind_method(of, name)) is not None:
            return evaluator.read_property(node, method, hand_over(node, other))
    return None


def hand_over(node: SgNode, *values: Value) -> Given:
    """What the language hands to a method that nobody calls by its name."""
    return [(Argument(Constant(node, UNKNOWN)), value) for value in values]


def walk_through(evaluator: Evaluator, node: SgNode, of: Value) -> Value:
    """What an object has that says itself how it is gone through; anything else as it is."""
    own = [
        bind_to_object(one, of).closure
        for key, one in (of.items or {}).items()
        if key in _WAYS_THROUGH
    ]
    if own and own[0] is not None:
        of = evaluator.read_property(node, own[0])
    if (parts := list_template_parts(of)) is not None:
        return parts
    ways = (read_by(evaluator, node, of, name) for name in _WAYS_THROUGH)
    found = next((one for one in ways if one is not None), None)
    if found is None:
        return of
    steps = (_find_step(found, name) for name in _STEPS)
    step = next((one for one in steps if one is not None), None)
    if step is None:
        return found
    made = evaluator.read_property(node, step)
    # JavaScript says beside it whether there was one.
    return Value(items={0: (made.items or {}).get("value", made)}, partial=True)


def _find_step(of: Value, name: str) -> Closure | None:
    return bind_method(of, name) or (of.items or {}).get(name, Value()).closure


def find_started(of: Value, name: str) -> str:
    """The method that is called in the end: `run` of a thread that is started."""
    known = of.instance.known if of.instance is not None else None
    asked = _STARTED.get(name)
    if known is None or asked is None or known.find_method(name) is not None:
        return name
    is_started = any(one.endswith(_STARTING) for one in known.list_names()[1:])
    return asked if is_started else name
