"""A data file as facts: what a transaction or an event written in JSON or YAML says, and where."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jurat.errors import FileError
from jurat.source.diff import FileChange, FileStatus
from jurat.source.strict_json import KeyPath, LineRange, find_json_spans, parse_json
from jurat.source.strict_yaml import parse_yaml

ITEMS = "items"
"""The key of a document that is a list, or a single value, and has no keys of its own."""

MAX_VALUES = 50_000
"""Values of one document, lists and mappings among them: what holds more is no entry."""

_BYTE_ORDER_MARK = "\ufeff"


class ContentError(ValueError):
    """A document cannot be read. The message says why, for a reader of the report."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The facts that a document states, and where each of them stands in its text.

    `unchanged` holds the entries of lists, by their place at head, that stand in the base version
    as they are: what an entry says is no news there.
    """

    facts: Mapping[str, Any] = field(default_factory=dict)
    spans: Mapping[KeyPath, LineRange] = field(default_factory=dict)
    unchanged: frozenset[KeyPath] = frozenset()


def is_data_file(file: FileChange) -> bool:
    """Whether a file is written in a language that states facts."""
    return file.language in ("json", "yaml")


def parse_data_file(file: FileChange) -> Contents:
    """What the head version of a JSON or YAML file says; nothing for a removed or any other file.

    Raises ContentError if its content is not at hand or cannot be read.
    """
    if not is_data_file(file) or file.status is FileStatus.REMOVED:
        return Contents()
    if file.head is None:
        raise ContentError("its whole content is not at hand, only the lines of the diff")
    contents = parse_contents(file.head, file.language)
    try:
        before = None if file.base is None else parse_contents(file.base, file.language)
    except ContentError:
        return contents
    if before is None:
        return contents
    unchanged = frozenset(_find_unchanged(contents.facts, before.facts, ()))
    return Contents(contents.facts, contents.spans, unchanged)


def parse_contents(text: str, language: str | None) -> Contents:
    """The facts of a JSON text (language "json") or else a YAML text. Raises ContentError."""
    body = text.removeprefix(_BYTE_ORDER_MARK)
    document, spans = (
        _parse_json_contents(body) if language == "json" else _parse_yaml_contents(body)
    )
    # Places count in the file, whose first character the mark is.
    if len(body) < len(text):
        spans = {
            where: span._replace(start=span.start + 1, end=span.end + 1)
            for where, span in spans.items()
        }
    if isinstance(document, dict):
        return Contents(document, spans)
    if document is None:
        return Contents()
    if isinstance(document, list):
        return Contents({ITEMS: document}, {(ITEMS, *where): span for where, span in spans.items()})
    return Contents({ITEMS: [document]}, {(ITEMS, 0): spans[()]})


def _parse_json_contents(text: str) -> tuple[Any, Mapping[KeyPath, LineRange]]:
    try:
        document = parse_json(text)
    except json.JSONDecodeError as error:
        problem = f"line {error.lineno}: {error.msg}"
        raise ContentError(f"it is no JSON that can be read: {problem}") from None
    except ValueError as error:
        raise ContentError(f"it is no JSON that can be read: {error}") from None
    _check_bounds(document)
    return document, find_json_spans(text)


def _parse_yaml_contents(text: str) -> tuple[Any, Mapping[KeyPath, LineRange]]:
    try:
        document = parse_yaml(text, "", FileError, with_spans=True)
    except FileError as error:
        place = ", ".join(
            part for part in (f"line {error.line}" if error.line else "", error.key) if part
        )
        problem = f"{place}: {error.problem}" if place else error.problem
        raise ContentError(f"it is no YAML that can be read: {problem}") from None
    _check_bounds(document.data)
    return document.data, document.spans


def _check_bounds(document: object) -> None:
    """Raise if a document holds too much, what its aliases stand for written out."""
    pending = [document]
    seen = 0
    while pending:
        value = pending.pop()
        seen += 1
        if seen > MAX_VALUES:
            # Aliases are written out as it walks: what the text holds says little about it.
            raise ContentError(f"it holds more than {MAX_VALUES:,} values")
        if isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value


def _find_unchanged(head: object, base: object, where: KeyPath) -> Iterable[KeyPath]:
    """Entries of lists that both versions hold, whatever their place, below the same keys."""
    if isinstance(head, dict) and isinstance(base, dict):
        for key, value in head.items():
            yield from _find_unchanged(value, base.get(key), (*where, key))
    elif isinstance(head, list) and isinstance(base, list):
        # Counted: of two equal entries, one of which is new, one is news.
        known = Counter(_serialize_entry(item) for item in base if isinstance(item, dict))
        for index, item in enumerate(head):
            if isinstance(item, dict) and known[written := _serialize_entry(item)] > 0:
                known[written] -= 1
                yield (*where, index)


def _serialize_entry(entry: dict[str, Any]) -> str:
    return json.dumps(entry, sort_keys=True, default=repr)
