"""/healthz and /readyz over HTTP, asked politely and not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, TCPConnector, web
from aiohttp.test_utils import TestServer

from jurat.server.readiness import Look, Readiness, add_health, limit_look
from jurat.store.database import Database
from jurat.store.write_trial import WriteTrial

Asked = tuple[int, Any]
Ask = Callable[[str], "asyncio.Future[Asked]"]


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Counted:
    """Looks at a database, and counts how often."""

    def __init__(self, database: Database) -> None:
        self.count = 0
        self._trial = WriteTrial(database)

    async def __call__(self) -> str | None:
        self.count += 1
        return await self._trial.problem()


def served(readiness: Readiness) -> AbstractAsyncContextManager[Ask]:
    return _served(readiness)


@asynccontextmanager
async def _served(readiness: Readiness) -> AsyncIterator[Ask]:
    app = web.Application()
    add_health(app, readiness)
    async with TestServer(app) as server, ClientSession(connector=TCPConnector(limit=0)) as session:

        async def ask(path: str) -> Asked:
            async with session.get(server.make_url(path)) as answer:
                return answer.status, await answer.json()

        yield lambda path: asyncio.ensure_future(ask(path))


def says(problem: str | None) -> Look:
    async def look() -> str | None:
        return problem

    return look


async def test_a_server_with_its_database_is_ready(database: Database) -> None:
    async with served(Readiness({"database": WriteTrial(database).problem})) as ask:
        assert await ask("/healthz") == (200, {"status": "alive"})
        assert await ask("/readyz") == (200, {"status": "ready"})


async def test_a_server_with_a_broken_database_lives_but_is_not_ready(tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("this is prose, and no header of a database\n" * 9)
    database = Database.at(f"sqlite:///{tmp_path / 'broken'}")
    async with served(Readiness({"database": WriteTrial(database).problem})) as ask:
        assert (await ask("/healthz"))[0] == 200
        problems = ["database: its file is no SQLite database"]
        assert await ask("/readyz") == (503, {"status": "unready", "problems": problems})
    await database.close()


async def test_each_part_that_ails_is_named() -> None:
    parts = {"database": says("it is read-only"), "job loop": says(None), "judge": says("none")}
    async with served(Readiness(parts)) as ask:
        _, body = await ask("/readyz")
    assert body["problems"] == ["database: it is read-only", "judge: none"]


async def test_two_hundred_who_ask_at_once_cost_one_write(database: Database) -> None:
    clock, look = Clock(), Counted(database)
    async with served(Readiness({"database": look}, clock=clock)) as ask:
        answers = await asyncio.gather(*(ask("/readyz") for _ in range(200)))
        assert {status for status, _ in answers} == {200}
        assert look.count == 1
        clock.seconds += 1
        await asyncio.gather(*(ask("/readyz") for _ in range(200)))
        assert look.count == 2


async def test_who_asked_first_may_go_away() -> None:
    begun, end = asyncio.Event(), asyncio.Event()

    async def slow() -> str | None:
        begun.set()
        await end.wait()
        return "it was slow"

    readiness = Readiness({"database": slow})
    first = asyncio.create_task(readiness.problems())
    await begun.wait()
    second = asyncio.create_task(readiness.problems())
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait({first})
    end.set()
    assert await second == ("database: it was slow",)


async def test_a_look_that_fails_by_a_bug_is_no_ready_and_is_made_again() -> None:
    clock = Clock()
    found: list[BaseException | None] = [RuntimeError("a bug"), None]

    async def look() -> str | None:
        if error := found.pop(0):
            raise error
        return None

    readiness = Readiness({"database": look}, clock=clock)
    with pytest.raises(RuntimeError):
        await readiness.problems()
    clock.seconds += 1
    assert await readiness.problems() == ()


async def test_what_is_looked_at_seldom_is_looked_at_again_after_its_pause() -> None:
    clock = Clock()
    found: list[str | None] = ["no client", "no client", None, "no client"]

    async def look() -> str | None:
        return found.pop(0)

    looked = limit_look(look, 30, clock)
    assert await looked() == "no client"
    clock.seconds += 29
    assert await looked() == "no client"
    assert len(found) == 3
    clock.seconds += 1
    assert await looked() == "no client"
    clock.seconds += 30
    assert await looked() is None
    assert await looked() == "no client"
