"""From plain data to a checked model, with every error at its file, line and key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from jurat.errors import FileError
from jurat.source.strict_json import KeyPath, format_key_path
from jurat.source.strict_yaml import Document

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


Model = TypeVar("Model", bound=BaseModel)


class StrictModel(BaseModel):
    """A frozen model that knows all its keys."""

    # Most are parts of a file's model, whose validator holds theirs: one of their own takes time at
    # each start, and few ever ask for it.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


_TYPE_NAMES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "decimal_type": "a number",
    "decimal_parsing": "a number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping of keys to values",
    "mapping_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "date_type": "a date such as 2027-01-31",
    "date_parsing": "a date such as 2027-01-31",
    "date_from_datetime_parsing": "a date such as 2027-01-31",
    "date_from_datetime_inexact": "a date without a time",
}
_BOUNDS = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
}


def validate_document(
    model: type[Model], document: Document, path: str, error_type: type[FileError]
) -> Model:
    """The document as a `model`. Raises the first `error_type`, the others being its `further`."""
    try:
        return model.model_validate(document.data if document.data is not None else {})
    except ValidationError as error:
        problems: dict[KeyPath, str] = {}
        for detail in error.errors(include_url=False):
            where, problem = _explain_detail(model, document.data, detail)
            # A union reports each of its branches; the first says what was meant.
            problems.setdefault(where, problem)
        raise_errors(
            build_file_error(error_type, path, document, where, problem)
            for where, problem in problems.items()
        )
        raise AssertionError("a ValidationError holds at least one error") from error


def build_file_error(
    error_type: type[FileError], path: str, document: Document, where: KeyPath, problem: str
) -> FileError:
    """An error at the line and column of a key."""
    column = document.column(where)
    return error_type(path, document.line(where), format_key_path(where), problem, column=column)


def raise_errors(errors: Iterable[FileError]) -> None:
    """Raise the first of several errors, in the order of their lines, with the rest in `further`.

    Does nothing if there are none.
    """
    ordered = sorted(errors, key=lambda error: (error.path, error.line))
    if ordered:
        ordered[0].others = tuple(ordered[1:])
        raise ordered[0] from None


def suggest(values: Sequence[str], given: str) -> str:
    """The end of a sentence: what is known, and which of it was probably meant."""
    close = get_close_matches(given, values, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known are {', '.join(values)}"


def _explain_detail(
    model: type[BaseModel], data: object, detail: ErrorDetails
) -> tuple[KeyPath, str]:
    where = _find_path(data, detail["loc"])
    kind, given = detail["type"], detail["input"]
    context = detail.get("ctx", {})
    if kind == "extra_forbidden":
        known = sorted(_list_known_keys(model.model_json_schema(), data, where[:-1]))
        return where, f"unknown key; {suggest(known, str(where[-1]))}"
    if kind == "missing":
        return where, "is required"
    if kind in ("enum", "literal_error"):
        expected = [
            part.strip(" '") for part in context["expected"].replace(" or ", ", ").split(",")
        ]
        return where, f"must be one of {', '.join(expected)}; {_suggest_meant(expected, given)}"
    if kind == "union_tag_invalid":
        expected = [part.strip(" '") for part in context["expected_tags"].split(",")]
        tag = str(context["tag"])
        return (*where, "type"), f"unknown type {tag!r}; {suggest(expected, tag)}"
    if kind == "union_tag_not_found":
        if isinstance(given, Mapping):
            return (*where, "type"), "is required"
        return where, f"must be a mapping of keys to values, not {_format_name(given)}"
    if kind in _TYPE_NAMES:
        return where, f"must be {_TYPE_NAMES[kind]}, not {_format_name(given)}"
    if kind in ("too_short", "string_too_short"):
        return where, "must not be empty" if context["min_length"] == 1 else "must hold more"
    if kind in _BOUNDS:
        words, bound = _BOUNDS[kind]
        return where, f"must be {words} {context[bound]}, not {_format_name(given)}"
    if kind == "finite_number":
        return where, "must be a finite number"
    if kind == "value_error":
        return where, str(context["error"])
    message = detail["msg"]
    return where, f"{message[:1].lower()}{message[1:]}, not {_format_name(given)}"


def _find_path(data: Any, loc: Sequence[str | int]) -> KeyPath:
    """Pydantic's path without the names of unions' branches, which do not stand in the data."""
    where: KeyPath = ()
    untagged = True
    for position, part in enumerate(loc):
        if untagged and isinstance(data, Mapping) and data.get("type") == part:
            untagged = False
        elif _has_part(data, part):
            data, untagged = data[part], True
            where = (*where, part)
        elif position == len(loc) - 1 and isinstance(data, Mapping):
            where = (*where, part)
    return where


def _has_part(data: object, part: str | int) -> bool:
    if isinstance(data, list):
        return isinstance(part, int) and part < len(data)
    return isinstance(data, Mapping) and part in data


def _list_known_keys(schema: Mapping[str, Any], data: Any, where: KeyPath) -> set[str]:
    """The keys that a JSON schema allows in the mapping at `where`."""
    nodes = [schema]
    for part in where:
        nodes = [
            inner
            for node in nodes
            for inner in _iter_step(_iter_branches(schema, node, data), part)
        ]
        data = data[part]
    return {
        key
        for node in nodes
        for branch in _iter_branches(schema, node, data)
        for key in branch.get("properties", ())
    }


def _iter_branches(
    schema: Mapping[str, Any], node: Mapping[str, Any], data: object
) -> Iterator[Mapping[str, Any]]:
    """The node behind references, and of a union the branches that the data may be of."""
    if "$ref" in node:
        yield from _iter_branches(schema, schema["$defs"][node["$ref"].rsplit("/", 1)[-1]], data)
        return
    mapping = node.get("discriminator", {}).get("mapping", {})
    tag = data.get("type") if isinstance(data, Mapping) else None
    if tag in mapping:
        yield from _iter_branches(schema, {"$ref": mapping[tag]}, data)
        return
    options = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    for option in options:
        yield from _iter_branches(schema, option, data)
    if not options:
        yield node


def _iter_step(nodes: Iterator[Mapping[str, Any]], part: str | int) -> Iterator[Mapping[str, Any]]:
    for node in nodes:
        inner = (
            node.get("items")
            if isinstance(part, int)
            else node.get("properties", {}).get(part, node.get("additionalProperties"))
        )
        if isinstance(inner, Mapping):
            yield inner


def _suggest_meant(expected: Sequence[str], given: object) -> str:
    if isinstance(given, str) and len(given) > 2:
        close = get_close_matches(given, expected, n=1) or get_close_matches(
            given.upper(), expected, n=1
        )
        if close:
            return f"did you mean {close[0]!r}?"
    return f"found {_format_name(given)}"


def _format_name(value: object) -> str:
    """A value as an error message shows it: short, and never a whole structure."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:40]}…")
    return str(value)
