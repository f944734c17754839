"""What parses YAML for `jurat.source.strict_yaml`, which says what is accepted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import yaml

from jurat.errors import FileError
from jurat.source.strict_json import (
    MAX_DEPTH,
    KeyPath,
    LineRange,
    build_line_counter,
    format_key_path,
)
from jurat.source.yaml_document import Document

MAX_ALIASED_NODES = 100_000
"""Nodes that aliases may add up to, so that a small text cannot stand for a huge one."""

_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True}
_BOOLEANS |= {"false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FRACTION = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,4})?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def read_yaml(text: str, path: str, error_type: type[FileError], *, with_spans: bool) -> Document:
    """See `parse_yaml`."""
    reader = _YamlReader(text, path, error_type, with_spans=with_spans)
    try:
        return reader.read_document()
    except yaml.MarkedYAMLError as error:
        # At the end of a text the parser stands behind its last line.
        last = text.rstrip("\n").count("\n") + 1
        mark = error.problem_mark
        line, column = (min(mark.line + 1, last), mark.column + 1) if mark else (0, 0)
        problem = f"not valid YAML: {error.problem or 'it ends too early'}"
        raise error_type(path, line, "", problem, column=column) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise error_type(path, line, "", f"not valid YAML: {error.reason}") from None
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise error_type(path, line, "", "holds a character that is not valid Unicode") from None


class _YamlReader:
    """Builds one document from the parser's events, without recursion into aliases."""

    def __init__(
        self, text: str, path: str, error_type: type[FileError], *, with_spans: bool
    ) -> None:
        self._text = text
        # Events, not the constructor: that merges keys, drops duplicates and reads `no` as False.
        self._events: Iterator[Any] = iter(yaml.parse(text, Loader=_LOADER))
        self._path = path
        self._error_type = error_type
        self._lines: dict[KeyPath, int] = {}
        self._columns: dict[KeyPath, int] = {}
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._nodes = 0
        self._aliased = 0
        self._spans: dict[KeyPath, LineRange] = {}
        self._end = 0
        self._line_at = build_line_counter(text) if with_spans else None

    def read_document(self) -> Document:
        """Read the only document of the stream."""
        next(self._events)
        event = next(self._events)
        data = None
        if isinstance(event, yaml.DocumentStartEvent):
            data = self._read_node(next(self._events), (), None)
            next(self._events)
            event = next(self._events)
        if not isinstance(event, yaml.StreamEndEvent):
            raise self._build_error(event, (), "holds several documents; split them into files")
        return Document(data, self._lines, self._spans, self._columns)

    def _build_error(self, event: Any, where: KeyPath, problem: str) -> FileError:
        mark = event.start_mark
        return self._error_type(
            self._path, mark.line + 1, format_key_path(where), problem, column=mark.column + 1
        )

    def _read_node(self, event: Any, where: KeyPath, key: Any) -> Any:
        """The value that begins with `event`. `key` is the event of its key, None in a list."""
        value = self._read_value(event, where)
        if self._line_at is not None:
            self._place(event, where, key, self._line_at)
        return value

    def _read(self, event: Any) -> None:
        """Note how far the text has been read, once an event is over that stands for some of it."""
        start, end = event.start_mark.index, event.end_mark.index
        if self._line_at is not None and end > start:
            self._end = start + len(self._text[start:end].rstrip())

    def _place(self, event: Any, where: KeyPath, key: Any, line_at: Callable[[int], int]) -> None:
        """Note where the value that has just been read stands.

        The parser ends a block of keys or items only where the next thing begins, so it ends where
        its last value does. Lines are counted anew: to YAML 1.1 a lone CR or U+2028 ends one.
        """
        start = event.start_mark.index
        end = max(self._end, start)
        first = (event if key is None else key).start_mark.index
        body_line = line_at(start) + 1 if getattr(event, "style", None) == "|" else 0
        self._spans[where] = LineRange(
            line_at(first), line_at(max(end - 1, first)), start, end, body_line
        )

    def _read_value(self, event: Any, where: KeyPath) -> Any:
        if isinstance(event, yaml.AliasEvent):
            return self._read_alias(event, where)
        if event.tag is not None:
            raise self._build_error(event, where, f"tags such as {event.tag} are not supported")
        if len(where) > MAX_DEPTH:
            raise self._build_error(event, (), f"nested deeper than {MAX_DEPTH} levels")
        before = self._nodes
        self._nodes += 1
        value: Any
        if isinstance(event, yaml.ScalarEvent):
            value = self._read_scalar(event, where)
            self._read(event)
        elif isinstance(event, yaml.MappingStartEvent):
            value = self._read_mapping(where)
        else:
            value = self._read_sequence(where)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, self._nodes - before)
        return value

    def _read_alias(self, event: yaml.AliasEvent, where: KeyPath) -> Any:
        if event.anchor not in self._anchors:
            problem = f"alias *{event.anchor} stands before the end of its anchor; write it out"
            raise self._build_error(event, where, problem)
        self._read(event)
        value, nodes = self._anchors[event.anchor]
        self._nodes += nodes
        # Counted by what it stands for: nine lines of aliases can mean a billion nodes.
        self._aliased += nodes
        if self._aliased > MAX_ALIASED_NODES:
            raise self._build_error(event, where, "aliases stand for too much text; write it out")
        return value

    def _read_mapping(self, where: KeyPath) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._read_key(event, where)
            inner = (*where, key)
            if key in values:
                problem = f"the key stands twice, first on line {self._lines[inner]}"
                raise self._build_error(event, inner, problem)
            self._lines[inner] = event.start_mark.line + 1
            self._columns[inner] = event.start_mark.column + 1
            values[key] = self._read_node(next(self._events), inner, event)
        self._read(event)
        return values

    def _read_key(self, event: Any, where: KeyPath) -> str:
        if not isinstance(event, yaml.ScalarEvent) or event.tag is not None:
            raise self._build_error(event, where, "a key must be plain text")
        key = self._read_scalar(event, where)
        if not isinstance(key, str):
            raise self._build_error(event, where, f"the key {event.value!r} must be text: quote it")
        if key == "<<" and event.implicit[0]:
            raise self._build_error(
                event, where, "merge keys (<<) are not supported; write the keys out"
            )
        return key

    def _read_sequence(self, where: KeyPath) -> list[Any]:
        values: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            inner = (*where, len(values))
            self._lines[inner] = event.start_mark.line + 1
            self._columns[inner] = event.start_mark.column + 1
            values.append(self._read_node(event, inner, None))
        self._read(event)
        return values

    def _read_scalar(self, event: yaml.ScalarEvent, where: KeyPath) -> Any:
        text = event.value
        if not event.implicit[0]:
            return text
        if text in _NULLS:
            return None
        if text in _BOOLEANS:
            return _BOOLEANS[text]
        if text[0] not in "+-.0123456789":
            return text
        if _INTEGER.fullmatch(text):
            if len(text) > 1_000:
                raise self._build_error(event, where, "the number has more than 1,000 digits")
            return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
        if _FRACTION.fullmatch(text):
            return Decimal(text)
        if _NOT_FINITE.fullmatch(text):
            raise self._build_error(event, where, f"{text} is not a number that a rule can use")
        return text
