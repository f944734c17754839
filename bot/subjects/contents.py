"""A data file as facts: what a transaction or an event written in JSON or YAML says."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Never

from bot.subjects.change import FileChange, FileStatus
from bot.subjects.context import Facts

ITEMS = "items"
"""The key of a document that is a list, or a single value, and has no keys of its own."""


class ContentError(ValueError):
    """A document cannot be read. The message says why, for a reader of the report."""


def facts_of(file: FileChange) -> Facts | None:
    """What the head version of a JSON or YAML file says; None for a removed or any other file.

    Raises ContentError where its content is not at hand or cannot be read.
    """
    if file.language not in ("json", "yaml") or file.status is FileStatus.REMOVED:
        return None
    if file.head is None:
        raise ContentError("its whole content is not at hand, only the lines of the diff")
    document = _json(file.head) if file.language == "json" else _yaml(file.head)
    if isinstance(document, dict):
        return document
    return {ITEMS: document if isinstance(document, list) else [document]}


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ContentError(f"it is no JSON that can be read: {_brief(error)}") from None


def _refuse(constant: str) -> Never:
    raise ValueError(f"{constant} is no number")


def _yaml(text: str) -> Any:
    # Imported here: few repositories map a YAML file, and every review would pay for it.
    import yaml  # noqa: PLC0415

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ContentError(f"it is no YAML that can be read: {_brief(error)}") from None


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__
