"""What /readyz of a whole App says while a part of it fails."""

from __future__ import annotations

import asyncio
import datetime as dt
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import aiohttp
import pytest

from jurat.app.lifecycle import run_until_stopped, serve_http
from jurat.app.wiring import App
from jurat.jobs.periodic import PeriodicScheduler, PeriodicTask
from jurat.server import readiness
from tests.support.town import BROKEN, Town


async def asked(url: str) -> tuple[int, Any]:
    async with aiohttp.ClientSession() as session, session.get(url + "/readyz") as answer:
        return answer.status, await answer.json()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was seen is not told again."""
    monkeypatch.setattr(readiness, "_FRESH", 0.0)


@asynccontextmanager
async def both_loops(app: App) -> AsyncIterator[None]:
    """The worker and who keeps the time, as a process runs them."""
    keeping = asyncio.create_task(app.scheduler.run())
    running = asyncio.create_task(app.worker.run())
    await asyncio.sleep(0)
    yield
    app.worker.stop()
    keeping.cancel()
    await asyncio.wait({running, keeping})


async def test_a_server_is_ready_while_its_worker_goes_round(town: Town, app: App) -> None:
    async with serve_http(town.settings, app, with_worker=True) as url:
        problems = ["job loop: it has not begun", "periodic work: it has not begun"]
        assert await asked(url) == (503, {"status": "unready", "problems": problems})
        async with both_loops(app):
            assert await asked(url) == (200, {"status": "ready"})
            app.worker.stop()
            assert await asked(url) == (
                503,
                {"status": "unready", "problems": ["job loop: it stops"]},
            )
        status, body = await asked(url)
        assert (status, body["problems"][0]) == (503, "job loop: it has ended")


async def test_a_server_without_a_worker_is_ready_without_one(town: Town, app: App) -> None:
    async with serve_http(town.settings, app) as url:
        assert await asked(url) == (200, {"status": "ready"})


async def test_a_database_that_became_read_only_is_named(town: Town, app: App) -> None:
    await app.database.transact(lambda one: one.exec_driver_sql("PRAGMA query_only = 1"))
    async with serve_http(town.settings, app) as url:
        problems = ["database: it is read-only"]
        assert await asked(url) == (503, {"status": "unready", "problems": problems})


async def test_a_judge_that_cannot_be_constructed_costs_only_what_needs_it(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)
    async with town.running() as app, serve_http(town.settings, app) as url:
        status, body = await asked(url)
        assert (status, len(body["problems"])) == (503, 1)
        assert body["problems"][0].startswith("judge: the model's client could not be made")
        pull = town.open({"digest.py": BROKEN})
        await town.settle(app)
        assert len(pull.review_comments) == 1
        assert town.check(pull).conclusion == "failure"


async def test_an_error_that_ends_the_keeping_of_time_ends_the_process(app: App) -> None:
    class Dying(PeriodicScheduler):
        async def tick(self) -> None:
            raise RuntimeError("a bug")

    async def nothing() -> None:
        pass

    now = app.services.clock
    dying = Dying(
        (PeriodicTask("x", dt.timedelta(days=1), nothing),), app.queue, app.database, now=now
    )
    with pytest.raises(RuntimeError, match="a bug"):
        await run_until_stopped(replace(app, scheduler=dying))
    assert await app.worker.problem() == "it has ended"
