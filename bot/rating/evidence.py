"""What RECON hands to the named rules: signals, each with its evidence, and the inventory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from bot.rating.recon.roles import Role


@dataclass(frozen=True, slots=True)
class Evidence:
    """A line that shows something.

    `line` is 1-based; the snippet is that line, cut off. `probe` is which of the signal's probes
    held there, counted from 0. `first` and `last` are the lines of the function around it, or 0.
    """

    path: str
    line: int
    snippet: str
    probe: int = 0
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Signal:
    """How strongly something shows, in [0, 1], and all the lines that show it."""

    name: str
    strength: float
    evidence: tuple[Evidence, ...] = ()

    def __bool__(self) -> bool:
        return self.strength > 0


@dataclass(frozen=True, slots=True)
class Signals:
    """All signals of a worktree by name, those that show nothing among them."""

    by_name: Mapping[str, Signal]

    def __getitem__(self, name: str) -> Signal:
        """The signal of that name. Raises KeyError where RECON knows none."""
        return self.by_name[name]

    def __iter__(self) -> Iterator[Signal]:
        return iter(self.by_name.values())

    def strongest(self, names: Iterable[str]) -> Signal:
        """The strongest of several signals, the first where they are equal."""
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


@dataclass(frozen=True, slots=True)
class Inventory:
    """What the worktree holds. `left_out` are paths that were not looked at, with the reason.

    `unseen` are those that should have been, files and folders, with the reason too.
    """

    files: tuple[InventoryFile, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    unseen: tuple[tuple[str, str], ...] = ()
    by_path: Mapping[str, InventoryFile] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_path", {file.path: file for file in self.files})

    @property
    def unread(self) -> tuple[InventoryFile, ...]:
        """Files that should have been read and were not: what they hold is not known."""
        return tuple(file for file in self.files if file.unread is not None)

    def of(self, *roles: Role) -> tuple[InventoryFile, ...]:
        """The files of these roles."""
        return tuple(file for file in self.files if file.role in roles)
