"""What RECON hands to the named rules: signals, each with its evidence, and the inventory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.worktree import Worktree


@dataclass(frozen=True, slots=True)
class SignalEvidence:
    """A line that shows something.

    `line` is 1-based; the snippet is that line, cut off. `probe` is which of the signal's probes
    held there, counted from 0. `first` and `last` are the lines of the function around it, or 0.
    `kind` is what was found, a field of `SignalPattern`, and `said` its words. `carriers` are the
    lines at which other functions begin without which it would not be there. `doubt` is why it
    supports no verdict, "" if it does.
    """

    path: str
    line: int
    snippet: str
    probe: int = 0
    first: int = 0
    last: int = 0
    kind: str = ""
    said: str = ""
    carriers: tuple[tuple[str, int], ...] = ()
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Signal:
    """How strongly something shows, in [0, 1], and all the lines that show it."""

    name: str
    strength: float
    evidence: tuple[SignalEvidence, ...] = ()

    def __bool__(self) -> bool:
        return self.strength > 0


@dataclass(frozen=True, slots=True)
class Signals:
    """All signals of a worktree by name, those that show nothing among them.

    `held` are the same signals of such evidence alone as supports a verdict, None if nobody looked.
    """

    by_name: Mapping[str, Signal]
    held: Mapping[str, Signal] | None = None

    def __getitem__(self, name: str) -> Signal:
        """The signal of that name. Raises KeyError if RECON knows none."""
        return self.by_name[name]

    def __iter__(self) -> Iterator[Signal]:
        return iter(self.by_name.values())

    def keep_held(self) -> Signals:
        """What is left of the evidence that supports a verdict."""
        return self if self.held is None else Signals(self.held)

    def find_strongest(self, names: Iterable[str]) -> Signal:
        """The strongest of several signals, the first if they are equal."""
        return max((self[name] for name in names), key=lambda signal: signal.strength)


@dataclass(frozen=True, slots=True)
class InventoryFile:
    """A file that RECON looked at. `unread` is why nothing is known of what stands in it."""

    path: str
    role: Role
    language: str | None
    size: int
    lines: int = 0
    unread: str | None = None


_SMALL = 20
_SMALL_LINES = 1_000
"""Files and lines of code up to which a program is of one thing, and all of it is around."""


def is_of_one_thing(lengths: Iterable[int]) -> bool:
    """Whether files of code of so many lines are a small program, which is about one thing."""
    known = tuple(lengths)
    return len(known) <= _SMALL and sum(known) <= _SMALL_LINES


@dataclass(frozen=True, slots=True)
class Inventory:
    """What the worktree holds. `left_out` are paths that were not looked at, with the reason.

    `unseen` are those that should have been, files and folders, with the reason too. `taken_in` are
    samples, vendored and generated files that the product imports, and that count as its own.
    """

    files: tuple[InventoryFile, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    unseen: tuple[tuple[str, str], ...] = ()
    taken_in: tuple[str, ...] = ()
    by_path: Mapping[str, InventoryFile] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_path", {file.path: file for file in self.files})

    @property
    def unread(self) -> tuple[InventoryFile, ...]:
        """Files that should have been read and were not: what they hold is not known."""
        return tuple(file for file in self.files if file.unread is not None)

    @property
    def is_small(self) -> bool:
        """Whether it is a program of one thing: what its parts and pages say is said of that."""
        return is_of_one_thing(file.lines for file in self.list_files(Role.CODE))

    def list_files(self, *roles: Role) -> tuple[InventoryFile, ...]:
        """The files of these roles."""
        return tuple(file for file in self.files if file.role in roles)


# What a named rule answers: how far something shows, and where.


@dataclass(frozen=True, slots=True)
class Score:
    """How far a rule's thing shows, in [0, 1], and the lines that show it, the most telling first.

    Of a prohibition the rule looks for the practice itself: 1.0 is a violation seen everywhere.
    Raises ValueError outside [0, 1]: a number that means nothing must not become a verdict.
    """

    value: float
    evidence: tuple[SignalEvidence, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.value <= 1:
            raise ValueError(f"a score is a number from 0 to 1, not {self.value}")


# The named rules that packs weigh: functions over what RECON found, registered by name.
#
# A rule reads signals and the inventory, and only if those do not do a file of the worktree.
# It may raise: its clause is then `error`, never a score. Modules of `jurat.rating.named_rules`
# hold the rules; importing that package registers them all.

NamedRule = Callable[[Signals, Inventory, Worktree], Score]
"""How far one thing shows in a worktree."""

_RULES: dict[str, NamedRule] = {}


def register_rule(name: str) -> Callable[[NamedRule], NamedRule]:
    """Register a function as the rule of that name. Raises ValueError if the name is taken."""

    def register(rule: NamedRule) -> NamedRule:
        if name in _RULES:
            raise ValueError(f"there is a rule {name!r} already")
        _RULES[name] = rule
        return rule

    return register


def list_registered() -> Mapping[str, NamedRule]:
    """The rules that were registered so far, by name."""
    return MappingProxyType(_RULES)
