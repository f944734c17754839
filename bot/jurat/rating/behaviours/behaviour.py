"""Behaviours: each is registered by its name, and shows itself by signs.

A behaviour is something that a program does, told from its calls, conditions and texts, and never
from its own names: it holds however its functions are called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function


@dataclass(frozen=True, slots=True)
class Sign:
    """A behaviour that was seen: at which line of which function, and what `carriers` make it up.

    Without any one of the carriers it is not there.
    """

    behaviour: str
    function: Function
    line: int
    carriers: frozenset[Function] = frozenset()


Behaviour = Callable[[Conduct], Iterator[Sign]]

_BEHAVIOURS: dict[str, Behaviour] = {}


def register_behaviour(name: str) -> Callable[[Behaviour], Behaviour]:
    """Register a function as what tells the behaviour of that name."""

    def register(tell: Behaviour) -> Behaviour:
        _BEHAVIOURS[name] = tell
        return tell

    return register


def list_registered() -> Mapping[str, Behaviour]:
    """The behaviours of all modules that were imported, by name."""
    return _BEHAVIOURS
