"""What belongs to a call of a model: who calls and is called, and who shares a place with it.

In a large program everything is said somewhere. What tells of one call stands near it in the calls,
or where its result is kept and taken from, or is said by the files of those for all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.program_names import Function
from jurat.rating.program.stores import list_touched

STEPS = 2
"""Calls between a function and what is still around it."""
_KEPT = ("table:", "model:", "key:")
"""Places that outlive a call."""
_SHARED_BY = 12
"""Functions that may share a place before it tells nothing: everybody writes to it."""


def is_small(conduct: Conduct) -> bool:
    """Whether a program is of one thing."""
    return conduct.is_small


def is_on_the_way(conduct: Conduct, one: Function) -> bool:
    """Whether what a function does is done for a model's call: it leads there, or serves who does.

    A small program does nothing else; a large one has to do with services of all sorts.
    """
    return one in conduct.beside or is_small(conduct)


_KNOWN_TO = 12
"""Files that may import one, or that one may import, before it makes nobody acquainted."""


@ask_once
def _list_known(conduct: Conduct) -> Mapping[str, frozenset[str]]:
    """The files that each file imports, and those that import it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in conduct.program.files:
        for other in conduct.program.list_imported(path):
            found[path].add(other)
            found[other].add(path)
    return {path: frozenset(known) for path, known in found.items()}


def are_acquainted(conduct: Conduct, one: str, other: str) -> bool:
    """Whether what two files call by one name may be one thing: a field, a variable, a decision.

    One imports the other, or a third has to do with both. Who has to do with half of the program
    makes nobody acquainted; so a small program is of one part, and a large one of many.
    """
    if one == other:
        return True
    acquainted = _remember_acquainted(conduct)
    if one not in acquainted:
        acquainted[one] = _find_acquainted(_list_known(conduct), one)
    return other in acquainted[one]


@ask_once
def _remember_acquainted(_: Conduct) -> dict[str, frozenset[str]]:
    """The files acquainted with each that was asked about before."""
    return {}


def _find_acquainted(known: Mapping[str, frozenset[str]], one: str) -> frozenset[str]:
    mine = known.get(one, frozenset())
    thirds = (known[path] for path in mine if len(known[path]) <= _KNOWN_TO)
    return mine.union(*thirds)


@dataclass(frozen=True)
class Surroundings:
    """The surroundings of functions in one program."""

    conduct: Conduct

    @cached_property
    def _live(self) -> frozenset[Function]:
        return frozenset(self.conduct.product)

    @cached_property
    def _places(self) -> Mapping[Function, frozenset[str]]:
        conduct = self.conduct
        return {
            one: frozenset(p for p in list_touched(conduct, one) if p.startswith(_KEPT))
            for one in conduct.product
        }

    @cached_property
    def _sharing(self) -> Mapping[str, frozenset[Function]]:
        found: defaultdict[str, set[Function]] = defaultdict(set)
        for one, places in self._places.items():
            for place in places:
                found[place].add(one)
        return {k: frozenset(v) for k, v in found.items() if len(v) <= _SHARED_BY}

    def find(self, one: Function, steps: int = STEPS) -> frozenset[Function]:
        """The functions around one, up to so many calls away, and itself."""
        program, live = self.conduct.program, self._live
        if is_small(self.conduct):
            return live
        near, edge = {one}, {one}
        for _ in range(steps):
            edge = {
                other
                for item in edge
                for other in (*program.edges.get(item, ()), *program.callers.get(item, ()))
                if other[1] and other in live
            } - near
            near |= edge
        near |= {
            other
            for item in frozenset(near)
            for place in self._places.get(item, ())
            for other in self._sharing.get(place, ())
        }
        # The statements of their files, which hold what they say, but not who else stands there: a
        # file of a large program is about many things too.
        return live & (near | {(path, 0) for path, _ in near})
