"""What of a program may run, what its functions call, and what their tags stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from jurat.rating.code.function_facts import CallFact, FunctionFacts, GuardFact, Tags
from jurat.rating.program.program_names import Function
from jurat.rating.program.reach import Program
from jurat.rating.signals.file_roles import Role

OWN = "x:#"
"""The tag of a value that an own function gave, whatever it is called."""


@dataclass(frozen=True)
class LiveProgram:
    """A program with what may run of it. Tests count as such."""

    program: Program
    roles: Mapping[str, Role] = field(default_factory=dict)
    timed: frozenset[str] = frozenset()
    """Files that a schedule outside of the program starts."""
    lengths: Mapping[str, int] = field(default_factory=dict)
    """Lines of each file, as far as known."""
    among: frozenset[Function] | None = None
    """The functions of which it is asked what they show; None for all."""

    @cached_property
    def product(self) -> tuple[Function, ...]:
        """The functions that may run, in order. What a test does the system does not do."""
        return tuple(one for one in sorted(self.program.live) if not self._is_test(one[0]))

    @cached_property
    def tests(self) -> tuple[Function, ...]:
        """The functions of tests and evaluations, which a runner finds by itself."""
        return tuple(
            (path, number)
            for path in sorted(self.program.files)
            if self._is_test(path)
            for number in range(len(self.program.files[path].functions))
        )

    @cached_property
    def subjects(self) -> tuple[Function, ...]:
        """Those of `product` of which it is asked what they show."""
        if self.among is None:
            return self.product
        return tuple(filter(self.is_subject, self.product))

    def is_subject(self, one: Function) -> bool:
        """Whether it is asked what a function shows: a behaviour may leave out any other."""
        return self.among is None or one in self.among

    def _is_test(self, path: str) -> bool:
        return self.roles.get(path) is Role.TEST

    def facts(self, one: Function) -> FunctionFacts:
        """The facts of a function."""
        return self.program.files[one[0]].functions[one[1]]

    def iter_calls(
        self, functions: Iterable[Function] | None = None
    ) -> Iterator[tuple[Function, CallFact, str]]:
        """Every call with its function and the foreign name of what is called, "" if own."""
        if functions is None or functions is self.product:
            yield from self._product_calls
            return
        for one in functions:
            for call in self.facts(one).calls:
                yield one, call, self.name(one, call.callee)

    @cached_property
    def _product_calls(self) -> tuple[tuple[Function, CallFact, str], ...]:
        return tuple(
            (one, call, self.name(one, call.callee))
            for one in self.product
            for call in self.facts(one).calls
        )

    def name(self, one: Function, callee: str) -> str:
        """The foreign name of what is called, "" if it is the repository's own."""
        # Looked up here, as most are known and nothing is asked more often.
        found = self.program.known.foreign.get((one[0], callee))
        return self.program.find_foreign(one[0], callee) if found is None else found

    def targets(self, one: Function, callee: str) -> tuple[Function, ...]:
        """The own functions that a name stands for."""
        found = self.program.known.resolved.get((one[0], callee))
        return self.program.resolve(one[0], callee)[0] if found is None else found[0]

    def list_guards(self, one: Function, call: CallFact) -> Iterator[GuardFact]:
        """The conditions that a call stands in or behind."""
        guards = self.facts(one).guards
        return (guards[number] for number in call.guards)

    def expand(self, one: Function, tags: Tags, depth: int = 3) -> Tags:
        """The tags with what own functions among them return, and own variables stand for."""
        key = (one, tags, depth)
        if key not in self._expanded:
            self._expanded[key] = self._expand(one, tags, depth)
        return self._expanded[key]

    @cached_property
    def _expanded(self) -> dict[tuple[Function, Tags, int], Tags]:
        return {}

    def _expand(self, one: Function, tags: Tags, depth: int) -> Tags:
        found = set(tags)
        for tag in tags if depth else ():
            if tag[:2] != "x:":
                continue
            targets, foreign = self.program.resolve(one[0], tag[2:].removesuffix("()"))
            if foreign and foreign != tag[2:]:
                found.add(f"x:{foreign}")
            found |= self.program.find_stated(one[0], tag[2:], tags)
            if targets and not tag.startswith("x:?."):
                # What is called by an own name says what it returns, and nothing by that name.
                found.discard(tag)
                found.add(OWN)
            for target in targets[:4]:
                if target[1] and target != one:
                    given = self.expand(target, self.facts(target).returns, depth - 1)
                    # What only its own file knows by a name or a number means another thing here.
                    found |= given if target[0] == one[0] else _drop_local(given)
        # As a rule there is nothing to add: the same object is held once, and knows its hash.
        return tags if found == tags else frozenset(found)

    def list_behind(self, one: Function, tags: Tags) -> frozenset[Function]:
        """The own functions whose answers stand in the tags."""
        return frozenset(
            target
            for tag in tags
            if tag[:2] == "x:"
            for target in self.targets(one, tag[2:].removesuffix("()"))
            if target[1] and target != one
        )


@lru_cache(maxsize=65_536)
def _drop_local(tags: Tags) -> Tags:
    return frozenset(t for t in tags if not t.startswith(("x:function:", "x:local:", "x:self:")))
