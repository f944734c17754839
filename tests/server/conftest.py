"""The REST API on real sockets and a real database, with or without a model behind it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Event, Thread
from types import MappingProxyType
from typing import Any

import pytest
from aiohttp import ClientResponse, web
from aiohttp.test_utils import TestClient, TestServer

from jurat.judge.protocol import Judge
from jurat.review_interfaces import Services
from jurat.server.access import WINDOW, Throttle, TokenGate
from jurat.server.api import add_api
from jurat.server.connections import LIMITS
from jurat.source.parsing import parse_in_process
from jurat.store.database import Database
from jurat.store.evaluations import DatabaseEvaluationStore, Store
from jurat.store.maintenance import upgrade_schema
from tests.support.server import START, FakeTime, build_gate

TOKEN = "a-token-for-tests-alone"
AUTHORIZED = MappingProxyType({"Authorization": f"Bearer {TOKEN}"})
MD5 = "import hashlib\n\n\ndef name(data):\n    return hashlib.md5(data).hexdigest()\n"


OWN_RULES = {
    "own/pay.yml": """
version: 1
rules:
  - id: pay.refund-cap
    statement: A refund is at most 500 EUR.
    kind: computational
    modality: MUST
    severity: HIGH
    subject_kinds: [decision, transaction]
    scope: [payments/refunds]
    tags: [money]
    constraints:
      - {type: numeric, field_path: amount, operator: "<=", threshold: 500, unit: EUR}
  - id: pay.approved-in-time
    statement: A refund is approved before it is paid.
    kind: computational
    modality: MUST
    severity: MEDIUM
    subject_kinds: [decision, transaction]
    scope: [payments/refunds]
    constraints:
      - {type: date, field_path: approved_on, operator: "<=", reference_date: paid_on}
      - {type: enum, field_path: "items[*].kind", allowed_values: [goods, 1, true]}
  - id: house.polite
    statement: Nobody is insulted.
    kind: normative
    modality: MUST_NOT
    severity: HIGH
    subject_kinds: [decision, creative]
"""
}


def build_services(store: Store, judge: Judge | None = None) -> Services:
    """What reviews need of the world, with a clock that stands."""
    return Services(
        judge=judge,
        records=DatabaseEvaluationStore(store),
        parse_map=parse_in_process,
        clock=lambda: START,
    )


@dataclass(slots=True)
class Client:
    """Whoever calls the API."""

    http: TestClient[Any, Any]
    headers: dict[str, str] = field(default_factory=lambda: dict(AUTHORIZED))

    async def post(self, path: str, body: Any, **headers: str) -> ClientResponse:
        """Post a value as JSON, or bytes as they are."""
        data = json.dumps(body).encode() if isinstance(body, dict | list | str) else body
        sent = {"Content-Type": "application/json", **self.headers, **headers}
        return await self.http.post(f"/api/v1{path}", data=data, headers=sent)

    async def get(self, path: str, **params: str) -> ClientResponse:
        """Get, with query parameters."""
        return await self.http.get(f"/api/v1{path}", params=params, headers=self.headers)

    async def evaluated(self, **body: Any) -> dict[str, Any]:
        """The answer to an evaluation that must succeed."""
        answer = await self.post("/evaluate", body)
        said: dict[str, Any] = await answer.json()
        assert answer.status == 200, said
        return said


@asynccontextmanager
async def connected(
    services: Services,
    store: Store,
    *,
    token: str = TOKEN,
    rules: Mapping[str, str] = OWN_RULES,
) -> AsyncIterator[Client]:
    """A client of a server on loopback."""
    app = web.Application(handler_args=LIMITS)
    add_api(app, services, store, gate=build_gate(token), rules=rules)
    async with TestClient(TestServer(app)) as http:
        yield Client(http)


@pytest.fixture
async def api(store: Store) -> AsyncIterator[Client]:
    """The API without a model."""
    async with connected(build_services(store), store) as client:
        yield client


@dataclass(frozen=True, slots=True)
class Served:
    """A server in a thread of its own, for clients that wait."""

    url: str
    port: int


async def _serve(folder: Path, ready: Callable[[int], None], stop: Event) -> None:
    url = f"sqlite:///{folder / 'jurat.sqlite3'}"
    await upgrade_schema(url)
    database = Database.at(url)
    store = Store(database, FakeTime().now)
    app = web.Application(handler_args=LIMITS)
    # A clock on which each request is minutes after the one before: whoever fires requests without
    # a token, as this module's tests do, would else wait for five seconds. test_access.py waits.
    minutes = count(step=2 * WINDOW)
    gate = TokenGate(TOKEN, Throttle(lambda: next(minutes)))
    add_api(app, build_services(store), store, gate=gate, rules=OWN_RULES)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    ready(runner.addresses[0][1])
    await asyncio.to_thread(stop.wait)
    await runner.cleanup()
    await database.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for a whole module: what a request leaves behind must not matter."""
    port: list[int] = []
    ready, stop = Event(), Event()

    def listening(on: int) -> None:
        port.append(on)
        ready.set()

    thread = Thread(
        target=lambda: asyncio.run(_serve(tmp_path_factory.mktemp("served"), listening, stop))
    )
    thread.start()
    assert ready.wait(30)
    yield Served(f"http://127.0.0.1:{port[0]}", port[0])
    stop.set()
    thread.join()
