"""Whoever finds a server that has no App yet: its page hands out the key to everything."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from html import unescape
from uuid import uuid4

import aiohttp
import pytest
from aiohttp import web
from yarl import URL

from jurat.server.connections import listen
from tests.attacks.attack import attack
from tests.support.setup import NewServer, log_in, post_form

ADDRESS = "https://jurat.example.com"
EVIL = "https://evil.example"
FORM = {"address": ADDRESS}
CLOSED = 503
"""What the page answers once there is an App, until another server takes its place."""


@pytest.fixture
async def stranger() -> AsyncIterator[aiohttp.ClientSession]:
    """Another browser, which nobody gave the token."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as opened:
        yield opened


def state_in(html: str) -> str:
    (found,) = re.findall(r"settings/apps/new\?state=([\w-]+)", html)
    return str(found)


def manifest_in(html: str) -> dict[str, str]:
    (found,) = re.findall(r'name="manifest" value="(\{.*\})">', html)
    parsed: dict[str, str] = json.loads(found)
    return parsed


async def create(server: NewServer, html: str) -> str:
    """Click through GitHub's pages; the code that it sends the browser back with."""
    form = {
        "manifest": json.dumps(manifest_in(html)),
        "name": f"Jurat {uuid4().hex[:8]}",
        "owner": "acme",
    }
    async with (
        aiohttp.ClientSession() as github,
        github.post(
            f"{server.github.base_url}/settings/apps/manifest",
            data=form | {"state": state_in(html)},
            allow_redirects=False,
        ) as answer,
    ):
        return str(re.findall(r"code=(\w+)", answer.headers["Location"])[0])


async def come_back(
    server: NewServer, visitor: aiohttp.ClientSession, **query: str
) -> tuple[int, str]:
    async with visitor.get(
        f"{server.url}/setup/callback", params=query, allow_redirects=False
    ) as answer:
        return answer.status, answer.headers.get("Location", await answer.text())


def exchanges(server: NewServer) -> int:
    return sum("conversions" in exchange.path for exchange in server.github.exchanges)


@attack(
    "a stranger",
    tries="register an App of their own at a server that has none yet",
    gets="the log-in form: every page wants the token, and nothing is asked of GitHub",
)
async def test_without_the_token(newcomer: NewServer, stranger: aiohttp.ClientSession) -> None:
    for method, path in (("GET", "/"), ("GET", "/setup"), ("POST", "/setup")):
        async with stranger.request(
            method, newcomer.url + path, data=FORM, allow_redirects=False
        ) as answer:
            assert (answer.status, answer.headers["Location"]) == (303, "/login")
    assert await come_back(newcomer, stranger, code="a" * 40, state="b" * 43) == (303, "/login")
    assert exchanges(newcomer) == 0


@attack(
    "a stranger",
    tries="have the browser of whoever sets the server up send the form, from a page of theirs",
    gets="a refusal: a session's forms hold what no other page knows",
)
async def test_a_form_of_another_site(
    newcomer: NewServer, visitor: aiohttp.ClientSession, stranger: aiohttp.ClientSession
) -> None:
    await log_in(newcomer, visitor)
    others = await log_in(newcomer, stranger)
    for token in ("", "0" * 64, others, "\u0663"):
        form = {**FORM, "form_token": token}
        headers = {"Origin": EVIL}
        async with visitor.post(f"{newcomer.url}/setup", data=form, headers=headers) as answer:
            assert answer.status == 400
            assert "state=" not in await answer.text()


@attack(
    "a stranger",
    tries="have the server take over an App of theirs, whose key they hold, by a link",
    gets="a refusal: a code counts with what this session was sent to GitHub with, once",
)
async def test_a_code_of_another_app(
    newcomer: NewServer, visitor: aiohttp.ClientSession, stranger: aiohttp.ClientSession
) -> None:
    begun = await post_form(newcomer, visitor, FORM)
    theirs = await post_form(newcomer, stranger, FORM)
    code = await create(newcomer, theirs)
    for state in ("", "x" * 43, state_in(theirs)):
        status, said = await come_back(newcomer, visitor, code=code, state=state)
        assert (status, "Start again" in said) == (400, True)
    assert exchanges(newcomer) == 0
    own = await create(newcomer, begun)
    state = state_in(begun)
    assert (await come_back(newcomer, visitor, code=own, state=state))[0] == 303
    kept = newcomer.read_kept()
    again = await create(newcomer, theirs)
    assert (await come_back(newcomer, visitor, code=again, state=state))[0] == CLOSED
    assert newcomer.read_kept() == kept


@attack(
    "a stranger",
    tries="try one code after the other with a way back that they got to know",
    gets="one question to GitHub, and a refusal from then on",
)
async def test_many_codes(newcomer: NewServer, visitor: aiohttp.ClientSession) -> None:
    html = await post_form(newcomer, visitor, FORM)
    right, state = await create(newcomer, html), state_in(html)
    assert (await come_back(newcomer, visitor, code="0" * 40, state=state))[0] == 502
    assert (await come_back(newcomer, visitor, code=right, state=state))[0] == 400
    assert exchanges(newcomer) == 1


@attack(
    "a stranger",
    tries="register an App anew over the one that is there, with a way back that was begun before",
    gets="a refusal: the page is closed once there is an App",
)
async def test_a_second_registration(newcomer: NewServer, visitor: aiohttp.ClientSession) -> None:
    token = await log_in(newcomer, visitor)
    first, second = [await post_form(newcomer, visitor, FORM, token=token) for _ in range(2)]
    code = await create(newcomer, first)
    assert (await come_back(newcomer, visitor, code=code, state=state_in(first)))[0] == 303
    kept, asked = newcomer.read_kept(), exchanges(newcomer)
    again = await create(newcomer, second)
    assert (await come_back(newcomer, visitor, code=again, state=state_in(second)))[0] == CLOSED
    assert (newcomer.read_kept(), exchanges(newcomer)) == (kept, asked)


@attack(
    "a stranger",
    tries="use a way back that somebody left open, two hours later",
    gets="a refusal: it counts for an hour, as at GitHub",
)
async def test_an_old_way_back(newcomer: NewServer, visitor: aiohttp.ClientSession) -> None:
    html = await post_form(newcomer, visitor, FORM)
    code = await create(newcomer, html)
    newcomer.seconds = 3601.0
    assert (await come_back(newcomer, visitor, code=code, state=state_in(html)))[0] == 400
    assert exchanges(newcomer) == 0


@attack(
    "a stranger",
    tries="have GitHub send the code to them, by a Host or X-Forwarded-Host header of their choice",
    gets="the address that the browser itself says it is at; a header is only proposed, in sight",
)
async def test_a_host_of_their_choice(newcomer: NewServer, visitor: aiohttp.ClientSession) -> None:
    headers = {
        "Host": "evil.example",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
        "Origin": newcomer.url,
    }
    form = {**FORM, "form_token": await log_in(newcomer, visitor)}
    # The cookie goes by the Host header here, which a browser's does not.
    jar = visitor.cookie_jar.filter_cookies(URL(newcomer.url))
    cookies = {name: morsel.value for name, morsel in jar.items()}
    async with (
        aiohttp.ClientSession(cookies=cookies) as bare,
        bare.post(f"{newcomer.url}/setup", data=form, headers=headers) as answer,
    ):
        html = unescape(await answer.text())
    assert "evil" not in html
    assert manifest_in(html)["redirect_url"] == f"{newcomer.url}/setup/callback"
    for origin in ("null", "", "http://evil.example", f"{EVIL}/path", "https://a b", "file://"):
        assert "manifest" not in await post_form(newcomer, visitor, FORM, origin=origin)


@attack(
    "a stranger",
    tries="have the server ask another address of GitHub's API, by a code that is a path",
    gets="a refusal before anything is asked",
)
async def test_a_code_that_is_a_path(newcomer: NewServer, visitor: aiohttp.ClientSession) -> None:
    for code in ("../../user", "a/b", "a?b", "%2e%2e", "a\r\nHost: x", "", "x" * 101):
        state = state_in(await post_form(newcomer, visitor, FORM))
        assert (await come_back(newcomer, visitor, code=code, state=state))[0] == 400
    assert not [each for each in newcomer.github.exchanges if each.method == "POST"]


@attack(
    "a stranger",
    tries="get hold of the code as a GitHub Enterprise Server that sends the server elsewhere",
    gets="nothing: a redirect is not followed, and the answer is refused",
)
async def test_a_github_that_leads_elsewhere(
    newcomer: NewServer, visitor: aiohttp.ClientSession
) -> None:
    asked: list[str] = []

    async def lead(request: web.Request) -> web.Response:
        asked.append(request.path)
        raise web.HTTPTemporaryRedirect("/thief")

    elsewhere = web.Application()
    elsewhere.router.add_route("*", "/{tail:.*}", lead)
    async with listen(elsewhere, "127.0.0.1", 0) as url:
        newcomer.choose_github(url)
        state = state_in(await post_form(newcomer, visitor, FORM))
        status, said = await come_back(newcomer, visitor, code="c" * 40, state=state)
    assert (status, "answered 307" in said) == (502, True)
    assert asked == [f"/app-manifests/{'c' * 40}/conversions"]


@attack(
    "a stranger",
    tries="read the App's key from a page, a log or a file that others may read",
    gets="nothing: it stands in one file of mode 0600",
)
async def test_the_key_is_shown_nowhere(
    newcomer: NewServer,
    visitor: aiohttp.ClientSession,
    capsys: pytest.CaptureFixture[str],
) -> None:
    html = await post_form(newcomer, visitor, FORM)
    code = await create(newcomer, html)
    _, where = await come_back(newcomer, visitor, code=code, state=state_in(html))
    kept = newcomer.read_kept()
    said = "".join((html, where, *capsys.readouterr()))
    assert where == "/doctor"
    secrets = [kept["PRIVATE_KEY"], kept["WEBHOOK_SECRET"], "PRIVATE KEY", code]
    assert not [secret for secret in secrets if secret in said]
