"""A parsed YAML document, and where its keys stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jurat.source.strict_json import KeyPath, LineRange


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document: `data` in plain Python, and line and column of each key and item, from 1.

    `spans` says where each value stands, if it was asked for; what an alias stands for has the
    alias's own place, and none inside of it.
    """

    data: Any
    lines: Mapping[KeyPath, int]
    spans: Mapping[KeyPath, LineRange] = field(default_factory=dict)
    columns: Mapping[KeyPath, int] = field(default_factory=dict)

    def column(self, where: KeyPath) -> int:
        """The column of `where`, from 1; 0 if it is not there itself."""
        return self.columns.get(where, 0)

    def line(self, where: KeyPath) -> int:
        """The line of `where`, or of the nearest value around it."""
        while where and where not in self.lines:
            where = where[:-1]
        return self.lines.get(where, 1)
