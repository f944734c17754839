"""Fixtures: a stand-in GitHub with the App on it, and clients that talk to it."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

import aiohttp
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.standins.github import ManualClock, StandIn, new_private_key
from tests.standins.github.diffs import DiffLimits
from tests.standins.github.standin import PERMISSIONS
from tests.support.schema import assert_valid_traffic

APP_ID = 4711
SECRET = "It's a Secret to Everybody"


@cache
def made_key() -> str:
    """An RSA key in PEM; made once, since that takes a while."""
    return new_private_key()


@pytest.fixture(scope="session")
def app_key() -> str:
    """The App's private key."""
    return made_key()


@pytest.fixture
def clock() -> ManualClock:
    """Stands at the real present, so that clients with a clock of their own agree with it."""
    return ManualClock(datetime.now(UTC).replace(microsecond=0))


@pytest.fixture
def permissions() -> dict[str, str]:
    """What the App may do: by default no more than app.yml asks for."""
    return dict(PERMISSIONS)


@pytest.fixture
def enterprise() -> bool:
    """Whether the stand-in is an Enterprise Server."""
    return False


@pytest.fixture
def diff_limits() -> DiffLimits:
    """Where the stand-in stops serving diffs."""
    return DiffLimits()


@pytest.fixture
async def github(
    app_key: str,
    clock: ManualClock,
    permissions: dict[str, str],
    enterprise: bool,
    diff_limits: DiffLimits,
) -> AsyncIterator[StandIn]:
    """A running stand-in. At the end all that was said has to fit GitHub's description."""
    async with StandIn(
        app_id=APP_ID,
        private_key=app_key,
        webhook_secret=SECRET,
        clock=clock,
        permissions=permissions,
        enterprise=enterprise,
        diff_limits=diff_limits,
    ) as running:
        yield running
        assert_valid_traffic(running)


def app_jwt(key: str, clock: ManualClock, **claims: Any) -> str:
    """A JWT as the App makes one: a minute back, nine minutes on."""
    now = int(clock().timestamp())
    standard = {"iss": str(APP_ID), "iat": now - 60, "exp": now + 540}
    return jwt.encode(standard | claims, _loaded(key), algorithm="RS256")


@cache
def _loaded(key: str) -> rsa.RSAPrivateKey:
    """A key ready for use; loading it checks its primes, which takes 50 ms."""
    loaded = serialization.load_pem_private_key(key.encode(), password=None)
    assert isinstance(loaded, rsa.RSAPrivateKey)
    return loaded


class Client:
    """A bare HTTP client with one credential, which shows answers as they are."""

    def __init__(self, session: aiohttp.ClientSession, base: str, credential: str) -> None:
        self._session = session
        self._base = base
        self.headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {credential}",
            "Content-Type": "application/json",
            "User-Agent": "jurat-tests",
        }

    async def ask(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, Any, Mapping[str, str]]:
        """Status, parsed body (bytes if it is not JSON) and headers."""
        sent = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        address = path if path.startswith("http") else self._base + path
        # A stream, because aiohttp warns of bodies above 1 MB that are given as bytes.
        data = io.BytesIO(json.dumps(body).encode()) if body is not None else None
        async with self._session.request(
            method, address, data=data, headers=sent, allow_redirects=False
        ) as answer:
            read = await answer.read()
            is_json = answer.content_type == "application/json"
            shown = await answer.json() if is_json and read else read
            return answer.status, shown, answer.headers

    async def get(self, path: str, **headers: str) -> Any:
        """The body of a GET that must succeed."""
        status, body, _ = await self.ask("GET", path, **headers)
        assert status == 200, body
        return body

    async def post(self, path: str, body: Any = None) -> Any:
        """The body of a POST that must succeed."""
        status, answer, _ = await self.ask("POST", path, body)
        assert status in (200, 201, 202), answer
        return answer

    async def patch(self, path: str, body: Any) -> Any:
        """The body of a PATCH that must succeed."""
        status, answer, _ = await self.ask("PATCH", path, body)
        assert status == 200, answer
        return answer

    async def refused(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and body of a request that must fail."""
        status, answer, _ = await self.ask(method, path, body)
        assert status >= 400, answer
        return status, answer


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """An HTTP session that ends with the test."""
    async with aiohttp.ClientSession() as opened:
        yield opened


@pytest.fixture
def app_client(
    github: StandIn, session: aiohttp.ClientSession, app_key: str, clock: ManualClock
) -> Client:
    """The App with a JWT."""
    return Client(session, github.api_url, app_jwt(app_key, clock))


@pytest.fixture
async def client(github: StandIn, session: aiohttp.ClientSession, app_client: Client) -> Client:
    """The App with a token for `acme`, on which it is installed."""
    number = github.installed_on("acme").id
    issued = await app_client.post(f"/app/installations/{number}/access_tokens")
    return Client(session, github.api_url, issued["token"])
