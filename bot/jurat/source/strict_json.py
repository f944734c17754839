"""JSON as facts need it: exact fractions, no name twice, and the place of every value."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple, NoReturn

# Where each value of a JSON text stands. The standard parser tells it of none.

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')
"""A string, a sign or a word. A text that was parsed before holds nothing else."""


@dataclass(slots=True)
class _OpenContainer:
    """A list or an object that is being read, and where it began, with and without its key."""

    is_list: bool
    first: int
    start: int


def _is_wanted(_where: Sequence[str | int]) -> bool:
    return True


def find_json_spans(
    text: str, is_wanted: Callable[[Sequence[str | int]], bool] = _is_wanted
) -> dict[KeyPath, LineRange]:
    """The place of every wanted value of a text that is known to be JSON, the whole being ()."""
    line_at = build_line_counter(text)
    spans: dict[KeyPath, LineRange] = {}
    opened: list[_OpenContainer] = []
    where: list[str | int] = []
    key: int | None = None

    def note(first: int, start: int, end: int) -> None:
        if not is_wanted(where):
            return
        spans[tuple(where)] = LineRange(line_at(first), line_at(end - 1), start, end)

    for match in _TOKEN.finditer(text):
        written, at = match[0], match.start()
        if written in ("[", "{"):
            opened.append(_OpenContainer(written == "[", at if key is None else key, at))
            where.append(0)
            key = None
        elif written in ("]", "}"):
            closed = opened.pop()
            where.pop()
            note(closed.first, closed.start, match.end())
        elif written == ",":
            key = None
            if opened[-1].is_list:
                where[-1] = int(where[-1]) + 1
        elif written == ":":
            continue
        elif opened and not opened[-1].is_list and key is None:
            where[-1] = json.loads(written) if "\\" in written else written[1:-1]
            key = at
        else:
            note(at if key is None else key, at, match.end())
    return spans


# Where a value stands among facts, and in the text that they were read from.

KeyPath = tuple[str | int, ...]
"""Where a value stands in a document: mapping keys and list indices from the root."""

MAX_DEPTH = 60
"""Levels of a document that is read: whoever walks one may call itself for each of them."""


class LineRange(NamedTuple):
    """Where a value stands in its text.

    Lines are 1-based and inclusive, from the line of the value's key on; only a newline ends one.
    `start` and `end` bound the value without its key, in characters (Unicode code points) from the
    start of the text, `end` exclusive. `body_line` is the line of the value's own first line if
    each of them is a line of the text, as in a literal block of YAML; else 0.
    """

    first_line: int
    last_line: int
    start: int
    end: int
    body_line: int = 0


def format_key_path(where: KeyPath) -> str:
    """A path as a person writes it: `rules[3].constraints[0].operator`."""
    text = ""
    for part in where:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def format_json_path(where: KeyPath) -> str:
    """A path as in RFC 9535: `$.items[0].amount`; a key that is no name stands in brackets.

    A hyphen is let pass in a name, as people write it and common readers of such paths accept it.
    """
    return "$" + "".join(map(_format_segment, where))


def _format_segment(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    if part.replace("-", "_").isidentifier():
        return f".{part}"
    return f"[{json.dumps(part, ensure_ascii=False)}]"


def build_line_counter(text: str) -> Callable[[int], int]:
    """The function from a character's index to its 1-based line in `text`."""
    ends = [index for index, character in enumerate(text) if character == "\n"]
    return lambda index: bisect_left(ends, index) + 1


MAX_DIGITS = 1_000
"""Digits of a number, and the most that YAML may have too (see `strict_yaml`)."""

_TOO_DEEP = f"it is nested deeper than {MAX_DEPTH} levels"
_EXPONENT = re.compile(r"[eE][-+]?0*[0-9]{5}")


def parse_json(text: str) -> Any:
    """One document; a number with a fraction or an exponent is a Decimal, exactly as written.

    Raises json.JSONDecodeError if the text is no JSON, and a plain ValueError, whose message is
    for whoever wrote it, if it is JSON that cannot be facts.
    """
    try:
        document = json.loads(
            text,
            parse_int=_parse_integer,
            parse_float=_parse_fraction,
            parse_constant=_refuse_constant,
            object_pairs_hook=check_unambiguous,
        )
    # The C scanner recurses before anything could count the depth.
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _check_measure(document)
    return document


def _check_measure(document: object) -> None:
    # A stack of its own, as calls for each level are what the limit is to prevent.
    pending: list[tuple[object, int]] = [(document, 0)]
    while pending:
        value, depth = pending.pop()
        if depth > MAX_DEPTH:
            raise ValueError(_TOO_DEEP)
        if isinstance(value, dict):
            pending += [(item, depth + 1) for item in value.values()]
        elif isinstance(value, list):
            pending += [(item, depth + 1) for item in value]


def _parse_integer(digits: str) -> int:
    # int() is quadratic in the digits:
    # https://docs.python.org/3/library/stdtypes.html#int-max-str-digits
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number has more than {MAX_DIGITS:,} digits")
    return int(digits)


def _parse_fraction(digits: str) -> Decimal:
    # 1e99999 is ten characters, and a hundred thousand digits once it is an integer.
    if len(digits) > MAX_DIGITS or _EXPONENT.search(digits):
        raise ValueError("a number is longer or larger than any that a rule can use")
    return Decimal(digits)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number that a rule can use")


def check_unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of these names. Raises ValueError if one stands twice."""
    data: dict[str, Any] = {}
    for name, value in pairs:
        # Parsers differ in which of the two they keep: the judge and the program may read two
        # documents.
        if name in data:
            raise ValueError(f"the name {name!r} stands twice in one object")
        data[name] = value
    return data
