from __future__ import annotations

from typing import Any

import aiohttp
import jwt
import pytest

from tests.standins.github import ManualClock, StandIn, actions, new_private_key
from tests.support.github import APP_ID, Client, app_jwt


async def token_client(
    github: StandIn, session: aiohttp.ClientSession, app_client: Client, **asked: Any
) -> Client:
    (installation,) = await app_client.get("/app/installations")
    path = f"/app/installations/{installation['id']}/access_tokens"
    issued = await app_client.post(path, asked or None)
    return Client(session, github.api_url, issued["token"])


async def test_the_app_sees_itself_and_where_it_is_installed(
    github: StandIn, app_client: Client
) -> None:
    github.create_repository("acme/payments")
    github.create_repository("other/thing", installed=False)
    assert (await app_client.get("/app"))["id"] == APP_ID
    (installation,) = await app_client.get("/app/installations")
    assert installation["account"]["login"] == "acme"
    assert await app_client.get("/repos/ACME/Payments/installation") == installation
    assert await app_client.get(f"/app/installations/{installation['id']}") == installation
    status, _ = await app_client.refused("GET", "/repos/other/thing/installation")
    assert status == 404


@pytest.mark.parametrize(
    ("claims", "status", "words"),
    [
        ({"iat": 60}, 401, "'iat'"),
        ({"exp": 601}, 401, "too far in the future"),
        ({"exp": -1}, 401, "must be a numeric value representing the future"),
        ({"iss": "1"}, 404, "Integration not found"),
    ],
)
async def test_a_jwt_outside_its_times_or_of_another_app_is_refused(
    github: StandIn,
    session: aiohttp.ClientSession,
    app_key: str,
    clock: ManualClock,
    *,
    claims: dict[str, Any],
    status: int,
    words: str,
) -> None:
    now = int(clock().timestamp())
    moved = {
        name: now + value if isinstance(value, int) else value for name, value in claims.items()
    }
    client = Client(session, github.api_url, app_jwt(app_key, clock, **moved))
    got, body = await client.refused("GET", "/app")
    assert (got, words in body["message"]) == (status, True), body


async def test_a_jwt_signed_by_another_key_or_not_by_rsa_is_refused(
    github: StandIn, session: aiohttp.ClientSession, app_key: str, clock: ManualClock
) -> None:
    claims = jwt.decode(app_jwt(app_key, clock), options={"verify_signature": False})
    forged = [
        app_jwt(new_private_key(), clock),
        jwt.encode(claims, "a secret that is long enough for HS256", algorithm="HS256"),
        jwt.encode(claims, "", algorithm="none"),
    ]
    for credential in forged:
        status, body = await Client(session, github.api_url, credential).refused("GET", "/app")
        assert (status, body["message"]) == (401, "A JSON web token could not be decoded")


async def test_the_apps_client_id_is_an_issuer_too(
    github: StandIn, session: aiohttp.ClientSession, app_key: str, clock: ManualClock
) -> None:
    credential = app_jwt(app_key, clock, iss=github.world.app.client_id)
    assert (await Client(session, github.api_url, credential).get("/app"))["id"] == APP_ID


async def test_a_token_ends_after_an_hour_of_the_injected_clock(
    github: StandIn, client: Client, clock: ManualClock
) -> None:
    github.create_repository("acme/empty")
    clock.advance(3_599)
    await client.get("/repos/acme/empty")
    clock.advance(1)
    status, body = await client.refused("GET", "/repos/acme/empty")
    assert (status, body["message"]) == (401, "Bad credentials")


async def test_a_token_can_be_revoked_before_its_time(github: StandIn, client: Client) -> None:
    github.create_repository("acme/empty")
    await client.get("/repos/acme/empty")
    github.gate.revoke_all()
    assert (await client.refused("GET", "/repos/acme/empty"))[0] == 401


async def test_without_or_with_senseless_credentials_nothing_private_is_told(
    github: StandIn, client: Client, session: aiohttp.ClientSession
) -> None:
    github.create_repository("acme/empty")
    nonsense = Client(session, github.api_url, "nonsense")
    assert (await nonsense.refused("GET", "/repos/acme/empty"))[0] == 401
    headers = {"User-Agent": "tests"}
    async with session.get(f"{github.api_url}/repos/acme/empty", headers=headers) as answer:
        assert answer.status == 404
    async with session.get(f"{github.api_url}/app", headers=headers) as answer:
        assert answer.status == 401


async def test_an_app_cannot_pass_for_its_installation_nor_the_other_way_round(
    github: StandIn, client: Client, app_client: Client
) -> None:
    github.create_repository("acme/empty")
    assert (await app_client.refused("GET", "/repos/acme/empty"))[0] == 401
    assert (await client.refused("GET", "/app"))[0] == 401


async def test_what_the_installation_does_not_cover_is_not_there(
    github: StandIn, client: Client
) -> None:
    github.create_repository("acme/first")
    github.create_repository("acme/second")
    github.create_repository("umbrella/private", {"a": "a"})
    github.create_repository("world/public", {"a": "a"}, private=False, installed=False)
    assert (await client.refused("GET", "/repos/umbrella/private"))[0] == 404
    assert (await client.refused("GET", "/repos/umbrella/none"))[0] == 404
    await client.get("/repos/world/public")
    run = {"name": "jurat", "head_sha": "0" * 40}
    assert (await client.refused("POST", "/repos/world/public/check-runs", run))[0] == 403
    listed = await client.get("/installation/repositories")
    assert [one["full_name"] for one in listed["repositories"]] == ["acme/first", "acme/second"]


async def test_a_token_can_be_narrowed_to_repositories_and_permissions(
    github: StandIn, session: aiohttp.ClientSession, app_client: Client
) -> None:
    github.create_repository("acme/one", {"a": "a"})
    github.create_repository("acme/two", {"a": "a"})
    narrow = await token_client(
        github, session, app_client, repositories=["one"], permissions={"contents": "read"}
    )
    await narrow.get("/repos/acme/one/contents/a")
    assert (await narrow.refused("GET", "/repos/acme/two"))[0] == 404
    status, body = await narrow.refused("GET", "/repos/acme/one/pulls")
    assert (status, body["message"]) == (403, "Resource not accessible by integration")


@pytest.mark.parametrize(
    "asked",
    [
        {"repositories": ["strange"]},
        {"repository_ids": [1]},
        {"permissions": {"contents": "write"}},
    ],
)
async def test_a_token_cannot_be_wider_than_its_installation(
    github: StandIn, app_client: Client, asked: dict[str, Any]
) -> None:
    github.create_repository("acme/one")
    (installation,) = await app_client.get("/app/installations")
    path = f"/app/installations/{installation['id']}/access_tokens"
    assert (await app_client.refused("POST", path, asked))[0] == 422


async def test_an_app_without_the_permission_is_forbidden(
    app_key: str, clock: ManualClock, session: aiohttp.ClientSession
) -> None:
    async with StandIn(
        app_id=APP_ID,
        private_key=app_key,
        webhook_secret="s",
        clock=clock,
        permissions={"metadata": "read", "pull_requests": "read"},
    ) as github:
        repository = github.create_repository("acme/payments", {"a": "a"})
        actions.push(repository, "fix", {"a": "b"})
        actions.open_pull_request(repository, head="fix")
        app_client = Client(session, github.api_url, app_jwt(app_key, clock))
        client = await token_client(github, session, app_client)
        await client.get("/repos/acme/payments/pulls/1")
        comment = {"body": "hello"}
        path = "/repos/acme/payments/issues/1/comments"
        assert (await client.refused("POST", path, comment))[0] == 403
        assert (await client.refused("GET", "/repos/acme/payments/contents/a"))[0] == 403
        assert "check_suite" not in {event.name for event in github.outbox}


async def test_everything_is_also_below_api_v3_for_ghes(
    app_key: str, clock: ManualClock, session: aiohttp.ClientSession
) -> None:
    async with StandIn(
        app_id=APP_ID, private_key=app_key, webhook_secret="s", clock=clock, enterprise=True
    ) as github:
        for number in range(31):
            github.create_repository(f"acme/r{number}")
        assert github.api_url.endswith("/api/v3")
        app_client = Client(session, github.api_url, app_jwt(app_key, clock))
        client = await token_client(github, session, app_client)
        repository = await client.get("/repos/acme/r1")
        assert repository["url"] == f"{github.api_url}/repos/acme/r1"
        _, _, headers = await client.ask("GET", "/installation/repositories")
        assert headers["X-GitHub-Enterprise-Version"]
        assert f"<{github.api_url}/installation/repositories?page=2>" in headers["Link"]


async def test_a_request_needs_an_agent_and_a_known_version(
    github: StandIn, client: Client
) -> None:
    github.create_repository("acme/empty")
    status, _, _ = await client.ask("GET", "/repos/acme/empty", User_Agent="")
    assert status == 403
    status, _, _ = await client.ask("GET", "/repos/acme/empty", X_GitHub_Api_Version="2021-01-01")
    assert status == 400
    status, _, headers = await client.ask(
        "GET", "/repos/acme/empty", X_GitHub_Api_Version="2026-03-10"
    )
    assert (status, headers["X-GitHub-Api-Version-Selected"]) == (200, "2026-03-10")
