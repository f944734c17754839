"""What was answered is on the disk, whenever the server is killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess

import aiohttp
from sqlalchemy import select

from jurat.store.database import Database
from jurat.store.tables import deliveries, jobs
from tests.server.samples import pull_request
from tests.support.production import python
from tests.support.server import guid, sign

COUNT, AT_ONCE, KILLED_AFTER = 400, 16, 60


async def _answered(url: str, server: subprocess.Popen[str]) -> set[str]:
    """Deliver, many at once, and kill the server in the midst of it; the GUIDs it answered."""
    answered: set[str] = set()
    numbers = iter(range(1, COUNT + 1))

    async def deliver(session: aiohttp.ClientSession) -> None:
        for number in numbers:
            body = json.dumps(pull_request(number=number)).encode()
            headers = {
                "Content-Type": "application/json",
                "X-GitHub-Event": "pull_request",
                "X-GitHub-Delivery": guid(number),
                "X-Hub-Signature-256": sign(body),
            }
            try:
                async with session.post(url, data=body, headers=headers) as answer:
                    assert answer.status == 202
                    answered.add(guid(number))
            except aiohttp.ClientError:
                return
            if len(answered) == KILLED_AFTER:
                os.kill(server.pid, signal.SIGKILL)

    async with aiohttp.ClientSession() as session:
        await asyncio.gather(*(deliver(session) for _ in range(AT_ONCE)))
    return answered


async def test_nothing_that_was_answered_is_lost_when_the_server_is_killed_under_load(
    environment: dict[str, str], database: Database
) -> None:
    command = [python(), "-m", "jurat", "serve", "--no-worker"]
    variables = {**os.environ, **environment, "LOG_FORMAT": "json"}
    with subprocess.Popen(  # noqa: ASYNC220 - a process is started at once
        command, env=variables, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        told = await asyncio.to_thread(_serving, server)
        reading = asyncio.create_task(asyncio.to_thread(server.stderr.read))
        answered = await _answered(told["url"] + told["webhook"], server)
        await reading
    assert server.returncode == -signal.SIGKILL
    assert len(answered) >= KILLED_AFTER

    async with database.reading() as connection:
        kept = set(await connection.scalars(select(deliveries.c.guid)))
        queued = set(await connection.scalars(select(jobs.c.delivery)))
    assert answered <= kept
    assert kept == queued


def _serving(server: subprocess.Popen[str]) -> dict[str, str]:
    assert server.stderr is not None
    lines = (json.loads(line) for line in server.stderr)
    return next(line for line in lines if line["event"] == "serving")
