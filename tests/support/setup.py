"""A server without an App, its set-up page open, and a GitHub on which one can be registered."""

from __future__ import annotations

import re
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from time import monotonic

import aiohttp
import pytest
from aiohttp import web

from jurat.app.setup import SetupDoors
from jurat.server.access import Throttle, TokenGate
from jurat.server.connections import listen
from jurat.server.credentials import find_credentials_file
from jurat.server.login import LoginDoors
from jurat.settings import Settings, SetupSettings
from jurat.store.database import Database
from jurat.store.sessions import SessionStore
from tests.standins.github import StandIn
from tests.support.github import APP_ID, SECRET, made_key
from tests.support.schema import assert_valid_traffic

TOKEN = "a token for set-up alone"


@dataclass(slots=True)
class NewServer:
    """A server that shows the page at `url`. `seconds` is its clock."""

    url: str
    github: StandIn
    doors: SetupDoors
    file: Path
    settings: SetupSettings
    seconds: float = 0.0

    def choose_github(self, api_url: str | None = None) -> None:
        """Another GitHub; without an address, the one that whoever registers the App names."""
        self.settings = replace(self.settings, api_url=api_url)
        self.doors._settings = self.settings

    def read_kept(self) -> dict[str, str]:
        """What the file holds, which nobody else may read."""
        assert stat.S_IMODE(self.file.stat().st_mode) == 0o600
        return dict(line.split("=", 1) for line in self.file.read_text().splitlines())


@asynccontextmanager
async def fresh_github() -> AsyncIterator[StandIn]:
    """A GitHub whose pages are where its API is."""
    async with StandIn(
        app_id=APP_ID,
        private_key=made_key(),
        webhook_secret=SECRET,
        slug="another",
        html_url=None,
    ) as github:
        github.world.account("acme", "Organization")
        yield github
        assert_valid_traffic(github)


@asynccontextmanager
async def new_server(
    github: StandIn, database_url: str, **environment: str
) -> AsyncIterator[NewServer]:
    """The page, as `jurat serve` shows it to whoever has no App."""
    given = {
        "DATABASE_URL": database_url,
        "JURAT_API_TOKEN": TOKEN,
        "GITHUB_API_URL": github.api_url,
        "PORT": "0",
    }
    settings = Settings.from_environment({**given, **environment}).for_setup()
    database = Database.at(database_url)
    file = find_credentials_file(database_url)
    gate = TokenGate(TOKEN, Throttle(monotonic))
    sessions = SessionStore(database, TOKEN, lambda: datetime.now(UTC))
    doors = web.Application()
    async with aiohttp.ClientSession() as session:
        server = NewServer("", github, None, file, settings)  # type: ignore[arg-type] # set below
        server.doors = SetupDoors(
            settings, file, LoginDoors(gate, sessions), session, lambda: server.seconds
        )
        server.doors.add_to(doors)
        async with listen(doors, "127.0.0.1", 0) as server.url:
            yield server
    await database.close()


@pytest.fixture
async def empty_github() -> AsyncIterator[StandIn]:
    async with fresh_github() as github:
        yield github


@pytest.fixture
async def newcomer(empty_github: StandIn, database_url: str) -> AsyncIterator[NewServer]:
    async with new_server(empty_github, database_url) as server:
        yield server


@pytest.fixture
async def visitor() -> AsyncIterator[aiohttp.ClientSession]:
    """A browser's cookies without the browser."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as opened:
        yield opened


async def log_in(server: NewServer, visitor: aiohttp.ClientSession) -> str:
    """Begin a session; what its forms hold."""
    async with visitor.post(f"{server.url}/login", data={"token": TOKEN}) as answer:
        found = re.search(r'name="form_token" value="(\w+)"', await answer.text())
    assert found is not None
    return found[1]


async def post_form(
    server: NewServer,
    visitor: aiohttp.ClientSession,
    fields: Mapping[str, str],
    *,
    origin: str | None = None,
    token: str | None = None,
) -> str:
    """The page that the form leads to, in a session that begins here unless its token is given."""
    form = {"form_token": token or await log_in(server, visitor), **fields}
    headers = {"Origin": server.url if origin is None else origin}
    async with visitor.post(f"{server.url}/setup", data=form, headers=headers) as answer:
        return unescape(await answer.text())
