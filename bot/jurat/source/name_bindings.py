"""How the languages bind names, as `jurat.source.names` needs to know it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from ast_grep_py import Rule, SgNode


class ScopeKind(Enum):
    """What a part of a file is to the names in it."""

    FUNCTION = auto()
    BLOCK = auto()
    CLASS = auto()


class Placement(Enum):
    """Which scope a binding belongs to: where it stands, or one further out."""

    BLOCK = auto()
    FUNCTION = auto()
    CLASS = auto()
    FILE = auto()
    DECLARED = auto()
    """The one that declares the name already, else the file's."""


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """A name that stands for something from the character `since` on.

    `means` is a full name, or the expression or type whose name it has, None for what the file
    defines itself. `parts` are taken of that one after the other: members, or `()`. `place` is a
    character in the scope that it is bound in. The name `*` brings all names of a module. A name
    that starts with `.` is an attribute of the class around it.
    """

    name: str
    place: int
    means: str | SgNode | None = None
    parts: tuple[str, ...] = ()
    since: int = -1
    placement: Placement = Placement.BLOCK
    is_empty: bool = False


Binder = Callable[[SgNode], Iterable[Binding]]
Member = tuple[SgNode | None, str | None]


def _read_nothing(_node: SgNode, _evaluate: Callable[[SgNode], str | None]) -> str | None:
    return ""


@dataclass(frozen=True, slots=True)
class NameFamily:
    """The languages that bind names in one way. Kinds of nodes are the grammar's.

    `scopes` gives the field that a scope starts at, the first that is there. `members` gives the
    object and the member's name, `wrappers` the expression that stands for the whole. `calls` has
    the field of what is called, `bare_calls` are calls of an `object` and a `name`, `creations`
    calls that make an instance of what they name. `read_call` gives the value of a call such as
    `require("x")`, and `""` for all others. `settle` adds a member, or `()`, to a name.
    """

    scopes: Mapping[str, tuple[ScopeKind, tuple[str, ...]]]
    binders: Mapping[str, Binder]
    identifiers: frozenset[str]
    members: Mapping[str, Callable[[SgNode], Member]]
    calls: Mapping[str, str]
    settle: Callable[[str, str], str]
    resolve_unbound: Callable[[str, Sequence[str]], str | None]
    is_self: Callable[[SgNode], bool]
    list_expressions: Callable[[SgNode], Iterator[tuple[str, SgNode]]]
    wrappers: Mapping[str, Callable[[SgNode], SgNode | None]] = field(default_factory=dict)
    bare_calls: frozenset[str] = frozenset()
    creations: frozenset[str] = frozenset()
    read_call: Callable[[SgNode, Callable[[SgNode], str | None]], str | None] = _read_nothing
    has_open_classes: bool = False


def find_kinds(root: SgNode, kinds: Iterable[str]) -> list[SgNode]:
    """All nodes of these kinds, in the order of a walk from the top."""
    return root.find_all({"rule": {"any": [Rule(kind=kind) for kind in kinds]}})


def get_start(node: SgNode) -> int:
    """The first character of a node."""
    return node.range().start.index


def get_end(node: SgNode) -> int:
    """The character behind a node."""
    return node.range().end.index


def list_named(node: SgNode | None) -> list[SgNode]:
    """The named children of a node that are no comments."""
    if node is None:
        return []
    return [child for child in node.named_children() if "comment" not in child.kind()]


def get_first_named(node: SgNode) -> SgNode | None:
    """The first of them."""
    return next(iter(list_named(node)), None)


def read_string(node: SgNode | None) -> str | None:
    """The text of a plain string literal, None for anything else."""
    if node is None or "string" not in node.kind():
        return None
    text = node.text()
    quote = text[:1]
    if len(text) < 2 or quote not in "\"'`" or text[-1] != quote:
        return None
    inner = text[1:-1]
    return None if any(mark in inner for mark in ("\\", quote, "${", "\n")) else inner
