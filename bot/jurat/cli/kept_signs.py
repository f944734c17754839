"""What files showed to earlier ratings of one user, in a file of the user's cache folder.

Nearly all files of a checkout are as they were when it was rated last. What one shows follows from
its content, its role and the tool alone, so that it is kept by digests of these. A change of a
checkout can fill nothing in: the file stands outside of it, and nothing that a rating reads there
names an entry but by SHA-256 of what was looked into.
"""

from __future__ import annotations

import io
import os
import pickle
import sqlite3
import stat
import time
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from jurat.rating.document_facts import DocumentFacts, DocumentSection
from jurat.rating.file_signs import ContentKey, FileSigns
from jurat.rating.function_facts import (
    CallFact,
    FileFacts,
    FunctionFacts,
    GuardFact,
    LoopFact,
    PairFact,
    WriteFact,
)
from jurat.rating.sightings import Sighting

SIZE_LIMIT = 512_000_000
"""Bytes of entries that are kept: those that were of use last."""

_TABLE = """
CREATE TABLE IF NOT EXISTS signs
(key BLOB PRIMARY KEY, entry BLOB NOT NULL, size INTEGER NOT NULL, used_at REAL NOT NULL)
WITHOUT ROWID
"""
_TOO_MUCH = """
DELETE FROM signs WHERE used_at <= (
    SELECT used_at FROM
    (SELECT used_at, SUM(size) OVER (ORDER BY used_at DESC) AS total FROM signs)
    WHERE total > ? ORDER BY used_at DESC LIMIT 1
)
"""
_DIGITS = 64
"""Hexadecimal digits of SHA-256: who names a content by less might name another one."""


class KeptSigns(MutableMapping[ContentKey, FileSigns]):
    """A Memory in an SQLite file. Two commands at once may both read and write it.

    An entry that cannot be read is as good as none: the file is looked into.
    """

    def __init__(self, connection: sqlite3.Connection, tool: str) -> None:
        self._connection = connection
        self._tool = tool
        self._met: dict[ContentKey, FileSigns] = {}
        self._recalled: list[bytes] = []
        self._new: list[ContentKey] = []

    @classmethod
    @contextmanager
    def at(cls, path: Path, tool: str) -> Iterator[Self]:
        """Open the file, made if need be, for what `tool` looks into, and write at the end.

        Raises OSError, also if somebody else could have written it, or sqlite3.Error.
        """
        # For the user alone: it quotes code, and what stands in it is believed.
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        for one in (path.parent, path):
            _refuse_foreign(one)
        connection = sqlite3.connect(path, isolation_level=None, timeout=5)
        try:
            connection.execute(_TABLE)
            kept = cls(connection, tool)
            yield kept
            # The rating is there; the next one looks again.
            with suppress(sqlite3.Error):
                kept._write()
        finally:
            connection.close()

    def __getitem__(self, key: ContentKey) -> FileSigns:
        if key not in self._met:
            self._met[key] = self._recall(key)
        return self._met[key]

    def __setitem__(self, key: ContentKey, signs: FileSigns) -> None:
        self._met[key] = signs
        if len(key.digest) == _DIGITS:
            self._new.append(key)

    def __delitem__(self, key: ContentKey) -> None:
        del self._met[key]

    def __iter__(self) -> Iterator[ContentKey]:
        return iter(self._met)

    def __len__(self) -> int:
        return len(self._met)

    def _recall(self, key: ContentKey) -> FileSigns:
        named = self._compute_key(key)
        try:
            row = self._connection.execute(
                "SELECT entry FROM signs WHERE key = ?", [named]
            ).fetchone()
            signs = _SignsReader(io.BytesIO(row[0])).load() if row else None
        except Exception as error:  # whatever is wrong with an entry, it is none
            raise KeyError(key) from error
        if not isinstance(signs, FileSigns):
            raise KeyError(key)
        self._recalled.append(named)
        return signs

    def _compute_key(self, key: ContentKey) -> bytes:
        among = None if key.among is None else sorted(key.among)
        said = repr((self._tool, key.digest, key.role.value, key.language, among))
        return sha256(said.encode()).digest()

    def _write(self) -> None:
        at = time.time()
        self._connection.execute("BEGIN")
        self._connection.executemany(
            "UPDATE signs SET used_at = ? WHERE key = ?", ((at, one) for one in self._recalled)
        )
        entries = ((self._compute_key(key), pickle.dumps(self._met[key], 5)) for key in self._new)
        self._connection.executemany(
            "INSERT OR REPLACE INTO signs VALUES (?, ?, ?, ?)",
            ((name, entry, len(entry), at) for name, entry in entries),
        )
        self._connection.execute(_TOO_MUCH, [SIZE_LIMIT])
        self._connection.execute("COMMIT")


def _refuse_foreign(path: Path) -> None:
    """Raise PermissionError if anybody but this user could have written a file or folder."""
    found = path.stat(follow_symlinks=False)
    is_own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    if not is_own or stat.S_ISLNK(found.st_mode) or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"others may write {path}")


_PLAIN = {
    (one.__module__, one.__qualname__): one
    for one in (
        *(FileSigns, Sighting, DocumentFacts, DocumentSection, FileFacts, FunctionFacts),
        *(CallFact, GuardFact, LoopFact, PairFact, WriteFact),
    )
}
"""The values that entries are made of."""


class _SignsReader(pickle.Unpickler):
    """Reads nothing but plain values: no entry can have anything run."""

    def find_class(self, module: str, name: str) -> Any:
        """One of the values that entries are made of."""
        if (module, name) not in _PLAIN:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of an entry")
        return _PLAIN[module, name]
