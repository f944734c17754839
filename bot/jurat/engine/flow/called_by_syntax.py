"""Methods that the language itself calls: `of()` is `__call__`, `for a in of` is `__iter__`."""

from __future__ import annotations

from dataclasses import replace

from ast_grep_py import SgNode

from jurat.engine.flow.evaluator import Evaluator
from jurat.engine.flow.values import ClassValue, Closure, Env, Given, Instance, Value


def bind_method(of: Value, name: str) -> Closure | None:
    """A method of an object of the file's classes, by the name that the language has for it."""
    if of.instance is None:
        return None
    method = of.instance.known.find_method(name)
    return method and Closure(method.function, method.around, of.instance)


def bind_to_class(known: ClassValue, method: Closure) -> Closure:
    """A method that is called on the class itself: Python hands it to those marked so."""
    if not method.function.is_of_class:
        return method
    return Closure(method.function, method.around, Instance(known, known.copy_fields()))


def bind_first(method: Closure, given: Given) -> Closure | None:
    """`Box.read(box, key)`: a method of a class that is handed its object; None for any other."""
    function = method.function
    is_of_none = method.instance is None and function.owner and function.receiver
    if not is_of_none or len(given) != len(function.parameters) + 1:
        return None
    return replace(method, instance=given[0][1].instance) if given[0][1].instance else None


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
