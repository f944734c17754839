from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from yarl import URL

from jurat.github.client import DIFF, GitHub, is_github_url
from jurat.github.errors import (
    AccessRefusedError,
    GitHubError,
    GitHubUnavailableError,
    NotFoundError,
    RateLimitedError,
    RejectedError,
    TooLargeError,
)
from jurat.github.models import AccountPayload
from jurat.server.prometheus import PrometheusMetrics
from tests.github.faulty import Answer, Script, Time, Tokens

OCTO = Answer(data={"id": 1, "login": "octo"})
LIMITED = Answer(403, {"message": "You have exceeded a secondary rate limit."})


async def read(scripted: GitHub) -> AccountPayload:
    return await scripted.read(AccountPayload, "/users/{login}", {"login": "octo"})


async def post(scripted: GitHub) -> AccountPayload:
    return await scripted.write("POST", AccountPayload, "/things", {}, {"body": "x"})


async def test_requests_name_the_agent_the_version_and_the_token(
    scripted: GitHub, script: Script
) -> None:
    script.will(OCTO)
    assert await read(scripted) == AccountPayload(id=1, login="octo")
    (seen,) = script.seen
    assert (seen.method, seen.path) == ("GET", "/users/octo")
    assert seen.headers["user-agent"] == "jurat"
    assert seen.headers["x-github-api-version"] == "2022-11-28"
    assert seen.headers["authorization"] == "Bearer fake-1"
    assert seen.headers["accept"] == "application/vnd.github.v3+json"


async def test_base_path_of_an_enterprise_server_is_kept(
    script: Script, session: aiohttp.ClientSession, tokens: Tokens
) -> None:
    script.will(OCTO)
    await read(GitHub(session, tokens, base_url=f"{script.url}/api/v3"))
    assert script.seen[0].path == "/api/v3/users/octo"


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_a_read_is_repeated_after_a_server_error(
    scripted: GitHub, script: Script, time: Time, status: int
) -> None:
    script.will(Answer(status), Answer(status, body=b"<html>"), OCTO)
    assert (await read(scripted)).login == "octo"
    assert len(time.slept) == 2


async def test_a_read_is_repeated_after_a_lost_connection(scripted: GitHub, script: Script) -> None:
    # aiohttp itself repeats a read once where the server closed a connection that was kept open.
    script.will(Answer(drop=True), OCTO)
    assert (await read(scripted)).login == "octo"


async def test_pauses_between_repeats_are_random_and_grow(scripted: GitHub, script: Script) -> None:
    pauses = []
    for _ in range(20):
        before = len(script.seen)
        script.will(*[Answer(502)] * 3, OCTO)
        time = Time()
        scripted._sleep = time.sleep
        await read(scripted)
        assert len(script.seen) - before == 4
        pauses.append(time.slept)
    assert all(0 <= seconds <= 2**at for slept in pauses for at, seconds in enumerate(slept))
    assert len({slept[2] for slept in pauses}) == 20


async def test_a_read_gives_up_after_four_attempts(scripted: GitHub, script: Script) -> None:
    script.will(*[Answer(502)] * 4)
    with pytest.raises(GitHubUnavailableError, match="502 to GET /users/octo") as caught:
        await read(scripted)
    assert caught.value.retryable


@pytest.mark.parametrize("fault", [Answer(502), Answer(drop=True)])
async def test_a_write_whose_answer_is_lost_is_not_repeated(
    scripted: GitHub, script: Script, fault: Answer
) -> None:
    script.will(fault)
    with pytest.raises(GitHubUnavailableError) as caught:
        await post(scripted)
    assert caught.value.request_sent
    assert len(script.seen) == 1


async def test_a_write_that_never_left_is_repeated(
    session: aiohttp.ClientSession, tokens: Tokens, time: Time, unused_tcp_port: int
) -> None:
    base_url = f"http://127.0.0.1:{unused_tcp_port}"
    scripted = GitHub(session, tokens, base_url=base_url, clock=time, sleep=time.sleep)
    with pytest.raises(GitHubUnavailableError, match=r"No connection to 127\.0\.0\.1") as caught:
        await post(scripted)
    assert not caught.value.request_sent
    assert len(time.slept) >= 3


@pytest.mark.parametrize("send", [read, post])
async def test_a_refused_token_is_replaced_once(
    scripted: GitHub, script: Script, send: object
) -> None:
    assert callable(send)
    script.will(Answer(401, {"message": "Bad credentials"}), OCTO)
    await send(scripted)
    assert [seen.headers["authorization"] for seen in script.seen] == [
        "Bearer fake-1",
        "Bearer fake-2",
    ]


async def test_a_token_refused_twice_is_an_error(scripted: GitHub, script: Script) -> None:
    script.will(*[Answer(401, {"message": "Bad credentials"})] * 2)
    with pytest.raises(AccessRefusedError, match=r"401 .*: Bad credentials\. Check APP_ID"):
        await read(scripted)


async def test_a_secondary_limit_is_waited_out_even_for_a_write(
    scripted: GitHub, script: Script, time: Time
) -> None:
    script.will(LIMITED, LIMITED, OCTO)
    await post(scripted)
    assert time.slept == [60.0, 120.0]


async def test_the_turn_among_processes_is_taken_when_a_limit_is_over(
    scripted: GitHub, script: Script, time: Time
) -> None:
    taken: list[float] = []

    async def turn() -> float:
        taken.append(time.now)
        return 5.0

    scripted._pace._turn = turn
    started = time.now
    script.will(LIMITED, OCTO)
    await post(scripted)
    assert time.slept == [5.0, 60.0, 5.0]
    assert [at - started for at in taken] == [0.0, 65.0]


async def test_retry_after_is_obeyed_to_the_second(
    scripted: GitHub, script: Script, time: Time
) -> None:
    script.will(Answer(429, headers={"Retry-After": "33"}), OCTO)
    await read(scripted)
    assert time.slept == [33.0]


async def test_a_limit_that_one_request_meets_holds_back_the_others(
    scripted: GitHub, script: Script, time: Time
) -> None:
    script.will(Answer(429, headers={"Retry-After": "33"}), OCTO, OCTO)
    another: list[AccountPayload] = []

    async def sleep(seconds: float) -> None:
        if not time.slept:
            time.slept.append(seconds)
            another.append(await read(scripted))
        else:
            await time.sleep(seconds)

    scripted._pace._sleep = sleep
    await read(scripted)
    assert len(another) == 1
    assert time.slept == [33.0, 33.0]


async def test_a_limit_of_an_hour_is_handed_back(
    scripted: GitHub, script: Script, time: Time
) -> None:
    reset = str(int(time.now) + 3_000)
    script.will(Answer(403, headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}))
    with pytest.raises(RateLimitedError) as caught:
        await read(scripted)
    assert caught.value.retryable
    assert caught.value.retry_after == 3_000
    time.now += 2_000
    with pytest.raises(RateLimitedError) as caught:
        await read(scripted)
    assert caught.value.retry_after == 1_000
    assert len(script.seen) == 1
    time.now += 1_000
    script.will(OCTO)
    await read(scripted)
    assert time.slept == []


async def test_a_limit_without_end_is_handed_back(scripted: GitHub, script: Script) -> None:
    script.will(*[Answer(429, headers={"Retry-After": "0"})] * 5)
    with pytest.raises(RateLimitedError):
        await read(scripted)


async def test_a_missing_permission_is_not_taken_for_a_limit(
    scripted: GitHub, script: Script, time: Time
) -> None:
    script.will(Answer(403, {"message": "Resource not accessible by integration"}))
    with pytest.raises(AccessRefusedError, match="not accessible by integration"):
        await read(scripted)
    assert time.slept == []


async def test_writes_go_one_at_a_time_and_a_second_apart(
    scripted: GitHub, script: Script, time: Time
) -> None:
    script.will(*[OCTO] * 4)
    started = time.now
    await asyncio.gather(*(post(scripted) for _ in range(4)))
    assert script.most_at_once == 1
    assert time.now - started == 3.0


async def test_reads_are_not_paced(scripted: GitHub, script: Script, time: Time) -> None:
    script.will(*[OCTO] * 8)
    await asyncio.gather(*(read(scripted) for _ in range(8)))
    assert script.most_at_once > 1
    assert time.slept == []


async def test_bytes_come_as_they_are(scripted: GitHub, script: Script) -> None:
    diff = b"+caf\xe9 \x00\xff\r\n"
    script.will(Answer(body=diff, headers={"content-type": f"{DIFF}; charset=utf-8"}))
    values = {"repository": "a/b", "n": 1}
    assert (
        await scripted.read_bytes("/repos/{+repository}/pulls/{n}", values, accept=DIFF, limit=99)
        == diff
    )
    assert script.seen[0].headers["accept"] == DIFF
    assert script.seen[0].path == "/repos/a/b/pulls/1"


async def test_more_bytes_than_asked_for_are_refused(scripted: GitHub, script: Script) -> None:
    script.will(Answer(body=b"x" * 200_000))
    with pytest.raises(TooLargeError, match="larger than 1,000 bytes"):
        await scripted.read_bytes("/big", {}, accept=DIFF, limit=1_000)


async def test_a_path_cannot_leave_its_place_in_the_url(scripted: GitHub, script: Script) -> None:
    script.will(Answer(body=b""))
    path = ["a?ref=other", "b#c", "d%2fe", "{x}", "ü", "f g"]
    await scripted.read_bytes(
        "/contents{/path*}{?ref}", {"path": path, "ref": "1"}, accept=DIFF, limit=9
    )
    assert script.seen[0].path == (
        "/contents/a%3Fref%3Dother/b%23c/d%252fe/%7Bx%7D/%C3%BC/f%20g?ref=1"
    )


async def test_all_pages_are_read(scripted: GitHub, script: Script) -> None:
    following = {"link": f'<{script.url}/users?page=2>; rel="next"'}
    script.will(
        Answer(data=[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}], headers=following),
        Answer(data=[{"id": 3, "login": "c"}]),
    )
    assert [user.id async for user in scripted.iter_items(AccountPayload, "/users")] == [1, 2, 3]
    assert [seen.path for seen in script.seen] == ["/users", "/users?page=2"]


async def test_a_list_inside_an_object_is_found_by_its_key(
    scripted: GitHub, script: Script
) -> None:
    script.will(Answer(data={"total_count": 1, "users": [{"id": 1, "login": "a"}]}))
    assert [
        user.id async for user in scripted.iter_items(AccountPayload, "/users", key="users")
    ] == [1]


async def test_a_link_to_another_host_is_not_followed(scripted: GitHub, script: Script) -> None:
    following = {"link": '<http://127.0.0.2:1/users?page=2>; rel="next"'}
    script.will(Answer(data=[], headers=following))
    with pytest.raises(GitHubError, match="Refused to follow a link"):
        [user async for user in scripted.iter_items(AccountPayload, "/users")]


async def test_a_write_to_a_renamed_repository_follows_it(scripted: GitHub, script: Script) -> None:
    script.will(Answer(307, headers={"location": f"{script.url}/repositories/7"}), OCTO)
    await post(scripted)
    assert [(seen.method, seen.body) for seen in script.seen] == [("POST", b'{"body": "x"}')] * 2


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (304, RejectedError),
        (404, NotFoundError),
        (410, NotFoundError),
        (406, TooLargeError),
        (422, RejectedError),
        (400, RejectedError),
        (599, GitHubUnavailableError),
    ],
)
async def test_each_refusal_has_its_error(
    scripted: GitHub, script: Script, status: int, error: type[GitHubError]
) -> None:
    script.will(*[Answer(status, body=b"no json")] * (4 if status == 599 else 1))
    with pytest.raises(error) as caught:
        await read(scripted)
    assert caught.value.status == status


async def test_the_details_of_a_refusal_are_told_on_one_line(
    scripted: GitHub, script: Script
) -> None:
    errors = ["one\nline", {"message": "two"}, {"field": "path", "code": "invalid"}, 7]
    script.will(Answer(422, {"message": "Unprocessable Entity", "errors": errors}))
    with pytest.raises(RejectedError, match="Unprocessable Entity; one line; two; path: invalid"):
        await post(scripted)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=b"{", headers={"content-type": "application/json"}),
        Answer(body=b"<html>", headers={"content-type": "text/html"}),
        Answer(body=b"\xff", headers={"content-type": "application/json; charset=utf-8"}),
        Answer(body=b"{}", headers={"content-type": "application/json; charset=no-such"}),
        Answer(body=b""),
        Answer(data={"id": "one"}),
        Answer(data=[]),
    ],
)
async def test_an_answer_that_is_no_answer_is_an_error(
    scripted: GitHub, script: Script, answer: Answer
) -> None:
    script.will(answer)
    with pytest.raises(GitHubUnavailableError, match="answer to /users/"):
        await read(scripted)


@pytest.mark.parametrize("answer", [Answer(body=b""), Answer(data=3), Answer(data={"a": 1})])
async def test_a_list_that_is_none_is_an_error(
    scripted: GitHub, script: Script, answer: Answer
) -> None:
    script.will(answer)
    with pytest.raises(GitHubUnavailableError):
        [user async for user in scripted.iter_items(AccountPayload, "/users")]


async def test_no_error_holds_a_token_or_a_query(scripted: GitHub, script: Script) -> None:
    script.will(*[Answer(502)] * 4)
    with pytest.raises(GitHubUnavailableError) as caught:
        await scripted.read_bytes(
            "/tarball{?token}", {"token": "fake-secret"}, accept=DIFF, limit=9
        )
    assert "fake" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


async def test_pacing_limits_and_the_budget_are_metered(
    script: Script, session: aiohttp.ClientSession, time: Time, tokens: Tokens
) -> None:
    metrics = PrometheusMetrics()
    github = GitHub(
        session,
        tokens,
        base_url=script.url,
        clock=time,
        sleep=time.sleep,
        meter=metrics.build_meter("5"),
    )
    script.will(
        Answer(headers={"x-ratelimit-remaining": "4242"}),
        Answer(429, {}, headers={"retry-after": "7"}),
        Answer(502),
        Answer(headers={"x-ratelimit-remaining": "4241"}),
    )
    await github.post("/a", data={})
    await github.getitem("/b")
    text = metrics.render(None).decode()

    assert 'jurat_github_budget_remaining{installation="5"} 4241.0' in text
    assert 'jurat_github_pause_seconds_total{reason="limit"} 7.0' in text
    assert 'jurat_github_requests_total{method="GET",status="429"} 1.0' in text
    assert 'jurat_github_requests_total{method="GET",status="502"} 1.0' in text
    script.will(Answer(), Answer())
    await github.post("/a", data={})
    await github.post("/a", data={})
    text = metrics.render(None).decode()
    assert 'jurat_github_pause_seconds_total{reason="pace"} 1.0' in text


async def test_a_redirect_within_github_is_followed_as_the_same_request(
    scripted: GitHub, script: Script
) -> None:
    script.will(Answer(307, headers={"location": "/repositories/7/things"}), OCTO)
    assert await post(scripted) == AccountPayload(id=1, login="octo")
    assert [(seen.method, seen.path, seen.body) for seen in script.seen] == [
        ("POST", "/things", b'{"body": "x"}'),
        ("POST", "/repositories/7/things", b'{"body": "x"}'),
    ]


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://localhost:1/x",
        "https://evil.example/github.com",
        "https://notgithub.com/x",
        "file:///etc/passwd",
        "//evil.example/x",
        "http://[",
    ],
)
async def test_a_redirect_to_anyone_else_is_refused_before_a_byte_is_sent(
    scripted: GitHub, script: Script, location: str
) -> None:
    script.will(Answer(302, headers={"location": location}))
    with pytest.raises(GitHubError, match="redirect"):
        await read(scripted)
    assert len(script.seen) == 1


async def test_redirects_in_a_circle_end(scripted: GitHub, script: Script, time: Time) -> None:
    script.will(*[Answer(301, headers={"location": "/again"})] * 20)
    with pytest.raises(GitHubUnavailableError, match="again and again"):
        await read(scripted)
    assert script.answers == []


@pytest.mark.parametrize(
    ("origin", "api", "githubs"),
    [
        ("https://codeload.github.com", "https://api.github.com", True),
        ("https://raw.githubusercontent.com", "https://api.github.com", True),
        ("http://codeload.github.com", "https://api.github.com", False),
        ("https://codeload.github.com.evil.example", "https://api.github.com", False),
        ("https://codeload.github.example.com", "https://github.example.com", True),
        ("https://codeload.github.com", "https://github.example.com", False),
    ],
)
def test_archives_come_from_githubs_own_hosts(origin: str, api: str, githubs: bool) -> None:
    assert is_github_url(URL(origin), URL(api)) is githubs


async def test_the_token_goes_to_no_other_host(time: Time, tokens: Tokens) -> None:
    sent: list[tuple[str, bool]] = []

    class Session:
        """Answers a redirect to the archives, then the archive, and notes who got the token."""

        @asynccontextmanager
        async def request(self, _method: str, url: URL, **options: Any) -> AsyncIterator[Any]:
            sent.append((url.host or "", "authorization" in options["headers"]))
            location = "https://codeload.github.com/acme/shop?token=short"
            first = url.host == "api.github.com"
            yield SimpleNamespace(
                status=302 if first else 200,
                headers={"location": location} if first else {},
                content=_Content(),
            )

    github = GitHub(Session(), tokens, clock=time, sleep=time.sleep)  # type: ignore[arg-type]
    assert (
        await github.read_bytes("/repos/acme/shop/tarball", {}, accept=DIFF, limit=10) == b"packed"
    )
    assert sent == [("api.github.com", True), ("codeload.github.com", False)]


class _Content:
    async def iter_chunked(self, _size: int) -> AsyncIterator[bytes]:
        yield b"packed"
