"""Whether a callee is given what it must not be: an option, an algorithm, a nonce that is the same.

What nobody knows is no setting: neither one that is there, nor one that is left away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.engine.flow.forms.program import UNKNOWN, Argument
from jurat.engine.flow.values.value import NOTHING, Value
from jurat.rules.callee_names import compile_name
from jurat.rules.callee_settings import (
    ANY_ARGUMENT,
    FIXED,
    Condition,
    Setting,
    normalize_option,
    read_key,
)

Given = Sequence[tuple[Argument | None, Value]]

_ASKED = re.compile(
    r"(?i)verif|secure|valid|(?<!append)certs?|cert_|trust|reject|ssl|tls|https|skip|check|debug|dev(?:el|_|\b)"
    r"|local|prod|legacy|\btest|self_?signed"
)
"""What a condition says behind which an option asks for something."""

_CONDITIONS = {
    "if_statement": "condition",
    "elif_clause": "condition",
    "conditional_expression": None,
    "ternary_expression": "condition",
    "switch_statement": "condition",
}
_FUNCTIONS = re.compile(r"function|method|lambda|constructor|func_literal")


_WORDS = {None: "nothing", "": "empty"}
"""How a rule calls what has no text."""


class _Found(NamedTuple):
    """What stands at a place, and whether it is known if nothing does."""

    value: Value | None
    complete: bool


_MISSING, _UNSEEN = _Found(None, complete=True), _Found(None, complete=False)


def find_met(setting: Setting, given: Given) -> tuple[SgNode, ...] | None:
    """The arguments that meet the conditions of a setting; None if one is not met."""
    nodes: list[SgNode] = []
    for condition in setting.conditions:
        argument, found = _find(condition.place, given)
        if not _is_met(condition, found):
            return None
        if argument is not None and condition.operator != "!":
            nodes.append(argument.value.node)
    return tuple(dict.fromkeys(nodes))


def are_met(conditions: Sequence[Condition], given: Given) -> bool:
    """Whether what a callee is given meets some conditions."""
    return all(_is_met(one, _find(one.place, given)[1]) for one in conditions)


def is_asked_for(node: SgNode, exceptions: str) -> bool:
    """Whether an option asks for what stands here: `if not options.verify:`.

    `exceptions` fits the names of functions in which nobody asks for it.
    """
    around = node.parent()
    while around is not None:
        if _FUNCTIONS.search(around.kind()):
            named = around.field("name")
            return bool(exceptions and named and re.search(exceptions, named.text(), re.IGNORECASE))
        if around.kind() in _CONDITIONS:
            field = _CONDITIONS[around.kind()]
            # Go asks an option before it: `if ok, _ := flags.GetBool("insecure"); ok {`.
            said = [around.field(field), around.field("initializer")] if field else [around]
            # What is asked there itself does not ask for itself.
            conditions = (
                one for one in said if one is not None and not (field and _has_inside(one, node))
            )
            if any(_ASKED.search(one.text()) for one in conditions):
                return True
        around = around.parent()
    return False


def _has_inside(around: SgNode, node: SgNode) -> bool:
    """Whether a node stands inside of another, or is it."""
    outer, inner = around.range(), node.range()
    return outer.start.index <= inner.start.index and inner.end.index <= outer.end.index


def is_fixed(value: Value, depth: int = 0) -> bool:
    """Whether a value is the same each time: made of constants, or of what comes again."""
    if value.fixed:
        return True
    if value.taints or depth > 3:
        return False
    if value.items:
        return all(is_fixed(item, depth + 1) for item in value.items.values())
    return isinstance(value.constant, str | int | float | bytes)


def _find(place: Sequence[str], given: Given) -> tuple[Argument | None, _Found]:
    """The argument at a place, and the value there."""
    argument, found = _find_argument(place[0], given)
    if place[0] == ANY_ARGUMENT:
        words = [(one, value) for one, value in given if getattr(one, "keyword", "") != "this"]
        whole = [(one, take_default(value)) for one, value in words]
        argument = next((one for one, _ in reversed(whole)), None)
        items = dict(enumerate(_list_flags([value for _, value in whole])))
        found = _Found(Value(items=items), complete=True)
    for step in place[1:]:
        if found.value is None:
            break
        found = _find_part(take_default(found.value), step)
    return argument, found


def _list_flags(values: Iterable[Value]) -> Iterator[Value]:
    """What is handed over, each for itself if several stand in a list."""
    for value in values:
        yield from (value.items or {}).values() if value.is_list else (value,)


def take_default(value: Value) -> Value:
    """What a parameter is that nobody hands over."""
    is_unseen = value.constant is UNKNOWN and value.items is None and value.given is None
    return value.default if is_unseen and value.default is not None else value


def _find_argument(name: str, given: Given) -> tuple[Argument | None, _Found]:
    complete, position = True, 0
    for argument, value in given:
        keyword = argument.keyword if argument is not None else None
        if argument is not None and argument.spread:
            if value.items is None or value.is_list:
                complete = False
            elif name in value.items:
                return argument, _Found(value.items[name], complete=True)
            else:
                complete = complete and not value.partial and not value.taints
            continue
        if keyword is not None:
            if keyword == name:
                return argument, _Found(value, complete=True)
            continue
        if name == str(position) and complete:
            return argument, _Found(value, complete=True)
        position += 1
        if not name.isdecimal() and value.items is not None and not value.is_list:
            if name in value.items:
                return argument, _Found(value.items[name], complete=True)
            complete = complete and not value.partial and not value.taints
        elif not name.isdecimal() and _is_perhaps_options(argument, value, position):
            complete = False
    return None, _MISSING if complete else _UNSEEN


def _is_perhaps_options(argument: Argument | None, value: Value, position: int) -> bool:
    """Whether an argument behind the first two may be an object of options that nobody knows."""
    return argument is not None and position > 2 and value.constant is UNKNOWN and not value.fixed


def _find_part(of: Value, step: str) -> _Found:
    if of.items is not None:
        key: object = int(step) if step.isdecimal() else step
        found = of.items.get(key)
        if found is not None:
            return _Found(found, complete=True)
        return _UNSEEN if of.partial or of.taints else _MISSING
    if of.given is not None:
        found = of.given.get(normalize_option(step))
        if found is not None:
            return _Found(found, complete=True)
        return _UNSEEN if of.partial else _MISSING
    if of.instance is not None and (found := of.instance.fields.get(step)) is not None:
        return _Found(found, complete=True)
    return _UNSEEN


def _is_met(condition: Condition, found: _Found) -> bool:
    value = found.value
    if condition.operator == "!":
        return value is None and found.complete
    if value is None:
        return condition.operator == "!=" and found.complete
    value = take_default(value)
    if condition.wanted == (FIXED,):
        return is_fixed(value) is (condition.operator == "=")
    if condition.operator == "<":
        number = value.constant
        return isinstance(number, int | float) and number < int(condition.wanted[0])
    if value.items and value.is_list:
        # One of several that are allowed is allowed.
        listed = [_fits(condition, item) for item in value.items.values()]
        return any(listed) if condition.operator == "=" else not any(listed) and bool(listed)
    if value.constant is UNKNOWN and not value.name:
        return condition.operator == "!="
    return _fits(condition, value) is (condition.operator == "=")


def _fits(condition: Condition, value: Value) -> bool:
    said = list_said(value)
    return any(compile_name(wanted).fullmatch(one) for wanted in condition.wanted for one in said)


def list_said(value: Value) -> list[str]:
    """What a value is called in lower case; a class also what its bases are called."""
    if value.constant is not UNKNOWN:
        return [str(_WORDS.get(value.constant, value.constant)).lower()]
    known = value.known_class or (value.instance.known if value.instance is not None else None)
    return (
        [value.name.lower(), *(name.lower() for name in known.list_names())]
        if known
        else [value.name.lower()]
    )


_KEYED = frozenset({"setFeature", "setProperty", "setAttribute", "setOption"})
"""Methods that tell an object the option whose key they are given first."""


def read_option(method: str, given: Given) -> tuple[str, Value]:
    """The option that a method of an object tells it, and the value that it has from then on."""
    values = [value for _, value in given]
    if method in _KEYED and len(values) > 1:
        key = values[0].constant
        return read_key(key if isinstance(key, str) else values[0].name), values[1]
    return normalize_option(method), values[0] if values else NOTHING


_CONSTANT = re.compile(r"(?:\w+\.)*[A-Z][A-Z0-9_]*")
"""The name of a constant: what it is called says which one it is."""


def is_named_constant(value: Value) -> bool:
    """Whether a value is a constant of somebody's, of which no more than its name is known."""
    return not value.taints and "." in value.name and _CONSTANT.fullmatch(value.name) is not None


def is_set_unseen(method: str, given: Given) -> bool:
    """Whether a method tells an object an option of which nobody knows which one it is."""
    key = given[0][1] if method in _KEYED and given else None
    return key is not None and key.constant is UNKNOWN and not _CONSTANT.fullmatch(key.name)


def remember(of: Value, name: str, value: Value) -> Value:
    """An object that was told an option, by a setter, a builder's step or an assignment."""
    return of._replace(given={**(of.given or {}), normalize_option(name): value})


def open_object(made: Value, given: Given, *, whole: bool) -> Value:
    """An object that was told what it was made with; if not as a `whole`, maybe more than that."""
    notes: dict[str, Value] = {}
    position = 0
    for argument, value in given:
        if argument is not None and argument.spread:
            whole = False
            continue
        if argument is not None and argument.keyword is not None:
            notes[normalize_option(argument.keyword)] = value
        else:
            notes[str(position)] = value
            position += 1
            if value.items is not None and not value.is_list:
                notes |= {
                    normalize_option(key): item
                    for key, item in value.items.items()
                    if isinstance(key, str)
                }
    return made._replace(given=notes, box=made.box or object(), partial=not whole)


def forget(value: Value) -> Value:
    """What may be anything after somebody was handed it who is not seen here."""
    if not value.fixed and value.given is None:
        return value
    return value._replace(fixed=False, given=None)
