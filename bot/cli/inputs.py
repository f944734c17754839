"""Files named on the command line: a diff, and facts."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from bot.errors import FileError, UsageError
from bot.subjects.context import Facts
from bot.subjects.strict_json import parse_json
from bot.subjects.strict_yaml import parse_yaml


def read_diff(name: str) -> bytes:
    """The bytes of a diff file, or of standard input for "-"."""
    if name != "-":
        return _read(Path(name), "--diff")
    if sys.stdin.isatty():
        raise UsageError(
            "--diff - reads a diff from standard input.",
            hint="Pipe one in, such as: git diff main | bylaw review --diff -",
        )
    return sys.stdin.buffer.read()


def read_facts(path: Path) -> Facts:
    """The facts in a JSON or YAML file. Raises FileError at the line where it is neither."""
    try:
        text = _read(path, "--facts").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(str(path), 0, "", "is not UTF-8 text") from error
    looks_like_json = path.suffix == ".json" or text.lstrip().startswith("{")
    data = _json(text, path) if looks_like_json else parse_yaml(text, str(path), FileError).data
    if not isinstance(data, dict):
        problem = "must hold a mapping of names to values"
        raise FileError(str(path), 1, "", problem, hint='Such as {"monthly_overtime_hours": 52}.')
    return data


def _read(path: Path, option: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{option}: {path} cannot be read: {error.strerror}.") from error


def _json(text: str, path: Path) -> Any:
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        raise FileError(str(path), error.lineno, "", f"is not valid JSON: {error.msg}") from error
    except ValueError as error:
        raise FileError(str(path), 0, "", f"cannot be facts: {error}") from error
