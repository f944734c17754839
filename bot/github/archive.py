"""Chosen files out of a repository's tarball, in memory.

The archive's content is the pull request's author's. Nothing of it becomes a path on this machine:
names are only compared with those asked for, links and special files are passed over, and every
size is bounded, the unpacked stream as a whole too.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Collection


class _ExhaustedError(Exception):
    """More was unpacked than allowed."""


class _Metered(io.RawIOBase):
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


def members(
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
            tarfile.open(fileobj=_Metered(unpacked, unpacked_limit), mode="r|") as tar,
        ):
            for member in tar:
                path = member.name.partition("/")[2]
                if path not in remaining or not member.isreg():
                    continue
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
