"""A git repository on disk that a test writes to and commits in."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from jurat.cli.checkout import GitCheckout, read_change, resolve_range
from jurat.source.diff import Diff, FileStatus


class Checkout:
    """A repository on disk that a test writes to and commits in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str = "work") -> str:
        """Commit everything that lies there; returns the SHA."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


def changed(checkout: Checkout, base: str | None = None, head: str | None = None) -> Diff:
    with GitCheckout.containing(checkout.folder) as repository:
        return read_change(repository, resolve_range(repository, base, head))


def base_of(folder: Path, base: str | None = None, head: str | None = None) -> str:
    with GitCheckout.containing(folder) as repository:
        return resolve_range(repository, base, head).base


def paths(change: Diff) -> dict[str, FileStatus]:
    return {file.path: file.status for file in change.files}
