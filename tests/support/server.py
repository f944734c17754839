"""A running webhook on a real socket and a real database, and a GitHub that signs."""

from __future__ import annotations

import asyncio
import datetime as dt
import hmac
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from uuid import UUID

import pytest
from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient, TestServer
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from jurat.jobs.table_queue import TableQueue
from jurat.server.access import Throttle, TokenGate
from jurat.server.intake import Intake
from jurat.server.readiness import Readiness
from jurat.server.webhook import create_app
from jurat.settings import ServerSettings, Settings
from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.maintenance import upgrade_schema

WEBHOOK_SECRET = "a secret for tests alone"
APP_ID = 4242
START = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.UTC)


class FakeTime:
    """A clock that stands until it is moved, and a sleep that ends when it is."""

    def __init__(self, start: dt.datetime = START) -> None:
        self._now = start
        self._sleepers: list[tuple[dt.datetime, asyncio.Future[None]]] = []
        self._someone_sleeps = asyncio.Event()

    def now(self) -> dt.datetime:
        return self._now

    async def sleep(self, seconds: float) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + dt.timedelta(seconds=seconds), future))
        self._someone_sleeps.set()
        await future

    def advance(self, seconds: float) -> None:
        """Move the clock on; who slept until then wakes."""
        self._now += dt.timedelta(seconds=seconds)
        for until, future in list(self._sleepers):
            if until <= self._now and not future.done():
                future.set_result(None)
        self._drop_done()

    async def until_asleep(self, seconds: float) -> None:
        """Wait until someone sleeps for that long, counted from now."""
        deadline = self._now + dt.timedelta(seconds=seconds)
        while True:
            self._drop_done()
            if any(until == deadline for until, _ in self._sleepers):
                return
            self._someone_sleeps.clear()
            await self._someone_sleeps.wait()

    def _drop_done(self) -> None:
        self._sleepers = [item for item in self._sleepers if not item[1].done()]


def sign(body: bytes, secret: str = WEBHOOK_SECRET) -> str:
    """The X-Hub-Signature-256 header of a body."""
    return "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex()


def guid(number: int) -> str:
    """The X-GitHub-Delivery of a test's delivery number `number`."""
    return str(UUID(int=number, version=4))


@dataclass(slots=True)
class Hook:
    """GitHub's side of the webhook: it numbers, signs and delivers."""

    client: TestClient[Any, Any]
    path: str
    _count: int = field(default=0)

    async def deliver(
        self,
        event: str,
        payload: Mapping[str, Any],
        *,
        delivery: str | None = None,
    ) -> ClientResponse:
        """Deliver an event, under a new GUID unless one is given."""
        self._count += 1
        body = json.dumps(payload).encode()
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": delivery or guid(self._count),
            "X-Hub-Signature-256": sign(body),
        }
        return await self.client.post(self.path, data=body, headers=headers)


@pytest.fixture(scope="session")
def private_key_pem() -> str:
    """A fresh RSA key, as GitHub hands one out."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    return pem.decode("ascii")


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str:
    """A database with this release's schema: SQLite, or what `on_both_databases` says."""
    kind = getattr(request, "param", "sqlite")
    return str(request.getfixturevalue(f"upgraded_{kind}_url"))


@pytest.fixture
def environment(private_key_pem: str, database_url: str) -> dict[str, str]:
    """What `jurat serve` needs, and nothing else."""
    return {
        "APP_ID": str(APP_ID),
        "PRIVATE_KEY": private_key_pem,
        "WEBHOOK_SECRET": WEBHOOK_SECRET,
        "DATABASE_URL": database_url,
        "PORT": "0",
    }


@pytest.fixture
def settings(environment: dict[str, str]) -> ServerSettings:
    return Settings.from_environment(environment).for_server()


@pytest.fixture
async def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """An upgraded database."""
    await upgrade_schema(database_url)
    database = Database.at(database_url)
    yield database
    await database.close()


@pytest.fixture
async def queue(database: Database, time: FakeTime) -> TableQueue:
    return TableQueue(database, time.now)


@pytest.fixture
async def store(database: Database, time: FakeTime) -> Store:
    return Store(database, time.now)


@pytest.fixture
async def woken() -> list[None]:
    """Grows by one each time the workers are woken."""
    return []


@pytest.fixture
async def hook(
    settings: ServerSettings,
    database: Database,
    queue: TableQueue,
    time: FakeTime,
    woken: list[None],
) -> AsyncIterator[Hook]:
    """The webhook, served on loopback."""

    def enqueued() -> None:
        woken.append(None)

    intake = Intake(database, queue, now=time.now, enqueued=enqueued)
    server = TestServer(create_app(settings, intake, Readiness({})))
    async with TestClient(server) as client:
        yield Hook(client, settings.webhook_path)


def build_gate(token: str) -> TokenGate:
    """A door that wants this token."""
    return TokenGate(token, Throttle(monotonic))
