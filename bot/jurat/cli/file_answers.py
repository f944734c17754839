"""What models answered one user, in a file of the user's cache folder."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_DAYS = 90
"""Days that an answer is kept after it was given."""

_TABLE = """
CREATE TABLE IF NOT EXISTS answers
(key TEXT PRIMARY KEY, entry TEXT NOT NULL, given_at REAL NOT NULL)
"""
_KEYS_A_QUERY = 500


@dataclass(frozen=True, slots=True)
class FileAnswers:
    """An AnswerCache in an SQLite file. Two commands at once may both ask: there are no claims.

    A file that cannot be read or written any more is as good as none: the model is asked.
    """

    connection: sqlite3.Connection

    @classmethod
    @contextmanager
    def at(cls, path: Path) -> Iterator[Self]:
        """Open the file, made if need be. Raises OSError or sqlite3.Error."""
        # For the user alone: answers quote code.
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        connection = sqlite3.connect(path, isolation_level=None, timeout=5)
        try:
            connection.execute(_TABLE)
            connection.execute(
                "DELETE FROM answers WHERE given_at < ?", [time.time() - _DAYS * 86_400]
            )
            yield cls(connection)
        finally:
            connection.close()

    async def recall(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The entries that are known, by key."""
        found: dict[str, str] = {}
        for first in range(0, len(keys), _KEYS_A_QUERY):
            some = keys[first : first + _KEYS_A_QUERY]
            marks = ",".join("?" * len(some))
            asked = f"SELECT key, entry FROM answers WHERE key IN ({marks})"  # noqa: S608 - marks alone
            try:
                found.update(self.connection.execute(asked, some))
            except sqlite3.Error:
                return found
        return found

    async def remember(self, entries: Mapping[str, str]) -> None:
        """Keep entries. One that is known already stays as it is."""
        self._write("INSERT OR IGNORE", entries)

    async def amend(self, entries: Mapping[str, str]) -> None:
        """Keep entries in place of those that are known."""
        self._write("INSERT OR REPLACE", entries)

    async def claim(self, keys: Sequence[str]) -> frozenset[str]:
        """All of them."""
        return frozenset(keys)

    async def release(self, keys: Sequence[str]) -> None:
        """Nothing was claimed."""

    def _write(self, how: str, entries: Mapping[str, str]) -> None:
        at = time.time()
        rows = [(key, entry, at) for key, entry in entries.items()]
        try:
            self.connection.executemany(f"{how} INTO answers VALUES (?, ?, ?)", rows)
        except sqlite3.Error:
            # The review has its answer; the next one asks again.
            return
