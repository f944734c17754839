"""JSON as facts need it: exact fractions, no name twice, and no number that no rule can use."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any, NoReturn

from bot.subjects.key_paths import MAX_DEPTH

MAX_DIGITS = 1_000
"""Digits of a number, and the most that YAML may have too (see `strict_yaml`)."""

_TOO_DEEP = f"it is nested deeper than {MAX_DEPTH} levels"
_EXPONENT = re.compile(r"[eE][-+]?0*[0-9]{5}")


def parse_json(text: str) -> Any:
    """One document; a number with a fraction or an exponent is a Decimal, exactly as written.

    Raises json.JSONDecodeError where the text is no JSON, and a plain ValueError, whose message is
    for whoever wrote it, where it is JSON that cannot be facts.
    """
    try:
        document = json.loads(
            text,
            parse_int=_integer,
            parse_float=_fraction,
            parse_constant=_refuse,
            object_pairs_hook=_unambiguous,
        )
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _measure(document)
    return document


def _measure(document: object) -> None:
    pending: list[tuple[object, int]] = [(document, 0)]
    while pending:
        value, depth = pending.pop()
        if depth > MAX_DEPTH:
            raise ValueError(_TOO_DEEP)
        if isinstance(value, dict):
            pending += [(item, depth + 1) for item in value.values()]
        elif isinstance(value, list):
            pending += [(item, depth + 1) for item in value]


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number has more than {MAX_DIGITS:,} digits")
    return int(digits)


def _fraction(digits: str) -> Decimal:
    if len(digits) > MAX_DIGITS or _EXPONENT.search(digits):
        raise ValueError("a number is longer or larger than any that a rule can use")
    return Decimal(digits)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number that a rule can use")


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, value in pairs:
        if name in data:
            raise ValueError(f"the name {name!r} stands twice in one object")
        data[name] = value
    return data
