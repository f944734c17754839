"""Who may read what Jurat stores."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from jurat.store.database import Database
from jurat.store.maintenance import upgrade_schema
from jurat.store.write_trial import WriteTrial


@pytest.fixture(autouse=True)
def generous() -> Iterator[None]:
    """A umask that takes nothing away."""
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}


async def test_a_new_database_is_its_owners_alone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/jurat.sqlite3"
    await upgrade_schema(url)
    database = Database.at(url)
    assert await WriteTrial(database).problem() is None
    found = modes(tmp_path)
    await database.close()
    assert found == {
        "jurat.sqlite3": 0o600,
        "jurat.sqlite3-wal": 0o600,
        "jurat.sqlite3-shm": 0o600,
    }


async def test_a_database_that_exists_keeps_what_its_owner_gave_it(tmp_path: Path) -> None:
    (tmp_path / "jurat.sqlite3").touch(0o640)
    await upgrade_schema(f"sqlite:///{tmp_path}/jurat.sqlite3")
    assert modes(tmp_path) == {"jurat.sqlite3": 0o640}


async def test_a_database_in_memory_makes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    await upgrade_schema("sqlite:///:memory:")
    assert modes(tmp_path) == {}
