"""Checks that a program declares and a framework makes: a form's methods, a route's schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jurat.engine.flow.checks.text_checks import find_matched
from jurat.engine.flow.forms.program import UNKNOWN, Call, Constant, Routine
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.value import ClassValue, Closure, Value
from jurat.engine.flow.words import split_words

CHECKED_DATA = frozenset({"validated_data", "cleaned_data"})
"""What a form holds once its fields have been checked."""

_CHECKERS = ("validate_", "clean_")
"""Begin the name of a form's method that checks a field, and returns it."""

_MARKS = ("field_validator", ".validator", "validates")
"""End the name of what marks a method that checks the fields it names, and returns them."""

_FIT_FIELDS = split_words(
    """
    IntegerField FloatField DecimalField BooleanField NullBooleanField UUIDField DateField
    DateTimeField TimeField DurationField ChoiceField MultipleChoiceField TypedChoiceField SlugField
    PrimaryKeyRelatedField ModelChoiceField
    """
)
"""Fields of a form whose values are numbers, of a list, or letters alone."""

_PARTS = {"params": "params", "querystring": "query", "query": "query", "body": "body"}
"""Of a route's schema, by the part of a request that it speaks of."""

_FIT_TYPES = frozenset({"integer", "number", "boolean"})
_FIT_FORMATS = frozenset({"uuid", "date", "date-time", "time", "ipv4", "ipv6"})


def find_checker(known: ClassValue, field: str, depth: int = 0) -> Closure | None:
    """The method by which a class checks a field, its own or inherited within the file."""
    for prefix in _CHECKERS:
        if (named := known.methods.get(prefix + field)) is not None:
            return named
    for method in known.methods.values():
        if field in _list_checked(method.function):
            return method
    found = (find_checker(base, field, depth + 1) for base in known.bases if depth < 8)
    return next((one for one in found if one is not None), None)


def _list_checked(function: Routine) -> Iterator[Any]:
    """The fields that a method is marked to check."""
    for mark, said in zip(function.annotations, function.decorators, strict=False):
        if mark.endswith(_MARKS) and isinstance(said, Call):
            for argument in said.arguments:
                if isinstance(argument.value, Constant):
                    yield argument.value.value


def list_form_fields(known: ClassValue, depth: int = 0) -> dict[str, Value]:
    """The fields that a form declares, those of its bases first."""
    found: dict[str, Value] = {}
    for base in known.bases:
        found |= list_form_fields(base, depth + 1) if depth < 8 else {}
    return found | {name: one for name, one in known.fields.items() if "Field" in one.name}


def is_fit_field(field: Value) -> bool:
    """Whether a form lets no text through for a field."""
    return field.name.removesuffix("()").rpartition(".")[2] in _FIT_FIELDS


def list_schema(schema: Value, request: str) -> Iterator[tuple[str, str, Value]]:
    """What a route's schema says: the name of a part of a request, of a field, and its schema."""
    for said, part in _PARTS.items():
        fields = _get(_get(schema, said), "properties")
        for name, one in (fields.items or {}).items():
            yield f"{request}.{part}", str(name), one


def is_fit_schema(schema: Value) -> bool:
    """Whether no text fits a schema, or one of a few."""
    constant = (_get(schema, key).constant for key in ("type", "format"))
    kind, form = (None if one is UNKNOWN else one for one in constant)
    return kind in _FIT_TYPES or form in _FIT_FORMATS or _get(schema, "enum").items is not None


def get_pattern(schema: Value) -> str | None:
    """The pattern that a text must have for a schema."""
    said = _get(schema, "pattern").constant
    return said if isinstance(said, str) else None


def find_schema(given: Sequence[Value]) -> Value | None:
    """The schema among what a route is made of."""
    found = (one.items["schema"] for one in given if one.items and "schema" in one.items)
    return next(found, None)


def _get(value: Value, key: str) -> Value:
    return (value.items or {}).get(key, Value())


def note_declared_checks(evaluator: Evaluator, given: Sequence[Value]) -> None:
    """What a route's schema has checked before its function is called."""
    schema = find_schema(given)
    if schema is None:
        return
    for closure in (one.closure for one in given if one.closure is not None):
        for parameter in closure.function.parameters[:1]:
            request = parameter.type or f"<{evaluator.name_parameter(closure, parameter)}>"
            for source, field, said in list_schema(schema, request):
                pattern = get_pattern(said)
                mask = evaluator.matcher.everything if is_fit_schema(said) else 0
                if pattern is not None:
                    mask |= find_matched(evaluator, pattern, "test")
                closure.cleared[source, (field,)] = mask
