"""Which of several functions of one name a call means: the one that takes what it hands over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from jurat.engine.flow.forms.lowering import find_child
from jurat.engine.flow.forms.program import Attribute, Call, Do, Parameter, Routine
from jurat.engine.flow.values.value import Closure, Given, Value


def choose_overload(closure: Closure, given: Given, is_number: Callable[[str], bool]) -> Closure:
    """The function of a name that takes as many arguments, and these; the first if none does."""
    among = (closure.function, *closure.function.overloads)
    if len(among) == 1 or any(one.spread for one, _ in given):
        return closure
    values = [value for _, value in given]
    taking = [one for one in among if _can_take(one, len(values))]
    fit = [one for one in taking if _fits(one, values, is_number)]
    chosen = min(fit or taking, key=_count_wide, default=closure.function)
    return closure if chosen is closure.function else replace(closure, function=chosen)


def _count_wide(function: Routine) -> int:
    """How many parameters take anything: the one that says more is meant."""
    return sum(one.type in ("Object", "java.lang.Object") for one in function.parameters)


def list_entries(closure: Closure) -> list[Closure]:
    """A function and the others of its name, as far as somebody outside calls them.

    A constructor that is not public is there for the one that hands on to it, if there is one.
    """
    among = [closure, *(replace(closure, function=one) for one in closure.function.overloads)]
    if not any(_is_handing_on(one.function) for one in among):
        return among
    return [one for one in among if _is_handing_on(one.function) or _is_public(one.function)]


def _is_handing_on(function: Routine) -> bool:
    """Whether a constructor begins with another one of its class."""
    first = next(iter(function.body), None)
    call = first.expression if isinstance(first, Do) else None
    callee = call.callee if isinstance(call, Call) else None
    return isinstance(callee, Attribute) and callee.name == function.owner == function.name


def _is_public(function: Routine) -> bool:
    modifiers = find_child(function.node, "modifiers")
    return modifiers is not None and "public" in modifiers.text().split()


def _can_take(function: Routine, count: int) -> bool:
    parameters = function.parameters
    if parameters and parameters[-1].rest:
        return count >= len(parameters) - 1
    return count == len(parameters)


def _fits(function: Routine, values: list[Value], is_number: Callable[[str], bool]) -> bool:
    """Whether no text is handed over for a number, and no number for a text."""

    def fits(parameter: Parameter, value: Value) -> bool:
        if is_number(parameter.type):
            return not value.taints and not isinstance(value.constant, str)
        return parameter.type != "String" or not isinstance(value.constant, int | float)

    pairs = zip(function.parameters, values, strict=False)
    return all(fits(parameter, value) for parameter, value in pairs)
