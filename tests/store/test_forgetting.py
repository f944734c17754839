"""What is forgotten is gone: from every table, and from the bytes of an SQLite file."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, String, Table, insert, select, text
from sqlalchemy.exc import DatabaseError

from jurat.jobs.queue import JobRequest
from jurat.jobs.table_queue import open_queue
from jurat.store.database import Database, Instant, Json, Prose
from jurat.store.forgetting import forget_repository, list_kept_tables
from jurat.store.repositories import Arrival, KnownRepository, Repositories
from jurat.store.tables import audit_log, metadata, rule_standings, rule_transitions
from tests.support.postgres import on_both_databases
from tests.support.server import START, FakeTime

OURS, THEIRS = (7, "acme-vault"), (8, "acme-other")
"""GitHub's number, and a word that stands in everything that is kept of it."""
CHOSEN = {"kind": "dismissed", "standing": "open"}


def _make_value(column: Column[Any], number: int, word: str) -> object:
    if column.name in CHOSEN:
        return CHOSEN[column.name]
    if column.name == "repository_id":
        return number
    if isinstance(column.type, Instant):
        return START
    if isinstance(column.type, Json):
        return {"code": f"secret = {word!r}"}
    if isinstance(column.type, (String, Prose)):
        return word
    return {dt.date: START.date(), bool: True}.get(column.type.python_type, number)


async def _fill(database: Database, number: int, word: str, time: FakeTime) -> None:
    """A row of the repository in every table that may hold one, and a job."""
    await Repositories(database).note([Arrival(number, f"{word}/shop", 70)], START)
    tables = [*list_kept_tables(), rule_standings, rule_transitions]
    payload = {"repository": word, "repository_id": number, "installation_id": 70}
    async with database.writing() as connection:
        for place, table in enumerate(tables):
            row = {column.name: _make_value(column, number, word) for column in table.c}
            row["id"] = number + 100 * place
            # Once more, as the record of all repositories: of a rule that only this one has.
            if place >= len(list_kept_tables()):
                row["repository_id"] = None
            known = {key: value for key, value in row.items() if key in table.c}
            await connection.execute(insert(table), known)
        job = JobRequest(f"{word}#1", "review", payload, delivery=word)
        await connection.run_sync(open_queue(database, time.now).enqueue, [job])


async def _read_everything(database: Database) -> dict[str, str]:
    async with database.reading() as connection:
        names = [table.name for table in metadata.sorted_tables]
        if database.engine.dialect.name == "postgresql":
            names += ["procrastinate_jobs", "procrastinate_events"]
        return {
            name: str((await connection.execute(text(f"SELECT * FROM {name}"))).all())
            for name in names
        }


async def _forget(database: Database, time: FakeTime) -> dict[str, int]:
    queue, known = open_queue(database, time.now), KnownRepository(OURS[0], None)
    return dict(
        await forget_repository(database, queue.delete_all, known, asked_by="a test", at=START)
    )


@on_both_databases
async def test_nothing_is_left_of_it_and_nothing_missing_of_another(
    database: Database, time: FakeTime
) -> None:
    await _fill(database, *OURS, time)
    await _fill(database, *THEIRS, time)
    kept = {table.name for table in list_kept_tables()}
    before = await _read_everything(database)
    assert {name for name, rows in before.items() if OURS[1] in rows} >= {*kept, "repositories"}

    deleted = await _forget(database, time)

    assert deleted == dict.fromkeys((*kept, "jobs"), 1)
    after = await _read_everything(database)
    assert [name for name, rows in after.items() if OURS[1] in rows] == []
    there = [name for name, rows in before.items() if THEIRS[1] in rows]
    assert there == [name for name, rows in after.items() if THEIRS[1] in rows]


@on_both_databases
async def test_one_line_says_that_it_was_forgotten_and_the_log_is_closed_again(
    database: Database, time: FakeTime
) -> None:
    await _fill(database, *OURS, time)
    await _fill(database, *THEIRS, time)
    deleted = await _forget(database, time)
    async with database.reading() as connection:
        line = (
            await connection.execute(select(audit_log).where(audit_log.c.action == "forget"))
        ).one()
    assert (line.asked_by, line.at) == ("a test", START)
    assert line.result == {"repository_id": OURS[0], "deleted": deleted}
    for table in ("audit_log", "rule_events", "rule_transitions"):
        with pytest.raises(DatabaseError, match="append-only"):
            async with database.writing() as connection:
                await connection.execute(text(f"DELETE FROM {table}"))


@on_both_databases
async def test_another_ones_record_is_not_let_go_of_meanwhile(
    database: Database, time: FakeTime
) -> None:
    await _fill(database, *OURS, time)
    await _fill(database, *THEIRS, time)
    async with database.writing() as connection:
        await connection.execute(text(f"INSERT INTO forgetting VALUES ({OURS[0]})"))
    with pytest.raises(DatabaseError, match="append-only"):
        async with database.writing() as connection:
            await connection.execute(
                text(f"DELETE FROM audit_log WHERE repository_id = {THEIRS[0]}")
            )


async def test_the_files_hold_no_byte_of_it(
    database: Database, database_url: str, time: FakeTime
) -> None:
    await _fill(database, *OURS, time)
    await _fill(database, *THEIRS, time)
    # Written and overwritten before: what is left of that in the file's free space counts too.
    async with database.writing() as connection:
        await connection.execute(text(f"UPDATE reviews SET answer = '{OURS[1] * 9_000}'"))
        await connection.execute(text("UPDATE reviews SET answer = '{}'"))
    await _forget(database, time)
    found = _read_files(Path(database_url.removeprefix("sqlite:///")).parent)
    assert any(THEIRS[1].encode() in content for content in found.values())
    assert [name for name, content in found.items() if OURS[1].encode() in content] == []


def _read_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("jurat.sqlite3*")}


def test_every_table_that_names_a_repository_goes_with_it() -> None:
    named = {table.name for table in metadata.sorted_tables if _names_repository(table)}
    assert named - {table.name for table in list_kept_tables()} == {"forgetting"}


def _names_repository(table: Table) -> bool:
    return "repository_id" in table.c
