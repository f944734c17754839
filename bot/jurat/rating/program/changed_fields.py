"""Which fields a function says that it changes, and whether a call changes more than a record."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.code.function_facts import CallFact
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.stores import is_addition, is_change

_CHANGE = re.compile(r"\b(?:UPDATE\s+\w+\s+SET|INSERT\s+INTO)\b", re.IGNORECASE)
_COLUMN = re.compile(r"(\w+)\s*=")
PLAIN_FIELDS = frozenset(
    ("id", "key", "at", "name", "text", "type", "role", "content", "title", "user")
)
"""Fields that anything may have, whatever it is."""


def is_noted(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call leads to nothing but a record: what was decided stays as it is."""
    own = conduct.targets(one, call.callee)
    if not own:
        return is_addition(call)
    reached = conduct.program.walk([target for target in own if target[1]], 1)
    calls = [(item, other) for item in reached for other in conduct.facts(item).calls]
    kept = any(conduct.facts(item).writes for item in reached)
    acting = [other for item, other in calls if conduct.is_effect(item, other) or is_change(other)]
    return not kept and all(
        is_addition(other) or conduct.is_logged(item, other)
        for item, other in calls
        if other in acting
    )


def is_change_statement(text: str) -> bool:
    """Whether a text is a statement that changes a row of a database, or adds one."""
    return _CHANGE.search(text) is not None


def list_set_columns(text: str) -> list[str]:
    """The columns to which a text gives a value."""
    return _COLUMN.findall(text)


def list_said_fields(conduct: Conduct, one: Function) -> Iterator[str]:
    """The fields under which a function puts something into a place."""
    for call in conduct.facts(one).calls:
        if is_change(call) and not conduct.infers(one, call):
            yield from (tag[2:] for tag in call.given if tag[:2] == "k:")
            for text in (tag[2:] for tag in call.given if tag[:2] == "t:"):
                yield from list_set_columns(text)
