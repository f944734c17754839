"""What the parameters of a function get of a call, or of whoever calls it back."""

from __future__ import annotations

from collections.abc import Mapping

from jurat.engine.flow.calls.definitions import Definitions
from jurat.engine.flow.forms.program import Argument
from jurat.engine.flow.values.named_secrets import keep_guessed
from jurat.engine.flow.values.settings import is_named_constant
from jurat.engine.flow.values.taints import Taints
from jurat.engine.flow.values.value import Closure, Env, Given, Instance, Value, collect
from jurat.engine.flow.words import split_words

_HANDLED = split_words("req request res response err error next reply")
"""Parameters of what answers a request, which a server hands over."""


def bind_parameters(definitions: Definitions, closure: Closure, given: Given, inner: Env) -> None:
    """Parameters get what a call hands over."""
    by_position = [value for one, value in given if one.keyword is None and not one.spread]
    by_keyword = {one.keyword: value for one, value in given if one.keyword is not None}
    spread = collect(value for one, value in given if one.spread)
    last = len(closure.function.parameters) - 1
    # What is too much for a lambda is an interface's `a...`.
    is_rest = definitions.language.calls_by_interface and -1 < last < len(by_position) - 1
    for position, parameter in enumerate(closure.function.parameters):
        if parameter.names:
            value = _take_names(closure, by_keyword, spread)
        elif parameter.rest or (is_rest and position == last):
            rest = dict(enumerate(by_position[position:]))
            value = Value(spread, items=rest)
        elif parameter.name in by_keyword:
            value = by_keyword[parameter.name]
        elif position < len(by_position):
            value = by_position[position]
        elif parameter.default is not None:
            value = definitions.evaluate(parameter.default, closure.around.copy())
        else:
            value = Value(spread)
        if definitions.language.keeps_types and definitions.is_number_type(parameter.type):
            name = value.name if is_named_constant(value) else ""
            kept = keep_guessed(definitions, [value])
            value = Value(kept, constant=value.constant, name=name)
        inner.values[parameter.name] = value
        if parameter.pattern is not None:
            definitions.assign(parameter.pattern, value, inner, closure.function.node)


def _take_names(closure: Closure, named: Mapping[str, Value], spread: Taints) -> Value:
    """What has a name that no parameter has: `**options`; what is spread may be more."""
    own = {one.name for one in closure.function.parameters}
    items = {name: value for name, value in named.items() if name not in own}
    return Value(spread, items=items, box=object(), partial=bool(spread))


def bind_found(
    definitions: Definitions, closure: Closure, taints: Taints, inner: Env, *, loops: bool
) -> None:
    """Parameters get what a callee may hand over of all that it was given."""
    for position, parameter in enumerate(closure.function.parameters):
        hands_place = loops and not definitions.language.loops_hand_keys
        is_place = closure.loops and hands_place and position == 1
        called = definitions.name_parameter(closure, parameter)
        value = Value(() if is_place else taints, name=f"<{called}>")
        if not taints and parameter.type:
            value = Value(name=parameter.type)
        if called in _HANDLED:
            value = definitions.build_parameter(closure, parameter)
        inner.values[parameter.name] = value
        if parameter.pattern is not None:
            definitions.assign(parameter.pattern, value, inner, closure.function.node)


def spread_lists(given: list[tuple[Argument, Value]]) -> list[tuple[Argument, Value]]:
    """What is handed over, the parts of a list or a mapping that is spread each for itself."""
    if not any(one.spread for one, _ in given):
        return given
    found: list[tuple[Argument, Value]] = []
    for argument, value in given:
        is_mapping = bool(value.items) and all(isinstance(key, str) for key in value.items or {})
        if not argument.spread or not (value.is_list or is_mapping):
            found.append((argument, value))
            continue
        found += [
            (Argument(argument.value, key if is_mapping else None), part)
            for key, part in (value.items or {}).items()
        ]
        if value.taints or value.partial:
            found.append((argument, value._replace(items=None)))
    return found


def fill_record(instance: Instance, given: Given) -> None:
    """Put into a record what is given: by name, or by position in the order of its fields.

    What Go's literals name stands beside them once more as a whole.
    """
    is_named = any(one.keyword for one, _ in given)
    by_position = (
        value
        for one, value in given
        if one.keyword is None
        and not one.spread
        and not (is_named and value.items is not None and not value.is_list)
    )
    instance.fields |= zip(instance.known.list_fields(), by_position, strict=False)
    instance.fields |= {one.keyword: value for one, value in given if one.keyword}
