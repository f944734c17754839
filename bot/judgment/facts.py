"""Facts as lines that can be quoted: one path and value a line, long texts line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from bot.subjects.contents import ITEMS

_MAX_LOCATED = 100_000
"""Characters of a file beyond which its values are not given line numbers: a second's work."""


class FactLine(NamedTuple):
    """One line of rendered facts.

    `path` is the JSON path of the value. On a line of a text that has several lines, `text` is that
    line alone and `offset` the characters of the value before it; `opens` is True on the line that
    only names such a value. On any other line `text` is "path = value", and `value` the value as
    JSON has it, a string without its quotes.
    """

    path: str
    text: str
    value: str
    offset: int | None = None
    opens: bool = False


def fact_lines(facts: Mapping[str, Any]) -> Iterator[FactLine]:
    """Every value in `facts`, in order. Keys keep their order, so equal facts render alike."""
    for path, value in _leaves(facts, ""):
        if isinstance(value, str) and "\n" in value:
            yield FactLine(path, f"{path}:", value, opens=True)
            offset = 0
            for line in value.split("\n"):
                yield FactLine(path, line, line, offset)
                offset += len(line) + 1
        else:
            written = _scalar(value)
            plain = value if isinstance(value, str) else written
            yield FactLine(path, f"{path} = {written}", plain)


def _leaves(value: object, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _leaves(item, step(path, str(key)))
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes) and value:
        for index, item in enumerate(value):
            yield from _leaves(item, f"{path}[{index}]")
    else:
        yield path or "value", value


def step(path: str, key: str) -> str:
    """The JSON path of `key` below `path`; an odd key stands in brackets."""
    if key.replace("-", "_").isidentifier():
        return f"{path}.{key}" if path else key
    return f"{path}[{json.dumps(key, ensure_ascii=False)}]"


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


def lines_by_path(document: str) -> dict[str, int]:
    """The 1-based line of each value of a JSON or YAML document, by JSON path.

    A list that is the whole document has the path that `contents.facts_of` gives it. Empty where
    the document cannot be read: a place is then the file as a whole.
    """
    if len(document) > _MAX_LOCATED:
        return {}
    import yaml  # noqa: PLC0415  # only documents that hold facts need it

    try:
        # Never the C loader: a deeply nested document ends the whole process there.
        root = yaml.compose(document, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return {}
    lines: dict[str, int] = {}
    seen: set[int] = set()
    start = "" if isinstance(root, yaml.MappingNode) else ITEMS
    pending: list[tuple[yaml.Node | None, str]] = [(root, start)]
    while pending:
        node, path = pending.pop()
        # An alias leads to a node that was placed already, where its anchor stands.
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            for key, item in node.value:
                if isinstance(key, yaml.ScalarNode):
                    place = step(path, str(key.value))
                    lines[place] = key.start_mark.line + 1
                    pending.append((item, place))
        elif isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                place = f"{path}[{index}]"
                lines[place] = item.start_mark.line + 1
                pending.append((item, place))
    return lines
