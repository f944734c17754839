"""Diffs as GitHub serves them: files, hunks, and the lines that a review comment may stand on.

Reads git's own output and shares no code with the reviewer, so that neither covers for the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from tests.standins.github.git import ChangedPath, GitStore

Side = Literal["LEFT", "RIGHT"]

_FILE = re.compile(rb"^diff --git ", re.MULTILINE)
_HUNK = re.compile(rb"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_BARE_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@", re.MULTILINE)

_STATUS = {
    "A": "added",
    "D": "removed",
    "M": "modified",
    "R": "renamed",
    "C": "copied",
    "T": "changed",
}


@dataclass(frozen=True, slots=True)
class DiffLimits:
    """Where GitHub stops serving a diff.

    The total: https://docs.github.com/repositories/creating-and-managing-repositories/repository-limits.
    One file: https://github.com/github/docs/issues/9078, which quotes GitHub's own source.
    """

    files: int = 300
    lines: int = 20_000
    bytes: int = 1_000_000
    listed_files: int = 3_000
    file_lines: int = 3_000
    file_bytes: int = 100_000


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a hunk. `position` counts from 1 below the file's first hunk header."""

    position: int
    hunk: int
    old: int | None
    new: int | None
    text: bytes


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One changed file. `patch` starts at the first hunk and is empty if there is none."""

    change: ChangedPath
    patch: bytes

    @property
    def path(self) -> str:
        """Where the file is now, or was before it was deleted."""
        return self.change.path

    @property
    def status(self) -> str:
        """GitHub's word for what happened to the file."""
        return _STATUS[self.change.status]

    def lines(self) -> tuple[DiffLine, ...]:
        """The lines of all hunks, headers left out but counted, as GitHub's positions count."""
        return _read_lines(self.patch)

    def find(self, side: Side, number: int) -> DiffLine | None:
        """The diff line that shows line `number` of that side, or None outside every hunk."""
        for line in self.lines():
            if (line.new if side == "RIGHT" else line.old) == number:
                return line
        return None

    def at(self, position: int) -> DiffLine | None:
        """The diff line at a position."""
        return next((line for line in self.lines() if line.position == position), None)

    def hunk_up_to(self, target: DiffLine) -> str:
        """The hunk from its header down to `target`, which is what a comment shows above itself."""
        kept: list[bytes] = []
        for position, text in enumerate(self.patch.split(b"\n")):
            if _HUNK.match(text):
                kept = []
            kept.append(text)
            if position == target.position:
                break
        return b"\n".join(kept).decode("utf-8", "replace")

    def too_large(self, limits: DiffLimits) -> bool:
        """Whether GitHub leaves the patch out of the list of files."""
        return len(self.patch) > limits.file_bytes or self.patch.count(b"\n") > limits.file_lines


def refusal(patch: bytes, files: int, limits: DiffLimits) -> str | None:
    """Why GitHub does not serve this diff as a whole, or None if it does."""
    if files > limits.files:
        return (
            f"Sorry, the diff exceeded the maximum number of files ({limits.files}). Consider "
            "using 'List pull requests files' API or locally cloning the repository instead."
        )
    if patch.count(b"\n") > limits.lines:
        return f"Sorry, the diff exceeded the maximum number of lines ({limits.lines})"
    if len(patch) > limits.bytes:
        return f"Sorry, the diff exceeded the maximum number of bytes ({limits.bytes})"
    return None


@lru_cache(maxsize=1024)
def _read_lines(patch: bytes) -> tuple[DiffLine, ...]:
    found = []
    hunk = old = new = 0
    # Only \n ends a line of a patch; a lone \r or \f belongs to the text.
    for position, text in enumerate(patch.removesuffix(b"\n").split(b"\n")):
        if header := _HUNK.match(text):
            hunk, old, new = hunk + 1, int(header[1]), int(header[2])
            continue
        sign = text[:1]
        if not hunk or sign == b"\\":
            continue
        on_left, on_right = sign != b"+", sign != b"-"
        at_old, at_new = old if on_left else None, new if on_right else None
        found.append(DiffLine(position, hunk, at_old, at_new, text))
        old, new = old + on_left, new + on_right
    return tuple(found)


class Diffs:
    """The diffs of one repository. Commits never change, so each is read once."""

    def __init__(self, store: GitStore) -> None:
        self._store = store
        self.files = lru_cache(maxsize=256)(self._files)
        self._edits = lru_cache(maxsize=1024)(self._read_edits)

    def follow(self, before: str, after: str, path: str, first: int, last: int) -> int | None:
        """By how much lines `first` to `last` of a file moved from one commit to another.

        None if one of them was changed or removed, something was put between them, or the
        file is gone or has another name: then a comment on them is outdated.
        """
        if before == after:
            return 0
        edits = self._edits(before, after).get(path, ())
        if edits is None:
            return None
        moved = 0
        for start, count, shift in edits:
            if start > last:
                break
            if start + count > first:
                return None
            moved = shift
        return moved

    def _files(self, base: str, head: str) -> tuple[FileDiff, ...]:
        """The files that differ between two commits, in git's order."""
        found = []
        for change, section in self._sections(base, head, context=3):
            start = section.find(b"\n@@ ")
            patch = section[start + 1 :] if start >= 0 and change.status != "T" else b""
            found.append(FileDiff(change, patch))
        return tuple(found)

    def _read_edits(
        self, base: str, head: str
    ) -> dict[str, tuple[tuple[int, int, int], ...] | None]:
        """For each file edited in place: (first old line, old count, shift after it) of each edit.

        None for a file that was removed, renamed or replaced.
        """
        edits: dict[str, tuple[tuple[int, int, int], ...] | None] = {}
        for change, section in self._sections(base, head, context=0):
            if change.status not in "MA":
                edits[change.old_path] = None
                continue
            found, shift = [], 0
            for header in _BARE_HUNK.finditer(section):
                count = int(header[2] or 1)
                shift += int(header[3] or 1) - count
                # An insertion is printed as `-N,0`: it stands after line N.
                found.append((int(header[1]) + (count == 0), count, shift))
            edits[change.path] = tuple(found)
        return edits

    def _sections(self, base: str, head: str, context: int) -> Iterator[tuple[ChangedPath, bytes]]:
        """The patch cut at each `diff --git`; no line of a hunk can begin like that."""
        patch = self._store.patch(base, head, context)
        starts = [found.start() for found in _FILE.finditer(patch)] + [len(patch)]
        cuts = pairwise(starts)
        for change in self._store.changed_paths(base, head):
            start, end = next(cuts)
            if change.status == "T":  # printed as a deletion and an addition
                _, end = next(cuts)
            yield change, patch[start:end]
