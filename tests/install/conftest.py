"""Jurat as it ships: the wheel of this checkout and the locked packages, and nothing around them.

The stand-ins for GitHub and Gemini run here, with the tests; what is tested runs by itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.cli.conftest import checkout, no_personal_configuration
from tests.support.command import Ran
from tests.support.github import APP_ID, SECRET
from tests.support.production import ROOT, install, production, program
from tests.support.town import API_TOKEN, Town

__all__ = ["checkout", "no_personal_configuration"]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> Path:
    """The environment that ships, with the wheel: built and installed once for each run."""
    with production() as environment:
        installed_by = environment / "wheel-installed-by"
        if not installed_by.exists() or installed_by.read_text() != testrun_uid:
            wheel = built(tmp_path_factory.mktemp("wheel"))
            install(environment, "--no-index", "--force-reinstall", wheel)
            installed_by.write_text(testrun_uid)
    return environment


def built(folder: Path) -> Path:
    """The wheel of this checkout, by the development environment's hatchling."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    where = ["--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder, ROOT]
    subprocess.run([*command, *where], check=True)
    (wheel,) = folder.glob("jurat-*.whl")
    return wheel


@pytest.fixture
def emptied(tmp_path: Path) -> Mapping[str, str]:
    """An environment that says where programs are, and an empty home."""
    home = tmp_path / "home"
    home.mkdir()
    return {"PATH": os.environ["PATH"], "HOME": str(home)}


@dataclass(frozen=True, slots=True)
class Command:
    """The installed `jurat`, run in a folder of its own."""

    path: Path
    folder: Path
    environment: Mapping[str, str]

    async def __call__(self, *arguments: str | Path, **variables: str) -> Ran:
        process = await self.start(*arguments, **variables)
        out, err = await process.communicate()
        assert process.returncode is not None
        return Ran(process.returncode, out.decode(), err.decode())

    async def start(self, *arguments: str | Path, **variables: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(self.path, *arguments),
            cwd=self.folder,
            env={**self.environment, **variables},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )


@pytest.fixture
def jurat(installed: Path, tmp_path: Path, emptied: Mapping[str, str]) -> Command:
    folder = tmp_path / "work"
    folder.mkdir()
    return Command(program(installed, "jurat"), folder, emptied)


@pytest.fixture
def configured(town: Town) -> dict[str, str]:
    """What the App is told of its two stand-ins and its database."""
    model = town.settings.model
    assert model is not None
    return {
        "APP_ID": str(APP_ID),
        "PRIVATE_KEY": town.settings.app.private_key.get_secret_value(),
        "WEBHOOK_SECRET": SECRET,
        "GITHUB_API_URL": town.settings.app.api_url,
        "GEMINI_API_KEY": model.api_key.get_secret_value(),
        "GOOGLE_GEMINI_BASE_URL": str(model.base_url),
        "DATABASE_URL": town.settings.database_url,
        "JURAT_API_TOKEN": API_TOKEN,
        "LOG_FORMAT": "json",
        "PORT": "0",
    }


@dataclass(slots=True)
class Server:
    """A server that was started: where it listens, and all that it has logged so far."""

    process: asyncio.subprocess.Process
    url: str = ""
    log: list[str] = field(default_factory=list)

    async def read(self, until: str = "") -> None:
        """Read the log, to its end or until an event."""
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.log.append(line.decode())
            said = json.loads(line)
            self.url = said.get("url", self.url)
            if until and said["event"] == until:
                return

    async def comes(self, happened: Callable[[], bool]) -> None:
        """Wait until something is so; if it never is, the log says why."""
        try:
            async with asyncio.timeout(30):
                while not happened():  # noqa: ASYNC110 - another process makes it so
                    await asyncio.sleep(0.02)
        except TimeoutError:
            pytest.fail("The server did not get there. Its log:\n" + "".join(self.log))


Serve = Callable[..., AbstractAsyncContextManager[Server]]


@pytest.fixture
def serve(jurat: Command, town: Town, configured: Mapping[str, str]) -> Serve:
    """`jurat serve`, to which the stand-in GitHub delivers; stopped at the block's end."""

    @asynccontextmanager
    async def serving(*arguments: str | Path) -> AsyncIterator[Server]:
        server = Server(await jurat.start("serve", *arguments, **configured))
        await server.read("serving")
        town.github.webhook_url = server.url + town.settings.webhook_path
        reading = asyncio.create_task(server.read())
        try:
            yield server
        finally:
            server.process.terminate()
            await asyncio.gather(reading, server.process.wait())

    return serving
