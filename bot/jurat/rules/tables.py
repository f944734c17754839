"""Lookup tables: CSV with a header, or a YAML list of mappings, beside the rule file."""

from __future__ import annotations

import csv
import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from jurat.errors import RuleError
from jurat.rules.rule import Table
from jurat.source.strict_json import format_key_path
from jurat.source.strict_yaml import Document, parse_yaml


def resolve_table_path(rule_file: str, name: str) -> str:
    """The path of a table that a rule file names. Raises ValueError if it lies elsewhere."""
    parts = name.split("/")
    if not name or name.startswith("/") or ".." in parts or "\\" in name:
        problem = f"{name!r} must be a file in or below the rule file's folder"
        raise ValueError(problem)
    return posixpath.normpath(posixpath.join(posixpath.dirname(rule_file), name))


def list_table_paths(rule_file: str, data: object) -> Iterator[str]:
    """The paths of all tables that a rule file, as plain data, names. Wrong names are left out."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == "lookup_table" and isinstance(value, str):
                try:
                    yield resolve_table_path(rule_file, value)
                except ValueError:
                    continue
            else:
                yield from list_table_paths(rule_file, value)
    elif isinstance(data, list):
        for item in data:
            yield from list_table_paths(rule_file, item)


def parse_table(path: str, text: str) -> Table:
    """The rows of a table, all cells as text. Raises RuleError."""
    if path.endswith(".csv"):
        return _parse_csv(path, text)
    return _read_rows(path, parse_yaml(text, path, RuleError))


def _parse_csv(path: str, text: str) -> Table:
    # Spreadsheets write a byte order mark, which would be part of the first column's name.
    reader = csv.reader(text.removeprefix("\ufeff").splitlines(), strict=True)
    rows: list[Mapping[str, str]] = []
    try:
        header = [name.strip() for name in next(reader, [])]
        if len(set(header)) != len(header) or not all(header):
            raise RuleError(path, 1, "", "the first line must name each column once")
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                problem = f"has {len(cells)} columns, the first line names {len(header)}"
                raise RuleError(path, reader.line_num, "", problem)
            rows.append(dict(zip(header, (cell.strip() for cell in cells), strict=True)))
    except csv.Error as error:
        raise RuleError(path, reader.line_num, "", f"not valid CSV: {error}") from None
    if not rows:
        raise RuleError(path, 0, "", "a table needs a line of column names and at least one row")
    return tuple(rows)


def _read_rows(path: str, document: Document) -> Table:
    rows: list[Mapping[str, str]] = []
    if not isinstance(document.data, list) or not document.data:
        raise RuleError(path, 1, "", "a table must be a list of mappings, all with the same keys")
    for index, row in enumerate(document.data):
        if not isinstance(row, Mapping) or row.keys() != _get_first(document.data).keys():
            problem = "must be a mapping with the same keys as the first row"
            raise RuleError(path, document.line((index,)), format_key_path((index,)), problem)
        for key, value in row.items():
            if value is None or isinstance(value, (Mapping, list)):
                where = (index, key)
                raise RuleError(
                    path, document.line(where), format_key_path(where), "must be one value"
                )
        rows.append({key: _format_text(value) for key, value in row.items()})
    return tuple(rows)


def _get_first(rows: list[Any]) -> Mapping[str, Any]:
    first = rows[0]
    return first if isinstance(first, Mapping) else {}


def _format_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
