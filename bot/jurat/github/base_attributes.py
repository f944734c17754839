"""What the base of a change says of files that nobody writes by hand, in few requests.

One request lists a repository with all its folders, so that only a .gitattributes that is there is
asked for. If GitHub lists a part alone, the folders of the changed files are listed one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import structlog

from jurat.github.contents import CommitFiles
from jurat.github.errors import TooLargeError
from jurat.github.models import GitTreeEntryPayload
from jurat.github.retries import run_concurrently
from jurat.source.diff import Diff
from jurat.source.diff_parser import decode_text
from jurat.source.git_attributes import (
    ATTRIBUTES,
    AttributeLine,
    leave_open,
    list_attribute_files,
    parse_attributes,
    rank_attribute_files,
)

MAX_ATTRIBUTE_FILES = 50
"""The .gitattributes that are read for a change, those of the upper folders first."""
MAX_FOLDERS = 50
"""Folders that are listed one by one in a repository that GitHub lists in part alone."""

_LINK = "120000"
_log = structlog.get_logger(__name__)


class _Places(NamedTuple):
    """Where a .gitattributes stands, and where nobody looked whether one does."""

    listed: Sequence[str]
    unlisted: Sequence[str] = ()


async def read_attributes(
    base: CommitFiles, change: Diff | None = None
) -> tuple[AttributeLine, ...]:
    """What `base` says of the files of a change, or of all that it holds, in the order of hearing.

    Below a .gitattributes that is not read, for there are too many or it is too large, none of
    those above it counts, so that code rules judge what is there.
    """
    places = await _find_places(base, None if change is None else list_attribute_files(change))
    read, left = places.listed[:MAX_ATTRIBUTE_FILES], places.listed[MAX_ATTRIBUTE_FILES:]
    found = await run_concurrently(lambda path: _read_lines(base, path), read)
    unread = [path for path, lines in zip(read, found, strict=True) if lines is None]
    unread += [*left, *places.unlisted]
    if unread:
        _log.warning("attributes of folders were not read", files=len(unread))
    by_path = dict(zip(read, found, strict=True))
    return tuple(
        line
        for path in rank_attribute_files({*read, *unread})
        for line in by_path.get(path) or (leave_open(path) if path in unread else ())
    )


async def _read_lines(base: CommitFiles, path: str) -> tuple[AttributeLine, ...] | None:
    try:
        content = await base.find(path)
    except TooLargeError:
        return None
    return parse_attributes(decode_text(content), path) if content else ()


async def _find_places(base: CommitFiles, wanted: Sequence[str] | None) -> _Places:
    tree = await base.list_tree(recursive=True)
    there = rank_attribute_files(_list_named(tree.tree, "", wanted))
    if not tree.truncated or wanted is None:
        return _Places(there)
    return await _walk_folders(base, wanted)


def _list_named(
    entries: Sequence[GitTreeEntryPayload], folder: str, wanted: Collection[str] | None
) -> list[str]:
    paths = [
        folder + entry.path
        for entry in entries
        # Git follows no link of that name.
        if entry.path.rpartition("/")[2] == ATTRIBUTES
        and entry.type == "blob"
        and entry.mode != _LINK
    ]
    return paths if wanted is None else sorted(set(wanted).intersection(paths))


async def _walk_folders(base: CommitFiles, wanted: Sequence[str]) -> _Places:
    """The same from the folders of some .gitattributes, whatever is above them first."""
    trees = {"": base.commit}
    listed: list[str] = []
    unlisted: list[str] = []
    asked = 0
    for path in wanted:
        folder = path.removesuffix(ATTRIBUTES)
        # It is new, or stands below one that is not listed.
        if folder not in trees:
            continue
        if asked == MAX_FOLDERS:
            unlisted.append(path)
            continue
        asked += 1
        tree = await base.list_tree(trees[folder])
        if tree.truncated:
            unlisted.append(path)
            continue
        listed += _list_named(tree.tree, folder, wanted)
        trees |= {f"{folder}{item.path}/": item.sha for item in tree.tree if item.type == "tree"}
    return _Places(listed, unlisted)
