"""What belongs to a call of a model: who calls and is called, and who shares a place with it.

In a large program everything is said somewhere. What tells of one call stands near it in the calls,
or where its result is kept and taken from, or is said by the files of those for all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from jurat.rating.behaviour import Conduct, ask_once
from jurat.rating.evidence import is_of_one_thing
from jurat.rating.program_names import Function
from jurat.rating.stores import list_touched

STEPS = 2
"""Calls between a function and what is still around it."""
_KEPT = ("table:", "model:", "key:")
"""Places that outlive a call."""
_SHARED_BY = 12
"""Functions that may share a place before it tells nothing: everybody writes to it."""


@ask_once
def is_small(conduct: Conduct) -> bool:
    """Whether a program is of one thing."""
    files = conduct.program.files
    return is_of_one_thing(
        max((function.last for function in files[path].functions), default=0)
        for path in {path for path, _ in conduct.product}
    )


@dataclass(frozen=True)
class Surroundings:
    """The surroundings of functions in one program."""

    conduct: Conduct

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
        program, live = self.conduct.program, frozenset(self.conduct.product)
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
