"""What an option comes to that is read from the environment, where nobody has set it.

`mode != "strict"` holds wherever the variable is not there at all. One that says which surroundings
those are, as `NODE_ENV` does, is set wherever it counts.
"""

from __future__ import annotations

import re

from jurat.engine.flow.forms.program import UNKNOWN
from jurat.engine.flow.values.folding import fold_comparison
from jurat.engine.flow.values.settings import take_default
from jurat.engine.flow.values.value import NOTHING, Given, Value
from jurat.engine.flow.words import split_words

_READERS = re.compile(r"(?:os\.(?:Getenv|getenv|environ\.get)|System\.get(?:env|Property))$")
"""Ends the name of what reads a variable, maybe with what it is if nobody has set it."""

_ENVIRONMENT = "process.env"

_SURROUNDINGS = re.compile(r"(?i).*(?:env|stage|debug|dev|profile|local|test|prod|ci\b).*")


_EQUALS = frozenset({"equals", "equalsIgnoreCase", "EqualFold"})
_WORD_FORMS = split_words(
    "lower upper strip trim toLowerCase toUpperCase ToLower ToUpper TrimSpace"
)


def find_unset(name: str, receiver: Value, given: Given) -> Value | None:
    """What a callee answers if nobody has set the variable that it reads; None for any other."""
    values = [value for _, value in given]
    word = name.rpartition(".")[2]
    if word in _EQUALS and values:
        return compare("==", receiver if len(values) == 1 else values[1], values[0]).default
    if word in _WORD_FORMS:
        return (values[0] if values else receiver).default
    if word == "parseBoolean" and values and values[0].default is not None:
        return Value(constant=str(values[0].default.constant).lower() == "true")
    if not _READERS.search(name) or not values or not _is_option(values[0].constant):
        return None
    if len(values) > 1:
        return values[1]
    # Go has an empty text for what is not there.
    return Value(constant="" if name.endswith(".Getenv") else None)


def find_unset_part(of: Value, part: str) -> Value | None:
    """The same for a part of an object."""
    return Value(constant=None) if of.name == _ENVIRONMENT and _is_option(part) else None


def _is_option(variable: object) -> bool:
    return isinstance(variable, str) and _SURROUNDINGS.fullmatch(variable) is None


def compare(operator: str, left: Value, right: Value) -> Value:
    """Whether a comparison holds, and whether it does where nobody has set what is compared."""
    known = fold_comparison(operator, left, right)
    if known is not UNKNOWN or (left.default is None and right.default is None):
        return Value(constant=known)
    unset = fold_comparison(operator, take_default(left), take_default(right))
    return NOTHING if unset is UNKNOWN else Value(default=Value(constant=unset))


def deny(value: Value) -> Value:
    """The opposite of a value."""
    if value.constant is not UNKNOWN:
        return Value(constant=not value.constant)
    unset = UNKNOWN if value.default is None else value.default.constant
    return NOTHING if unset is UNKNOWN else Value(default=Value(constant=not unset))
