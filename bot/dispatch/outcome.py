"""What one constraint found, with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any, NamedTuple, Protocol


class State(IntEnum):
    """The result of a constraint. The greater one wins: FAIL over INDETERMINATE over PASS."""

    PASS = 0
    INDETERMINATE = 1
    FAIL = 2


class Evidence(NamedTuple):
    """One value that was looked at.

    `path` is concrete (`change.functions[3].complexity`). `reason` says why an indeterminate value
    could not be decided; `place` is the mapping around it that names a file, if there is one.
    """

    path: str
    value: object
    state: State
    reason: str = ""
    place: Mapping[str, Any] | None = None


class Outcome(NamedTuple):
    """The result over all values at a path. `expectation` completes "the rule asks for …"."""

    state: State
    expectation: str
    evidence: tuple[Evidence, ...]


Admits = Callable[[Mapping[str, Any]], bool]
"""Whether a list item that names a file (`path`) is one that the rule looks at."""


class Check(Protocol):
    """A compiled constraint: facts in, outcome out."""

    def __call__(self, facts: Mapping[str, Any], admits: Admits | None = None) -> Outcome:
        """Look at every value that the constraint names."""
        ...


def worst(states: Iterable[State]) -> State:
    """FAIL over INDETERMINATE over PASS; PASS where there is nothing."""
    return max(states, default=State.PASS)
