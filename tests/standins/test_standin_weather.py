from __future__ import annotations

import random
from typing import Any

import aiohttp
import pytest

from tests.standins.github import ManualClock, PullRequest, SecondaryLimits, StandIn, actions
from tests.standins.github.faults import (
    APPLIED_BAD_GATEWAY,
    APPLIED_DROPPED,
    BAD_GATEWAY,
    DROPPED,
    SERVER_ERROR,
    always,
    once,
    secondary_limit,
    sometimes,
)
from tests.support.github import APP_ID, Client, app_jwt

HERE = "/repos/acme/payments"
COMMENTS = f"{HERE}/issues/1/comments"


@pytest.fixture
def pull(github: StandIn) -> PullRequest:
    repository = github.create_repository("acme/payments", {"a.py": "1\n"})
    actions.push(repository, "fix", {"a.py": "2\n"}, by="ann")
    return actions.open_pull_request(repository, head="fix", by="ann")


async def test_a_fault_strikes_where_it_is_told_and_once(
    github: StandIn, pull: PullRequest, client: Client
) -> None:
    github.faults.append(once(SERVER_ERROR, "POST", "/comments", skip=1))
    github.faults.append(once(secondary_limit(60), "GET", "/pulls"))
    await client.post(COMMENTS, {"body": "1"})
    status, body = await client.refused("POST", COMMENTS, {"body": "2"})
    assert (status, body["message"]) == (500, "Server Error")
    await client.post(COMMENTS, {"body": "3"})
    status, body, headers = await client.ask("GET", f"{HERE}/pulls/1")
    assert (status, headers["Retry-After"]) == (403, "60")
    assert "secondary rate limit" in body["message"]
    assert [comment.body for comment in pull.comments] == ["1", "3"]
    assert [exchange.faulty for exchange in github.exchanges[-4:]] == [False, True, False, True]


async def test_a_write_may_take_effect_although_the_answer_is_lost(
    github: StandIn, pull: PullRequest, client: Client
) -> None:
    github.faults.append(once(APPLIED_BAD_GATEWAY, "POST", "/comments"))
    assert (await client.refused("POST", COMMENTS, {"body": "1"}))[0] == 502
    github.faults.append(once(APPLIED_DROPPED, "POST", "/comments"))
    with pytest.raises(aiohttp.ClientError):
        await client.post(COMMENTS, {"body": "2"})
    github.faults.append(once(DROPPED, "POST", "/comments"))
    with pytest.raises(aiohttp.ClientError):
        await client.post(COMMENTS, {"body": "3"})
    assert [comment.body for comment in pull.comments] == ["1", "2"]
    assert [exchange.status for exchange in github.writes()] == [502, None, None]
    await client.post(COMMENTS, {"body": "4"})


async def test_seeded_weather_is_the_same_every_time(
    github: StandIn, pull: PullRequest, client: Client
) -> None:
    async def statuses(seed: int) -> list[int]:
        rule = sometimes(0.3, [SERVER_ERROR, BAD_GATEWAY], random.Random(seed))
        github.faults[:] = [rule]
        return [(await client.ask("GET", HERE))[0] for _ in range(20)]

    first = await statuses(1)
    assert set(first) == {200, 500, 502}
    assert await statuses(1) == first
    assert await statuses(2) != first
    github.faults[:] = [always(SERVER_ERROR, "GET", "/payments")]
    assert (await client.ask("GET", HERE))[0] == 500


async def test_every_answer_tells_the_budget_and_a_304_is_free(
    github: StandIn, pull: PullRequest, client: Client, clock: ManualClock
) -> None:
    _, _, first = await client.ask("GET", f"{HERE}/pulls/1")
    assert (first["X-RateLimit-Limit"], first["X-RateLimit-Remaining"]) == ("5000", "4999")
    assert first["X-RateLimit-Reset"] == str(int(clock().timestamp()) + 3_600)
    status, body, again = await client.ask("GET", f"{HERE}/pulls/1", If_None_Match=first["ETag"])
    assert (status, body, again["X-RateLimit-Used"]) == (304, b"", "1")
    actions.comment(pull, "new", by="ann")
    status, _, _ = await client.ask("GET", f"{HERE}/pulls/1", If_None_Match=first["ETag"])
    assert status == 200
    _, _, missing = await client.ask("GET", "/repos/acme/none")
    assert missing["X-RateLimit-Used"] == "3"
    core = (await client.get("/rate_limit"))["resources"]["core"]
    assert (core["used"], core["remaining"]) == (3, 4_997)


async def limited(
    app_key: str, clock: ManualClock, session: aiohttp.ClientSession, **limits: Any
) -> tuple[StandIn, Client]:
    github = StandIn(app_id=APP_ID, private_key=app_key, webhook_secret="s", clock=clock, **limits)
    await github.start()
    repository = github.create_repository("acme/payments", {"a.py": "1\n"})
    actions.push(repository, "fix", {"a.py": "2\n"}, by="ann")
    actions.open_pull_request(repository, head="fix", by="ann")
    app_client = Client(session, github.api_url, app_jwt(app_key, clock))
    path = f"/app/installations/{github.installed_on('acme').id}/access_tokens"
    token = (await app_client.post(path))["token"]
    return github, Client(session, github.api_url, token)


async def test_the_hourly_budget_ends_and_comes_back(
    app_key: str, clock: ManualClock, session: aiohttp.ClientSession
) -> None:
    github, client = await limited(app_key, clock, session, rate_limit=3)
    try:
        for _ in range(3):
            await client.get(HERE)
        status, body, headers = await client.ask("GET", HERE)
        assert (status, headers["X-RateLimit-Remaining"]) == (403, "0")
        assert "API rate limit exceeded for installation ID" in body["message"]
        clock.advance(int(headers["X-RateLimit-Reset"]) - clock().timestamp())
        await client.refused("GET", "/repos/acme/none")
    finally:
        await github.stop()


@pytest.mark.parametrize(
    ("limits", "allowed"),
    [
        (SecondaryLimits(writes_per_minute=2), 2),
        (SecondaryLimits(points_per_minute=15), 3),
        (SecondaryLimits(writes_per_hour=1), 1),
    ],
)
async def test_bursts_of_writes_are_refused_with_retry_after(
    app_key: str,
    clock: ManualClock,
    session: aiohttp.ClientSession,
    *,
    limits: SecondaryLimits,
    allowed: int,
) -> None:
    github, client = await limited(app_key, clock, session, secondary_limits=limits)
    try:
        for _ in range(allowed):
            await client.post(COMMENTS, {"body": "x"})
        status, body, headers = await client.ask("POST", COMMENTS, {"body": "x"})
        assert status == 403
        assert "secondary rate limit" in body["message"]
        clock.advance(int(headers["Retry-After"]))
        if limits.writes_per_hour > 1:
            await client.post(COMMENTS, {"body": "x"})
    finally:
        await github.stop()


async def test_lists_come_in_pages_with_links(
    github: StandIn, pull: PullRequest, client: Client
) -> None:
    for number in range(250):
        actions.comment(pull, str(number), by="ann")
    _, page, headers = await client.ask("GET", COMMENTS)
    assert len(page) == 30
    assert f'<{github.api_url}{COMMENTS}?page=2>; rel="next"' in headers["Link"]
    _, page, headers = await client.ask("GET", f"{COMMENTS}?per_page=100&page=3")
    assert [comment["body"] for comment in page] == [str(number) for number in range(200, 250)]
    assert 'rel="next"' not in headers["Link"]
    assert f'<{github.api_url}{COMMENTS}?per_page=100&page=1>; rel="first"' in headers["Link"]
    _, page, _ = await client.ask("GET", f"{COMMENTS}?per_page=1000&page=9")
    assert page == []
    _, page, headers = await client.ask("GET", f"{COMMENTS}?per_page=1000")
    assert len(page) == 100


async def test_pull_requests_are_filtered_and_ordered(
    github: StandIn, pull: PullRequest, client: Client, clock: ManualClock
) -> None:
    repository = pull.repository
    clock.advance(60)
    actions.push(repository, "more", {"a.py": "3\n"}, by="ann")
    actions.open_pull_request(repository, head="more", base="fix", by="ann")
    actions.push(repository, "last", {"a.py": "4\n"}, by="ann")
    actions.close(actions.open_pull_request(repository, head="last", by="ann"))
    clock.advance(60)
    actions.mark_ready(pull, by="ann")

    async def numbers(query: str) -> list[int]:
        return [one["number"] for one in await client.get(f"{HERE}/pulls{query}")]

    assert await numbers("") == [2, 1]
    assert await numbers("?state=closed") == [3]
    assert await numbers("?state=all&direction=asc") == [1, 2, 3]
    assert await numbers("?sort=updated") == [1, 2]
    assert await numbers("?base=fix") == [2]
    assert await numbers("?head=acme:fix") == [1]
    assert (await client.refused("GET", f"{HERE}/pulls?state=merged"))[0] == 422


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/nothing"),
        ("POST", HERE),
        ("GET", f"{HERE}/pulls/99"),
        ("GET", f"{HERE}/pulls/-1"),
        ("GET", f"{HERE}/pulls/one"),
        ("GET", f"{HERE}/check-runs/1"),
        ("GET", f"{HERE}/check-suites/1"),
        ("GET", f"{HERE}/pulls/1/reviews/1"),
        ("GET", f"{HERE}/git/ref/heads/none"),
        ("GET", f"{HERE}/git/blobs/zz"),
    ],
)
async def test_what_is_not_there_is_not_found(
    pull: PullRequest, client: Client, method: str, path: str
) -> None:
    status, body = await client.refused(method, path)
    assert (status, body["message"], body["status"]) == (404, "Not Found", "404")


async def test_a_body_that_is_no_json_object_is_refused(
    github: StandIn, pull: PullRequest, client: Client, session: aiohttp.ClientSession
) -> None:
    for data in (b"{", b"[1]", b"\xff"):
        address = github.api_url + COMMENTS
        async with session.post(address, data=data, headers=client.headers) as answer:
            assert answer.status == 400
    status, _, _ = await client.ask("GET", HERE, Accept="text/html")
    assert status == 415


async def test_credentials_are_not_recorded(github: StandIn, client: Client) -> None:
    await client.get("/installation/repositories")
    token = client.headers["Authorization"].removeprefix("Bearer ")
    last = github.exchanges[-1]
    assert last.headers["user-agent"] == "jurat-tests"
    assert token not in str(last)
