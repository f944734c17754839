"""YAML as configuration needs it: one document, no surprises, and a line number for every key.

Plain scalars follow the core schema of YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema), not
YAML 1.1: `yes`, `no`, `on`, `off`, `12:30`, `1_000` and `2027-01-01` are text (whoever expects a
date parses the text), `true`, `null` and `0o17` are not. A number with a fraction is a Decimal,
exactly as written. Tags, merge keys, duplicate keys and keys that are not text are errors.
"""

from __future__ import annotations

from jurat.errors import FileError
from jurat.source.yaml_document import Document

__all__ = ["Document", "parse_yaml"]


def parse_yaml(
    text: str, path: str, error_type: type[FileError], *, with_spans: bool = False
) -> Document:
    """Parse one document. An empty one has the data None. Raises `error_type` at the line."""
    # PyYAML is loaded if there is a text: a review by the shipped rules alone has none to parse.
    from jurat.source.yaml_reader import read_yaml  # noqa: PLC0415

    return read_yaml(text, path, error_type, with_spans=with_spans)
