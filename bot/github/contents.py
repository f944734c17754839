"""Files of a repository at one commit."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from pydantic import RootModel

from bot.github.client import RAW, GitHub, Values
from bot.github.errors import NotFoundError
from bot.github.payloads import ContentEntryPayload

FILE_LIMIT = 1 << 20
"""Bytes of a file that is read whole. No grammar parses a larger one in reasonable time."""

_CONTENTS = "/repos/{+repository}/contents{/path*}{?ref}"


class _Listing(RootModel[list[ContentEntryPayload] | ContentEntryPayload]):
    """A folder's entries, or the one file that stands at the path."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A repository at a commit. Reads go through the API; nothing is kept on disk."""

    github: GitHub
    repository: str
    commit: str

    async def read(self, path: str) -> bytes:
        """A file's bytes. Raises NotFoundError, and TooLargeError above FILE_LIMIT."""
        return await self.github.raw(_CONTENTS, self._at(path), accept=RAW, limit=FILE_LIMIT)

    async def find(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is none."""
        try:
            return await self.read(path)
        except NotFoundError:
            return None

    async def files(self, path: str) -> AsyncIterator[str]:
        """The paths of all files at or below `path`, links and submodules left out."""
        listing = (await self.github.read(_Listing, _CONTENTS, self._at(path))).root
        for entry in listing if isinstance(listing, list) else [listing]:
            if entry.type == "file":
                yield entry.path
            elif entry.type == "dir":
                async for below in self.files(entry.path):
                    yield below

    def _at(self, path: str) -> Values:
        segments = path.strip("/").split("/")
        undecodable = any("\ud800" <= char <= "\udfff" for char in path)
        if undecodable or any(segment in ("", ".", "..") for segment in segments):
            # A URL cannot say the one; the other would be taken for another file's path.
            raise NotFoundError(f"{path!a} is no path that GitHub can serve.")
        return {"repository": self.repository, "path": segments, "ref": self.commit}
