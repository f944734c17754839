"""The rule packs that come with Bylaw."""

from __future__ import annotations

from functools import cache

from bot.corpus.validation import one_of
from bot.errors import UsageError
from bot.resources import shipped

_PREFIX = "bylaw:"
"""Begins the paths of shipped files, as no path in a repository does."""

_REGULATIONS = "regulations"
"""The folder of what repositories are rated by (see bot.rating.packs): no rules for a change."""


@cache
def shipped_packs() -> tuple[str, ...]:
    """The names of all packs, sorted."""
    folder = shipped("rules")
    named = (path.name for path in folder.iterdir() if any(path.glob("*.yml")))
    return tuple(sorted(name for name in named if name != _REGULATIONS))


@cache
def shipped_regulations() -> tuple[str, ...]:
    """The ids of all regulations that a repository can be rated by, sorted."""
    return tuple(sorted(path.stem for path in shipped("rules", _REGULATIONS).glob("*.yml")))


def is_shipped(path: str, text: str) -> bool:
    """Whether a file is a pack's, word for word. The test suite has checked its rules already."""
    name = path.removeprefix(_PREFIX).partition("/")[0]
    return (
        path.startswith(_PREFIX) and name in shipped_packs() and read_pack(name).get(path) == text
    )


@cache
def _read(name: str) -> tuple[tuple[str, str], ...]:
    folder = shipped("rules", name)
    return tuple(
        (f"{_PREFIX}{name}/{path.relative_to(folder).as_posix()}", path.read_text("utf-8"))
        for path in sorted(folder.rglob("*"))
        if path.suffix in {".yml", ".yaml", ".csv"}
    )


def read_pack(name: str) -> dict[str, str]:
    """The files of a pack, text by path. Raises UsageError where there is no such pack."""
    known = shipped_packs()
    if name not in known:
        raise UsageError(f"There is no pack {name!r}; {one_of(known, name)}")
    return dict(_read(name))
