from __future__ import annotations

import pytest
from sqlalchemy import select

from jurat.store.bulk import BulkInsert
from jurat.store.database import Database
from jurat.store.tables import deliveries
from tests.support.postgres import on_both_databases
from tests.support.server import FakeTime

pytestmark = on_both_databases


@pytest.fixture
async def claiming(database: Database) -> BulkInsert:
    return BulkInsert(
        database.engine,
        deliveries,
        each=("guid", "event", "meaning"),
        shared=("received_at", "outcome"),
        completed=lambda insert: insert.on_conflict_do_nothing(),
    )


def _row(guid: str, meaning: str | None = None) -> dict[str, str | None]:
    return {"guid": guid, "event": "pull_request", "meaning": meaning}


async def _insert(
    claiming: BulkInsert, database: Database, time: FakeTime, *rows: dict[str, str | None]
) -> int:
    return await database.transact(
        lambda connection: claiming.execute(
            connection, rows, received_at=time.now(), outcome="enqueued"
        )
    )


async def test_rows_stand_as_they_were_given(
    claiming: BulkInsert, database: Database, time: FakeTime
) -> None:
    meanings = [None, "", "plain", "'; --", 'a "quoted"\\word\n', "Ümlaut \U0001f600", r"\u0000"]
    rows = [_row(str(number), meaning) for number, meaning in enumerate(meanings)]

    assert await _insert(claiming, database, time, *rows) == len(rows)

    async with database.reading() as connection:
        found = (await connection.execute(select(deliveries).order_by(deliveries.c.guid))).all()
    assert [row.meaning for row in found] == meanings
    assert {row.received_at for row in found} == {time.now()}
    assert {(row.event, row.outcome) for row in found} == {("pull_request", "enqueued")}


async def test_what_no_database_can_store_is_replaced(
    claiming: BulkInsert, database: Database, time: FakeTime
) -> None:
    rows = (_row("1", "nul \x00 here"), _row("2", "half \ud83d a pair, and a whole one \U0001f600"))

    await _insert(claiming, database, time, *rows)

    async with database.reading() as connection:
        found = await connection.scalars(select(deliveries.c.meaning).order_by(deliveries.c.guid))
    assert found.all() == ["nul \ufffd here", "half \ufffd a pair, and a whole one \U0001f600"]


async def test_rows_that_conflict_are_not_counted(
    claiming: BulkInsert, database: Database, time: FakeTime
) -> None:
    assert await _insert(claiming, database, time, _row("1"), _row("1"), _row("2", "same")) == 2
    assert await _insert(claiming, database, time, _row("3", "same"), _row("4")) == 1
