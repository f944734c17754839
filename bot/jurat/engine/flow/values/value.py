"""What is known of a value, of objects and classes, and what holds at one point of a function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jurat.engine.flow.forms.program import UNKNOWN, Argument, Expression, Routine
from jurat.engine.flow.values.taints import DECODED, ROOTED, Cleared, Taint, Taints, merge_taints
from jurat.engine.flow.words import split_words

_MOST_NAME = 160


_ENUMERATIONS = split_words("enum.Enum enum.StrEnum enum.IntEnum Enum StrEnum")


@dataclass(slots=True, eq=False)
class Instance:
    """An object of one of the file's classes. Whoever holds it sees the same fields.

    One that is `made` here is known from its beginning; another stands for all of its class.
    """

    known: ClassValue
    fields: dict[str, Value]
    made: bool = False


_PROMISES = split_words("abc.ABC ABC typing.Protocol Protocol typing_extensions.Protocol")
"""Bases of classes in Python of which others are the real ones."""


@dataclass(slots=True, eq=False)
class ClassValue:
    """A class of the file. `foreign` are the names of its bases that are not, `sample` an object of
    it that the file itself makes, `allowed` the expressions that are looked for in its fields,
    `inside` the class that it stands in.
    """

    name: str
    methods: Mapping[str, Closure]
    fields: dict[str, Value]
    types: Mapping[str, str]
    bases: Sequence[ClassValue] = ()
    foreign: frozenset[str] = frozenset()
    sample: Instance | None = None
    allowed: Mapping[str, str] = field(default_factory=dict)
    inside: str = ""

    @property
    def is_promise(self) -> bool:
        """Whether others are what it says: an interface, an abstract class."""
        return not _PROMISES.isdisjoint(self.foreign) or not all(
            one.function.body for one in self.methods.values()
        )

    def copy_fields(self, depth: int = 0) -> dict[str, Value]:
        """What an object of it begins with, what its bases say included."""
        found: dict[str, Value] = {}
        for base in self.bases if depth < 8 else ():
            found |= base.copy_fields(depth + 1)
        return {**found, **self.fields}

    def find_field(self, name: str, depth: int = 0) -> Value | None:
        """A field of the class, its own or inherited."""
        if name in self.fields or depth > 8:
            return self.fields.get(name)
        found = (base.find_field(name, depth + 1) for base in self.bases)
        return next((one for one in found if one is not None), None)

    def list_inherited(self) -> list[Closure]:
        """The methods of its bases that meet parts of its own in the place of those they have."""
        found: dict[str, Closure] = {}
        for base in self.bases:
            own = {*base.fields, *base.types, *base.methods}
            if own & {*self.fields, *self.methods}:
                found |= base.methods
        return [
            one for name, one in found.items() if name not in self.methods and one.function.body
        ]

    def list_names(self, depth: int = 0) -> list[str]:
        """Its name, and those of all that it is as well."""
        found = [self.name, *sorted(self.foreign)]
        for base in self.bases if depth < 8 else ():
            found += base.list_names(depth + 1)
        return found

    @property
    def is_enumeration(self) -> bool:
        """Whether its values are the few that it names."""
        return not _ENUMERATIONS.isdisjoint(self.foreign)

    def find_method(self, name: str, depth: int = 0) -> Closure | None:
        """A method, its own or inherited within the file."""
        if name in self.methods or depth > 8:
            return self.methods.get(name)
        found = (base.find_method(name, depth + 1) for base in self.bases)
        return next((one for one in found if one is not None), None)

    def list_fields(self, depth: int = 0) -> list[str]:
        """The fields that are declared with a type, those of its bases first."""
        inherited = [
            name for base in self.bases if depth < 8 for name in base.list_fields(depth + 1)
        ]
        return list(dict.fromkeys([*inherited, *self.types]))

    def has_field(self, name: str) -> bool:
        """Whether a field of that name is declared, here or in a base."""
        if name in self.fields or name in self.types:
            return True
        return any(name in base.fields or name in base.types for base in self.bases)

    def find_allowed(self, name: str) -> str | None:
        """The expression that is looked for in a field, None if there is none."""
        found = (one.allowed.get(name) for one in (self, *self.bases))
        return next((one for one in found if one is not None), None)

    def find_type(self, name: str) -> str:
        """The type that a field is declared with, empty if it has none."""
        return self.types.get(name) or next((t for b in self.bases if (t := b.types.get(name))), "")


@dataclass(slots=True, eq=False)
class Closure:
    """A function with what it sees around it, and the object whose method it is.

    `cleared` is what was checked on the way to its definition, which holds whenever it runs.
    `loops` is one that a method such as `map` calls with the elements of what it is called on, and
    nobody else with anything. `held` are the origins of the object, if somebody outside hands it
    over: what its methods read of it is theirs.
    """

    function: Routine
    around: Env
    instance: Instance | None = None
    cleared: Cleared = field(default_factory=dict)
    loops: bool = False
    held: Taints = ()


class Value(NamedTuple):
    """What is known of a value. `items` are the parts of a container, by constant key.

    `box` is the same for all values that are one object which may be changed. `bound` are the
    arguments that a function has already been given, `start` is how a text begins whose rest is not
    known. `fixed` is what was made of constants alone, `given` what an object was told, by option,
    `default` what a parameter is if nobody hands it over, `partial` a mapping that has parts nobody
    knows. `choices` are functions of which it is one: what a table has under a key nobody knows.
    Two of them are compared by `is`: a tuple only because hundreds of thousands are made, and a
    frozen dataclass takes four times as long.
    """

    taints: Taints = ()
    constant: Any = UNKNOWN
    name: str = ""
    items: Mapping[Any, Value] | None = None
    closure: Closure | None = None
    instance: Instance | None = None
    known_class: ClassValue | None = None
    box: object | None = None
    bound: Sequence[tuple[Argument, Value]] = ()
    start: str = ""
    fixed: bool = False
    given: Mapping[str, Value] | None = None
    default: Value | None = None
    partial: bool = False
    choices: Sequence[Value] = ()

    @property
    def beginning(self) -> str:
        """How it begins if it is a text, as far as that is known."""
        return self.constant if isinstance(self.constant, str) else self.start

    @property
    def is_list(self) -> bool:
        """Whether it is a container whose keys are positions."""
        return self.items is not None and all(isinstance(key, int) for key in self.items)


NOTHING = Value()


def iter_taints(value: Value, depth: int = 0) -> Iterator[Taint]:
    """The origins of a value and of all its parts."""
    yield from value.taints
    if value.items and depth < 4:
        for item in value.items.values():
            yield from iter_taints(item, depth + 1)


def collect(values: Iterable[Value]) -> Taints:
    """The origins of several values."""
    found: list[Taint] = []
    for value in values:
        found += iter_taints(value) if value.items else value.taints
    return merge_taints(found)


def extend_name(name: str, more: str) -> str:
    """A name with one more part; one that is too long says nothing."""
    joined = (name or "?") + more
    return joined if len(joined) <= _MOST_NAME else "?" + more


Flag = tuple[Cleared, Cleared]
"""What was checked on the ways on which a variable is something, and on which it is nothing."""


class Truths(NamedTuple):
    """What was checked if an answer is something, and if it is nothing; and the same for each of
    the `parts` that are answered together, as in `return ok, path`.
    """

    yes: Cleared
    no: Cleared
    parts: Mapping[Any, Flag] = {}


@dataclass(slots=True, eq=False)
class Env:
    """What holds at one point: variables, what was checked on the way here, and whether any way
    leads here at all.

    `cleared` has, by origin, a bit for each question that a check has answered. `conditions` are
    the conditions whose results stand in variables, `present` the variables that are known not to
    be nothing, `flags` what others say that are something on some ways alone.
    """

    values: dict[str, Value]
    parent: Env | None = None
    cleared: Cleared = field(default_factory=dict)
    conditions: dict[str, Expression] = field(default_factory=dict)
    outer: frozenset[str] = frozenset()
    dead: bool = False
    again: bool = False
    present: frozenset[str] = frozenset()
    flags: dict[str, Flag] = field(default_factory=dict)

    def copy(self) -> Env:
        """The same for another path."""
        return Env(
            dict(self.values), self.parent, dict(self.cleared), dict(self.conditions), self.outer,
            self.dead, present=self.present, flags=dict(self.flags),
        )  # fmt: skip

    def become(self, other: Env) -> None:
        """Take over what holds on another path."""
        self.values, self.cleared = other.values, other.cleared
        self.conditions, self.dead, self.outer = other.conditions, other.dead, other.outer
        self.present, self.flags = other.present, other.flags

    def look_up(self, name: str) -> Value | None:
        """A variable, here or around."""
        env: Env | None = self
        while env is not None:
            found = env.values.get(name)
            if found is not None:
                return found
            env = env.parent
        return None

    def find_cleared(self, taint: Taint) -> int:
        """The questions that were answered for an origin, or for what it is a part of."""
        if not self.cleared:
            return 0
        source, path = taint.source, taint.path
        mask = self.cleared.get((source, path), 0)
        for end in range(len(path)):
            mask |= self.cleared.get((source, path[:end]), 0)
        if taint.ends_host:
            mask |= self.cleared.get((source + ROOTED, path), 0)
        return mask

    def drop_cleared(self, value: Value) -> Value:
        """A value without what checks have answered on this path."""
        return value if not self.cleared else self._drop_cleared(value, 0)

    def _drop_cleared(self, value: Value, depth: int) -> Value:
        if value.items and depth < 4:
            parts = {key: self._drop_cleared(part, depth + 1) for key, part in value.items.items()}
            if any(part is not value.items[key] for key, part in parts.items()):
                value = value._replace(items=parts)
        if not value.taints:
            return value
        left = map(self._drop_from, value.taints)
        kept = tuple(taint for taint in left if taint.matters)
        return value if kept == value.taints else value._replace(taints=kept)

    def _drop_from(self, taint: Taint) -> Taint:
        """An origin without what was answered: what looked for a text until that is decoded."""
        answered = self.find_cleared(taint)
        if not answered & (taint.live | taint.encoded):
            return taint
        lasting = self.find_cleared(taint._replace(source=taint.source + DECODED))
        return taint.drop_answered(answered & lasting).encode(answered & ~lasting)

    def clear(self, taints: Iterable[Taint], mask: int, *, literal: bool = False) -> None:
        """Note that a check answered some questions for these origins.

        `literal` is one that looks for a text, and misses it where it is still encoded. A check of
        what has been made fit for some questions answers none of those for what came in.
        """
        for taint in taints:
            answered = mask & (taint.live | taint.encoded)
            if not answered:
                continue
            for end in ("",) if literal else ("", DECODED, DECODED * 2):
                key = taint.source + end, taint.path
                self.cleared[key] = self.cleared.get(key, 0) | answered


Given = Sequence[tuple[Argument, Value]]
"""What a call hands over: each argument, and what it came to."""
