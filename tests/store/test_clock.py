"""Whose clock counts: on PostgreSQL the server's, on SQLite the machine's."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import text

from jurat.store.clock import DatabaseClock
from jurat.store.database import Database

SECOND = dt.timedelta(seconds=1)


class Steady:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 5_000.0

    def __call__(self) -> float:
        return self.seconds


async def ask(database: Database) -> dt.datetime:
    async with database.reading() as connection:
        at = await connection.scalar(text("SELECT clock_timestamp()"))
    assert isinstance(at, dt.datetime)
    return at.astimezone(dt.UTC)


@pytest.mark.parametrize("jump", [-7_200, 7_200, 40 * 86_400])
async def test_a_machine_whose_clock_jumps_has_the_servers_time(
    upgraded_postgresql_url: str, jump: int
) -> None:
    database, steady = Database.at(upgraded_postgresql_url), Steady()
    ahead = dt.timedelta(seconds=jump)
    clock = DatabaseClock(database, lambda: dt.datetime.now(dt.UTC) + ahead, steady)
    async with clock.keeping():
        before = await ask(database)
        assert abs(clock() - before) < 60 * SECOND
        known = clock()
        steady.seconds += 90
        assert clock() - known == 90 * SECOND
        assert clock.read_seconds() == clock().timestamp()
        # A machine that slept, whose steady clock stood still, is set again.
        await clock.set()
        assert abs(clock() - before) < 60 * SECOND
    await database.close()


async def test_on_sqlite_it_is_the_machines(upgraded_sqlite_url: str) -> None:
    database, at = Database.at(upgraded_sqlite_url), dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC)
    clock = DatabaseClock(database, lambda: at)
    async with clock.keeping():
        assert clock() == at
        at += SECOND
        assert clock() == at
    await database.close()
