"""Whoever finds the address of the server, and holds no secret."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import hmac
import json
import zlib
from collections.abc import AsyncIterator
from dataclasses import replace
from ipaddress import ip_network

import aiohttp
import pytest
from sqlalchemy import func, select

from jurat.app.wiring import App
from jurat.server.access import FREE_BY_ADDRESS, LONGEST_PAUSE
from jurat.server.login import SESSION_COOKIE
from jurat.store.tables import deliveries
from tests.attacks.attack import attack
from tests.support.github import SECRET
from tests.support.town import API_TOKEN, BROKEN, Town
from tests.support.wire import Wire

BODY = json.dumps({"action": "opened", "number": 1}).encode()
REVIEWED = "acme/shop"


def sign(body: bytes, secret: str = SECRET, algorithm: str = "sha256") -> str:
    return f"{algorithm}=" + hmac.new(secret.encode(), body, algorithm).hexdigest()


def origin(town: Town) -> str:
    return (town.github.webhook_url or "").removesuffix(town.settings.webhook_path)


def port(town: Town) -> int:
    return int(origin(town).rpartition(":")[2])


async def count_deliveries(app: App) -> int:
    async with app.database.reading() as connection:
        return await connection.scalar(select(func.count()).select_from(deliveries)) or 0


def delivery(**headers: str) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": "pull_request",
        "X-GitHub-Delivery": "00000000-0000-4000-8000-00000000000a",
        **headers,
    }


@pytest.fixture
async def visitor() -> AsyncIterator[aiohttp.ClientSession]:
    """A browser's or a program's way in, without cookies of its own."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield session


async def post(town: Town, visitor: aiohttp.ClientSession, body: bytes, **headers: str) -> int:
    """The status of a delivery."""
    url = origin(town) + town.settings.webhook_path
    async with visitor.post(url, data=body, headers=delivery(**headers)) as answer:
        assert b"acme" not in await answer.read()
        return answer.status


async def look(
    town: Town, visitor: aiohttp.ClientSession, path: str, **headers: str
) -> tuple[int, str, str]:
    """Status, redirect and text of a page; nothing that was reviewed is in it."""
    url = origin(town) + path
    async with visitor.get(url, headers=headers, allow_redirects=False) as answer:
        text = await answer.text()
        assert REVIEWED not in text
        return answer.status, answer.headers.get("Location", ""), text


async def reviewed(town: Town, app: App) -> str:
    """One review that a stranger would like to read; its path on the dashboard."""
    town.open({"digest.py": BROKEN})
    await town.settle(app)
    last = await app.store.last_review(REVIEWED, 1)
    assert last is not None
    return f"/reviews/{last.evaluation_id}"


async def log_in(town: Town, visitor: aiohttp.ClientSession, token: str) -> tuple[int, str]:
    """The status, and the cookie."""
    url = origin(town) + "/login"
    async with visitor.post(url, data={"token": token}, allow_redirects=False) as answer:
        cookie = answer.cookies.get(SESSION_COOKIE)
        return answer.status, cookie.value if cookie else ""


FORGED = {
    "none": {},
    "empty": {"X-Hub-Signature-256": ""},
    "another secret": {"X-Hub-Signature-256": sign(BODY, "It's no Secret to Anybody")},
    "another body": {"X-Hub-Signature-256": sign(BODY + b" ")},
    "SHA-1": {"X-Hub-Signature": sign(BODY, algorithm="sha1")},
    "SHA-1 as SHA-256": {"X-Hub-Signature-256": sign(BODY, algorithm="sha1")},
    "SHA-512": {"X-Hub-Signature-256": sign(BODY, algorithm="sha512")},
    "no HMAC": {"X-Hub-Signature-256": "sha256=" + hashlib.sha256(BODY).hexdigest()},
    "an empty key": {"X-Hub-Signature-256": sign(BODY, "")},
    "upper case": {"X-Hub-Signature-256": sign(BODY).upper()},
    "cut": {"X-Hub-Signature-256": sign(BODY)[:-1]},
    "two in one": {"X-Hub-Signature-256": sign(BODY, "x") + ", " + sign(BODY)},
}


@attack(
    "a stranger",
    tries="forge a delivery's signature: with SHA-1, another key, no key, a plain digest, or cut",
    gets="401, and nothing is kept",
)
@pytest.mark.parametrize("headers", FORGED.values(), ids=FORGED)
async def test_a_forged_signature(
    town: Town, app: App, visitor: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    assert await post(town, visitor, BODY, **headers) == 401
    assert await count_deliveries(app) == 0


@attack(
    "a stranger",
    tries="fill the memory with small packed bodies: gzip, deflate, br, zstd, one in another",
    gets="415 before a byte of them is unpacked",
)
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, gzip", "x-gzip"])
async def test_a_packed_bomb(
    town: Town, app: App, visitor: aiohttp.ClientSession, encoding: str
) -> None:
    bomb = zlib.compress(b"0" * (8 << 20)) if encoding == "deflate" else gzip.compress(b"0" * 9_999)
    packed = {"Content-Encoding": encoding, "X-Hub-Signature-256": sign(bomb)}
    assert await post(town, visitor, bomb, **packed) == 415
    assert await count_deliveries(app) == 0


@attack(
    "a stranger",
    tries="hide the packing in Transfer-Encoding, or send two lengths at once",
    gets="400 and a closed connection",
)
@pytest.mark.parametrize(
    "framing",
    [
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Content-Length: 4\r\nContent-Length: 5",
        "Content-Length: -1",
        "Content-Length: 0x10",
        "Transfer-Encoding: xchunked",
    ],
)
async def test_a_body_in_two_framings(town: Town, app: App, wire: Wire, framing: str) -> None:
    request = (
        f"POST {town.settings.webhook_path} HTTP/1.1\r\nHost: h\r\n"
        f"X-Hub-Signature-256: {sign(BODY)}\r\n{framing}\r\n\r\n0\r\n\r\n"
    )
    assert await wire.status(port(town), request.encode()) in (400, 401, 501)
    assert await count_deliveries(app) == 0


@attack(
    "a stranger",
    tries="send headers without end: one of a megabyte, and thousands of small ones",
    gets="400, after a few kilobytes",
)
@pytest.mark.parametrize(
    "headers",
    [b"X-A: " + b"a" * (1 << 20), b"\r\n".join(b"X-%d: a" % number for number in range(5_000))],
    ids=["one", "many"],
)
async def test_headers_without_end(town: Town, app: App, wire: Wire, headers: bytes) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: h\r\n"
    assert await wire.status(port(town), head, headers, b"\r\n\r\n") == 400


@attack(
    "a stranger",
    tries="announce 26 MB and send none of them",
    gets="413 at once",
)
async def test_a_length_that_is_too_large(town: Town, app: App, wire: Wire) -> None:
    request = (
        f"POST {town.settings.webhook_path} HTTP/1.1\r\nHost: h\r\n"
        f"X-Hub-Signature-256: {sign(BODY)}\r\nContent-Length: {26 << 20}\r\n\r\n"
    )
    assert await wire.status(port(town), request.encode()) == 413


@attack(
    "a stranger",
    tries="open 64 connections and let each body stand half sent",
    gets="a delivery of GitHub's that is reviewed meanwhile",
)
async def test_half_bodies_hold_nobody_up(town: Town, app: App, wire: Wire) -> None:
    begun = (
        f"POST {town.settings.webhook_path} HTTP/1.1\r\nHost: h\r\n"
        f"X-Hub-Signature-256: {sign(BODY, 'x' * 16)}\r\nContent-Length: 1000000\r\n\r\n"
    )
    for _ in range(64):
        await wire.send(port(town), begun.encode(), b"x" * 10_000)
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    wire.close()


@attack(
    "a stranger",
    tries="send large bodies on 64 connections, each nearly whole, and end none of them",
    gets="one read and 63 that wait with their sender, and a delivery that is reviewed meanwhile",
)
async def test_large_bodies_wait_their_turn(town: Town, app: App, wire: Wire) -> None:
    begun = (
        f"POST {town.settings.webhook_path} HTTP/1.1\r\nHost: h\r\n"
        f"X-Hub-Signature-256: {sign(BODY, 'x' * 16)}\r\nContent-Length: 1500000\r\n\r\n"
    )
    sent = [await wire.send(port(town), begun.encode(), b"x" * 1_400_000) for _ in range(64)]
    answers = [asyncio.create_task(answer.readline()) for answer in sent]
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    # Nobody had to give way, as all would have been 90 MB: they were not taken.
    assert not any(answer.done() for answer in answers)
    wire.close()
    await asyncio.gather(*answers, return_exceptions=True)


@attack(
    "a stranger",
    tries="send a recorded delivery of GitHub's again, under the same and under another GUID",
    gets="one review: what was claimed is not done twice",
)
async def test_a_replayed_delivery(town: Town, app: App) -> None:
    pull = town.open({"digest.py": BROKEN})
    await town.settle(app)
    recorded = [sent.event for sent in town.github.deliveries if sent.event.name == "pull_request"]
    for event in recorded:
        for again in (event, town.github.repeated(event)):
            assert (await town.github.deliver(again)).status_code == 200
    await town.settle(app)
    assert recorded
    assert len(town.checks(pull)) == 1


@attack(
    "a stranger",
    tries="read reviews, figures and rules through a proxy on this machine that adds no header",
    gets="the log-in form and 401: loopback is nobody's proof",
)
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "jurat.example.com"])
async def test_a_visitor_from_loopback(
    town: Town, app: App, visitor: aiohttp.ClientSession, host: str
) -> None:
    page = await reviewed(town, app)
    for path in ("/", page):
        assert (await look(town, visitor, path, Host=host))[:2] == (303, "/login")
    for path in ("/metrics", "/api/v1/analytics", "/api/v1/openapi.json"):
        assert (await look(town, visitor, path, Host=host))[0] == 401


@attack(
    "a stranger",
    tries="have a page whose name means this machine ask for the reviews (DNS rebinding)",
    gets="401: the page has no token, and the browser sends it no cookie of another name",
)
async def test_dns_rebinding(town: Town, app: App, visitor: aiohttp.ClientSession) -> None:
    await reviewed(town, app)
    rebound = {"Host": "rebound.example:3000", "Origin": "http://rebound.example:3000"}
    assert (await look(town, visitor, "/", **rebound))[:2] == (303, "/login")
    assert (await look(town, visitor, "/api/v1/analytics", **rebound))[0] == 401


@attack(
    "a stranger",
    tries="reach a guarded page by another spelling of its path or by another method",
    gets="404, 405 or the way to the form",
)
@pytest.mark.parametrize(
    "target",
    ["//", "/./", "/%2e/", "/reviews/../", "/healthz/../metrics", "/metrics/", "/METRICS",
     "/api/v1/../v1/analytics", "/api%2fv1/analytics", "/static/../../etc/passwd", "*",
     "http://localhost/metrics"],
)  # fmt: skip
async def test_another_spelling_of_a_path(town: Town, app: App, wire: Wire, target: str) -> None:
    await reviewed(town, app)
    for method in ("GET", "HEAD", "OPTIONS", "PUT", "TRACE"):
        request = f"{method} {target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        answer = await (await wire.send(port(town), request.encode())).read()
        status = int(answer.split(b" ")[1])
        assert status in (303, 400, 401, 404, 405), (method, target)
        assert REVIEWED.encode() not in answer


@attack(
    "a stranger",
    tries="use the link's token on another page, in its query, a cookie or a form",
    gets="the log-in form: the log-in alone takes it, and leaves a clean address",
)
async def test_a_token_in_another_place(
    town: Town, app: App, visitor: aiohttp.ClientSession
) -> None:
    page = await reviewed(town, app)
    for path in (f"/?token={API_TOKEN}", f"{page}?token={API_TOKEN}"):
        assert (await look(town, visitor, path))[:2] == (303, "/login")
    for path in (f"/metrics?token={API_TOKEN}", f"/api/v1/analytics?access_token={API_TOKEN}"):
        assert (await look(town, visitor, path))[0] == 401
    cookie = f"{SESSION_COOKIE}={API_TOKEN}"
    assert (await look(town, visitor, "/", Cookie=cookie))[:2] == (303, "/login")
    url = origin(town) + "/login"
    async with visitor.get(url, params={"token": API_TOKEN}, allow_redirects=False) as entered:
        assert (entered.status, entered.headers["Location"]) == (303, "/")
        assert entered.headers["Referrer-Policy"] == "no-referrer"
        assert API_TOKEN not in entered.cookies[SESSION_COOKIE].value


@attack(
    "a stranger",
    tries="guess the token at the log-in, as often as the machine answers",
    gets="ten answers, and then each twice as late as the one before, up to five seconds",
)
async def test_guessing_at_the_log_in(town: Town, app: App, visitor: aiohttp.ClientSession) -> None:
    for number in range(FREE_BY_ADDRESS + 4):
        assert await log_in(town, visitor, f"guess number {number}") == (401, "")
    assert town.pauses == [0.25, 0.5, 1.0, 2.0]


@attack(
    "a stranger",
    tries="guess the token at the API and at the metrics, which had no bound",
    gets="the same delays: guesses at one door count at all of them",
)
async def test_guessing_at_the_api(town: Town, app: App, visitor: aiohttp.ClientSession) -> None:
    for number in range(FREE_BY_ADDRESS):
        path = ("/api/v1/analytics", "/metrics")[number % 2]
        status, _, _ = await look(town, visitor, path, Authorization=f"Bearer guess {number}")
        assert status == 401
    assert town.pauses == []
    for scheme in ("Bearer", "bearer", "Basic", "Token"):
        header = {"Authorization": f"{scheme} guess"}
        assert (await look(town, visitor, "/api/v1/analytics", **header))[0] == 401
    assert town.pauses == [0.25, 0.5, 1.0, 2.0]
    assert await log_in(town, visitor, "guess") == (401, "")
    assert town.pauses[-1] == 4.0


@attack(
    "a stranger",
    tries="guess so often behind a shared proxy that the owner cannot log in either",
    gets="nothing but a pause of at most five seconds: the right token is let in all the same",
)
async def test_locking_out_the_owner(town: Town, app: App, visitor: aiohttp.ClientSession) -> None:
    for number in range(120):
        assert await log_in(town, visitor, f"guess number {number}") == (401, "")
    assert (await log_in(town, visitor, API_TOKEN))[0] == 303
    right = {"Authorization": f"Bearer {API_TOKEN}"}
    assert (await look(town, visitor, "/metrics", **right))[0] == 200
    assert max(town.pauses) == LONGEST_PAUSE


@attack(
    "a stranger",
    tries="have each guess counted for another address, by a header that proxies add",
    gets="the delays: only the word of a proxy that the settings name is taken",
)
async def test_guessing_under_other_addresses(
    town: Town, app: App, visitor: aiohttp.ClientSession
) -> None:
    for number in range(FREE_BY_ADDRESS + 2):
        header = {
            "Authorization": "Bearer guess",
            "X-Forwarded-For": f"192.0.2.{number}",
            "Forwarded": f"for=192.0.2.{number}",
            "X-Real-IP": f"192.0.2.{number}",
        }
        assert (await look(town, visitor, "/metrics", **header))[0] == 401
    assert town.pauses == [0.25, 0.5]


@attack(
    "a stranger",
    tries="make up the addresses that a known proxy passes on",
    gets="the delays of the one that the proxy added last; others behind it have none",
)
async def test_guessing_behind_a_known_proxy(town: Town, visitor: aiohttp.ClientSession) -> None:
    town.settings = replace(town.settings, proxies=(ip_network("127.0.0.1"),))
    async with town.running():
        for number in range(FREE_BY_ADDRESS + 2):
            header = {"X-Forwarded-For": f"198.51.100.{number}, 192.0.2.1"}
            guess = {"Authorization": "Bearer guess"}
            assert (await look(town, visitor, "/metrics", **header, **guess))[0] == 401
        assert town.pauses == [0.25, 0.5]
        right = {"Authorization": f"Bearer {API_TOKEN}", "X-Forwarded-For": "192.0.2.2"}
        assert (await look(town, visitor, "/metrics", **right))[0] == 200
        assert town.pauses == [0.25, 0.5]


@attack(
    "a stranger",
    tries="use a copied cookie after its owner has logged out, and after a restart",
    gets="the log-in form: the session is gone on the server",
)
async def test_a_copied_cookie(town: Town, visitor: aiohttp.ClientSession) -> None:
    async with town.running() as app:
        await reviewed(town, app)
        status, cookie = await log_in(town, visitor, API_TOKEN)
        assert status == 303
        headers = {"Cookie": f"{SESSION_COOKIE}={cookie}"}
        async with visitor.get(origin(town) + "/", headers=headers) as seen:
            assert REVIEWED in await seen.text()
        out = origin(town) + "/logout"
        async with visitor.post(out, headers=headers, allow_redirects=False) as left:
            assert left.status == 303
        assert (await look(town, visitor, "/", **headers))[:2] == (303, "/login")
    async with town.running():
        assert (await look(town, visitor, "/", **headers))[:2] == (303, "/login")


@attack(
    "a stranger",
    tries="make up a session's cookie: an expiry, a digest, or the token's own",
    gets="the log-in form",
)
async def test_a_made_up_cookie(town: Town, app: App, visitor: aiohttp.ClientSession) -> None:
    await reviewed(town, app)
    digest = hmac.digest(API_TOKEN.encode(), b"", "sha256").hex()
    for cookie in ("", "1", f"9999999999.{digest}", digest, "' OR '1'='1", "%00", "a" * 4_000):
        headers = {"Cookie": f"{SESSION_COOKIE}={cookie}"}
        assert (await look(town, visitor, "/", **headers))[:2] == (303, "/login")


@attack(
    "a stranger",
    tries="turn a connection into a WebSocket, and send on without end",
    gets="an ordinary refusal and a closed connection",
)
async def test_a_websocket(town: Town, app: App, wire: Wire) -> None:
    request = (
        "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    assert await wire.status(port(town), request.encode(), b"\x81\x7f" * 1_000) == 303


@attack(
    "a stranger",
    tries="slip a second request behind the body of the first (pipelining)",
    gets="two answers in order, each guarded by itself",
)
async def test_a_second_request_in_the_first(town: Town, app: App, wire: Wire) -> None:
    await reviewed(town, app)
    hidden = "GET /metrics HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
    request = (
        f"POST {town.settings.webhook_path} HTTP/1.1\r\nHost: h\r\n"
        f"X-Hub-Signature-256: {sign(b'', 'x' * 16)}\r\nContent-Length: 0\r\n\r\n{hidden}"
    )
    answers = await (await wire.send(port(town), request.encode())).read()
    assert answers.count(b"HTTP/1.1 401 ") == 2
    assert b"jurat_" not in answers


@attack(
    "a stranger",
    tries="have the token used up or read by asking the API and the metrics with wrong ones",
    gets="401 each time, in the same words, and the right one still works",
)
async def test_wrong_bearers(town: Town, app: App, visitor: aiohttp.ClientSession) -> None:
    said = set()
    for given in ("Bearer x", f"Bearer {API_TOKEN}x", f"Basic {API_TOKEN}", f"Bearer {SECRET}"):
        status, _, text = await look(town, visitor, "/metrics", Authorization=given)
        assert status == 401
        said.add(text)
    assert len(said) == 1
    bearer = {"Authorization": f"Bearer {API_TOKEN}"}
    async with visitor.get(origin(town) + "/metrics", headers=bearer) as right:
        assert right.status == 200
