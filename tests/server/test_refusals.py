"""Requests that are not answered as they hoped: each gets one clear line, and none a 500."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from sqlalchemy import text

from jurat.errors import RuleError, UsageError
from jurat.judge.protocol import Prompt, Reply
from jurat.server.api import add_api
from jurat.server.api_http import CODES, MAX_BODY, PROBLEM_TYPE
from jurat.server.api_inputs import MAX_CHANGED
from jurat.server.api_requests import MAX_DEPTH, MAX_DIFF, MAX_FILES, MAX_VALUES
from jurat.store.database import Database
from jurat.store.evaluations import Store
from tests.server.conftest import AUTHORIZED, TOKEN, Client, build_services, connected
from tests.support.gemini import Spoken
from tests.support.server import build_gate

NESTED: dict[str, Any] = {}
for _ in range(MAX_DEPTH):
    NESTED = {"a": NESTED}


async def refused(answer: aiohttp.ClientResponse) -> tuple[int, str]:
    """The status and the message of an error, whose form is always the same."""
    assert answer.content_type == "application/problem+json"
    said = await answer.json()
    assert list(said) == ["type", "title", "status", "detail", "hint"]
    assert said["type"] == f"{PROBLEM_TYPE}{CODES[answer.status]}"
    assert said["status"] == answer.status
    assert "\n" not in said["detail"]
    return answer.status, said["detail"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "The body needs a diff, files or facts."),
        ([], "The body must be an object with named fields."),
        ({"diff": "", "max_rule": 3}, "max_rule: unknown key; did you mean 'max_rules'?"),
        ({"diff": 1}, "diff: must be text, not 1."),
        ({"diff": "", "max_rules": "5"}, "max_rules: must be a whole number, not '5'."),
        ({"diff": "", "max_rules": 101}, "max_rules: must be at most 100, not 101."),
        ({"diff": "", "max_rules": 0}, "max_rules: must be at least 1, not 0."),
        ({"diff": "", "max_rules": True}, "max_rules: must be a whole number, not true."),
        (
            {"diff": "", "severity_min": "high"},
            "severity_min: must be one of LOW, MEDIUM, HIGH, CRITICAL; did you mean 'HIGH'?",
        ),
        ({"diff": "", "repository": "a b"}, "repository: must be a name such as acme/shop."),
        ({"diff": "", "scope": "a\x00"}, "scope: must not hold control characters."),
        ({"facts": []}, "facts: must be a mapping of keys to values, not a list."),
        ({"facts": NESTED}, None),
        ({"facts": {"a": NESTED}}, f"facts: must not be nested deeper than {MAX_DEPTH} levels."),
        (
            {"facts": {"a": [0] * MAX_VALUES}},
            f"facts: must not hold more than {MAX_VALUES:,} keys and values.",
        ),
        (
            {"facts": {"a": "\ud800"}},
            "facts: holds text that is not Unicode: half of a surrogate pair.",
        ),
        ({"files": ["a.py", {"path": "a.py"}]}, "The body must not name the file 'a.py' twice."),
        ({"files": [{"path": "a", "text": ""}]}, "files[0].text: unknown key; "),
        ({"files": [{"content": ""}]}, "files[0].path: is required."),
        ({"files": [3]}, "files[0]: must be a mapping of keys to values, not 3."),
        ({"files": ["/etc/passwd"]}, "files[0]: must be relative to the repository's root"),
        ({"files": ["a/../../b"]}, "files[0]: must be relative to the repository's root"),
        ({"files": ["a\x00b"]}, "files[0]: must not hold control characters."),
        ({"files": [f"{n}" for n in range(MAX_FILES + 1)]}, "files: tuple should have at most"),
        ({"diff": "x" * (MAX_DIFF + 1)}, "diff: string should have at most"),
        ({"diff": "hello"}, "This is no unified diff: no line in it begins a file."),
        (
            {"diff": "".join(f"diff --git a/{n} b/{n}\n" for n in range(MAX_CHANGED + 1))},
            "The change has 3,001 files; 3,000 is the most.",
        ),
        ({"files": ["a"], "facts": {"change": 1}}, "The facts set 'change', which is where"),
        ({"facts": {}, "packs": ["enginering"]}, "There is no pack 'enginering'; did you mean"),
    ],
)
async def test_a_body_that_says_something_wrong_is_told_what(
    api: Client, body: Any, message: str | None
) -> None:
    answer = await api.post("/evaluate", body)
    if message is None:
        assert answer.status == 200
        return
    status, told = await refused(answer)
    assert status == 422
    assert told.startswith(message)


async def test_all_that_is_wrong_is_told_at_once(api: Client) -> None:
    answer = await api.post("/evaluate", {"diff": 1, "max_rules": 0, "mode": "later"})
    problem = await answer.json()
    assert problem["detail"] == "max_rules: must be at least 1, not 0."
    assert problem["hint"].startswith("Also: diff: must be text, not 1; mode: must be one of ")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "The body is not valid JSON: Expecting value, line 1, column 1."),
        (b"{", "The body is not valid JSON: "),
        (b"\xff", "The body is not UTF-8: see byte 0."),
        (b'{"facts": {"a": NaN}}', "The body cannot be used: NaN is not a number"),
        (b'{"facts": {"a": -Infinity}}', "The body cannot be used: -Infinity is not a number"),
        (b'{"facts": {"a": 1, "a": 2}}', "The body cannot be used: the name 'a' stands twice"),
        (b"[" * 100_000, "The body cannot be used: it is nested deeper than 60 levels."),
        (b'{"facts": {"a": %b}}' % (b"9" * 1_001), "The body cannot be used: a number has more"),
        (b'{"facts": {"a": 1e10000}}', "The body cannot be used: a number is longer or larger"),
        (b'{"facts": {"a": 1e-%b1}}' % (b"0" * 50 + b"9" * 9), "The body cannot be used: "),
    ],
)
async def test_a_body_that_cannot_be_read_is_told_why(
    api: Client, body: bytes, message: str
) -> None:
    status, told = await refused(await api.post("/evaluate", body))
    assert status == 400
    assert told.startswith(message)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"perod": "day"}, "perod: unknown key; did you mean 'period'?"),
        ({"period": "year"}, "period: must be one of day, week, month; "),
        ({"since": "0"}, "since: must be a date such as 2027-01-31."),
        ({"since": "2026-02-30"}, "since: must be a date such as 2027-01-31"),
        ({"since": "2026-03-02", "until": "2026-03-01"}, "The query must not have a since that"),
        ({"rule": "a\x00"}, "rule: must be a rule's id, such as py.weak-hash."),
        ({"repository": ""}, "repository: must be a name such as acme/shop."),
    ],
)
async def test_a_query_that_says_something_wrong_is_told_what(
    api: Client, query: Mapping[str, str], message: str
) -> None:
    status, told = await refused(await api.get("/analytics", **query))
    assert status == 422
    assert told.startswith(message)


async def test_a_parameter_that_stands_twice_is_refused(api: Client) -> None:
    answer = await api.http.get("/api/v1/analytics?mode=preflight&mode=posthoc", headers=AUTHORIZED)
    assert await refused(answer) == (422, "'mode' stands in the query twice.")


async def test_a_body_that_is_not_said_to_be_json_is_refused(api: Client) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/octet-stream"):
        answer = await api.post("/evaluate", {"diff": ""}, **{"Content-Type": kind})
        assert await refused(answer) == (415, "The body must be JSON.")


async def test_a_body_that_is_too_large_is_refused_before_it_is_read(api: Client) -> None:
    answer = await api.post("/evaluate", io.BytesIO(b" " * (MAX_BODY + 1)))
    assert await refused(answer) == (413, "The body is larger than 5 MB.")


async def test_a_body_of_unknown_length_is_read_no_further_than_the_limit(api: Client) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(6):
            yield b" " * (1 << 20)

    answer = await api.post("/evaluate", pieces())
    assert await refused(answer) == (413, "The body is larger than 5 MB.")


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "identity", ""])
async def test_a_packed_body_is_refused(api: Client, encoding: str) -> None:
    packed = gzip.compress(b'{"facts": {}}')
    answer = await api.post("/evaluate", packed, **{"Content-Encoding": encoding})
    assert await refused(answer) == (415, "A body with a Content-Encoding is not taken.")


class Listener(logging.Handler):
    """Says when something has been logged."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.heard.set()


async def test_a_caller_who_hangs_up_is_no_bug(store: Store, log: io.StringIO) -> None:
    app = web.Application()
    add_api(app, build_services(store), store, gate=build_gate(TOKEN))
    runner = web.AppRunner(app)  # aiohttp's test server would cancel the handler, as ours does not
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        b"POST /api/v1/evaluate HTTP/1.1\r\nHost: localhost\r\n"
        b"Authorization: Bearer " + TOKEN.encode() + b"\r\n"
        b"Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
    )
    await writer.drain()
    async with aiohttp.ClientSession() as session:
        answer = await session.get(
            f"http://localhost:{port}/api/v1/openapi.json", headers=AUTHORIZED
        )
        assert answer.status == 200  # by now the server waits for the rest of the body
    listener = Listener()
    logging.getLogger("jurat.server").addHandler(listener)
    writer.close()
    await listener.heard.wait()
    logging.getLogger("jurat.server").removeHandler(listener)
    await runner.cleanup()
    assert json.loads(log.getvalue().splitlines()[-1])["status"] == 400


async def test_a_path_or_a_method_that_there_is_not_is_refused_in_the_same_form(
    api: Client,
) -> None:
    assert (await refused(await api.get("/elsewhere")))[0] == 404
    answer = await api.get("/evaluate")
    assert await refused(answer) == (405, "GET is not answered here, only POST.")
    assert answer.headers["Allow"] == "POST"


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        "Bearer é",
    ],
)
async def test_without_the_token_nothing_is_answered(api: Client, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    for path in ("/openapi.json", "/analytics", "/elsewhere"):
        answer = await api.http.get(f"/api/v1{path}", headers=headers)
        assert (await refused(answer))[0] == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


async def test_the_schemes_name_may_be_written_in_any_case(api: Client) -> None:
    headers = {"Authorization": f"bearer {TOKEN}"}
    assert (await api.http.get("/api/v1/analytics", headers=headers)).status == 200


@pytest.mark.parametrize(
    "headers", [{}, {"Host": "localhost"}, {"Host": "jurat.example.com"}, {"Cookie": TOKEN}]
)
async def test_this_machine_is_a_stranger_too(api: Client, headers: dict[str, str]) -> None:
    answer = await api.http.get("/api/v1/analytics", headers=headers)
    assert (await refused(answer))[0] == 401


async def test_a_database_that_is_away_is_said_to_be(api: Client, database: Database) -> None:
    async with database.writing() as connection:
        await connection.execute(text("ALTER TABLE reviews RENAME TO elsewhere"))
        await connection.execute(text("ALTER TABLE evaluations RENAME TO elsewhere_too"))
    for answer in (
        await api.post("/evaluate", {"facts": {}}),
        await api.get("/evaluations/e-1"),
        await api.get("/analytics"),
    ):
        assert await refused(answer) == (503, "The database does not answer.")


class Broken(Spoken):
    """A model with a bug."""

    async def ask(self, prompt: Prompt) -> Reply:
        raise ZeroDivisionError("not for the caller")


async def test_a_bug_is_answered_in_the_same_form_and_told_to_the_log_alone(
    store: Store, log: io.StringIO
) -> None:
    async with connected(build_services(store, Broken()), store) as api:
        answer = await api.post("/evaluate/quick", {"action": "Anything"})
        assert await refused(answer) == (500, "The request could not be answered.")
        assert "not for the caller" not in await answer.text()
    assert "not for the caller" in log.getvalue()


async def test_a_request_is_one_log_line_without_its_body_or_its_token(
    api: Client, log: io.StringIO
) -> None:
    await api.post("/evaluate", {"facts": {"secret": "of-the-caller"}, "intent": "of-the-caller"})
    (line,) = [json.loads(line) for line in log.getvalue().splitlines()]
    assert (line["method"], line["route"], line["status"]) == ("POST", "/api/v1/evaluate", 200)
    assert line["milliseconds"] > 0
    assert "of-the-caller" not in log.getvalue()
    assert TOKEN not in log.getvalue()


def test_rules_that_cannot_be_loaded_stop_the_server(store: Store) -> None:
    with pytest.raises(RuleError, match="unknown key; did you mean"):
        add_api(
            web.Application(),
            build_services(store),
            store,
            gate=build_gate(TOKEN),
            rules={"own/a.yml": "version: 1\nrules: []\nruls: []\n"},
        )
    with pytest.raises(UsageError, match="There is no pack 'enginering'"):
        add_api(
            web.Application(),
            build_services(store),
            store,
            gate=build_gate(TOKEN),
            packs=["enginering"],
        )
