"""Functions that are handed nothing: what a call of one found need not be looked for again.

Each function is looked at by itself, as others may call it. If it has no parameters, that is what
its caller in the file has had followed already, as long as nothing around it was set since.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import is_
from typing import NamedTuple

from jurat.engine.flow.calls.relays import Relays
from jurat.engine.flow.values.evaluator import Hit
from jurat.engine.flow.values.value import Closure, Env


class FollowedCall(NamedTuple):
    """The hits of a call, and what was there before it, each thing as it was then.

    `takings` is how often anybody had looked for what others leave.
    """

    hits: Sequence[Hit]
    around: Sequence[object]
    takings: int


def begin_call(relays: Relays, closure: Closure) -> FollowedCall | None:
    """What is there before a call; None for one that is not all of its function."""
    if closure.function.parameters or len(relays.running) != 1:
        return None
    return FollowedCall(tuple(relays.hits), _list_around(relays, closure), relays.takings)


def end_call(relays: Relays, begun: FollowedCall | None) -> FollowedCall | None:
    """The same with what the call has found; None if it is no whole of its own."""
    # Whoever looks for what others leave is looked at again once it is there.
    if begun is None or begun.takings != relays.takings:
        return None
    before = set(map(id, begun.hits))
    return begun._replace(hits=tuple(hit for hit in relays.hits if id(hit) not in before))


def list_found(relays: Relays, closure: Closure, followed: FollowedCall | None) -> list[Hit] | None:
    """What a function finds by itself that was followed in a call; None if it may be more."""
    if followed is None:
        return None
    before, now = followed.around, _list_around(relays, closure)
    if len(before) != len(now) or not all(map(is_, before, now)):
        return None
    return [replace(hit, entry=relays.entry) for hit in followed.hits]


def _list_around(relays: Relays, closure: Closure) -> Sequence[object]:
    """What a function may read that others have set."""
    return [*relays.replaced.values(), *relays.left.values(), *_list_visible(closure.around)]


def _list_visible(around: Env | None) -> Iterator[object]:
    while around is not None:
        for value in around.values.values():
            yield value
            if value.instance is not None:
                yield from value.instance.fields.values()
            elif value.known_class is not None:
                yield from value.known_class.fields.values()
        around = around.parent
