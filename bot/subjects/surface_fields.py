"""What a verdict says of a place on each surface, whoever decided it. See `kinds.TERMS`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from bot.subjects.context import Facts
from bot.subjects.key_paths import KeyPath, Span, dotted, json_path
from bot.subjects.kinds import Surface

Fields = dict[str, str | int]

PASSAGE_FIELD: Mapping[Surface, str] = MappingProxyType(
    {
        Surface.CONTRACT: "clause_ref",
        Surface.DOCUMENT: "section",
        Surface.MESSAGE: "segment",
        Surface.HUMAN_ACTION: "step",
        Surface.GENERIC: "section",
    }
)
"""The field that names the passage of a text; code and transactions have none."""

SPAN_LIMIT = 400
"""Characters of a text that a location quotes."""

_NAMES = ("ref", "id", "number", "name", "step", "action", "segment", "heading", "title")
"""Keys by which an entry of a list is called, the first that it has."""


def fact_fields(
    surface: Surface, facts: Facts, where: KeyPath, *, value: str, stated: str
) -> Fields:
    """What a verdict says of a fact. `value` is the fact as text, `stated` the fact with its path.

    Code has no terms for a fact but the quotation of it.
    """
    match surface:
        case Surface.TRANSACTION | Surface.GENERIC:
            return {
                "json_path": json_path(where),
                "field_name": field_name(where),
                "current_value": value,
            }
        case Surface.HUMAN_ACTION:
            step: Fields = {"step": _step(facts, where)} if _entry(where) else {}
            return {**step, "field": field_name(where), "context": stated}
        case Surface.CODE:
            return {"snippet": stated}
        case _:
            name = entry_name(facts, where) if _entry(where) else dotted(where)
            return {**({PASSAGE_FIELD[surface]: name} if name else {}), "span_text": value}


def field_name(where: KeyPath) -> str:
    """The last key of a path."""
    return next((part for part in reversed(where) if isinstance(part, str)), "")


def entry_name(facts: Facts, where: KeyPath) -> str | None:
    """What the innermost entry of a list around a value is called, None where nothing says so."""
    entry = value_at(facts, _entry(where))
    if not isinstance(entry, Mapping):
        return None
    named = (entry[key] for key in _NAMES if isinstance(entry.get(key), str | int))
    return next((str(name) for name in named), None)


def _step(facts: Facts, where: KeyPath) -> str:
    """A step by its name, which may be all that is said of it, or else by its place."""
    entry = value_at(facts, _entry(where))
    if isinstance(entry, str):
        return entry[:SPAN_LIMIT]
    return entry_name(facts, where) or dotted(_entry(where))


def value_at(facts: Facts, where: KeyPath) -> object:
    """The value at a path, None where there is none."""
    value: object = facts if where else None
    for part in where:
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return None
    return value


def nearest(spans: Mapping[KeyPath, Span], where: KeyPath) -> Span | None:
    """The place of a value, or of the nearest one around it; None where all are elsewhere."""
    while where and where not in spans:
        where = where[:-1]
    return spans.get(where) if where else None


def value_finder(spans: Mapping[KeyPath, Span]) -> Callable[[int], KeyPath | None]:
    """The function from a line to the value that stands there.

    Where several do, it is what they have in common; None where that is nothing.
    """
    around = {where[:-1] for where in spans}
    leaves = sorted(
        (span.first_line, span.last_line, where)
        for where, span in spans.items()
        if where and where not in around
    )
    return lambda line: _shared(_on_line(leaves, line))


def _on_line(leaves: list[tuple[int, int, KeyPath]], line: int) -> Iterator[KeyPath]:
    place = bisect_right(leaves, line, key=lambda leaf: leaf[0])
    first = leaves[place - 1][0] if place else 0
    for begins, ends, where in reversed(leaves[:place]):
        if begins != first:
            break
        if ends >= line:
            yield where


def _shared(paths: Iterator[KeyPath]) -> KeyPath | None:
    shared = next(paths, ())
    for path in paths:
        while path[: len(shared)] != shared:
            shared = shared[:-1]
    return shared or None


def _entry(where: KeyPath) -> KeyPath:
    """The path of the innermost entry of a list around a value; empty where there is none."""
    last = max((at for at, part in enumerate(where) if isinstance(part, int)), default=-1)
    return where[: last + 1]
