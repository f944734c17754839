"""What a route says itself of the parts of its path that its function is handed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.engine.flow.forms.program import Call, Constant, Parameter, Routine

_KIND = re.compile(r"<(?:(\w+)(?:\([^)]*\))?:)?(\w+)>")
"""A part of a route: its kind and its name, as Flask and Django say it, or the other way round."""

_NUMBERS = frozenset({"int", "float", "uuid", "any"})

_KINDS_OF_TEXT = frozenset({"", "string", "default", "path", "str", "unicode", "re", "slug"})
"""Kinds that frameworks bring themselves, beside those: a text, or a pattern that stands there."""

_PATTERN = re.compile(
    r"\(\?P<(?P<group>\w+)>(?P<in_group>(?:[^()\\]|\\.)*)\)"
    r"|<(?P<part>\w+):re:(?P<in_part>[^<>]+)>"
    r"|\{(?P<place>\w+):(?P<in_place>(?:[^{}]|\{[\d,]*\})+)\}"
)
"""A part of a route with the pattern that it fits: `(?P<a>\\w+)`, `<a:re:\\w+>`, `{a:\\w+}`."""

_JAVA_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def is_number_of_route(function: Routine, name: str) -> bool:
    """Whether a route says that a part of its path is a number, as in `/jobs/<int:number>`."""
    kinds = _list_kinds(function, name)
    return bool(kinds) and _NUMBERS.issuperset(kinds)


def find_own_kind(function: Routine, name: str) -> str:
    """The kind of a part of its path that no framework brings, "" if it is of another."""
    kinds = set(_list_kinds(function, name)) - _NUMBERS
    return "" if _KINDS_OF_TEXT & kinds else min(kinds, default="")


def _list_kinds(function: Routine, name: str) -> list[str]:
    found = (pair for route in list_routes(function) for pair in _KIND.findall(route))
    return [kind if part == name else part for kind, part in found if name in (kind, part)]


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
