"""What has changed in a checkout, and what its base says, read through git alone.

The change runs from the merge base with the default branch to the work tree, or to `head` where one
is named. The default branch is what origin/HEAD points to, else main, else master; the remote's
come before the local ones, as a pull request would be made against them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bot.cli.git import Repository, as_bytes
from bot.errors import UsageError
from bot.subjects.change import Change, FileChange
from bot.subjects.diff import decode_text, parse_diff
from bot.subjects.texts import attach_base

_DEFAULT_BRANCHES = (
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
)
_COMMITS_TOLD = 50
"""Commits whose messages make up the intent where none is given."""


@dataclass(frozen=True, slots=True)
class Span:
    """The two ends of a change. `head` is None for the work tree, uncommitted work included."""

    base: str
    head: str | None
    tip: str


def span(repository: Repository, base: str | None = None, head: str | None = None) -> Span:
    """The commits that `base` and `head` name, `base` moved back to where the two part.

    Raises UsageError where a ref is unknown, there is no default branch, no common ancestor or
    nothing checked out.
    """
    if repository.is_bare and head is None:
        raise UsageError(
            f"{repository.root} is a bare repository, with nothing checked out.",
            hint="Name the commit to review with --head.",
        )
    tip = repository.commit("HEAD" if head is None else head)
    if tip is None:
        if head is not None:
            raise _unknown(head, repository)
        raise UsageError(
            f"{repository.root} has no commit to compare with.",
            hint="Commit something first, or give the change with --diff.",
        )
    named = repository.commit(base) if base is not None else _default_branch(repository)
    if named is None:
        raise _unknown(base, repository)
    shared = repository.attempt("merge-base", named, tip).stdout.decode().split()
    if not shared:
        raise UsageError(
            f"{base or 'The default branch'} and {head or 'HEAD'} share no history.",
            hint="In a shallow clone, run git fetch --unshallow; else name another --base.",
        )
    return Span(shared[0], None if head is None else tip, tip)


def read_change(repository: Repository, between: Span) -> Change:
    """The change, each file with both of its texts where they are at hand.

    The head versions are made from the base's and the diff, never read from the disk: what lies
    there may be written with other line endings, or through a filter, than git compares.
    """
    change = parse_diff(_diff(repository, between))
    return Change(tuple(_with_texts(file, repository, between.base) for file in change.files))


def told_intent(repository: Repository, between: Span) -> str:
    """What the commits of the change say of themselves, the latest first."""
    if between.base == between.tip:
        return ""
    told = repository.run(
        "log",
        "--no-color",
        "--format=%B",
        f"--max-count={_COMMITS_TOLD}",
        f"{between.base}..{between.tip}",
        "--",
    )
    return told.decode(errors="replace").strip()


def _diff(repository: Repository, between: Span) -> bytes:
    if between.head is not None:
        return repository.diff(between.base, between.head)
    # A name that ends in a slash is a repository of its own inside this one.
    untracked = [
        name
        for name in repository.names("ls-files", "--others", "--exclude-standard", "-z")
        if not name.endswith("/")
    ]
    if not untracked:
        return repository.diff(between.base)
    with tempfile.TemporaryDirectory(prefix="bylaw-") as folder:
        # A copy of the index that lists the new files makes git itself print them, with its own
        # idea of their modes, line endings and binary content; the repository stays as it is.
        index = Path(folder) / "index"
        current = os.fsdecode(repository.run("rev-parse", "--git-path", "index")).removesuffix("\n")
        if (repository.root / current).exists():
            # With its time: git reads again what changed no earlier than its index was written.
            shutil.copy2(repository.root / current, index)
        # The mode and the id are never used: git sees that the file on disk is another.
        entries = b"".join(
            f"100644 {between.base}\t".encode() + as_bytes(name) + b"\0" for name in untracked
        )
        repository.run("update-index", "-z", "--index-info", stdin=entries, index=index)
        return repository.diff(between.base, index=index)


def _default_branch(repository: Repository) -> str:
    """The commit that the default branch is at."""
    for name in _DEFAULT_BRANCHES:
        if commit := repository.commit(name):
            return commit
    raise UsageError(
        f"No default branch in {repository.root}: no origin/HEAD, main or master.",
        hint="Name the branch that this change is made against with --base.",
    )


def _unknown(ref: str | None, repository: Repository) -> UsageError:
    return UsageError(
        f"{ref!r} names no commit in {repository.root}.",
        hint="Fetch it first, or name another branch, tag or commit.",
    )


def _with_texts(file: FileChange, repository: Repository, base: str) -> FileChange:
    had_text = file.unread is None and not file.is_binary and not file.is_submodule
    content = repository.content(base, file.old_path) if file.old_path and had_text else None
    return file if content is None else attach_base(file, decode_text(content))
