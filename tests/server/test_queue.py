"""Turns at evaluating: in order, a few at once, and a time to come again for those turned away."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import ClientSession, TCPConnector, web

from jurat.server.api import add_api
from jurat.server.api_http import ApiError
from jurat.server.api_queue import MAX_AT_ONCE, MAX_WAITING, EvaluationQueue
from jurat.server.connections import LIMITS, listen
from jurat.store.evaluations import Store
from tests.server.conftest import AUTHORIZED, MD5, TOKEN, build_services
from tests.support.server import build_gate


class Turns:
    """Evaluations that end when they are told to, on a clock that stands until it is moved."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.queue = EvaluationQueue(lambda: self.seconds)
        self.begun: list[int] = []
        self.ends = [asyncio.Event() for _ in range(1_000)]
        self.most = self.now = 0

    async def take(self, number: int) -> None:
        async with self.queue.take_turn():
            self.begun.append(number)
            self.now += 1
            self.most = max(self.most, self.now)
            await self.ends[number].wait()
            self.now -= 1


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_whoever_waits_longest_is_next() -> None:
    turns = Turns()
    tasks = [asyncio.create_task(turns.take(number)) for number in range(30)]
    await _settle()
    assert turns.begun == list(range(MAX_AT_ONCE))
    for number in range(30):
        turns.ends[number].set()
        await _settle()
    await asyncio.gather(*tasks)
    assert turns.begun == list(range(30))
    assert turns.most == MAX_AT_ONCE


async def test_one_too_many_is_told_when_to_come_again() -> None:
    turns = Turns()
    tasks = [asyncio.create_task(turns.take(number)) for number in range(MAX_AT_ONCE + MAX_WAITING)]
    await _settle()
    with pytest.raises(ApiError) as refused:
        await turns.take(999)
    # A second for each, until one has ended and it is known better.
    assert (refused.value.status, refused.value.headers["Retry-After"]) == (429, "28")
    turns.seconds = 11.0
    turns.ends[0].set()
    await _settle()
    one_more = asyncio.create_task(turns.take(998))
    await _settle()
    with pytest.raises(ApiError) as refused:
        await turns.take(999)
    assert refused.value.headers["Retry-After"] == "60"  # at most
    for event in turns.ends:
        event.set()
    await asyncio.gather(*tasks, one_more)


async def test_whoever_gives_up_waiting_leaves_the_queue() -> None:
    turns = Turns()
    tasks = [asyncio.create_task(turns.take(number)) for number in range(MAX_AT_ONCE + 2)]
    await _settle()
    tasks[MAX_AT_ONCE].cancel()
    turns.ends[0].set()
    await _settle()
    assert turns.begun == [*range(MAX_AT_ONCE), MAX_AT_ONCE + 1]
    for event in turns.ends:
        event.set()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_one_that_fails_gives_its_turn_back() -> None:
    queue = EvaluationQueue()
    for _ in range(2 * MAX_AT_ONCE):
        with pytest.raises(ZeroDivisionError):
            async with queue.take_turn():
                raise ZeroDivisionError
    async with queue.take_turn():
        pass


async def test_two_hundred_evaluations_from_one_address_are_all_served(store: Store) -> None:
    """Half of them identical, and each on a connection of its own."""
    app = web.Application(handler_args=LIMITS)
    add_api(app, build_services(store), store, gate=build_gate(TOKEN))
    async with (
        listen(app, "127.0.0.1", 0) as url,
        ClientSession(connector=TCPConnector(limit=0), headers=AUTHORIZED) as session,
    ):

        async def ask(number: int) -> tuple[int, str]:
            content = MD5 if number % 2 else f"{MD5}# {number}\n"
            body = {"files": [{"path": "a.py", "content": content}]}
            async with session.post(f"{url}/api/v1/evaluate", json=body) as answer:
                return answer.status, (await answer.json())["evaluation_id"]

        said = await asyncio.gather(*map(ask, range(200)))
    assert {status for status, _ in said} == {200}
    assert len({name for _, name in said}) == 101
