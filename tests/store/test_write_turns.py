from __future__ import annotations

import asyncio

from jurat.store.database import Database
from jurat.store.open_checks import WriteTurns
from tests.support.postgres import on_both_databases
from tests.support.server import FakeTime

# So long that what the test itself takes is nothing.
INTERVAL = 1_000.0


def _turns(seconds: list[float]) -> list[int]:
    return [round(each / INTERVAL) for each in seconds]


@on_both_databases
async def test_every_process_takes_a_turn_of_its_own(
    database: Database, database_url: str, time: FakeTime
) -> None:
    elsewhere = Database.at(database_url)
    here, there = (
        WriteTurns(each, time.now, interval=INTERVAL).bind(7) for each in (database, elsewhere)
    )
    taken = await asyncio.gather(*(turn() for _ in range(10) for turn in (here, there)))
    await elsewhere.close()

    assert sorted(_turns(taken)) == list(range(20))


@on_both_databases
async def test_installations_do_not_wait_for_each_other(database: Database, time: FakeTime) -> None:
    turns = WriteTurns(database, time.now, interval=INTERVAL)

    taken = [await turns.bind(number)() for number in (7, 8, 7, 8)]

    assert _turns(taken) == [0, 0, 1, 1]


async def test_a_turn_that_nobody_took_is_not_made_up_for(
    database: Database, time: FakeTime
) -> None:
    turn = WriteTurns(database, time.now, interval=INTERVAL).bind(7)
    await turn()
    time.advance(86_400)

    assert _turns([await turn(), await turn()]) == [0, 1]
