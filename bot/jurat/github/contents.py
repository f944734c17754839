"""Files of a repository at one commit: singly, or many at once out of its archive."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from asyncio import to_thread
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import RootModel

from jurat.github.client import RAW, GitHub, Values
from jurat.github.errors import AbsentError, GitHubError, NotFoundError, NotYetError
from jurat.github.models import ContentEntryPayload, GitTreePayload
from jurat.github.retries import retry_early, run_concurrently
from jurat.source.diff import Diff, FileChange, FileStatus
from jurat.source.diff_parser import decode_text
from jurat.source.file_text import attach_head_text

# Chosen files out of a repository's tarball, in memory.
#
# The archive's content is the pull request's author's. Nothing of it becomes a path on this
# machine: names are only compared with those asked for, links and special files are passed over,
# and every size is bounded, the unpacked stream as a whole too.


class _ExhaustedError(Exception):
    """More was unpacked than allowed."""


class _MeteredReader(io.RawIOBase):
    """A stream that ends in an error once `allowance` bytes were read from it."""

    def __init__(self, source: gzip.GzipFile, allowance: int) -> None:
        self._source = source
        self._allowance = allowance

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(size)  # tarfile asks for 10 KB at a time
        # Past its end too: a file whose header claims a huge size is sought there without end.
        self._allowance -= len(data) or max(size, 1)
        if self._allowance < 0:
            raise _ExhaustedError
        return data


def read_members(
    archive: bytes,
    wanted: Collection[str],
    *,
    file_limit: int,
    total_limit: int,
    unpacked_limit: int,
) -> dict[str, bytes]:
    """The wanted files' contents by path; the archive's one top folder is no part of a path.

    `file_limit` bounds one file, `total_limit` all that is returned, `unpacked_limit` all that is
    read to find it, in bytes. What is larger, missing or damaged is left out.
    """
    found: dict[str, bytes] = {}
    remaining = set(wanted)
    try:
        with (
            gzip.open(io.BytesIO(archive)) as unpacked,
            tarfile.open(fileobj=_MeteredReader(unpacked, unpacked_limit), mode="r|") as tar,
        ):
            for member in tar:
                # GitHub's one top folder is named after the repository and the commit.
                path = member.name.partition("/")[2]
                if path not in remaining or not member.isreg():
                    continue
                # A hostile header may say a negative size as well as a huge one.
                if not 0 <= member.size <= file_limit:
                    continue
                total_limit -= member.size
                content = tar.extractfile(member)
                if total_limit < 0 or content is None:
                    break
                found[path] = content.read()
                remaining.discard(path)
                if not remaining:
                    break
    except (_ExhaustedError, EOFError, OSError, ValueError, zlib.error, tarfile.TarError):
        # What was read before the damage is whole; the rest counts as missing.
        return found
    return found


FILE_LIMIT = 1 << 20
"""Bytes of a file that is read whole. No grammar parses a larger one in reasonable time."""

_CONTENTS = "/repos/{+repository}/contents{/path*}{?ref}"
_TREE = "/repos/{+repository}/git/trees/{sha}{?recursive}"
T = TypeVar("T")


class _Listing(RootModel[list[ContentEntryPayload] | ContentEntryPayload]):
    """A folder's entries, or the one file that stands at the path."""


@dataclass(frozen=True, slots=True)
class CommitFiles:
    """A repository at a commit. Reads go through the API; nothing is kept on disk."""

    github: GitHub
    repository: str
    commit: str

    async def read(self, path: str) -> bytes:
        """A file's bytes. Raises AbsentError, and TooLargeError above FILE_LIMIT.

        A 404 counts as an absence if the commit's tree has no such file; else it is asked again,
        and raises NotYetError in the end.
        """
        values = self._build_values(path)

        async def read() -> bytes:
            # RAW, as the JSON form has no content from 1 MB on.
            return await self.github.read_bytes(_CONTENTS, values, accept=RAW, limit=FILE_LIMIT)

        return await self._read_surely(path, read)

    async def find(self, path: str) -> bytes | None:
        """A file's bytes, or None if there is none."""
        try:
            return await self.read(path)
        except AbsentError:
            return None

    async def iter_files(self, path: str) -> AsyncIterator[str]:
        """The paths of all files at or below `path`, links and submodules left out.

        Raises as `read` does; a folder that is not handed out is never left out in silence.
        """
        values = self._build_values(path)

        async def read() -> _Listing:
            return await self.github.read(_Listing, _CONTENTS, values)

        listing = (await self._read_surely(path, read)).root
        for entry in listing if isinstance(listing, list) else [listing]:
            if entry.type == "file":
                yield entry.path
            elif entry.type == "dir":
                async for below in self.iter_files(entry.path):
                    yield below

    def _build_values(self, path: str) -> Values:
        segments = path.strip("/").split("/")
        undecodable = any("\ud800" <= char <= "\udfff" for char in path)
        if undecodable or any(segment in ("", ".", "..") for segment in segments):
            # A URL cannot say the one; the other would be taken for another file's path.
            raise AbsentError(f"{path!a} is no path that GitHub can serve.")
        return {"repository": self.repository, "path": segments, "ref": self.commit}

    async def _read_surely(self, path: str, read: Callable[[], Awaitable[T]]) -> T:
        async def read_once() -> T:
            try:
                return await read()
            except NotFoundError as error:
                if isinstance(error, AbsentError) or not await self._has(path):
                    raise AbsentError(error.message, status=error.status) from None
                raise NotYetError(
                    f"GitHub does not hand out {path}, which stands in {self.commit[:12]}.",
                    status=error.status,
                ) from None

        return await retry_early(read_once, self.github.sleep)

    async def list_tree(self, sha: str | None = None, *, recursive: bool = False) -> GitTreePayload:
        """What a folder of the commit holds, the topmost unless its `sha` is given.

        With `recursive` all that is below it, too. Raises NotYetError.
        """
        return await retry_early(
            lambda: self._read_tree(sha or self.commit, recursive=recursive), self.github.sleep
        )

    async def _read_tree(self, sha: str, *, recursive: bool = False) -> GitTreePayload:
        values: dict[str, str] = {"repository": self.repository, "sha": sha}
        if recursive:
            values["recursive"] = "1"
        try:
            return await self.github.read(GitTreePayload, _TREE, values)
        except NotFoundError as error:
            # The commit itself: known to whoever sent the event, not yet to whom was asked.
            raise NotYetError(
                f"GitHub does not know the files of {self.repository}@{self.commit[:12]} yet.",
                status=error.status,
            ) from None

    async def _has(self, path: str) -> bool:
        """Whether the commit's tree holds the path, folder by folder."""
        sha, kind = self.commit, "tree"
        for name in path.strip("/").split("/"):
            if kind != "tree":
                return False
            tree = await self._read_tree(sha)
            entry = next((item for item in tree.tree if item.path == name), None)
            if entry is None and tree.truncated:
                raise NotYetError(f"GitHub lists {self.repository} in part alone.")
            if entry is None:
                return False
            sha, kind = entry.sha, entry.type
        return True


# The whole texts of changed files at head, if they are worth fetching.
#
# A file without its text is judged by its hunks alone, so nothing here makes a review fail but
# GitHub being unavailable.

SINGLY = 20
"""Files up to which each is fetched on its own; above, one archive of the tree is cheaper."""
MAX_SINGLY = 200
"""Files that are fetched on their own if the archive lacks them."""
ARCHIVE_LIMIT = 128 << 20
UNPACKED_LIMIT = 1 << 30
TEXTS_LIMIT = 256 << 20
"""Bytes of an archive, packed and unpacked, and of all the texts taken out of it."""

_LINK_OR_SUBMODULE = frozenset({"120000", "160000"})


async def attach_texts(head: CommitFiles, change: Diff) -> Diff:
    """The change with the text of each file at `head` that can be had, and is of use."""
    files = {file.path: file for file in change.files}
    missing = [file for file in change.files if _is_worth_fetching(file)]
    # Each file is a request of the installation's 5,000 an hour; the tarball is one.
    if len(missing) > SINGLY:
        attached = await to_thread(
            _attach_texts_to_files,
            missing,
            await from_archive(head, {file.path for file in missing}),
        )
        files |= attached
        # `export-ignore` and the like leave files out of an archive: those are still fetched by
        # name.
        missing = [file for file in missing if file.path not in attached][:MAX_SINGLY]
    fetched = await run_concurrently(lambda file: _fetch(head, file.path), missing)
    texts = {
        file.path: text for file, text in zip(missing, fetched, strict=True) if text is not None
    }
    files |= await to_thread(_attach_texts_to_files, missing, texts)
    return Diff(tuple(files[file.path] for file in change.files))


def _is_worth_fetching(file: FileChange) -> bool:
    # A file that was only renamed may come from where rules did not apply.
    return bool(
        (file.hunks or file.status in (FileStatus.RENAMED, FileStatus.COPIED))
        and file.head is None
        and file.unread is None
        and file.status is not FileStatus.REMOVED
        and not file.is_binary
        and not file.is_submodule
        and file.new_mode not in _LINK_OR_SUBMODULE
    )


async def _fetch(head: CommitFiles, path: str) -> bytes | None:
    try:
        return await head.read(path)
    except GitHubError as error:
        if error.retryable:
            raise
        return None


async def from_archive(
    snapshot: CommitFiles, paths: Collection[str], *, file_limit: int = FILE_LIMIT
) -> Mapping[str, bytes]:
    """What the tarball has of the files; nothing if it is too large or refused."""
    try:
        archive = await snapshot.github.read_bytes(
            "/repos/{+repository}/tarball/{ref}",
            {"repository": snapshot.repository, "ref": snapshot.commit},
            accept="*/*",
            limit=ARCHIVE_LIMIT,
        )
    except NotFoundError:
        return {}  # what it lacks is read singly, and that says for sure
    except GitHubError as error:
        if error.retryable:
            raise
        return {}
    return await to_thread(
        read_members,
        archive,
        paths,
        file_limit=file_limit,
        total_limit=TEXTS_LIMIT,
        unpacked_limit=UNPACKED_LIMIT,
    )


def _attach_texts_to_files(
    files: Sequence[FileChange], texts: Mapping[str, bytes]
) -> dict[str, FileChange]:
    """The files whose text agrees with their hunks; with another text no line number would hold.

    An archive's may not: `.gitattributes` has it leave out files, expand keywords and convert line
    ends, all of which the pull request's author decides.
    """
    attached = {}
    for file in files:
        content = texts.get(file.path)
        # Of a file without hunks git did not say whether it is text: its own test is a NUL.
        if content is not None and (file.hunks or b"\0" not in content[:8000]):
            whole = attach_head_text(file, decode_text(content))
            if whole.head is not None:
                attached[file.path] = whole
    return attached
