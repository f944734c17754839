"""Schemas that a file writes with a library, `z.object({…})`, and what fits one when it is read.

What `parse` lets through is worth what the schema says of each field: of a text that may be any
nothing was checked. So is what a route says of its request by `query("a").isUUID()`. A schema that
stands in another file is taken at its word (see `checks` in the vocabulary).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from jurat.engine.flow.checks.text_checks import find_matched
from jurat.engine.flow.forms.program import UNKNOWN
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.taints import EACH, REMOTE, Taint, Taints, Trace, add_cleared
from jurat.engine.flow.values.value import (
    NOTHING,
    Closure,
    Env,
    Given,
    Value,
    collect,
    extend_name,
    iter_taints,
)
from jurat.engine.flow.words import split_words

_LIBRARIES: Final = re.compile(
    r"(?:zod|zod/\w+|joi|@hapi/joi|yup|express-validator|@hono/zod-validator)(?:\.|$)"
)
"""Begins the name of a schema: the library that makes it."""

_FIT: Final = split_words(
    """
    number int int32 float32 float64 bigint integer boolean bool date uuid uuidv4 guid guidv4 cuid
    cuid2 ulid nanoid enum nativeEnum literal valid oneOf equal only alphanum hex token datetime
    isoDate ip ipv4 ipv6 stringbool nan undefined null void never isUUID isInt isNumeric isFloat
    isAlpha isAlphanumeric isIn isMongoId isBoolean isHexadecimal isISO8601 isDate toInt toFloat
    isIP isDecimal isULID
    """
)
"""What a schema says that lets through numbers, a few letters, or one of a list."""

_PATTERNS: Final = split_words("regex pattern matches")
_FIELDS: Final = split_words("object shape keys strictObject looseObject extend augment append")
_LETTING: Final = split_words("passthrough loose looseObject unknown catchall")
"""What lets through fields that a schema does not name, as they are."""

_ELEMENTS: Final = split_words("array items of set tuple")
_EITHER: Final = split_words("union or discriminatedUnion try alternatives")
_ANYTHING: Final = split_words("any unknown mixed record map")

_OWN_CHECKS: Final = split_words(
    """
    refine superRefine custom test external transform pipe check preprocess when lazy rule
    instanceof external overwrite brand
    """
)
"""What asks a function that the program brings: whatever it looks at, it is there to check."""

_READING: Final = split_words(
    """
    parse parseAsync validate validateAsync validateSync cast attempt assert safeParse
    safeParseAsync spa
    """
)
_TOLD: Final = {"safeParse": "data", "safeParseAsync": "data", "spa": "data"}
"""Methods that answer with an object, by the part of it that holds what was read."""

_ROUTE_PARTS: Final = {
    "body": "body", "query": "query", "param": "params", "header": "headers", "cookie": "cookies",
}  # fmt: skip
"""Of express-validator's functions, each named like the part of a request that it is about."""

_ELEMENT, _PATTERN, _OWN, _SUITS = "element", "pattern", "own", "suits"
_OPEN, _ESCAPED, _OTHERS = "open", "escaped", "others"
_ABOUT: Final = "about "
"""Before the part of a request that a schema is about, and the names on the way to its field."""
_FIELD: Final = "field "
"""What is known of a schema, in `Value.given`; the fields by their names behind a mark."""


def call_schema(
    evaluator: Evaluator, name: str, receiver: Value, given: Given, env: Env
) -> Value | None:
    """What a call of such a library comes to: a schema, or what it has read; None for any other."""
    if not _LIBRARIES.match(name):
        return None
    word = name.rpartition(".")[2]
    values = [value for _, value in given]
    if word in _READING:
        is_of_library = receiver.given is None
        if is_of_library and len(values) > 1:
            # `Joi.attempt(value, schema)`.
            receiver, values = values[1], values[:1]
        if receiver.given is None or not values:
            return None
        return _read_whole(evaluator, name, receiver, values[0], env)
    if any(any(iter_taints(value)) for value in values):
        # What such a library does with what somebody sent, and is not known here, checks nothing.
        return None
    known = dict(receiver.given or {})
    known |= _read_route(word, values) if receiver.given is None else {}
    known |= _read_saying(word, values)
    if word in _LETTING and any(key.startswith(_FIELD) for key in known):
        known[_OTHERS] = Value(constant=values[0].constant is not False if values else True)
    return Value(name=extend_name(name, "()"), given=known)


def _read_route(word: str, values: list[Value]) -> Mapping[str, Value]:
    """The part of a request that a check of a route is about, as in `query("a")`."""
    said = values[0].constant if values else UNKNOWN
    if not isinstance(said, str):
        return {}
    if word in _ROUTE_PARTS:
        return {f"{_ABOUT}{_ROUTE_PARTS[word]} {said}": Value(constant=True)}
    if word == "zValidator" and len(values) > 1:
        return {f"{_ABOUT}req.valid() {said}": values[1]}
    return {}


def note_route_schemas(evaluator: Evaluator, given: Sequence[Value]) -> None:
    """What a route says of its request's parts, of which its functions read no others."""
    flat = [
        part for one in given for part in ((one.items or {}).values() if one.is_list else [one])
    ]
    closures = [one.closure for one in given if one.closure is not None]
    for schema in flat if closures else ():
        for about in (key for key in schema.given or {} if key.startswith(_ABOUT)):
            part, field = about.removeprefix(_ABOUT).split(" ")
            held = (schema.given or {})[about]
            for closure in closures:
                if held.given is not None or _is_result_asked(closure, flat):
                    said = held if held.given is not None else schema
                    _note_route(evaluator, closure, part, field, said)


def _is_result_asked(closure: Closure, given: Sequence[Value]) -> bool:
    """Whether somebody asks what express-validator has found: it refuses nothing by itself."""
    others = [one for one in given if one.closure is not closure and one.constant is UNKNOWN]
    is_asked = "validationResult" in closure.function.node.text()
    return is_asked or any(one.given is None for one in others)


def _note_route(
    evaluator: Evaluator, closure: Closure, part: str, field: str, schema: Value
) -> None:
    for parameter in closure.function.parameters[:1]:
        request = parameter.type or f"<{evaluator.name_parameter(closure, parameter)}>"
        trace = Trace(closure.function.node, None)
        everything = evaluator.matcher.everything
        source = f"{request}.{part}"
        taint = Taint(source, (field,), everything, REMOTE, "", mixed=False, trace=trace)
        checked = Env({})
        _read(evaluator, schema, (taint,), checked)
        closure.cleared = add_cleared(closure.cleared, checked.cleared)


def _read_saying(word: str, values: list[Value]) -> Mapping[str, Value]:
    """What a method adds to what is known of a schema."""
    yes = Value(constant=True)
    if word in _FIT:
        return {_SUITS: yes}
    if word in _OWN_CHECKS:
        return {_OWN: yes}
    if word in _ANYTHING:
        return {_OPEN: yes}
    if word == "escape":
        return {_ESCAPED: yes}
    if word in _PATTERNS and values and isinstance(values[0].constant, str):
        return {_PATTERN: values[0]}
    if word in _FIELDS and values and values[0].items is not None:
        return {_FIELD + str(key): one for key, one in values[0].items.items()}
    if word in _ELEMENTS and values:
        return {_ELEMENT: values[0]}
    options = [part for one in values for part in (one.items or {"": one}).values()]
    if word in _EITHER and options and all(map(_is_fit, options)):
        return {_SUITS: yes}
    return {}


def _is_fit(schema: Value) -> bool:
    """Whether no text that does harm fits a schema, or nobody here can say."""
    return schema.given is None or _SUITS in schema.given or _OWN in schema.given


def _read_whole(evaluator: Evaluator, name: str, schema: Value, value: Value, env: Env) -> Value:
    """What a method returns that reads a value by a schema; what fits it is noted of the value."""
    word = name.rpartition(".")[2]
    part = _TOLD.get(word)
    # What ends in no error has not refused what it was asked about: only its answer is checked.
    read = _read(evaluator, schema, collect([value]), Env({}) if part else env)
    if part is None and word == "validate" and "joi" in name.partition(".")[0]:
        part = "value"
    if part is None:
        return read
    return Value(items={part: read}, name=extend_name(name, "()"), partial=True)


def _read(evaluator: Evaluator, schema: Value, taints: Taints, env: Env, depth: int = 0) -> Value:
    """What is left of origins in a value that fits a schema."""
    known = schema.given
    if known is None or _is_fit(schema) or depth > _MOST_DEPTH:
        env.clear(taints, evaluator.matcher.everything)
        return NOTHING
    fields = {key.removeprefix(_FIELD): one for key, one in known.items() if key.startswith(_FIELD)}
    if fields:
        others = taints if known.get(_OTHERS, NOTHING).constant is True else ()
        return Value(
            others,
            items={
                field: _read(evaluator, one, _enter(taints, field), env, depth + 1)
                for field, one in fields.items()
            },
        )
    if (element := known.get(_ELEMENT)) is not None:
        read = _read(evaluator, element, _enter(taints, EACH), env, depth + 1)
        return Value(collect([read]))
    answered = 0 if _OPEN in known else evaluator.matcher.objects
    pattern = known.get(_PATTERN, NOTHING).constant
    if isinstance(pattern, str):
        answered |= find_matched(evaluator, pattern, "test")
    if _ESCAPED in known:
        effect = evaluator.matcher.find_effect("escape()")
        env.clear(taints, effect.answered | effect.encoded, literal=True)
    env.clear(taints, answered)
    left = (taint.drop_answered(answered) for taint in taints)
    return Value(tuple(taint for taint in left if taint.matters), UNKNOWN)


_MOST_DEPTH: Final = 6
"""How deep a schema is read."""


def _enter(taints: Taints, step: str) -> tuple[Taint, ...]:
    return tuple(taint.enter(step) for taint in taints)
