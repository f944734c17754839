"""A machine whose clock is wrong, beside one whose clock is right, on one PostgreSQL."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import text

from jurat.app import wiring
from jurat.app.leaving import GRACE, DepartureSweep
from jurat.jobs.periodic import PeriodicTask
from tests.standins.github import actions
from tests.support.talk import DENIED, opened
from tests.support.town import Town

AHEAD = pytest.mark.parametrize(
    ("database_url", "ahead"),
    [("postgresql", dt.timedelta(hours=2)), ("postgresql", -dt.timedelta(hours=2))],
    indirect=["database_url"],
)


def set_clock(monkeypatch: pytest.MonkeyPatch, ahead: dt.timedelta) -> None:
    """From now on this machine's clock is so far ahead."""
    monkeypatch.setattr(wiring, "_get_now", lambda: dt.datetime.now(dt.UTC) + ahead)


@AHEAD
async def test_it_keeps_the_same_schedule_and_reviews(
    town: Town, monkeypatch: pytest.MonkeyPatch, ahead: dt.timedelta
) -> None:
    set_clock(monkeypatch, ahead)
    async with town.running() as wrong:
        await wrong.scheduler.tick()
        named = {item.name: await wrong.queue.latest_tick(item.name) for item in _list_work(wrong)}
        pull = await opened(town, wrong, DENIED)
        assert town.check(pull).conclusion == "failure"
    set_clock(monkeypatch, dt.timedelta())
    now = dt.datetime.now(dt.UTC).timestamp()
    async with town.running() as right:
        for item in _list_work(right):
            tick = named[item.name]
            assert tick is not None
            # At most one tick has passed since, and none is said to be done that is still to come.
            assert now // item.every.total_seconds() - tick in (0, 1), item.name
        await right.worker.run_due()


@AHEAD
async def test_it_takes_no_job_that_another_holds(
    town: Town, monkeypatch: pytest.MonkeyPatch, ahead: dt.timedelta
) -> None:
    minute = dt.timedelta(minutes=1)
    async with town.running() as right:
        town.open({"digest.py": DENIED})
        await town.github.flush()
        held = await right.queue.lease("right", minute)
        assert held is not None
        set_clock(monkeypatch, ahead)
        async with town.running() as wrong:
            others = [await wrong.queue.lease("wrong", minute) for _ in range(3)]
            assert held.key not in [job.key for job in others if job]
        assert await right.queue.extend_lease(held, minute)
        assert await right.queue.complete(held)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_it_forgets_nobody_within_the_grace(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, GRACE * 2)
    async with town.running() as wrong:
        pull = await opened(town, wrong, DENIED)
        world, one = town.github.world, town.github.installed_on("acme")
        actions.choose_repositories(world, one, [])
        await town.settle(wrong)
        async with wrong.database.writing() as connection:
            await connection.execute(text("UPDATE repositories SET removed_at = now()"))
        await DepartureSweep(wrong.database, wrong.queue, wrong.replay.app, wrong.services.clock)()
        assert await wrong.store.last_review("acme/shop", pull.number) is not None


def _list_work(app: wiring.App) -> list[PeriodicTask]:
    return list(app.scheduler._work)
