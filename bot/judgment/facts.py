"""Facts as lines that can be quoted: one path and value a line, long texts line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from bot.subjects.key_paths import KeyPath, json_path


class FactLine(NamedTuple):
    """One line of rendered facts.

    `where` is the path of the value and `path` the same as it is shown. On a line of a text that
    has several lines, `text` is that line alone, `number` its own from 0 and `offset` the
    characters of the value before it; `opens` is True on the line that only names such a value. On
    any other line `text` is "path = value", and `value` the value as JSON has it, a string without
    its quotes.
    """

    where: KeyPath
    path: str
    text: str
    value: str
    offset: int | None = None
    number: int | None = None
    opens: bool = False


def fact_lines(facts: Mapping[str, Any]) -> Iterator[FactLine]:
    """Every value in `facts`, in order. Keys keep their order, so equal facts render alike."""
    for where, value in _leaves(facts, ()):
        path = json_path(where).removeprefix("$").removeprefix(".") or "value"
        if isinstance(value, str) and "\n" in value:
            yield FactLine(where, path, f"{path}:", value, opens=True)
            offset = 0
            for number, line in enumerate(value.split("\n")):
                yield FactLine(where, path, line, line, offset, number)
                offset += len(line) + 1
        else:
            written = _scalar(value)
            plain = value if isinstance(value, str) else written
            yield FactLine(where, path, f"{path} = {written}", plain)


def _leaves(value: object, where: KeyPath) -> Iterator[tuple[KeyPath, object]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _leaves(item, (*where, str(key)))
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes) and value:
        for index, item in enumerate(value):
            yield from _leaves(item, (*where, index))
    else:
        yield where, value


def _scalar(value: object) -> str:
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return "[]"
    if isinstance(value, Decimal):
        return str(value)
    if value is None or isinstance(value, str | int | float):
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(str(value), ensure_ascii=False)
