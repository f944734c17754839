"""The whole App between a stand-in GitHub and a stand-in Gemini, over real HTTP and SQLite."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache

import pytest

from jurat.app.lifecycle import serve_http
from jurat.app.wiring import App, build_app
from jurat.settings import ServerSettings, Settings
from tests.standins.gemini.standin import StandInGemini
from tests.standins.github import PullRequest, Repository, StandIn, actions
from tests.standins.github.checks import CheckRun
from tests.support.github import APP_ID, SECRET
from tests.support.parsers import share_parsers
from tests.support.rules import BROKEN, NO_MD5

API_TOKEN = "a token for this town alone"
RULES = f"""{NO_MD5}  - id: house.no-names-in-logs
    statement: Log lines hold no names of customers.
    kind: normative
    modality: MUST_NOT
    severity: HIGH
    languages: [python]
"""
BASE = {
    ".github/jurat.yml": "version: 1\npacks: []\nrules: [policy]\n",
    "policy/house.yml": RULES,
    "digest.py": BROKEN.replace("md5", "sha256"),
}


@dataclass(slots=True)
class Town:
    """One repository with the App installed, and everyone who acts on it."""

    github: StandIn
    gemini: StandInGemini
    repository: Repository
    settings: ServerSettings
    pauses: list[float] = field(default_factory=list)
    """What guesses at the token cost, in seconds that nobody waits."""

    async def pause(self, seconds: float) -> None:
        """Take down that somebody would wait."""
        self.pauses.append(seconds)
        await asyncio.sleep(0)

    def running(self) -> AbstractAsyncContextManager[App]:
        """The App, started anew on the same database."""
        return _running(self)

    async def settle(self, app: App) -> None:
        """Deliver every event and run every job, and what those bring about."""
        while self.github.outbox:
            await self.github.flush()
            await app.worker.run_due()

    def open(self, files: dict[str, str], **about: str) -> PullRequest:
        """A pull request from branch `fix` that changes these files."""
        actions.push(self.repository, "fix", dict(files))
        return actions.open_pull_request(self.repository, head="fix", **about)

    def checks(self, pull: PullRequest) -> list[CheckRun]:
        """The reviews' check runs of the head, oldest first."""
        return self.named("jurat", pull)

    def named(self, name: str, pull: PullRequest) -> list[CheckRun]:
        """The check runs of the head that have a name, oldest first."""
        runs = self.repository.check_runs.values()
        return [run for run in runs if run.head_sha == pull.head_sha and run.name == name]

    def check(self, pull: PullRequest) -> CheckRun:
        """The newest check run of the head."""
        return self.checks(pull)[-1]


def build_hasty_app(settings: ServerSettings) -> AbstractAsyncContextManager[App]:
    """The App, which makes no pause between two requests, and parses where its neighbours do."""
    return build_app(settings, write_interval=0.0, sleep=_pass_turn, parse_map=share_parsers())


async def _pass_turn(_seconds: float) -> None:
    await asyncio.sleep(0)


@asynccontextmanager
async def _running(town: Town) -> AsyncIterator[App]:
    async with (
        build_hasty_app(town.settings) as app,
        serve_http(town.settings, app, sleep=town.pause) as url,
    ):
        town.github.webhook_url = url + town.settings.webhook_path
        yield app


def settings_for(
    github: StandIn, gemini: StandInGemini, app_key: str, database_url: str
) -> ServerSettings:
    """The settings of an App between two stand-ins."""
    settings = _read_settings(app_key, gemini.api_key)
    assert settings.model is not None
    return replace(
        settings,
        app=replace(settings.app, api_url=github.api_url),
        model=replace(settings.model, base_url=gemini.base_url),
        database_url=database_url,
    )


@cache  # to validate a key takes 40 ms
def _read_settings(app_key: str, gemini_key: str) -> ServerSettings:
    return Settings.from_environment(
        {
            "APP_ID": str(APP_ID),
            "PRIVATE_KEY": app_key,
            "WEBHOOK_SECRET": SECRET,
            "GEMINI_API_KEY": gemini_key,
            "JURAT_API_TOKEN": API_TOKEN,
            "PORT": "0",
        }
    ).for_server()


@pytest.fixture
def town(github: StandIn, gemini: StandInGemini, app_key: str, database_url: str) -> Town:
    repository = github.create_repository("acme/shop", BASE)
    github.set_permission(repository, "wendy", "write")
    github.set_permission(repository, "rita", "read")
    settings = settings_for(github, gemini, app_key, database_url)
    return Town(github, gemini, repository, settings)


@pytest.fixture
async def app(town: Town) -> AsyncIterator[App]:
    async with town.running() as running:
        yield running
