"""Two GitHubs: the stand-in, which has state, and a script of answers, for faults alone."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from jurat.github.auth import GitHubApp, TokenScope
from jurat.github.client import GitHub
from tests.github.faulty import Script, Time, Tokens
from tests.standins.github import ManualClock, Repository, StandIn
from tests.support.github import APP_ID

CONFIGURATION = ".github/jurat.yml"
RULES = """
rules:
  - id: {id}
    statement: Numbers are small.
    kind: computational
    modality: MUST
    severity: HIGH
"""


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def tokens() -> Tokens:
    return Tokens()


@pytest.fixture
async def script() -> AsyncIterator[Script]:
    script = Script()
    application = web.Application()
    application.router.add_route("*", "/{tail:.*}", script.handle)
    async with TestServer(application) as server:
        script.url = str(server.make_url("")).rstrip("/")
        yield script
    assert script.answers == [], "the client asked less than expected"


@pytest.fixture
def scripted(script: Script, session: aiohttp.ClientSession, time: Time, tokens: Tokens) -> GitHub:
    return GitHub(session, tokens, base_url=script.url, clock=time, sleep=time.sleep)


@pytest.fixture
def app(
    github: StandIn, session: aiohttp.ClientSession, app_key: str, clock: ManualClock
) -> GitHubApp:
    """The App, whose sleep lets the stand-in's time pass."""

    async def sleep(seconds: float) -> None:
        clock.advance(seconds)

    return GitHubApp(
        session,
        APP_ID,
        app_key,
        base_url=github.api_url,
        clock=lambda: clock().timestamp(),
        sleep=sleep,
    )


@pytest.fixture
def repository(github: StandIn) -> Repository:
    return github.create_repository("acme/shop", {"README.md": "Shop\n"})


@pytest.fixture
def api(github: StandIn, app: GitHubApp, repository: Repository) -> GitHub:
    """The installation that covers `repository`."""
    installation = github.world.installation_of(repository)
    assert installation is not None
    scope = TokenScope.from_permissions(installation.app.permissions, repository.id)
    return app.get_installation(installation.id, scope)
