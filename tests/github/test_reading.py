"""Files of a snapshot, and many of them at once."""

from __future__ import annotations

import asyncio

import pytest

from jurat.github.client import GitHub
from jurat.github.contents import CommitFiles
from jurat.github.errors import NotFoundError
from jurat.github.retries import LIMIT, run_concurrently
from tests.github.faulty import Script


@pytest.mark.parametrize(
    "path", ["", "/", "..", "../a", "a/../b", "./a", "a//b", "caf\udce9.py", "a/."]
)
async def test_a_path_that_a_url_cannot_say_is_not_asked_for(
    scripted: GitHub, script: Script, path: str
) -> None:
    snapshot = CommitFiles(scripted, "acme/shop", "a" * 40)
    with pytest.raises(NotFoundError, match="no path that GitHub can serve"):
        await snapshot.read(path)
    assert script.seen == []


async def test_so_many_run_at_once_and_no_more() -> None:
    running = most = 0

    async def work(number: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return number * 2

    assert await run_concurrently(work, range(40)) == [number * 2 for number in range(40)]
    assert most == LIMIT


async def test_the_first_error_ends_the_others() -> None:
    finished: list[int] = []

    async def work(number: int) -> None:
        if number == 3:
            raise ValueError(number)
        for _ in range(number):
            await asyncio.sleep(0)
        finished.append(number)

    with pytest.raises(ValueError, match="3"):
        await run_concurrently(work, range(30))
    for _ in range(100):
        await asyncio.sleep(0)
    assert max(finished) < 10
