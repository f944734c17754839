"""Which files of a change name each other, so that values are followed from one to the other.

A name that a file imports leads to the file that has it, as far as the paths of the change tell;
in Go and Java the files of a folder share their names without saying so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from posixpath import basename, commonprefix, dirname, join, normpath
from typing import NamedTuple

_FAMILIES = {
    "go": "go",
    "java": "java",
    "javascript": "script",
    "python": "python",
    "tsx": "script",
    "typescript": "script",
}
"""By language: the same for all whose files import each other."""

_BY_FOLDER = frozenset({"go", "java"})
"""Languages in which the files of a folder share their names."""

_SCRIPT_ENDS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte")
_WRITTEN_ENDS = re.compile(r"\.(?:[cm]?jsx?)$")
"""How a script is named that another imports, though it may be written in TypeScript."""

_ROOTS = frozenset({"", "app", "lib", "src"})
"""Folders at the top of a repository whose modules are named without them."""

MOST_LINKED = 40
"""Files of code of a change among which values are followed; in a larger one each stands alone."""

MOST_FILES = 8
MOST_CHARACTERS = 120_000
"""Files that are followed together with one, the nearest first, and what is in all of them."""

_IMPORTS = {
    "go": re.compile(r'^[^\S\n]*(?:import\s+)?(?:[\w.]+\s+)?"([^"\n]+)"', re.MULTILINE),
    "java": re.compile(r"^[^\S\n]*import\s+(?:static\s+)?([\w.]+)", re.MULTILINE),
    "python": re.compile(
        r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]*"
        r"(?:\(((?:[^()#]|#[^\n]*+)*+)|([^#()\n]*))|import[ \t]+([\w., \t]+))",
        re.MULTILINE,
    ),
    "script": re.compile(
        r"""(?:\bfrom|\brequire\s*\(|\bimport\s*\(|\bimport)\s*["']([^"'\n]+)["']"""
    ),
}
_PYTHON_COMMENT = re.compile(r"#[^\n]*")


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """A file of a change as its grammar reads it."""

    path: str
    language: str
    text: str

    @property
    def unit(self) -> str:
        """What its names belong to: itself, or its folder."""
        return dirname(self.path) if self.language in _BY_FOLDER else self.path


class Link(NamedTuple):
    """What an imported name leads to: a unit of the change, and the names to go by in there."""

    unit: str
    names: tuple[str, ...]


class LinkedPaths:
    """The paths of a change's files in one family of languages, and their folders, by how they end.

    A change of thousands of files has as many imports times ten: none may go through all paths.
    """

    def __init__(self, files: Iterable[LinkedFile]) -> None:
        self.whole = frozenset(one.path for one in files)
        self.by_name: dict[str, list[str]] = {}
        for path in self.whole:
            self.by_name.setdefault(basename(path), []).append(path)
        self.folders: dict[str, list[str]] = {}
        for folder in {dirname(path) for path in self.whole}:
            self.folders.setdefault(basename(folder), []).append(folder)


def group_paths(files: Iterable[LinkedFile]) -> Mapping[str, LinkedPaths]:
    """The paths of files that may import each other, by the family of their languages."""
    grouped: dict[str, list[LinkedFile]] = {}
    for one in files:
        if one.language in _FAMILIES:
            grouped.setdefault(_FAMILIES[one.language], []).append(one)
    return {family: LinkedPaths(members) for family, members in grouped.items()}


def is_linked(file: LinkedFile) -> bool:
    """Whether the language of a file is one whose files are followed together."""
    return file.language in _FAMILIES


class ImportLinks:
    """What a file's imports lead to among the files of a change, of which `paths` are given."""

    def __init__(self, path: str, language: str, paths: Mapping[str, LinkedPaths]) -> None:
        self._path = path
        self._family = _FAMILIES.get(language, "")
        self._paths = paths.get(self._family)
        self._found: dict[tuple[str, str], Link | None] = {}

    def find(self, module: str, name: str = "") -> Link | None:
        """Where a module is, or a part of it by its name; None if the change does not have it."""
        asked = module, name
        if asked not in self._found:
            self._found[asked] = self._find(module, name)
        return self._found[asked]

    def is_like(self, other: ImportLinks) -> bool:
        """Whether all that the other was asked so far leads to the same here."""
        return all(self.find(*asked) == found for asked, found in other._found.items())

    def _find(self, module: str, name: str) -> Link | None:
        if self._paths is None:
            return None
        if self._family == "script":
            found = self._find_script(module, self._paths)
            return None if found is None else Link(found, (name,) if name else ())
        if self._family == "go":
            folder = self._find_folder(module, self._paths)
            return None if folder is None else Link(folder, (name,) if name else ())
        dots = len(module) - len(module.lstrip("."))
        parts = [*filter(None, module.lstrip(".").split(".")), *filter(None, name.split("."))]
        if self._family == "java":
            return self._find_class(parts, self._paths)
        return self._find_python(dots, parts, self._paths)

    def _find_script(self, module: str, paths: LinkedPaths) -> str | None:
        if module.startswith("."):
            places = [normpath(join(dirname(self._path), module))]
        elif module.startswith(("@/", "~/")):
            places = [join(root, module[2:]) for root in ("src", "", "app")]
        else:
            return None
        for place in places:
            for stem in (place, _WRITTEN_ENDS.sub("", place)):
                for end in _SCRIPT_ENDS:
                    for one in (stem + end, f"{stem}/index{end}"):
                        if one in paths.whole:
                            return one
        return None

    def _find_folder(self, module: str, paths: LinkedPaths) -> str | None:
        own = dirname(self._path)
        fitting = [
            folder
            for folder in paths.folders.get(basename(module), ())
            if folder and folder != own and f"/{module}".endswith(f"/{_drop_common(folder, own)}")
        ]
        return max(fitting, key=lambda folder: self._rank(folder, module), default=None)

    def _rank(self, folder: str, module: str) -> tuple[int, str]:
        return len(commonprefix([folder[::-1], module[::-1]])), folder

    def _find_class(self, parts: Sequence[str], paths: LinkedPaths) -> Link | None:
        for end in range(len(parts), 0, -1):
            found = self._find_ending("/".join(parts[:end]) + ".java", paths)
            if found is not None:
                return Link(dirname(found), tuple(parts[end - 1 :]))
        return None

    def _find_python(self, dots: int, parts: Sequence[str], paths: LinkedPaths) -> Link | None:
        base = self._path
        for _ in range(dots):
            base = dirname(base)
        for end in range(len(parts), -1 if dots else 0, -1):
            tail = "/".join(parts[:end])
            for ending in (f"{tail}.py", f"{tail}/__init__.py".lstrip("/")):
                found = (
                    _find_whole(join(base, ending), paths)
                    if dots
                    else self._find_ending(ending, paths, own_folder=end == 1)
                )
                if found is not None and found != self._path:
                    return Link(found, tuple(parts[end:]))
        return None

    def _find_ending(
        self, ending: str, paths: LinkedPaths, *, own_folder: bool = False
    ) -> str | None:
        """The file whose path ends so, the one nearest to this file if there are several.

        One of a module without a dot must be in its `own_folder`, or where modules begin: elsewhere
        one that is called as a library is, is not meant.
        """
        fitting = [
            one
            for one in paths.by_name.get(basename(ending), ())
            if (one == ending or one.endswith(f"/{ending}"))
            and not (
                own_folder
                and one.removesuffix(ending).rstrip("/") not in _ROOTS | {dirname(self._path)}
            )
        ]
        return max(
            fitting, key=lambda one: (len(commonprefix([one, self._path])), one), default=None
        )


def _find_whole(path: str, paths: LinkedPaths) -> str | None:
    return path if path in paths.whole else None


def _drop_common(folder: str, own: str) -> str:
    """A folder without the top that both share: there may be a module's root."""
    parts, others = folder.split("/"), own.split("/")
    shared = 0
    while shared < min(len(parts) - 1, len(others)) and parts[shared] == others[shared]:
        shared += 1
    return "/".join(parts[shared:])


class LinkGraph:
    """The files of a change, and which of them name each other."""

    def __init__(self, files: Sequence[LinkedFile]) -> None:
        self._files = {one.path: one for one in files if one.language in _FAMILIES}

    @cached_property
    def _named(self) -> dict[str, set[str]]:
        """By path, the files that a file names."""
        named: dict[str, set[str]] = {path: set() for path in self._files}
        files = tuple(self._files.values())
        by_unit: dict[str, list[str]] = {}
        paths = group_paths(files)
        for one in files:
            by_unit.setdefault(one.unit, []).append(one.path)
        for one in files:
            links = ImportLinks(one.path, one.language, paths)
            for link in _list_links(one, links):
                for path in by_unit.get(link.unit, ()):
                    if path != one.path:
                        named[one.path].add(path)
        return named

    @cached_property
    def _near(self) -> dict[str, set[str]]:
        near = {path: set(others) for path, others in self._named.items()}
        for path, others in self._named.items():
            for other in others:
                near[other].add(path)
        return near

    def list_users(self, path: str) -> tuple[str, ...]:
        """The paths of the files that name one."""
        if path not in self._files or len(self._files) < 2:
            return ()
        return tuple(one for one, named in self._named.items() if path in named)

    def list_linked(self, path: str) -> tuple[LinkedFile, ...]:
        """The files that one is followed together with, the nearest first."""
        if path not in self._files or len(self._files) < 2:
            return ()
        found: list[LinkedFile] = []
        seen, waiting, room = {path}, [path], MOST_CHARACTERS
        while waiting and len(found) < MOST_FILES:
            following: list[str] = []
            for one in waiting:
                for other in sorted(self._near[one] - seen):
                    seen.add(other)
                    following.append(other)
                    room -= len(self._files[other].text)
                    if len(found) == MOST_FILES or room < 0:
                        return tuple(found)
                    found.append(self._files[other])
            waiting = following
        return tuple(found)

    def list_cut(self) -> tuple[str, ...]:
        """The paths of files that more hang together with than they are followed with, in order."""
        return tuple(
            path
            for path in sorted(self._files)
            if len(self.list_linked(path)) + 1 < self._sizes[path]
        )

    @cached_property
    def _sizes(self) -> dict[str, int]:
        """By path, how many files hang together with a file by names, itself among them."""
        sizes: dict[str, int] = {}
        for path in self._files:
            if path in sizes:
                continue
            seen, waiting = {path}, [path]
            while waiting:
                more = self._near[waiting.pop()] - seen
                seen |= more
                waiting += more
            sizes |= dict.fromkeys(seen, len(seen))
        return sizes


def _list_links(file: LinkedFile, links: ImportLinks) -> Iterator[Link]:
    family = _FAMILIES[file.language]
    if family in _BY_FOLDER:
        yield Link(file.unit, ())
    for found in _IMPORTS[family].finditer(file.text):
        yield from filter(None, _resolve_import(family, found, links))


def _resolve_import(family: str, found: re.Match[str], links: ImportLinks) -> Iterable[Link | None]:
    if family != "python":
        return (links.find(found[1]),)
    module, listed, names, modules = found.groups()
    if module is None:
        return (links.find(one.split()[0]) for one in modules.split(",") if one.split())
    plain = names if listed is None else _PYTHON_COMMENT.sub("", listed)
    said = (one.split()[0] for one in re.split(r"[,\n]", plain) if one.split())
    return (links.find(module, one.strip("*")) for one in said)
