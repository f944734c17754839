"""The files of a worktree, and how to read one: a folder on disk, or what a caller has listed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from jurat.errors import UsageError
from jurat.rating.signals.file_roles import is_foreign

FILE_LIMIT = 1_000_000
"""Bytes of a file beyond which it is not read: no person writes one, and some grammars would choke.

The same bound as `parser_pool.SIZE_CAP`.
"""
COUNT_LIMIT = 50_000
"""Files of a worktree beyond which the rest is not looked at, and the rating says so."""
_DEEPEST = 100
"""Folders inside one another."""
_GIT_FILE_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A regular file. `digest` names its content, as git's blob id does; "" if nothing is known.

    `path` is relative, with "/"; `size` is in bytes.
    """

    path: str
    size: int
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Worktree:
    """What there is to read. `left_out` are paths, folders with "/" at their end, with the reason.

    `unseen` are those that should have been looked at and could not be: what stands there is not
    known. `foreign` are files among those left out that somebody else or a program wrote: what the
    product imports of them is its own. `read` gives the bytes of an entry, and may raise OSError.
    """

    entries: Sequence[FileEntry]
    read: Callable[[FileEntry], bytes]
    left_out: Sequence[tuple[str, str]] = ()
    unseen: Sequence[tuple[str, str]] = ()
    foreign: Sequence[FileEntry] = ()


def open_folder(root: Path) -> Worktree:
    """The worktree in a folder on disk. Raises UsageError if there is no such folder.

    Left out are what a .gitignore there excludes, `.git`, what stands in folders of dependencies or
    was written by a program, links (never followed), and files that are no regular ones.
    """
    if not root.is_dir():
        raise UsageError(f"There is no folder {root}.", hint="Name the checkout to rate.")
    left_out: list[tuple[str, str]] = []
    unseen: list[tuple[str, str]] = []
    entries = sorted(_walk(root, "", (), left_out, unseen), key=lambda entry: entry.path)
    unseen += _find_beyond(entries)
    foreign = [entry for path, reason in left_out if reason == _FOREIGN and not _is_installed(path)
               for entry in _list_foreign(root, path)]  # fmt: skip
    return Worktree(
        entries[:COUNT_LIMIT],
        _build_reader(root),
        tuple(left_out),
        tuple(unseen),
        tuple(foreign[:_FOREIGN_LIMIT]),
    )


def build_worktree(entries: Sequence[FileEntry], read: Callable[[FileEntry], bytes]) -> Worktree:
    """The worktree of files that a caller knows, as of a commit. Foreign ones are left out."""
    own = [entry for entry in entries if not is_foreign(entry.path)]
    foreign = [entry for entry in entries if is_foreign(entry.path)]
    return Worktree(
        own[:COUNT_LIMIT],
        read,
        tuple((entry.path, _FOREIGN) for entry in foreign),
        tuple(_find_beyond(own)),
        tuple(entry for entry in foreign if not _is_installed(entry.path))[:_FOREIGN_LIMIT],
    )


_FOREIGN = "generated or vendored"
_FOREIGN_LIMIT = 5_000
"""Foreign files among which those that the product imports are looked for."""
_INSTALLED = re.compile(
    r"(?:^|/)(?:\.git|\.hg|\.tox|\.nox|\.venv|venv|env|__pycache__|node_modules|bower_components"
    r"|site-packages|Pods|\.yarn|target|\.eggs|\.next|\.nuxt|\.terraform)(?:/|$)"
)


def _is_installed(path: str) -> bool:
    """Whether a package manager put a file there: it is another project's."""
    return _INSTALLED.search(path) is not None


def _list_foreign(root: Path, path: str) -> Iterator[FileEntry]:
    """The files that a path left out leads to, without links."""
    if not path.endswith("/"):
        yield FileEntry(path, (root / path).lstat().st_size)
        return
    for folder, names, files in os.walk(root / path):
        names[:] = sorted(name for name in names if not _is_installed(name))
        for name in sorted(files):
            full = Path(folder) / name
            if full.is_file() and not full.is_symlink():
                yield FileEntry(full.relative_to(root).as_posix(), full.lstat().st_size)


def _find_beyond(entries: Sequence[FileEntry]) -> Iterator[tuple[str, str]]:
    """The first file beyond the bound, if there is one, and why it and all behind are not read."""
    if len(entries) > COUNT_LIMIT:
        yield entries[COUNT_LIMIT].path, f"only {COUNT_LIMIT:,} files are read"


_Ignore = tuple[str, GitIgnoreSpec]
"""A folder's path, "" or ending in "/", and the patterns of its .gitignore."""


def _walk(
    root: Path,
    inside: str,
    ignores: tuple[_Ignore, ...],
    left_out: list[tuple[str, str]],
    unseen: list[tuple[str, str]],
) -> Iterator[FileEntry]:
    # The walk calls itself for each folder.
    if inside.count("/") > _DEEPEST:
        unseen.append((inside, "nested too deeply"))
        return
    try:
        found = sorted(os.scandir(root / inside), key=lambda item: item.name)
    except OSError as error:
        unseen.append((inside, f"cannot be listed: {error.strerror}"))
        return
    own = next((item for item in found if item.name == ".gitignore"), None)
    if own is not None and own.is_file(follow_symlinks=False):
        ignores = (*ignores, *_read_patterns(root / inside / ".gitignore", inside))
    for item in found:
        path = inside + item.name
        is_folder = item.is_dir(follow_symlinks=False)
        # Never followed: a link in a checkout may lead to any file of the machine, or in a circle.
        if item.is_symlink():
            left_out.append((path, "a link"))
            continue
        full = path + "/" if is_folder else path
        reason = _find_reason(full, ignores)
        if reason:
            left_out.append((full, reason))
        elif is_folder:
            yield from _walk(root, full, ignores, left_out, unseen)
        elif item.is_file(follow_symlinks=False):
            yield FileEntry(path, item.stat(follow_symlinks=False).st_size)
        else:
            left_out.append((path, "no regular file"))


def _find_reason(path: str, ignores: tuple[_Ignore, ...]) -> str:
    if is_foreign(path):
        return _FOREIGN
    # The .gitignore nearest to a file has the last word.
    for where, spec in reversed(ignores):
        verdict = spec.check_file(path.removeprefix(where)).include
        if verdict is not None:
            return "ignored by git" if verdict else ""
    return ""


def _read_patterns(file: Path, inside: str) -> Iterator[_Ignore]:
    try:
        text = file.read_bytes()[:_GIT_FILE_LIMIT].decode("utf-8", "replace")
        yield inside, GitIgnoreSpec.from_lines(text.splitlines())
    except (OSError, ValueError):
        return  # an unreadable or broken one excludes nothing: more is read, not less


def _build_reader(root: Path) -> Callable[[FileEntry], bytes]:
    def read(entry: FileEntry) -> bytes:
        """The bytes, one more than the limit at most; OSError for a link that came since."""
        # O_NOFOLLOW: the file may have been replaced by a link since it was listed.
        descriptor = os.open(root / entry.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(descriptor, "rb") as file:
            return file.read(FILE_LIMIT + 1)

    return read
