"""What a verdict says of a place on each surface, whoever decided it; new values in data files.

See `jurat.facts.context.TERMS`.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import Any, NamedTuple

from jurat.facts.context import TERMS, Facts, Surface
from jurat.facts.data_files import ContentError, parse_contents
from jurat.source.diff import FileChange
from jurat.source.strict_json import (
    KeyPath,
    LineRange,
    format_json_path,
    format_key_path,
    parse_json,
)

# Another value in a data file, written so that nothing else that the file says changes.


class ChangedLine(NamedTuple):
    """A line of a file, 1-based, as it is and as it would be, without its newline."""

    number: int
    old: str
    new: str


def replace_value(file: FileChange, where: KeyPath, value: str) -> ChangedLine | None:
    """The line of a data file's head on which the value at `where` becomes `value`.

    `value` is JSON, or else text; where a text stands now it is text. None if the value does not
    stand on one line, would be of another kind, or cannot be changed without changing another.
    """
    if file.head is None:
        return None
    before = parse_contents(file.head, file.language)
    span, old = before.spans.get(where), get_value(before.facts, where)
    if span is None or span.first_line != span.last_line or isinstance(old, dict | list):
        return None
    wanted = _resolve_meant(value, old)
    # Tried and read again, rather than quoted by rule: in YAML the same letters may be another
    # value.
    for literal in (value.strip(), json.dumps(wanted, ensure_ascii=False, default=str)):
        text = file.head[: span.start] + literal + file.head[span.end :]
        try:
            after = parse_contents(text, file.language).facts
        except ContentError:
            continue
        # An anchor is one text for several values: a fix of one must not change the others.
        if _is_same(get_value(after, where), wanted) and _is_equal_but_for(
            where, before.facts, after
        ):
            index = span.first_line - 1
            return ChangedLine(
                span.first_line, file.head.split("\n")[index], text.split("\n")[index]
            )
    return None


def _resolve_meant(value: str, old: object) -> object:
    """What a new value stands for, where `old` stands now."""
    try:
        read = parse_json(value)
    except ValueError:
        return value
    return read if isinstance(read, str) or not isinstance(old, str) else value


def _is_same(found: object, wanted: object) -> bool:
    return isinstance(found, bool) == isinstance(wanted, bool) and found == wanted


def _is_equal_but_for(where: KeyPath, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether two documents say the same but for one value."""
    one, other = deepcopy(before), deepcopy(after)
    for document in (one, other):
        holder: Any = get_value(document, where[:-1]) if where[1:] else document
        holder[where[-1]] = None
    return json.dumps(one, default=repr) == json.dumps(other, default=repr)


Fields = dict[str, str | int]

PASSAGE_FIELD: Mapping[Surface, str] = MappingProxyType(
    {surface: terms.passage_field for surface, terms in TERMS.items() if terms.passage_field}
)
"""The field that names the passage of a text; code and transactions have none."""

SPAN_LIMIT = 400
"""Characters of a text that a location quotes."""

_NAMES = ("ref", "id", "number", "name", "step", "action", "segment", "heading", "title")
"""Keys by which an entry of a list is called, the first that it has."""


def build_fact_fields(
    surface: Surface, facts: Facts, where: KeyPath, *, value: str, stated: str
) -> Fields:
    """What a verdict says of a fact. `value` is the fact as text, `stated` the fact with its path.

    Code has no terms for a fact but the quotation of it.
    """
    terms = TERMS[surface]
    fields = terms.location_fields
    if "json_path" in fields:
        return {
            "json_path": format_json_path(where),
            "field_name": get_field_name(where),
            "current_value": value,
        }
    if "context" in fields:
        step: Fields = {"step": _format_step(facts, where)} if _get_entry_path(where) else {}
        return {**step, "field": get_field_name(where), "context": stated}
    if "snippet" in fields:
        return {"snippet": stated}
    name = find_entry_name(facts, where) if _get_entry_path(where) else format_key_path(where)
    passage: Fields = {terms.passage_field: name} if terms.passage_field and name else {}
    return {**passage, "span_text": value}


def get_field_name(where: KeyPath) -> str:
    """The last key of a path."""
    return next((part for part in reversed(where) if isinstance(part, str)), "")


def find_entry_name(facts: Facts, where: KeyPath) -> str | None:
    """What the innermost entry of a list around a value is called, None if nothing says so."""
    entry = get_value(facts, _get_entry_path(where))
    if not isinstance(entry, Mapping):
        return None
    named = (entry[key] for key in _NAMES if isinstance(entry.get(key), str | int))
    return next((str(name) for name in named), None)


def _format_step(facts: Facts, where: KeyPath) -> str:
    """A step by its name, which may be all that is said of it, or else by its place."""
    entry = get_value(facts, _get_entry_path(where))
    if isinstance(entry, str):
        return entry[:SPAN_LIMIT]
    return find_entry_name(facts, where) or format_key_path(_get_entry_path(where))


def get_value(facts: Facts, where: KeyPath) -> object:
    """The value at a path, None if there is none."""
    value: object = facts if where else None
    for part in where:
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return None
    return value


def find_nearest_value(spans: Mapping[KeyPath, LineRange], where: KeyPath) -> LineRange | None:
    """The place of a value, or of the nearest one around it; None if all are elsewhere."""
    while where and where not in spans:
        where = where[:-1]
    return spans.get(where) if where else None


def build_value_finder(spans: Mapping[KeyPath, LineRange]) -> Callable[[int], KeyPath | None]:
    """The function from a line to the value that stands there.

    If several do, it is what they have in common; None if that is nothing.
    """
    around = {where[:-1] for where in spans}
    leaves = sorted(
        (span.first_line, span.last_line, where)
        for where, span in spans.items()
        if where and where not in around
    )
    return lambda line: _find_shared_path(_find_on_line(leaves, line))


def _find_on_line(leaves: list[tuple[int, int, KeyPath]], line: int) -> Iterator[KeyPath]:
    place = bisect_right(leaves, line, key=lambda leaf: leaf[0])
    first = leaves[place - 1][0] if place else 0
    for begins, ends, where in reversed(leaves[:place]):
        if begins != first:
            break
        if ends >= line:
            yield where


def _find_shared_path(paths: Iterator[KeyPath]) -> KeyPath | None:
    shared = next(paths, ())
    for path in paths:
        while path[: len(shared)] != shared:
            shared = shared[:-1]
    return shared or None


def _get_entry_path(where: KeyPath) -> KeyPath:
    """The path of the innermost entry of a list around a value; empty if there is none."""
    last = max((at for at, part in enumerate(where) if isinstance(part, int)), default=-1)
    return where[: last + 1]
