"""Globs by their shape: where most globs end up is known from a path without trying the globs.

A glob such as `src/**`, `**/*.py` or `**/Dockerfile` has a key that only the paths it means can
carry, and a test that needs no regular expression. Any other glob keeps its test of bot.subjects
and the key of whatever part of it is literal. Both together mean exactly what `matches` means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from bot.subjects.globs import matches

Test = Callable[[str], bool]


class Key(NamedTuple):
    """Something literal that a path carries: `kind` says which part of it `text` is."""

    kind: str
    text: str


ANY = Key("any", "")
"""Of globs that hold nothing literal to look for."""

_LITERAL = re.compile(r"[^*?\[\]{}\\!/]+")
_ENDING = re.compile(r"\*([^*?\[\]{}\\!/]+)")
_MAX_CHOICES = 64
"""Alternatives of braces that are taken apart; a glob with more is tested as a whole."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One glob without braces: the key that its paths carry, and whether a path is one of them.

    The test holds for plain paths (see `is_plain`) that carry the key.
    """

    key: Key
    test: Test


def is_plain(path: str) -> bool:
    """Whether a path is as git writes it: no empty segment, "." or ".."."""
    return not any(segment in ("", ".", "..") for segment in path.split("/"))


def keys_of(path: str) -> Iterator[Key]:
    """Every key that a plain path carries."""
    *folders, name = path.split("/")
    yield ANY
    yield Key("path", path)
    yield Key("name", name)
    yield Key("extension", _extension(name))
    above = ""
    for folder in folders:
        above = f"{above}/{folder}" if above else folder
        yield Key("below", above)
    for folder in set(folders):
        yield Key("folder", folder)


def shapes_of(glob: str) -> tuple[Shape, ...]:
    """The shapes that together mean what a glob means, one for each choice in braces."""
    if "{" not in glob:
        return (_shape(glob),)
    choices = _expanded(glob)
    return (_generic(glob),) if choices is None else tuple(_shape(choice) for choice in choices)


@dataclass(frozen=True, slots=True)
class PathTest:
    """A rule's `paths`: some glob means the path, and none that starts with "!" excludes it."""

    keys: frozenset[Key]
    _including: tuple[Test, ...]
    _excluding: tuple[Test, ...]

    @classmethod
    def of(cls, globs: Sequence[str]) -> PathTest:
        """The test of a rule's globs. Without one that includes, every path is meant."""
        including = [
            shape for glob in globs if not glob.startswith("!") for shape in shapes_of(glob)
        ]
        excluding = [
            shape for glob in globs if glob.startswith("!") for shape in shapes_of(glob[1:])
        ]
        return cls(
            frozenset(shape.key for shape in including) or frozenset({ANY}),
            tuple(shape.test for shape in including),
            tuple(shape.test for shape in excluding),
        )

    def means(self, path: str) -> bool:
        """Whether a plain path that carries one of the keys is meant."""
        if any(test(path) for test in self._excluding):
            return False
        return not self._including or any(test(path) for test in self._including)


def _expanded(glob: str) -> Sequence[str] | None:
    import bracex  # noqa: PLC0415 - what wcmatch takes braces apart with, and has loaded by now

    try:
        choices = list(bracex.iexpand(glob, keep_escapes=True, limit=_MAX_CHOICES))
    except bracex.ExpansionLimitException:
        return None
    return None if any("{" in choice for choice in choices) else choices


def _shape(glob: str) -> Shape:
    segments = glob.split("/")
    if segments[-2:] == ["**", "*"]:
        segments.pop()
    literal = [bool(_LITERAL.fullmatch(part)) and part not in (".", "..") for part in segments]
    if all(literal):
        return Shape(Key("path", glob), partial(_equals, glob))
    first = literal.index(False)
    prefix, rest = "/".join(segments[:first]), segments[first:]
    if rest == ["**"]:
        return Shape(Key("below", prefix), partial(_below, prefix)) if prefix else _everything()
    if len(rest) == 2 and rest[0] == "**" and not prefix and literal[-1]:
        return Shape(Key("name", rest[1]), partial(_named, rest[1]))
    if len(rest) == 2 and rest[0] == "**" and (ending := _ENDING.fullmatch(rest[1])):
        return _with_ending(prefix, ending[1])
    if len(rest) >= 3 and rest[0] == rest[-1] == "**" and not prefix and all(literal[1:-1]):
        middle = rest[1:-1]
        return Shape(Key("folder", middle[0]), partial(_inside, "/".join(middle)))
    return _generic(glob, prefix, segments[-1])


def _everything() -> Shape:
    return Shape(ANY, lambda _: True)


def _with_ending(prefix: str, ending: str) -> Shape:
    if prefix:
        return Shape(Key("below", prefix), partial(_below_and_ends, prefix, ending))
    extension = _extension(ending)
    return Shape(Key("extension", extension) if extension else ANY, partial(_ends, ending))


def _generic(glob: str, prefix: str = "", last: str = "") -> Shape:
    """A glob that only its own test understands, tried where its literal parts fit at least."""
    if _LITERAL.fullmatch(last):
        ending, key = f"/{last}", Key("name", last)
    else:
        match = _ENDING.fullmatch(last)
        ending = match[1] if match else ""
        extension = _extension(ending)
        key = Key("extension", extension) if extension else ANY
        key = Key("below", prefix) if prefix else key
    beginning = f"{prefix}/" if prefix else ""
    return Shape(key, partial(_fits, beginning, ending, glob))


def _extension(name: str) -> str:
    """From the last dot on, "" without one. The same for a name and for how the name ends."""
    return name[at:] if (at := name.rfind(".")) >= 0 else ""


def _fits(beginning: str, ending: str, glob: str, path: str) -> bool:
    return path.startswith(beginning) and f"/{path}".endswith(ending) and matches(glob, path)


def _equals(glob: str, path: str) -> bool:
    return path == glob


def _named(name: str, path: str) -> bool:
    return path == name or path.endswith(f"/{name}")


def _below(prefix: str, path: str) -> bool:
    return path.startswith(f"{prefix}/")


def _ends(ending: str, path: str) -> bool:
    return path.endswith(ending)


def _below_and_ends(prefix: str, ending: str, path: str) -> bool:
    return path.startswith(f"{prefix}/") and path.endswith(ending)


def _inside(folders: str, path: str) -> bool:
    return f"/{folders}/" in f"/{path.rpartition('/')[0]}/"
