"""The files of a repository by what imports call them: modules, packages, and scripts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from jurat.rating.signals.recon_table import load_recon_table

_SUFFIXES = (
    *("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs"),
    *("/index.ts", "/index.tsx", "/index.js"),
)
"""What a script's import may leave out of its path."""
_SCRIPT = re.compile(r"\.[cm]?jsx?$")
_BUILT = re.compile(r"(^|/)(?:dist|build|out|lib)/")
"""A folder into which a compiler writes what stands in `src`."""
_ALIAS = re.compile(r"[@~#]/")
"""What stands for the root of a project's own scripts in most settings of compilers."""
_MARKS = ("@", "~", "#", "$")
_NAMED_ALIAS = re.compile(r"[@~#$]([A-Za-z][\w-]*)/")
"""What stands for a folder of them by its name: a library has no such file here."""


@dataclass(frozen=True)
class ModulePaths:
    """The paths of a repository's files whose functions are known."""

    paths: frozenset[str]

    def get(self, name: str) -> str | None:
        """The file of a dotted module, or of the end of its name; None if there is none."""
        return self._modules.get(name)

    def find(self, path: str, name: str) -> tuple[str, str] | None:
        """The file that a name in a file leads into, and what is named in it; None if none."""
        if alias := _ALIAS.match(name):
            return self._find_at_home(path, name[alias.end() :])
        if name.startswith(_MARKS) and (named := _NAMED_ALIAS.match(name)):
            if named[1] in self._folders and named[1] not in load_recon_table().library_scopes:
                return self._find_at_home(path, name[named.start(1) :])
            return None
        if name.startswith(("./", "../")) or (name in (".", "..") and not path.endswith(".py")):
            return self._find_script(path, name)
        if name.startswith("."):
            dots = len(name) - len(name.lstrip("."))
            folder = path.split("/")[:-dots]
            parts = [*folder, *filter(None, name.lstrip(".").split("."))]
            least = len(folder)
        else:
            if name.partition(".")[0] not in self._heads:
                return None  # as most: a library's, or no module's at all
            parts, least = name.split("."), 1
        for end in range(len(parts), max(least - 1, 0), -1):
            bare = ".".join(parts[:end])
            where = self._modules.get(bare)
            if where is not None and (where != path or name.startswith(".")):
                if "(" in bare or (end == 1 and not self._is_importable(path, where)):
                    continue
                return where, ".".join(parts[end:])
        return None

    def _find_at_home(self, path: str, rooted: str) -> tuple[str, str] | None:
        """The file at a path from where a project's own scripts stand."""
        homes = ("", "src/", f"{path.partition('/src/')[0]}/src/", f"{path.partition('/')[0]}/")
        tried = (self._find_script("", f"./{home}{rooted}") for home in homes)
        return next(filter(None, tried), None)

    def _is_importable(self, path: str, where: str) -> bool:
        """Whether a module's bare name may mean a file: one of a package means a library's."""
        folder = posixpath.dirname(where)
        inside = folder == "" or path.startswith((f"{folder}/", "."))
        return inside or where.endswith("/__init__.py") or f"{folder}/__init__.py" not in self.paths

    def _find_script(self, path: str, name: str) -> tuple[str, str] | None:
        folder = posixpath.dirname(path)
        parts = name.split(".")
        for end in range(len(parts), 0, -1):
            bare = ".".join(parts[:end])
            if not bare.strip("./"):
                continue
            whole = posixpath.normpath(posixpath.join(folder, bare))
            stem = _SCRIPT.sub("", whole)
            source = _BUILT.sub(r"\1src/", stem)
            tried = tuple(one for one in (whole, stem, source) if one in self._bare)
            for suffix in _SUFFIXES if tried else ():
                for candidate in (one + suffix for one in tried):
                    if candidate in self.paths:
                        return candidate, ".".join(parts[end:])
        return None

    @cached_property
    def _folders(self) -> frozenset[str]:
        """The names of folders in which scripts stand."""
        return frozenset(
            part
            for path in self.paths
            if not path.endswith((".py", ".ipynb"))
            for part in path.split("/")[:-1]
        )

    @cached_property
    def _bare(self) -> frozenset[str]:
        """All paths without what a script's import may leave out."""
        return frozenset(
            path.removesuffix(suffix)
            for path in self.paths
            for suffix in _SUFFIXES
            if path.endswith(suffix)
        )

    def is_absent(self, name: str) -> bool:
        """Whether a foreign name is of the repository's own part that is not in it."""
        if name.startswith(("./", "../")) or _ALIAS.match(name):
            return True
        head = name.partition(".")[0]
        return name.startswith(".") or head in self._packages

    @cached_property
    def _packages(self) -> frozenset[str]:
        """The folders in which modules of Python stand, by their first name."""
        return frozenset(path.partition("/")[0] for path in self.paths if path.endswith(".py"))

    @cached_property
    def _modules(self) -> Mapping[str, str]:
        """Paths by the dotted end of their module: `a.b.c`, `b.c` and `c`."""
        found: dict[str, str] = {}
        for path in sorted(self.paths, key=lambda path: (path.count("/"), path)):
            stem, dot, suffix = path.rpartition(".")
            if suffix not in ("py", "ipynb") or not dot:
                continue
            parts = stem.removesuffix("/__init__").split("/")
            for start in range(len(parts)):
                found.setdefault(".".join(parts[start:]), path)
        return found

    @cached_property
    def _heads(self) -> frozenset[str]:
        """The first names of `_modules`: what begins otherwise is no module's."""
        return frozenset(name.partition(".")[0] for name in self._modules)
