"""What git knows of a folder that is rated: its commit, where people read it, what is not in it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from jurat.cli.checkout import GitCheckout
from jurat.errors import UsageError
from jurat.rating.provenance import RatedSource, find_page


def read_source(folder: Path, made: dt.datetime) -> RatedSource:
    """The source of a rating; without git, or outside of a checkout, its name and day alone."""
    name = folder.resolve().name
    try:
        with GitCheckout.containing(folder) as checkout:
            commit = None if checkout.is_bare else checkout.commit("HEAD")
            if commit is None:
                return RatedSource(name, made)
            inside = folder.resolve().relative_to(checkout.root.resolve()).as_posix()
            below = "" if inside == "." else f"{inside}/"
            changed = _list_changed(checkout, below)
            # A commit that was pushed nowhere cannot be opened there.
            pushed = checkout.attempt(
                "for-each-ref", "--count=1", f"--contains={commit}", "refs/remotes/origin"
            )
            remote = checkout.find_remote()
    except (UsageError, ValueError):
        return RatedSource(name, made)
    page = find_page(remote) if pushed.stdout.strip() else ""
    return RatedSource(name, made, commit, page, below, changed)


def _list_changed(checkout: GitCheckout, below: str) -> frozenset[str]:
    """The files below a folder, named from there, that differ from HEAD or are unknown to it."""
    where = ["--", below] if below else []
    listed = checkout.list_names(
        "diff",
        "--no-ext-diff",
        "--no-relative",
        "--name-only",
        "--no-renames",
        "-z",
        "HEAD",
        *where,
    )
    listed += checkout.list_names(
        "ls-files", "--others", "--exclude-standard", "--full-name", "-z", *where
    )
    return frozenset(name.removeprefix(below) for name in listed)
