"""Whether anything that nobody wrote there can arrive at a sink by a call of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jurat.engine.flow.forms.program import (
    Argument,
    Binary,
    Call,
    Constant,
    Container,
    Expression,
    Not,
    Relationship,
    Routine,
    Text,
)
from jurat.rules.sinks import Sink, SinkArgument

_THIS = "this"
_HOLES = frozenset("%{")


def can_bring(call: Call, sink: Sink) -> bool:
    """Whether one of the arguments that a sink looks at may be more than constants.

    What is written by a format stands behind it, and arrives in its place.
    """
    if sink.keeps or any(one.spread or _is_format(one.value) for one in call.arguments):
        return True
    if call.new and not call.arguments:
        # What is put into it later could have been told its constructor.
        return True
    return any(
        one.keyword == _THIS or not all(_is_inert(given.value) for given in _pick(call, one))
        for one in sink.arguments
    )


def _is_format(value: Expression) -> bool:
    return (
        isinstance(value, Constant)
        and isinstance(value.value, str)
        and not _HOLES.isdisjoint(value.value)
    )


def _pick(call: Call, wanted: SinkArgument) -> Iterator[Argument] | Sequence[Argument]:
    """The arguments in which what is wanted may stand: an option also in an object of options."""
    if wanted.keyword is not None:
        return (one for one in call.arguments if one.keyword in (None, wanted.keyword))
    first = wanted.position or 0
    return call.arguments[first:] if wanted.onwards else call.arguments[first : first + 1]


def _is_inert(value: Expression, depth: int = 0) -> bool:
    """Whether an expression holds nothing from anywhere: constants, answers, functions."""
    if isinstance(value, Constant | Not | Relationship | Routine):
        return True
    parts: list[Expression | None]
    if isinstance(value, Text):
        parts = [*value.parts]
    elif isinstance(value, Binary):
        parts = [value.left, value.right]
    elif isinstance(value, Container):
        parts = [part for key, entry, _ in value.entries for part in (key, entry)]
    else:
        return False
    return depth < _DEEPEST and all(part is None or _is_inert(part, depth + 1) for part in parts)


_DEEPEST = 8
