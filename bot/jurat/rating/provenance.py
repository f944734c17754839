"""What was rated and by what: the checkout, its commit, the day, and digests of tool and packs."""

from __future__ import annotations

import datetime as dt
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

from jurat import __version__
from jurat.resources import get_bundled_path


@dataclass(frozen=True, slots=True)
class RatedSource:
    """A checkout as it was rated.

    `page` is where people read the repository, "" if that is not known or does not have `commit`.
    `folder` is the rated folder in it, "" or ending in "/". `changed` are files below that folder
    that are not as the commit has them.
    """

    name: str
    made: dt.datetime
    commit: str = ""
    page: str = ""
    folder: str = ""
    changed: frozenset[str] = frozenset()

    def link_line(self, path: str, line: int) -> str:
        """The address of a line as of the commit, "" if nobody could open it there."""
        if not (self.page and self.commit) or path in self.changed:
            return ""
        # Percent-encoded whole: a file's name may hold quotes, blanks and "#".
        name = quote((self.folder + path).encode("utf-8", "surrogateescape"), safe="/")
        between = "/-/blob/" if "gitlab" in self.page.split("/")[2] else "/blob/"
        return f"{self.page}{between}{self.commit}/{name}#L{line}"


_REMOTE = re.compile(
    r"(?:(?:https?|ssh|git)://(?:[^/@\s]*@)?(?P<host>[\w.-]+)(?P<port>:\d+)?/|(?:[\w.-]+@)?(?P<short>[\w.-]+):)"
    r"(?P<path>[\w.-]+(?:/[\w.-]+)+)/?",
    re.ASCII,
)


def find_page(remote: str) -> str:
    """Where people read the repository of a remote's address, "" if that cannot be told.

    Who logs in, and with what, is never part of it.
    """
    found = _REMOTE.fullmatch(remote.strip())
    if found is None:
        return ""
    # The port of ssh is not that of the pages.
    port = found["port"] or "" if remote.startswith("http") else ""
    return f"https://{found['host'] or found['short']}{port}/{found['path'].removesuffix('.git')}"


@dataclass(frozen=True, slots=True)
class ToolDigests:
    """What rates: its version, and SHA-256 of its code with the signals, and of the packs."""

    version: str
    code: str
    packs: str


@cache
def digest_tool() -> ToolDigests:
    """The digests of what is installed here."""
    rating = Path(__file__).parent
    packs = get_bundled_path("rules", "regulations")
    return ToolDigests(
        __version__,
        _digest_files(
            rating,
            rating.rglob("*.py"),
            *(get_bundled_path("rules", name) for name in ("recon.yml", "terms.yml")),
        ),
        _digest_files(packs, packs.rglob("*.yml")),
    )


@cache
def digest_reading() -> str:
    """SHA-256 of all that decides what a file shows: code, tables, and what parses and searches.

    It is more than `digest_tool`, by which people compare ratings: what was read before is believed
    again as long as it stays.
    """
    package, tables = Path(__file__).parents[1], get_bundled_path("rules")
    said = (
        _digest_files(package, package.rglob("*.py")),
        # All of them: one that is forgotten here would be believed for ever.
        _digest_files(tables, tables.rglob("*.yml")),
        *(version(name) for name in ("ast-grep-py", "google-re2", "PyYAML")),
        sys.version,
    )
    return sha256(repr(said).encode()).hexdigest()


def _digest_files(root: Path, files: Iterable[Path], *more: Path) -> str:
    """SHA-256 over the names and contents of files in the order of their names."""
    whole = sha256()
    named = sorted(
        [*((f.relative_to(root).as_posix(), f) for f in files), *((f.name, f) for f in more)]
    )
    for name, file in named:
        whole.update(f"{name}\0{sha256(file.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()
