"""Another value in a data file, written so that nothing else that the file says changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, NamedTuple

from bot.subjects.change import FileChange
from bot.subjects.contents import ContentError, read_contents
from bot.subjects.key_paths import KeyPath
from bot.subjects.strict_json import parse_json
from bot.subjects.surface_fields import value_at


class ChangedLine(NamedTuple):
    """A line of a file, 1-based, as it is and as it would be, without its newline."""

    number: int
    old: str
    new: str


def with_value(file: FileChange, where: KeyPath, value: str) -> ChangedLine | None:
    """The line of a data file's head on which the value at `where` becomes `value`.

    `value` is JSON, or else text; where a text stands now it is text. None where the value does not
    stand on one line, would be of another kind, or cannot be changed without changing another.
    """
    if file.head is None:
        return None
    before = read_contents(file.head, file.language)
    span, old = before.spans.get(where), value_at(before.facts, where)
    if span is None or span.first_line != span.last_line or isinstance(old, dict | list):
        return None
    wanted = _meant(value, old)
    for literal in (value.strip(), json.dumps(wanted, ensure_ascii=False, default=str)):
        text = file.head[: span.start] + literal + file.head[span.end :]
        try:
            after = read_contents(text, file.language).facts
        except ContentError:
            continue
        if _is_same(value_at(after, where), wanted) and _but_for(where, before.facts, after):
            index = span.first_line - 1
            return ChangedLine(
                span.first_line, file.head.split("\n")[index], text.split("\n")[index]
            )
    return None


def _meant(value: str, old: object) -> object:
    """What a new value stands for, where `old` stands now."""
    try:
        read = parse_json(value)
    except ValueError:
        return value
    return read if isinstance(read, str) or not isinstance(old, str) else value


def _is_same(found: object, wanted: object) -> bool:
    return isinstance(found, bool) == isinstance(wanted, bool) and found == wanted


def _but_for(where: KeyPath, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether two documents say the same but for one value."""
    one, other = deepcopy(before), deepcopy(after)
    for document in (one, other):
        holder: Any = value_at(document, where[:-1]) if where[1:] else document
        holder[where[-1]] = None
    return json.dumps(one, default=repr) == json.dumps(other, default=repr)
