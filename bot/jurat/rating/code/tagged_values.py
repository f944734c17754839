"""A value as far as a reader of code knows it: what it is called, and its tags."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from jurat.engine.flow.forms.program import Constant, Expression
from jurat.rating.code.function_facts import Tags

NOTHING: Tags = frozenset()
_MOST = 90
"""Tags of one value that are kept."""


class TaggedValue(NamedTuple):
    """What is known of a value. `constant` says that it never varies."""

    name: str = ""
    tags: Tags = NOTHING
    constant: bool = False


def take_part(value: TaggedValue, key: Expression | None) -> TaggedValue:
    """What a pattern takes out of a value under a key: the same as an attribute of it."""
    if not isinstance(key, Constant) or not isinstance(key.value, str):
        return TaggedValue("", value.tags)
    return TaggedValue("", limit_tags(value.tags | {f"a:{key.value}"}))


def hold_value(value: TaggedValue) -> TaggedValue:
    """What an object was made with: it is the same for all that ask it, and nobody's answer."""
    kept = frozenset(f"h:{tag[2:]}" if tag[:2] == "p:" else tag for tag in value.tags)
    return TaggedValue(value.name, kept, value.constant)


def find_wrapped(value: TaggedValue) -> str:
    """The one function that a value was made of, "" if none: who calls the value calls it.

    So do a transaction, a retry, a cache and whatever else stands around a function.
    """
    if not value.name.endswith("()"):
        return ""
    own = [tag[2:] for tag in value.tags if tag.startswith("x:function:")]
    return own[0] if len(own) == 1 else ""


def limit_tags(tags: Iterable[str]) -> Tags:
    """The tags, as many as are kept of one value."""
    return _keep_once(tags if isinstance(tags, frozenset) else frozenset(tags))


@lru_cache(maxsize=20_000)
def _keep_once(tags: Tags) -> Tags:
    """The same tags, one object for all that are equal: the facts of a file say few things often.

    That is less to hold, and to hand from a worker to whoever waits for it.
    """
    found = tags if len(tags) <= _MOST else _choose_tags(tags)
    return frozenset(map(intern, found))


def _choose_tags(tags: Tags) -> list[str]:
    """The tags that are kept of too many: steps of a chain on something unknown tell least."""
    chained = sorted(tag for tag in tags if tag[:4] == "x:?." and "(" in tag)
    return [*sorted(tags.difference(chained)), *chained][:_MOST]
