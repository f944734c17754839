"""A worker as a process of its own, between the stand-ins of a test."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.support.github import APP_ID, SECRET
from tests.support.production import python
from tests.support.town import Town


def build_environment(town: Town) -> Mapping[str, str]:
    """The town's settings, as a process finds them."""
    settings = town.settings
    assert settings.model is not None
    return {
        "APP_ID": str(APP_ID),
        "PRIVATE_KEY": settings.app.private_key.get_secret_value(),
        "WEBHOOK_SECRET": SECRET,
        "GITHUB_API_URL": settings.app.api_url,
        "GEMINI_API_KEY": settings.model.api_key.get_secret_value(),
        "GOOGLE_GEMINI_BASE_URL": str(settings.model.base_url),
        "DATABASE_URL": settings.database_url,
        "LOG_LEVEL": "fatal",
        "PORT": "0",
        "PYTHONWARNINGS": "ignore",  # who is killed cleans nothing up
    }


async def started(town: Town, *command: str) -> asyncio.subprocess.Process:
    """A Python process that runs `command` with the town's settings."""
    return await asyncio.create_subprocess_exec(
        *(python(), "-m", *command),
        env={**os.environ, **build_environment(town)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


HANGING = 600
"""Seconds until a process counts as one that never ends. To start takes three of a core, and a
busy machine has given one a twentieth of that: a minute was too short."""


async def ended(process: asyncio.subprocess.Process) -> int:
    """Wait for a process that must end by itself; its exit code."""
    try:
        return await asyncio.wait_for(process.wait(), HANGING)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


class Nursery:
    """A process that has loaded the App, and plays its roles in forks of its own, one at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    async def prepare(self, town: Town, role: str) -> int:
        """The number of a process that is about to play a role with the town's settings."""
        return await self._ask(json.dumps([role, dict(build_environment(town))]))

    async def run(self) -> int:
        """Let the process begin, and wait for its end; its exit code."""
        return await self._ask("")

    async def _ask(self, line: str) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        answer = asyncio.to_thread(self._process.stdout.readline)
        return int(await asyncio.wait_for(answer, HANGING))


@contextmanager
def opened_nursery() -> Iterator[Nursery]:
    """A nursery until the end."""
    command = (python(), "-m", "tests.chaos.process", "fork")
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield Nursery(process)
        finally:
            process.kill()
