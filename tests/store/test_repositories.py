"""Which repositories are known, whatever they are called, and where the App is installed."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from sqlalchemy import func, select

from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.open_checks import OpenCheck, OpenCheckStore
from jurat.store.repositories import Arrival, Departure
from jurat.store.tables import open_checks
from tests.store.test_store import ABOUT, _evaluation
from tests.support.evaluations import save_published
from tests.support.postgres import on_both_databases
from tests.support.server import START, FakeTime

pytestmark = on_both_databases
SHOP, NEW = Arrival(7, "acme/shop", 70), Arrival(8, "acme/shop", 70)
ABOUT_SHOP = replace(ABOUT, repository="acme/shop", repository_id=7)


async def test_a_name_leads_to_whoever_has_it_now(store: Store) -> None:
    known = store.repositories
    await known.note([SHOP], START)
    await save_published(store, _evaluation(), ABOUT_SHOP)
    await known.note([replace(SHOP, name="acme/store")], START)
    assert await store.last_review("acme/shop", 7) is None
    found = await store.last_review("Acme/STORE", 7)
    assert found is not None
    assert found.repository == "acme/store"
    await known.note([NEW], START)
    assert await store.last_review("acme/shop", 7) is None


async def test_a_new_repository_of_a_name_takes_it_and_inherits_nothing(store: Store) -> None:
    known = store.repositories
    await known.note([SHOP], START)
    await save_published(store, _evaluation(), ABOUT_SHOP)
    await known.note([NEW], START)
    assert [one.id for one in await known.list_named("acme/shop")] == [8]
    assert await store.last_review("acme/shop", 7) is None
    assert (await known.keep(7, "acme/shop")).name is None
    kept = await store.last_review(7, 7)
    assert kept is not None
    assert kept.repository is None


async def test_two_that_swap_their_names_in_one_batch_do(store: Store) -> None:
    other = Arrival(9, "acme/other", 70)
    await store.repositories.note([SHOP, other], START)
    swapped = [replace(SHOP, name="acme/other"), replace(other, name="acme/shop")]
    await store.repositories.note(swapped, START)
    names = [(await store.repositories.keep(n, "")).name for n in (7, 9)]
    assert names == ["acme/other", "acme/shop"]


async def test_what_somebody_calls_a_repository_is_not_githubs_word(store: Store) -> None:
    await store.repositories.note([SHOP], START)
    await save_published(store, _evaluation(), replace(ABOUT_SHOP, repository_id=None))
    assert await store.last_review(7, 7) is None
    assert [one.id for one in await store.repositories.list_named("ACME/shop")] == [-1, 7]
    again = replace(ABOUT_SHOP, repository="acme/Shop", repository_id=None)
    await save_published(store, _evaluation(evaluation_id="e-2"), again)
    assert [one.id for one in await store.repositories.list_named("acme/shop")] == [-1, 7]


async def test_who_left_is_remembered_from_the_first_word_until_the_app_is_back(
    store: Store,
) -> None:
    known, later = store.repositories, START + dt.timedelta(days=1)
    await known.note([SHOP, Arrival(9, "other/one", 71)], START)
    assert await known.note([Departure(70)], START) == (7,)
    assert await known.note([Departure(70, (7,))], later) == ()
    assert [one.id for one in await known.list_left(later)] == [7]
    # Of another owner by now: what its old one says is not about it.
    await known.note([replace(SHOP, installation_id=71)], later)
    assert await known.note([Departure(70, (7,))], later) == ()
    assert await known.list_left(later + dt.timedelta(days=99)) == ()


async def test_an_open_check_is_waited_for_only_where_somebody_can_end_it(
    store: Store, database: Database, time: FakeTime
) -> None:
    checks = OpenCheckStore(database, time.now)
    payload = {"repository_id": 7}
    await store.repositories.note([SHOP], START)
    await checks.begin(OpenCheck("k", "a" * 40, 1, "resume", payload))
    await checks.begin(OpenCheck("nobody's", "a" * 40, 1, "resume", {}))
    assert len(await checks.all()) == 2
    assert await store.repositories.note([Departure(70, suspended=True)], START) == (7,)
    assert [check.key for check in await checks.all()] == ["nobody's"]
    assert await store.repositories.note([Departure(70, suspended=False)], START) == ()
    assert len(await checks.all()) == 2
    await store.repositories.note([Departure(70)], START)
    async with database.reading() as connection:
        assert await connection.scalar(select(func.count()).select_from(open_checks)) == 1
