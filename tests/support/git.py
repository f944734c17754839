"""Trees made and compared by git itself."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

COMMIT = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00"
"""A commit of another repository, for submodules."""


@dataclass(frozen=True)
class Entry:
    """What stands at a path: content and mode. A link's content is its target."""

    content: bytes
    mode: str = "100644"


Tree = Mapping[str | bytes, bytes | Entry]


class Pair:
    """Two commits, `head` upon `base`, in a bare repository of their own."""

    def __init__(self, folder: Path, base: Tree, head: Tree) -> None:
        self.folder = folder
        write_commits(folder, [("base", None, base), ("head", "base", head)])

    def diff(self, *options: str) -> bytes:
        """What `git diff` prints between the two."""
        return self._git("diff", *options, "base", "head")

    def mail(self) -> bytes:
        """What `git format-patch` makes of the head."""
        return self._git("format-patch", "--stdout", "base..head")

    def configure(self, setting: str, value: str) -> None:
        """Change a setting of git for this repository."""
        self._git("config", setting, value)

    def show(self, tree: str, path: str) -> bytes:
        """A file's content in one of the trees."""
        return self._git("cat-file", "blob", f"{tree}:{path}")

    def _git(self, *arguments: str, stdin: bytes | None = None) -> bytes:
        return _run_git(self.folder, *arguments, stdin=stdin)


def write_commits(folder: Path, commits: Iterable[tuple[str, str | None, Tree]]) -> None:
    """Make an empty folder a bare repository: a commit a branch, each upon a branch before it.

    A commit is its branch, the branch that it stands on (None for a first one), and its tree.
    """
    _run_git(folder, "init", "--quiet", "--bare", ".")
    _run_git(folder, "fast-import", "--quiet", stdin=b"".join(_commit(*item) for item in commits))


def _run_git(folder: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    isolated = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PATH": os.environ["PATH"],
    }
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        check=True,
        env=isolated,
    )
    return done.stdout


def _commit(branch: str, parent: str | None, tree: Tree) -> bytes:
    lines = [
        f"commit refs/heads/{branch}\n".encode(),
        b"committer A <a@example.com> 0 +0000\ndata 14\nSubject\n\nWhy.\n\n",
        f"from refs/heads/{parent}\n".encode() if parent else b"",
        b"deleteall\n",
    ]
    for path, given in tree.items():
        entry = given if isinstance(given, Entry) else Entry(given)
        name = b'"' + b"".join(b"\\%03o" % byte for byte in _bytes(path)) + b'"'
        if entry.mode == "160000":
            lines.append(b"M 160000 %s %s\n" % (entry.content, name))
        else:
            lines.append(b"M %s inline %s\n" % (entry.mode.encode(), name))
            lines.append(b"data %d\n%s\n" % (len(entry.content), entry.content))
    return b"".join(lines)


def _bytes(path: str | bytes) -> bytes:
    return path if isinstance(path, bytes) else path.encode()
