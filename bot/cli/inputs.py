"""Files named on the command line: a diff, and facts."""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from bot.corpus.strict_yaml import parse_yaml
from bot.errors import FileError, UsageError
from bot.subjects.context import Facts


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
    """JSON without what facts cannot be: a name that stands twice, NaN, a rounded fraction."""
    try:
        return json.loads(
            text, parse_float=Decimal, parse_constant=_refuse, object_pairs_hook=_unambiguous
        )
    except json.JSONDecodeError as error:
        raise FileError(str(path), error.lineno, "", f"is not valid JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise FileError(str(path), 0, "", f"cannot be facts: {error}") from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number that a rule can use")


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice!r} stands twice in one object")
    return data
