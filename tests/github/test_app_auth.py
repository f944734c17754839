from __future__ import annotations

import asyncio
import datetime as dt

import aiohttp
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from jurat.github.auth import AppIdentity, GitHubApp, TokenScope, sign_app_jwt
from jurat.github.client import GitHub
from jurat.github.errors import AccessRefusedError, NotFoundError
from jurat.github.models import AccountPayload
from jurat.store.database import Database
from jurat.store.open_checks import WriteTurns
from tests.github.faulty import Answer, Script, Time

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PEM = KEY.private_bytes(
    serialization.Encoding.PEM,
    serialization.PrivateFormat.TraditionalOpenSSL,
    serialization.NoEncryption(),
).decode()
SCOPE = TokenScope.from_permissions({"checks": "write", "contents": "read"}, 31)
OCTO = Answer(data={"id": 1, "login": "octo"})


def token(name: str, time: Time, seconds: float = 3600) -> Answer:
    expires = dt.datetime.fromtimestamp(time.now + seconds, dt.UTC)
    return Answer(201, {"token": name, "expires_at": expires.strftime("%Y-%m-%dT%H:%M:%SZ")})


@pytest.fixture
def app(script: Script, session: aiohttp.ClientSession, time: Time) -> GitHubApp:
    return GitHubApp(session, 7, PEM, base_url=script.url, clock=time, sleep=time.sleep)


async def read(github: GitHub) -> AccountPayload:
    return await github.read(AccountPayload, "/users/octo")


def bearers(script: Script, path: str = "/users/octo") -> list[str]:
    return [seen.headers["authorization"] for seen in script.seen if seen.path == path]


def test_app_token_is_backdated_and_lasts_nine_minutes() -> None:
    now = 1_700_000_000.9
    encoded = sign_app_jwt(7, KEY, now)
    claims = jwt.decode(
        encoded, KEY.public_key(), algorithms=["RS256"], options={"verify_exp": False}
    )
    assert claims == {"iss": "7", "iat": 1_700_000_000 - 60, "exp": 1_700_000_000 + 540}


async def test_installation_token_is_asked_for_once_by_many(
    app: GitHubApp, script: Script, time: Time
) -> None:
    script.will(token("one", time), *[OCTO] * 10)
    await asyncio.gather(*(read(app.get_installation(5, SCOPE)) for _ in range(10)))
    asked = script.seen[0]
    assert (asked.method, asked.path) == ("POST", "/app/installations/5/access_tokens")
    assert bearers(script) == ["Bearer one"] * 10


async def test_installation_token_is_renewed_shortly_before_it_expires(
    app: GitHubApp, script: Script, time: Time
) -> None:
    script.will(token("one", time), OCTO, OCTO)
    github = app.get_installation(5, SCOPE)
    await read(github)
    time.now += 3600 - 301
    await read(github)
    time.now += 1
    script.will(token("two", time), OCTO)
    await read(github)
    assert bearers(script) == ["Bearer one", "Bearer one", "Bearer two"]


async def test_a_revoked_token_is_renewed_once_by_many(
    app: GitHubApp, script: Script, time: Time
) -> None:
    def answer(request: object) -> Answer:
        known = request.headers["authorization"] == "Bearer two"  # type: ignore[attr-defined]
        return OCTO if known else Answer(401, {"message": "Bad credentials"})

    def answer_or_token(request: object) -> Answer:
        posted = request.method == "POST"  # type: ignore[attr-defined]
        return token("two", time) if posted else answer(request)

    github = app.get_installation(5, SCOPE)
    script.will(token("one", time), OCTO)
    await read(github)
    script.will(*[answer_or_token] * 7)
    await asyncio.gather(*(read(github) for _ in range(3)))
    posted = [seen for seen in script.seen if seen.method == "POST"]
    assert len(posted) == 2


async def test_each_installation_has_its_own_token_and_client(
    app: GitHubApp, script: Script, time: Time
) -> None:
    script.will(token("one", time), OCTO, token("two", time), OCTO)
    await read(app.get_installation(5, SCOPE))
    await read(app.get_installation(6, SCOPE))
    assert bearers(script) == ["Bearer one", "Bearer two"]
    assert app.get_installation(5, SCOPE) is app.get_installation(5, SCOPE)
    assert app.get_installation(5, SCOPE) is not app.get_installation(6, SCOPE)


async def test_asking_for_a_token_is_repeated_after_a_server_error(
    app: GitHubApp, script: Script, time: Time
) -> None:
    script.will(Answer(502), Answer(drop=True), token("one", time), OCTO)
    assert (await read(app.get_installation(5, SCOPE))).login == "octo"


async def test_a_wrong_app_says_what_to_check(app: GitHubApp, script: Script) -> None:
    refusal = Answer(401, {"message": "A JSON web token could not be decoded"})
    script.will(refusal, refusal)
    with pytest.raises(AccessRefusedError, match="Check APP_ID, PRIVATE_KEY"):
        await read(app.get_installation(5, SCOPE))


async def test_an_installation_that_is_gone_is_not_found(app: GitHubApp, script: Script) -> None:
    script.will(Answer(404, {"message": "Not Found"}))
    with pytest.raises(NotFoundError, match="/app/installations/5/access_tokens"):
        await read(app.get_installation(5, SCOPE))


async def test_identity_is_the_bots_account_and_asked_for_once(
    app: GitHubApp, script: Script, time: Time
) -> None:
    script.will(
        Answer(data={"id": 7, "slug": "jurat"}),
        token("one", time),
        Answer(data={"id": 99, "login": "jurat[bot]"}),
    )
    github = app.get_installation(5, SCOPE)
    assert await app.get_identity(github) == AppIdentity(7, "jurat", 99)
    assert await app.get_identity(github) == AppIdentity(7, "jurat", 99)
    assert [seen.path for seen in script.seen][::2] == ["/app", "/users/jurat%5Bbot%5D"]


async def test_processes_share_the_pace_of_an_installation(
    script: Script, session: aiohttp.ClientSession, time: Time, database: Database
) -> None:
    turns = WriteTurns(database, lambda: dt.datetime.fromtimestamp(time.now, dt.UTC), interval=1.0)
    processes = [
        GitHubApp(
            session, 7, PEM, base_url=script.url, clock=time, sleep=time.sleep, turns=turns.bind
        )
        for _ in range(2)
    ]
    script.will(token("one", time), OCTO, token("two", time), *[OCTO] * 3)
    started = time.now
    for process in processes * 2:
        await process.get_installation(5, SCOPE).write("POST", AccountPayload, "/things", {}, {})
    assert time.now - started == pytest.approx(3.0)
