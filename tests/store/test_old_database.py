"""A database of the first release, with rows in it, upgraded to this one."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

import jurat.store
from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.maintenance import head, upgrade

ROWS = (
    "INSERT INTO deliveries VALUES"
    " ('guid', 'pull_request', 'meaning', '2026-01-01 00:00:00', 'enqueued')",
    "INSERT INTO reviews VALUES ('e1', 'acme/shop', 7, 'abc', 'DENY', 'failure', 'preflight',"
    " 'code', 'digest', '{}', '[]', '{\"evaluation_id\": \"e1\"}', 1.5, '2026-01-01 00:00:00')",
    "INSERT INTO evaluations VALUES ('e1', 'py.eval', 'revision', 'HIGH', 'stable', 'DENY', 1,"
    " 0.95, 'pattern', NULL, 0, 0, 1.5, '[]', 'code', 'preflight', 'acme/shop', 7, 'abc',"
    " '2026-01-01 00:00:00')",
)


def at_the_first_schema(path: Path) -> str:
    """A SQLite file as the first migration leaves it, with `ROWS`; its URL."""
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config = Config()
        assert jurat.store.__file__ is not None
        config.set_main_option(
            "script_location", str(Path(jurat.store.__file__).parent / "migrations")
        )
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for row in ROWS:
            connection.execute(text(row))
    engine.dispose()
    return f"sqlite:///{path}"


async def test_what_was_recorded_is_kept_and_can_be_read(tmp_path: Path) -> None:
    url = at_the_first_schema(tmp_path / "old.sqlite3")
    assert await upgrade(url) == head()
    database = Database.at(url)
    try:
        review = await Store(database, lambda: dt.datetime.now(dt.UTC)).review("e1")
        async with database.reading() as connection:
            rows = await connection.execute(
                text("SELECT rule_id, waived, counted FROM evaluations")
            )
            assert rows.all() == [("py.eval", 0, 1)]
    finally:
        await database.close()
    assert review is not None
    assert review.published
    assert review.response == {"evaluation_id": "e1"}
