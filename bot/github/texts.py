"""The whole texts of changed files at head, where they are worth fetching.

A file without its text is judged by its hunks alone, so nothing here makes a review fail but GitHub
being unavailable.
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Collection, Mapping, Sequence

from bot.github.archive import members
from bot.github.concurrently import concurrently
from bot.github.contents import FILE_LIMIT, Snapshot
from bot.github.errors import GitHubError
from bot.subjects.change import Change, FileChange, FileStatus
from bot.subjects.diff import decode_text
from bot.subjects.texts import attach_head

SINGLY = 20
"""Files up to which each is fetched on its own; above, one archive of the tree is cheaper."""
MAX_SINGLY = 200
"""Files that are fetched on their own where the archive lacks them."""
ARCHIVE_LIMIT = 128 << 20
UNPACKED_LIMIT = 1 << 30
TEXTS_LIMIT = 256 << 20
"""Bytes of an archive, packed and unpacked, and of all the texts taken out of it."""

_LINK_OR_SUBMODULE = frozenset({"120000", "160000"})


async def with_texts(head: Snapshot, change: Change) -> Change:
    """The change with the text of each file at `head` that can be had, and is of use."""
    files = {file.path: file for file in change.files}
    missing = [file for file in change.files if _worth_fetching(file)]
    if len(missing) > SINGLY:
        attached = await to_thread(
            _attached, missing, await from_archive(head, {file.path for file in missing})
        )
        files |= attached
        missing = [file for file in missing if file.path not in attached][:MAX_SINGLY]
    fetched = await concurrently(lambda file: _fetch(head, file.path), missing)
    texts = {
        file.path: text for file, text in zip(missing, fetched, strict=True) if text is not None
    }
    files |= await to_thread(_attached, missing, texts)
    return Change(tuple(files[file.path] for file in change.files))


def _worth_fetching(file: FileChange) -> bool:
    return bool(
        file.hunks
        and file.head is None
        and file.unread is None
        and file.status is not FileStatus.REMOVED
        and not file.is_binary
        and not file.is_submodule
        and file.new_mode not in _LINK_OR_SUBMODULE
    )


async def _fetch(head: Snapshot, path: str) -> bytes | None:
    try:
        return await head.read(path)
    except GitHubError as error:
        if error.retryable:
            raise
        return None


async def from_archive(
    snapshot: Snapshot, paths: Collection[str], *, file_limit: int = FILE_LIMIT
) -> Mapping[str, bytes]:
    """What the tarball has of the files; nothing where it is too large or refused."""
    try:
        archive = await snapshot.github.raw(
            "/repos/{+repository}/tarball/{ref}",
            {"repository": snapshot.repository, "ref": snapshot.commit},
            accept="*/*",
            limit=ARCHIVE_LIMIT,
        )
    except GitHubError as error:
        if error.retryable:
            raise
        return {}
    return await to_thread(
        members,
        archive,
        paths,
        file_limit=file_limit,
        total_limit=TEXTS_LIMIT,
        unpacked_limit=UNPACKED_LIMIT,
    )


def _attached(files: Sequence[FileChange], texts: Mapping[str, bytes]) -> dict[str, FileChange]:
    """The files whose text agrees with their hunks; with another text no line number would hold.

    An archive's may not: `.gitattributes` has it leave out files, expand keywords and convert line
    ends, all of which the pull request's author decides.
    """
    attached = {}
    for file in files:
        if (content := texts.get(file.path)) is not None:
            whole = attach_head(file, decode_text(content))
            if whole.head is not None:
                attached[file.path] = whole
    return attached
