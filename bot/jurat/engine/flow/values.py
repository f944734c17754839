"""What is known of a value, and what holds at one point of a function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import takewhile
from typing import Any, NamedTuple

from ast_grep_py import SgNode

from jurat.engine.flow.program import UNKNOWN, Argument, Expression, Routine

MOST_TAINTS = 6
"""Origins that one value keeps, the strongest first."""

_MOST_BEFORE = 160
MOST_ITEMS = 64
"""Parts of a container that are told from each other."""

_DEEPEST = 4
"""Parts within parts that are joined one by one."""

_MOST_NAME = 160

REMOTE, PARAMETER = 2, 1
"""How strong an origin is: a source by name, or just what some caller hands over."""


def split_words(words: str) -> frozenset[str]:
    """The words of a list that is written as text."""
    return frozenset(words.split())


_ENUMERATIONS = split_words("enum.Enum enum.StrEnum enum.IntEnum Enum StrEnum")

_DECODED = "%"
"""Ends the name of an origin for each time that its text was decoded."""

PARTS = tuple(f"part {number}" for number in range(8))
"""Steps to what a text was split into: a check of one says nothing of the others."""

HOLE = "\0"
"""Stands in a text for a part that nobody knows."""


ROOT = "\1"
"""Stands in a text before a path whose `..` were worked out from the root: it leads up no more."""


class Trace(NamedTuple):
    """How a value came here: the node it passed through last, and the way before that."""

    node: SgNode
    before: Trace | None


class Start(Enum):
    """What a path is relative to whose `..` were worked out: of that a check of it speaks.

    Only `GIVEN` and `FOLDER` can begin with `..` at all: one that goes up from where it is used,
    one that lies outside of the folder. Behind a folder, or from the root, no `..` is left.
    """

    GIVEN = "given"
    ROOT = "root"
    FOLDER = "folder"


class Taint(NamedTuple):
    """One origin of a value.

    `source` and `path` say what it is: the same parameter of a request read twice is one. `live`
    has a bit for each question it still matters to, `encoded` one for each that an encoding has
    answered, which can be undone. `before` is the text in front of it as far as known, `mixed`
    whether it is only a part of a text, `settled` what it is relative to if it is a path whose `..`
    were worked out.
    `foreign` is the answer of a callee that was given it and stands in no file that is read, before
    anything is put together of that here, `found` that of one that looks something up by its name.
    `answered` stays, whatever is put together.
    """

    source: str
    path: tuple[str, ...]
    live: int
    strength: int
    before: str
    mixed: bool
    trace: Trace
    encoded: int = 0
    foreign: bool = False
    settled: Start | None = None
    found: bool = False
    answered: bool = False

    @property
    def key(self) -> tuple[str, tuple[str, ...], int, str, int, bool]:
        """What makes two of them the same."""
        return self.source, self.path, self.live, self.before, self.encoded, self.foreign

    def carry(self, node: SgNode) -> Taint:
        """The same one step further."""
        return self._replace(trace=Trace(node, self.trace))

    def enter(self, step: str) -> Taint:
        """The same for a part of the value."""
        return self._replace(path=(*self.path, step)[-6:])

    def drop_answered(self, answered: int) -> Taint:
        """The same after some questions were answered for good."""
        return self._replace(live=self.live & ~answered, encoded=self.encoded & ~answered)

    def encode(self, answered: int) -> Taint:
        """The same after some questions were answered by an encoding."""
        return self._replace(
            live=self.live & ~answered, encoded=self.encoded | (self.live & answered)
        )

    def decode(self, undone: int) -> Taint:
        """The same after the encodings for some questions were undone."""
        again = self.encoded & undone
        return self._replace(live=self.live | again, encoded=self.encoded & ~again)

    def become_unread(self) -> Taint:
        """The same as a text that no check of the one before has read: `%2e` is no dot yet."""
        source = self.source if self.source.endswith(_DECODED * 2) else self.source + _DECODED
        return self._replace(source=source, settled=None)

    def become_answer(self, *, found: bool = False) -> Taint:
        """The same as the answer of a callee that nobody has seen."""
        return self._replace(foreign=True, answered=True, found=found or self.found)

    @property
    def is_rooted(self) -> bool:
        """Whether it is a path that begins at the root, or may, and has no `..` any more."""
        return self.before.startswith(ROOT + "/") or self.before == ROOT

    @property
    def stands_alone(self) -> bool:
        """Whether no text stands before it."""
        return not self.before.strip(ROOT)

    def settle(self, start: Start) -> Taint:
        """The same as a path whose `..` were worked out: from the root on, if it began there."""
        before = ROOT + self.before if self.before.startswith("/") else self.before
        return self._replace(settled=start, before=before)

    @property
    def shows_dots(self) -> bool:
        """Whether a text with no `..` leads nowhere above the place that it is relative to."""
        if self.settled is None:
            # Nobody has worked them out: all that were given are in it.
            return True
        return self.settled is Start.FOLDER or (self.settled is Start.GIVEN and not self.before)

    def unroot(self) -> Taint:
        """The same without the slash that it begins with."""
        head, _, rest = self.before.rpartition(ROOT + "/")
        if head or ROOT not in self.before:
            return self
        return self._replace(before=ROOT + (rest or ROOT))

    @property
    def matters(self) -> bool:
        """Whether it is of any question, or may come to be again."""
        return bool(self.live or self.encoded)


Taints = tuple[Taint, ...]


Cleared = dict[tuple[str, tuple[str, ...]], int]
"""By origin, a bit for each question that a check has answered."""


@dataclass(slots=True, eq=False)
class Instance:
    """An object of one of the file's classes. Whoever holds it sees the same fields."""

    known: ClassValue
    fields: dict[str, Value]


_PROMISES = split_words("abc.ABC ABC typing.Protocol Protocol typing_extensions.Protocol")
"""Bases of classes in Python of which others are the real ones."""


@dataclass(slots=True, eq=False)
class ClassValue:
    """A class of the file. `foreign` are the names of its bases that are not, `sample` an object of
    it that the file itself makes, `allowed` the expressions that are looked for in its fields.
    """

    name: str
    methods: Mapping[str, Closure]
    fields: dict[str, Value]
    types: Mapping[str, str]
    bases: Sequence[ClassValue] = ()
    foreign: frozenset[str] = frozenset()
    sample: Instance | None = None
    allowed: Mapping[str, str] = field(default_factory=dict)

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
    return merge_taints(taint for value in values for taint in iter_taints(value))


def merge_taints(taints: Iterable[Taint]) -> Taints:
    """The same without doubles, and not too many."""
    found: dict[Any, Taint] = {}
    for taint in taints:
        found.setdefault(taint.key, taint)
        if len(found) > 40:
            break
    if len(found) <= 1:
        return tuple(found.values())
    # What is only encoded, or another's answer, must not displace what does harm as it is.
    ranked = sorted(found.values(), key=lambda one: (not one.live, -one.strength, one.foreign))
    return tuple(ranked[:MOST_TAINTS])


def extend_name(name: str, more: str) -> str:
    """A name with one more part; one that is too long says nothing."""
    joined = (name or "?") + more
    return joined if len(joined) <= _MOST_NAME else "?" + more


def extend_before(before: str, text: str) -> str:
    """Text and what follows it: the beginning and the end of what is long."""
    joined = before + text
    if len(joined) <= _MOST_BEFORE:
        return joined
    return joined[: _MOST_BEFORE // 2] + HOLE + joined[-_MOST_BEFORE // 2 :]


def join_values(one: Value, other: Value, depth: int = 0) -> Value:
    """What is known of a value that is either of two."""
    if one is other:
        return one
    same = type(one.constant) is type(other.constant) and one.constant == other.constant
    items: dict[Any, Value] | None = None
    taints = (*one.taints, *other.taints)
    if one.items is not None and other.items is not None and depth < _DEEPEST:
        keys = list(dict.fromkeys([*one.items, *other.items]))[:MOST_ITEMS]
        # What only one list has is in both from here on: a text that may have been appended.
        both = one.is_list and other.is_list
        items = {
            key: join_values(
                _get_or_other(one.items, other.items, key, both=both),
                _get_or_other(other.items, one.items, key, both=both),
                depth + 1,
            )
            for key in keys
        }
    elif one.items or other.items:
        taints = (*iter_taints(one), *iter_taints(other))
    return Value(
        merge_taints(taints),
        one.constant if same else UNKNOWN,
        _join_names(one.name, other.name),
        items,
        one.closure or other.closure,
        join_instances(one.instance, other.instance, depth),
        one.known_class or other.known_class,
        one.box or other.box,
        one.bound or other.bound,
        _find_shared_beginning(one.beginning, other.beginning),
        one.fixed and other.fixed,
        _join_given(one.given, other.given, depth),
        join_values(one.default, other.default) if one.default and other.default else None,
        one.partial or other.partial,
        one.choices or other.choices,
    )


def _get_or_other(
    one: Mapping[Any, Value], other: Mapping[Any, Value], key: object, *, both: bool
) -> Value:
    """A part of a container; of one that only the other has, what that has, or maybe nothing."""
    found = one.get(key)
    if found is not None:
        return found
    held = other.get(key, NOTHING)
    return held if both or held.items is not None else NOTHING


def _join_names(one: str, other: str) -> str:
    """The name of what is either of two: a constant's is told by all ways here, or by none."""
    name = one or other
    return name if one == other or not name.rpartition(".")[2].isupper() else ""


def join_instances(one: Instance | None, other: Instance | None, depth: int = 0) -> Instance | None:
    """An object that is either of two: `return Order{}, err` beside the order that was made."""
    if one is None or other is None or one is other or depth >= _DEEPEST:
        return one or other
    if one.known is not other.known:
        return one
    fields = {
        name: join_values(one.fields.get(name, NOTHING), other.fields.get(name, NOTHING), depth + 1)
        for name in dict.fromkeys([*one.fields, *other.fields])
    }
    return Instance(one.known, fields)


def _join_given(
    one: Mapping[str, Value] | None, other: Mapping[str, Value] | None, depth: int
) -> Mapping[str, Value] | None:
    """What an object was told that is either of two: what only one was told, nobody knows."""
    if one is other:
        return one
    if one is None or other is None or depth >= _DEEPEST:
        return None
    return {
        name: join_values(one.get(name, NOTHING), other.get(name, NOTHING), depth + 1)
        for name in dict.fromkeys([*one, *other])
    }


def _find_shared_beginning(one: str, other: str) -> str:
    """What two texts begin with alike."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return "".join(letter for letter, _ in alike)


@dataclass(slots=True, eq=False)
class Env:
    """What holds at one point: variables, what was checked on the way here, and whether any way
    leads here at all.

    `cleared` has, by origin, a bit for each question that a check has answered. `conditions` are
    the conditions whose results stand in variables, `present` the variables that are known not to
    be nothing.
    """

    values: dict[str, Value]
    parent: Env | None = None
    cleared: Cleared = field(default_factory=dict)
    conditions: dict[str, Expression] = field(default_factory=dict)
    outer: frozenset[str] = frozenset()
    dead: bool = False
    again: bool = False
    present: frozenset[str] = frozenset()

    def copy(self) -> Env:
        """The same for another path."""
        return Env(
            dict(self.values), self.parent, dict(self.cleared), dict(self.conditions), self.outer,
            self.dead, present=self.present,
        )  # fmt: skip

    def become(self, other: Env) -> None:
        """Take over what holds on another path."""
        self.values, self.cleared = other.values, other.cleared
        self.conditions, self.dead, self.outer = other.conditions, other.dead, other.outer
        self.present = other.present

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
        mask = 0
        if self.cleared:
            for end in range(len(taint.path) + 1):
                mask |= self.cleared.get((taint.source, taint.path[:end]), 0)
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
        left = (one.drop_answered(self.find_cleared(one)) for one in value.taints)
        kept = tuple(taint for taint in left if taint.matters)
        return value if kept == value.taints else value._replace(taints=kept)

    def clear(self, taints: Iterable[Taint], mask: int, *, literal: bool = False) -> None:
        """Note that a check answered some questions for these origins.

        `literal` is one that looks for a text, and misses it where it is still encoded. A check of
        what has been made fit for some questions answers none of those for what came in.
        """
        for taint in taints:
            answered = mask & (taint.live | taint.encoded)
            if not answered:
                continue
            for end in ("",) if literal else ("", _DECODED, _DECODED * 2):
                key = taint.source + end, taint.path
                self.cleared[key] = self.cleared.get(key, 0) | answered


def join_envs(envs: Sequence[Env]) -> Env | None:
    """What holds where several paths meet; None if none leads here."""
    alive = [env for env in envs if not env.dead]
    if not alive:
        return None
    whole = alive[0]
    for env in alive[1:]:
        values = dict(whole.values)
        for name, value in env.values.items():
            before = values.get(name)
            if before is None:
                values[name] = value
            elif before is not value:
                # `if bad(a): a = "/"` leaves what was put right on one path, and fit on the other.
                values[name] = join_values(whole.drop_cleared(before), env.drop_cleared(value))
        cleared = {
            key: both
            for key, mask in whole.cleared.items()
            if (both := mask & env.cleared.get(key, 0))
        }
        conditions = {
            name: one for name, one in whole.conditions.items() if env.conditions.get(name) is one
        }
        whole = Env(
            values, whole.parent, cleared, conditions, whole.outer | env.outer,
            present=whole.present & env.present,
        )  # fmt: skip
    return whole
