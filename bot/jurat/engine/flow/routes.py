"""What a route says itself of the parts of its path that its function is handed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.engine.flow.program import Call, Constant, Parameter, Routine

_KIND = re.compile(r"<(?:(\w+)(?:\([^)]*\))?:)?(\w+)>")
"""A part of a route: its kind and its name, as Flask and Django say it, or the other way round."""

_NUMBERS = frozenset({"int", "float", "uuid", "any"})

_PATTERN = re.compile(
    r"\(\?P<(?P<group>\w+)>(?P<in_group>(?:[^()\\]|\\.)*)\)"
    r"|<(?P<part>\w+):re:(?P<in_part>[^<>]+)>"
    r"|\{(?P<place>\w+):(?P<in_place>(?:[^{}]|\{[\d,]*\})+)\}"
)
"""A part of a route with the pattern that it fits: `(?P<a>\\w+)`, `<a:re:\\w+>`, `{a:\\w+}`."""

_JAVA_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def is_number_of_route(function: Routine, name: str) -> bool:
    """Whether a route says that a part of its path is a number, as in `/jobs/<int:number>`."""
    found = (pair for route in list_routes(function) for pair in _KIND.findall(route))
    kinds = [kind if part == name else part for kind, part in found if name in (kind, part)]
    return bool(kinds) and _NUMBERS.issuperset(kinds)


def list_allowed(function: Routine, parameter: Parameter) -> Iterator[str]:
    """The patterns that a framework has looked for in all of a parameter's text."""
    if parameter.allowed is not None:
        yield parameter.allowed
    routes = list_routes(function)
    if len(routes) != 1:
        # Of several any may have led here.
        return
    for found in _PATTERN.finditer(routes[0]):
        name, pattern = (one for one in found.groups() if one is not None)
        # `{a:path}` names a kind, which is no pattern.
        if name == parameter.name and not pattern.isidentifier():
            yield f"^(?:{pattern})$"


def list_routes(function: Routine) -> list[str]:
    """The texts that the marks of a function are given."""
    if function.node.kind() == "method_declaration":
        marks = (one for one in function.node.children() if one.kind() == "modifiers")
        texts = [text for mark in marks for text in _JAVA_TEXT.findall(mark.text())]
        return [text.replace("\\\\", "\\") for text in texts]
    return [
        argument.value.value
        for mark in function.decorators
        if isinstance(mark, Call)
        for argument in mark.arguments
        if isinstance(argument.value, Constant) and isinstance(argument.value.value, str)
    ]
