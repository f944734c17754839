"""What files showed to earlier ratings of one user, in a file of the user's cache folder.

Nearly all files of a checkout are as they were when it was rated last. What one shows follows from
its content, its role and the tool alone, so that it is kept by digests of these; what all of them
show together is the same as long as all are, whatever the day and the form in which it is told.

A change of a checkout can fill nothing in: the file stands outside of it, and an entry is named by
SHA-256 of what was looked into.
"""

from __future__ import annotations

import io
import os
import pickle
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from jurat.rating.code.function_facts import (
    CallFact,
    FileFacts,
    FunctionFacts,
    GuardFact,
    LoopFact,
    PairFact,
    WriteFact,
)
from jurat.rating.signals.evidence import Signal, SignalEvidence, Signals
from jurat.rating.signals.file_signs import ContentKey, FileSigns
from jurat.rating.signals.sightings import Sighting
from jurat.rating.texts.document_facts import DocumentFacts, DocumentSection

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
"""Hexadecimal digits of SHA-256."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class KeptValues(MutableMapping[Key, Value]):
    """Values of one kind in an SQLite file. Two commands at once may both read and write it.

    An entry that cannot be read is as good as none: it is found out again.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        kind: type[Value],
        write_key: Callable[[Key], str],
        can_keep: Callable[[Key], bool] = lambda _: True,
    ) -> None:
        self._connection = connection
        self._kind = kind
        self._write_key = write_key
        self._can_keep = can_keep
        self._met: dict[Key, Value] = {}
        self._recalled: list[bytes] = []
        self._new: list[Key] = []

    def __getitem__(self, key: Key) -> Value:
        if key not in self._met:
            self._met[key] = self._recall(key)
        return self._met[key]

    def __setitem__(self, key: Key, value: Value) -> None:
        self._met[key] = value
        if self._can_keep(key):
            self._new.append(key)

    def __delitem__(self, key: Key) -> None:
        del self._met[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._met)

    def __len__(self) -> int:
        return len(self._met)

    def _recall(self, key: Key) -> Value:
        digest = self._digest(key)
        try:
            row = self._connection.execute(
                "SELECT entry FROM signs WHERE key = ?", [digest]
            ).fetchone()
            value = _PlainReader(io.BytesIO(row[0])).load() if row else None
        except Exception as error:  # whatever is wrong with an entry, it is none
            raise KeyError(key) from error
        if not isinstance(value, self._kind):
            raise KeyError(key)
        self._recalled.append(digest)
        return value

    def _digest(self, key: Key) -> bytes:
        return sha256(self._write_key(key).encode()).digest()

    def write(self, at: float) -> None:
        """Keep what is new, and note of the rest that it was of use."""
        self._connection.executemany(
            "UPDATE signs SET used_at = ? WHERE key = ?", ((at, one) for one in self._recalled)
        )
        entries = ((self._digest(key), pickle.dumps(self._met[key], 5)) for key in self._new)
        self._connection.executemany(
            "INSERT OR REPLACE INTO signs VALUES (?, ?, ?, ?)",
            ((digest, entry, len(entry), at) for digest, entry in entries),
        )


@dataclass(frozen=True, slots=True)
class KeptSigns:
    """What files showed by themselves, and what all that was read of a worktree showed together."""

    files: MutableMapping[ContentKey, FileSigns]
    wholes: MutableMapping[str, Signals]


@contextmanager
def open_kept_signs(path: Path, tool: str) -> Iterator[KeptSigns]:
    """Open the file, made if need be, for what `tool` sees, and write at the end.

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
        files = KeptValues(connection, FileSigns, partial(_write_file, tool), _is_named_safely)
        wholes = KeptValues[str, Signals](connection, Signals, partial(_write_whole, tool))
        yield KeptSigns(files, wholes)
        # The rating is there; the next one looks again.
        with suppress(sqlite3.Error):
            _write(connection, files, wholes)
    finally:
        connection.close()


def _write(connection: sqlite3.Connection, *kept: KeptValues[Any, Any]) -> None:
    at = time.time()
    connection.execute("BEGIN")
    for one in kept:
        one.write(at)
    connection.execute(_TOO_MUCH, [SIZE_LIMIT])
    connection.execute("COMMIT")


def _write_file(tool: str, key: ContentKey) -> str:
    among = None if key.among is None else sorted(key.among)
    return repr((tool, "file", key.digest, key.role.value, key.language, among))


def _write_whole(tool: str, digest: str) -> str:
    return repr((tool, "whole", digest))


def _is_named_safely(key: ContentKey) -> bool:
    """Whether no other content can be made that has the same name, as with shorter digests."""
    return len(key.digest) == _DIGITS


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
        *(CallFact, GuardFact, LoopFact, PairFact, WriteFact, Signals, Signal, SignalEvidence),
    )
}
"""The values that entries are made of."""


class _PlainReader(pickle.Unpickler):
    """Reads nothing but plain values: no entry can have anything run."""

    def find_class(self, module: str, name: str) -> Any:
        """One of the values that entries are made of."""
        if (module, name) not in _PLAIN:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of an entry")
        return _PLAIN[module, name]
