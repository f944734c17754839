"""What a rule may do where: nothing, observe, warn or block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag

from jurat.rules.validation import StrictModel
from jurat.source.paths import match_glob


class Level(StrEnum):
    """What a rule's findings do. Compare by `rank`, 0 for OFF to 3 for BLOCK.

    OFF: nobody looks. OBSERVE: they are folded away. WARN: they are advice, beside a check that
    passes. BLOCK: the check fails.
    """

    OFF = "off"
    OBSERVE = "observe"
    WARN = "warn"
    BLOCK = "block"

    @property
    def rank(self) -> int:
        """0 for OFF to 3 for BLOCK."""
        return tuple(Level).index(self)


def pick_stricter(one: Level, other: Level) -> Level:
    """Whichever lets less pass."""
    return max(one, other, key=lambda level: level.rank)


@dataclass(frozen=True, slots=True)
class PathLevel:
    """The level of a rule in the files that one of some globs means."""

    paths: tuple[str, ...]
    level: Level


@dataclass(frozen=True, slots=True)
class Enforcement:
    """The level of one rule, wherever it looks.

    The first of `by_path` that means a file decides there; `level` holds in all other files, and
    for the change as a whole. `reason` says what decided the level, as the end of "it blocks: …".
    `wanted` is whether somebody asked for this very rule, so that no least severity leaves it out.
    `least` is what the owner requires of it: wherever that is stricter, it holds.
    """

    level: Level
    reason: str = ""
    by_path: tuple[PathLevel, ...] = ()
    wanted: bool = False
    least: Enforcement | None = None

    def get_level(self, path: str | None) -> Level:
        """The level in a file, or for the change as a whole."""
        found = next(
            (
                item.level
                for item in (self.by_path if path is not None else ())
                if any(match_glob(glob, path or "") for glob in item.paths)
            ),
            self.level,
        )
        return found if self.least is None else pick_stricter(found, self.least.get_level(path))

    @property
    def strictest(self) -> Level:
        """The highest level that it has anywhere."""
        own = max((self.level, *(item.level for item in self.by_path)), key=lambda one: one.rank)
        return own if self.least is None else pick_stricter(own, self.least.strictest)

    @property
    def switches_off(self) -> bool:
        """Whether there may be files that the rule does not look at."""
        return any(item.level is Level.OFF for item in self.by_path)


# `levels:` of a configuration.


def is_rule_glob(name: str) -> bool:
    """Whether a name means rules by a pattern, and not one rule by its id."""
    return any(character in name for character in "*?[{")


def _refuse_exclusions(globs: tuple[str, ...]) -> tuple[str, ...]:
    if any(glob.startswith("!") for glob in globs):
        problem = "cannot exclude with '!': write an entry of its own for the exception"
        raise ValueError(problem)
    return globs


class LevelEntry(StrictModel):
    """The level of some rules, by id or glob; in some files, if it has `paths`."""

    rules: Annotated[tuple[str, ...], AfterValidator(_refuse_exclusions)] = Field(min_length=1)
    paths: Annotated[tuple[str, ...], AfterValidator(_refuse_exclusions)] = ()
    level: Level

    def find_name(self, rule_id: str) -> str | None:
        """The name by which the entry means a rule: its id rather than a glob; None for none."""
        if rule_id in self.rules:
            return rule_id
        globs = (name for name in self.rules if is_rule_glob(name))
        return next((glob for glob in globs if match_glob(glob, rule_id)), None)


def _detect_shape(value: object) -> str:
    return "entries" if isinstance(value, list | tuple) else "names"


Levels = Annotated[
    Annotated[Mapping[str, Level], Tag("names")]
    | Annotated[tuple[LevelEntry, ...], Tag("entries")],
    Discriminator(_detect_shape),
]
"""Levels by the names of rules, or entries that may name paths too."""


def list_level_entries(levels: Mapping[str, Level] | tuple[LevelEntry, ...]) -> list[LevelEntry]:
    """The same as entries, in order."""
    if isinstance(levels, tuple):
        return list(levels)
    return [LevelEntry(rules=(name,), level=level) for name, level in levels.items()]


def iter_rule_names(levels: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Each name of rules in `levels` as a valid file holds it, with the keys that lead to it."""
    if isinstance(levels, Mapping):
        yield from (((name,), name) for name in levels)
        return
    for index, entry in enumerate(levels):
        yield from (
            ((index, "rules", place), name) for place, name in enumerate(entry.get("rules", ()))
        )


def iter_level_paths(levels: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Each glob of paths in `levels`, with the keys that lead to it."""
    for index, entry in enumerate(levels if not isinstance(levels, Mapping) else ()):
        yield from (
            ((index, "paths", place), glob) for place, glob in enumerate(entry.get("paths", ()))
        )
