from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DatabaseError

from jurat.errors import UsageError
from jurat.store.database import Database, DatabaseUnavailable
from jurat.store.maintenance import get_head, upgrade_schema
from jurat.store.repositories import keep_repository
from jurat.store.tables import metadata
from tests.support.postgres import on_both_databases


def _statements(path: Path) -> dict[str, str]:
    """The SQL of each table and index, by name."""
    connection = sqlite3.connect(path)
    rows = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT NULL"
        " AND name NOT LIKE 'sqlite_%' AND name <> 'alembic_version'"
    ).fetchall()
    connection.close()
    return {name: " ".join(sql.split()) for name, sql in rows}


async def test_migrations_build_what_the_metadata_says(tmp_path: Path) -> None:
    await upgrade_schema(f"sqlite:///{tmp_path / 'migrated'}")
    engine = create_engine(f"sqlite:///{tmp_path / 'created'}")
    metadata.create_all(engine)
    engine.dispose()

    assert _statements(tmp_path / "migrated") == _statements(tmp_path / "created")


_COLUMNS = """
    SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default
    FROM information_schema.columns WHERE table_schema = 'public'"""
_INDEXES = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
_CONSTRAINTS = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace"""


def _catalogue(url: str, *, create: bool = False) -> set[str]:
    """What PostgreSQL says of each of our tables' columns, indexes and constraints."""
    engine = create_engine(url)
    with engine.begin() as connection:
        if create:
            metadata.create_all(connection)
        rows = [
            str(tuple(row))
            for query in (_COLUMNS, _INDEXES, _CONSTRAINTS)
            for row in connection.execute(text(query))
        ]
    engine.dispose()
    return {row for row in rows if "procrastinate" not in row and "alembic" not in row}


def test_migrations_build_the_same_on_postgresql(
    upgraded_postgresql_url: str, postgres_url: str
) -> None:
    assert _catalogue(upgraded_postgresql_url) == _catalogue(postgres_url, create=True)


async def test_alembic_would_generate_no_further_migration(database: Database) -> None:
    async with database.reading() as connection:
        context = await connection.run_sync(MigrationContext.configure)
        assert await connection.run_sync(lambda _: compare_metadata(context, metadata)) == []


async def test_upgrades_at_the_same_time_and_again_reach_the_same_schema(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new'}"
    reached = await asyncio.gather(*(upgrade_schema(url) for _ in range(4)))

    assert reached == [get_head()] * 4
    assert await upgrade_schema(url) == get_head()


async def test_a_database_of_a_later_release_is_left_alone(
    database_url: str, database: Database
) -> None:
    async with database.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(UsageError, match="schema 9999, which this release does not know"):
        await upgrade_schema(database_url)


async def test_a_file_that_is_no_database_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text(
        "this is prose, long enough to be no header of a database\n" * 9
    )

    with pytest.raises(UsageError, match="file is not a database"):
        await upgrade_schema(f"sqlite:///{tmp_path / 'notes'}")


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("sqlite:////no/such/folder/jurat.sqlite3", "which is no folder"),
        ("mysql://host/name", "of no kind that Jurat knows"),
        ("jurat.sqlite3", "of no kind that Jurat knows"),
        ("postgresql://jurat:correct@host:port/name", "of no kind that Jurat knows"),
    ],
)
async def test_an_unusable_url_is_a_usage_error(url: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        Database.at(url)


async def test_a_sqlite_too_old_to_lease_jobs_is_a_usage_error(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 34, 1))

    with pytest.raises(UsageError, match="too old for Jurat"):
        Database.at(database_url)


async def test_an_unreachable_server_is_a_usage_error_without_the_password() -> None:
    address = "postgresql://jurat:correct@127.0.0.1:1/name?password=horse&sslpassword=battery"
    with pytest.raises(UsageError, match="cannot be used: ") as error:
        await upgrade_schema(address)

    shown = str(error.value)
    assert not [word for word in ("correct", "horse", "battery") if word in shown]


async def test_sqlite_is_set_to_keep_what_it_has_committed(database: Database) -> None:
    async with database.reading() as connection:
        found = {
            name: (await connection.execute(text(f"PRAGMA {name}"))).scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }

    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,  # FULL
        "foreign_keys": 1,
        "busy_timeout": 5000,
    }


async def test_readers_do_not_wait_for_a_writer(database: Database) -> None:
    async with database.writing() as writing, database.reading() as reading:
        await writing.execute(text("DELETE FROM ledger"))
        assert (await reading.execute(text("SELECT count(*) FROM ledger"))).scalar_one() == 0


async def test_a_block_that_fails_writes_nothing(database: Database) -> None:
    async def fail() -> None:
        async with database.writing() as connection:
            await connection.execute(text("INSERT INTO ledger VALUES ('key', 'entry', 0, NULL)"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()

    async with database.reading() as connection:
        assert (await connection.execute(text("SELECT count(*) FROM ledger"))).scalar_one() == 0


@on_both_databases
@pytest.mark.parametrize("table", ["rule_events", "rule_transitions"])
async def test_the_evidence_on_rules_can_only_grow(database: Database, table: str) -> None:
    values = {
        "rule_events": "(id, at, kind, rule_id, substance, written, repository_id, number,"
        " fingerprint) VALUES (1, '2026-01-01 00:00:00.000000', 'fixed', 'a', '', 'stable', 7,"
        " 1, 'f')",
        "rule_transitions": "(id, at, rule_id, substance, repository_id, before, after, since,"
        " cases, faults) VALUES (1, '2026-01-01 00:00:00.000000', 'a', '', 7, 'stable', 'proven',"
        " '2026-01-01 00:00:00.000000', 1, 0)",
    }
    async with database.writing() as connection:
        await connection.run_sync(keep_repository, 7)
        await connection.execute(text(f"INSERT INTO {table} {values[table]}"))
    for change in (f"UPDATE {table} SET rule_id = 'x'", f"DELETE FROM {table}"):
        with pytest.raises(DatabaseError, match="append-only"):
            async with database.writing() as connection:
                await connection.execute(text(change))


@pytest.mark.parametrize("change", ["UPDATE audit_log SET asked_by = 'x'", "DELETE FROM audit_log"])
async def test_the_audit_log_can_only_grow(database: Database, change: str) -> None:
    async with database.writing() as connection:
        await connection.execute(
            text(
                "INSERT INTO audit_log"
                " (at, asked_by, action, subject_digest, rules, models, result) VALUES"
                " ('2026-01-01 00:00:00.000000', 'octocat', 'review', '', '{}', '[]', '{}')"
            )
        )

    with pytest.raises(DatabaseError, match="append-only"):
        async with database.writing() as connection:
            await connection.execute(text(change))


async def test_a_file_that_breaks_is_a_database_that_does_not_answer(tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("this is prose, and no header of a database\n" * 9)
    database = Database.at(f"sqlite:///{tmp_path / 'broken'}")

    with pytest.raises(DatabaseUnavailable, match="DATABASE_URL") as refusal:
        async with database.writing():
            pass
    assert refusal.value.reason == "its file is no SQLite database"
    await database.close()
