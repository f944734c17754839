"""Which checks still say what an override has ended."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from jurat.findings.evaluation import Conclusion, Override
from jurat.store.database import Database
from jurat.store.decisions import EndedOverride, list_ended_overrides
from jurat.store.evaluations import Store
from jurat.store.repositories import Arrival, Departure
from tests.store.test_store import ABOUT, START, _evaluation
from tests.support.evaluations import save_published
from tests.support.postgres import on_both_databases


@on_both_databases
async def test_an_override_is_listed_from_its_end_on_for_a_week(
    store: Store, database: Database
) -> None:
    until = START.date()
    override = Override("mary", "The shop is down.", START, until)
    failed = _evaluation(conclusion=Conclusion.FAILURE, override=override)
    about = replace(ABOUT, repository_id=9)
    await store.repositories.note([Arrival(9, "octo/hello", 77)], START)
    await save_published(store, failed, about)
    listed = [await list_ended_overrides(database, until + dt.timedelta(n)) for n in (0, 1, 7, 8)]
    ended = EndedOverride(9, "octo/hello", 77, 7)
    assert listed == [(), (ended,), (ended,), ()]
    # The App may not review there any more: nobody waits for it.
    await store.repositories.note([Departure(77)], START)
    assert await list_ended_overrides(database, until + dt.timedelta(1)) == ()
