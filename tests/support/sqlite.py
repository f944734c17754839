"""SQLite files with this release's schema, in memory if the machine allows it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from jurat.store.maintenance import upgrade_schema
from tests.support.memory import MEMORY


@pytest.fixture(scope="session")
def memory() -> Iterator[Path]:
    """A folder for databases."""
    with TemporaryDirectory(prefix="jurat-", dir=MEMORY, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def upgraded_file(memory: Path) -> Path:
    """A database with this release's schema, to be copied: that takes less time."""
    path = memory / "upgraded.sqlite3"
    asyncio.run(upgrade_schema(f"sqlite:///{path}"))
    return path


@pytest.fixture
def upgraded_sqlite_url(memory: Path, upgraded_file: Path) -> Iterator[str]:
    """The address of a database of a test's own, with this release's schema."""
    with TemporaryDirectory(dir=memory, ignore_cleanup_errors=True) as folder:
        yield f"sqlite:///{shutil.copy(upgraded_file, Path(folder, 'jurat.sqlite3'))}"
