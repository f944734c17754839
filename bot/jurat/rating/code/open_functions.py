"""What is known of a file, and of one of its functions, while they are being read.

Both are filled as the reading goes on, and nobody but the reader of the file sees them: what it
hands on are facts, which are frozen.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.engine.flow.forms.program import Routine
from jurat.rating.code.function_facts import (
    CallFact,
    GuardFact,
    LoopFact,
    PairFact,
    Tags,
    WriteFact,
)
from jurat.rating.code.tagged_values import NOTHING, TaggedValue

BUILTINS = frozenset(dir(builtins))
CONSTRUCTORS = ("__init__", "constructor")


class Around(NamedTuple):
    """Where a statement stands."""

    guards: tuple[int, ...] = ()
    loops: tuple[int, ...] = ()
    caught: bool = False
    retried: bool = False

    @property
    def is_perhaps(self) -> bool:
        """Whether what stands here need not run: what a name had before it may have behind."""
        return bool(self.guards or self.loops or self.caught)


class WaitingFunction(NamedTuple):
    """A function that is read when all around it is known, with the names that it sees."""

    routine: Routine
    parent: int
    names: dict[str, TaggedValue]


@dataclass
class OpenFile:
    """A file that is being read. Routines are known by their `id`.

    `imported` are the names that imports bind, `types` those that name types alone, `names` what
    the file's own stand for, `members` what attributes of its classes hold, as "Class.name".
    `owned` are routines of an object or a class, with its name and that of the field.
    """

    language: str
    imported: Mapping[str, str]
    types: Mapping[str, str]
    names: dict[str, TaggedValue] = field(default_factory=dict)
    members: dict[str, TaggedValue] = field(default_factory=dict)
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    off: dict[str, tuple[str, ...]] = field(default_factory=dict)
    waiting: list[WaitingFunction] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    owned: dict[int, tuple[str, str]] = field(default_factory=dict)
    is_started: bool = False

    def find_type_name(self, written: str) -> str:
        """What an object of a written type is called, "" if the type tells nothing."""
        if not written or written in BUILTINS:
            return ""
        head, dot, rest = written.partition(".")
        known = self.names.get(head)
        found = self.imported.get(head) or self.types.get(head, head)
        return f"{known.name if known else found}{dot}{rest}()"


@dataclass
class OpenFunction:
    """A function that is being read, or the statements of the file itself."""

    file: OpenFile
    routine: Routine
    names: dict[str, TaggedValue]
    outer: set[str] = field(default_factory=set)
    calls: list[CallFact] = field(default_factory=list)
    guards: list[GuardFact] = field(default_factory=list)
    loops: list[LoopFact] = field(default_factory=list)
    writes: list[WriteFact] = field(default_factory=list)
    pairs: list[PairFact] = field(default_factory=list)
    returns: set[str] = field(default_factory=set)
    says: set[str] = field(default_factory=set)
    refers: set[str] = field(default_factory=set)
    asserts: list[Tags] = field(default_factory=list)
    marks: list[CallFact] = field(default_factory=list)
    divides: bool = False

    @property
    def is_file(self) -> bool:
        """Whether its names are those of the file."""
        return self.names is self.file.names

    def add_guard(
        self, node: SgNode, asks: Tags, leaves: str, around: Around,
        says: Tags = NOTHING, *, handler: bool = False,
    ) -> Around:  # fmt: skip
        """Note a condition; where what it guards stands."""
        self.guards.append(GuardFact(get_line(node), asks, leaves, says, handler))
        number = len(self.guards) - 1
        return around._replace(guards=(*around.guards, number))

    def wait_for(self, routine: Routine) -> int:
        """Have a function read later, by the names that it sees from here; its number."""
        file = self.file
        number = file.numbers.get(id(routine))
        if number is None:
            number = file.numbers[id(routine)] = len(file.numbers) + 1
            parent = file.numbers.get(id(self.routine), 0)
            names = file.names if parent == 0 and not self.routine.name else self.names
            # A copy: what a function binds is its own.
            seen = {} if names is file.names else dict(names)
            file.waiting.append(WaitingFunction(routine, parent, seen))
        return number


def get_line(node: SgNode) -> int:
    """The line on which a node begins, the first of a file being 1."""
    return node.range().start.line + 1
