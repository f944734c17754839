from __future__ import annotations

import asyncio
import hashlib
import hmac
import io
import json
import socket
import subprocess
from typing import Any
from urllib.parse import quote_plus

import pytest
from sqlalchemy import Table, func, select, text

from jurat.reports.limits import WEBHOOK_PAYLOAD
from jurat.store.database import Database
from jurat.store.tables import deliveries, jobs
from tests.server import samples
from tests.support.production import python
from tests.support.server import START, WEBHOOK_SECRET, Hook, guid, sign

BODY = json.dumps(samples.pull_request()).encode()
HEADERS = {
    "Content-Type": "application/json",
    "X-GitHub-Event": "pull_request",
    "X-GitHub-Delivery": guid(1),
    "X-Hub-Signature-256": sign(BODY),
}


async def _rows(database: Database, table: Table) -> list[dict[str, Any]]:
    async with database.reading() as connection:
        return [dict(row._mapping) for row in await connection.execute(select(table))]


async def _nothing_stored(database: Database) -> bool:
    async with database.reading() as connection:
        counts = [
            await connection.scalar(select(func.count()).select_from(table))
            for table in (deliveries, jobs)
        ]
    return counts == [0, 0]


async def test_a_signed_event_is_stored_with_its_job_and_answered(
    hook: Hook, database: Database, woken: list[None]
) -> None:
    answer = await hook.client.post(hook.path, data=BODY, headers=HEADERS)

    assert answer.status == 202
    assert await answer.text() == json.dumps({"status": "accepted", "delivery": guid(1)})
    (delivery,) = await _rows(database, deliveries)
    assert (delivery["guid"], delivery["event"]) == (guid(1), "pull_request")
    assert (delivery["received_at"], delivery["outcome"]) == (START, "enqueued")
    (job,) = await _rows(database, jobs)
    assert (job["key"], job["kind"], job["state"]) == ("1001#12", "review", "queued")
    assert job["delivery"] == guid(1)
    assert woken == [None]


def _signature(value: str | None) -> dict[str, str]:
    headers = {key: item for key, item in HEADERS.items() if key != "X-Hub-Signature-256"}
    return headers if value is None else {**headers, "X-Hub-Signature-256": value}


SHA1 = "sha1=" + hmac.new(WEBHOOK_SECRET.encode(), BODY, hashlib.sha1).hexdigest()


@pytest.mark.parametrize(
    "headers",
    [
        _signature(sign(BODY, "another secret")),
        _signature(sign(BODY + b" ")),
        _signature(None),
        _signature(""),
        _signature(SHA1),
        {**_signature(None), "X-Hub-Signature": SHA1},
        _signature("sha256=" + "é" * 64),
    ],
    ids=["wrong secret", "wrong body", "none", "empty", "SHA-1", "SHA-1 alone", "non-ASCII"],
)
async def test_an_unsigned_event_is_refused_and_leaves_no_trace(
    hook: Hook, database: Database, headers: dict[str, str], log: io.StringIO
) -> None:
    answer = await hook.client.post(hook.path, data=BODY, headers=headers)

    assert answer.status == 401
    assert (await answer.json())["status"] == "refused"
    assert await _nothing_stored(database)
    assert "Traceback" not in log.getvalue() + await answer.text()


async def test_what_is_signed_are_the_bytes_as_they_came(hook: Hook) -> None:
    # The same payload in other bytes is another body: nothing is trimmed, decoded or written anew.
    for body in (b"\r\n" + BODY + b" \n", BODY.replace(b":", b" : "), b"\xef\xbb\xbf" + BODY):
        for signed, expected in ((body, {200, 202, 400}), (BODY, {401})):
            answer = await hook.client.post(hook.path, data=body, headers=_signature(sign(signed)))
            assert answer.status in expected, (body, signed)


async def _raw(hook: Hook, signature: bytes, length: int) -> bytes:
    """The answer to a request that aiohttp's client would not send: it ends after its header."""
    request = (
        b"POST %b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        b"X-GitHub-Event: ping\r\nX-GitHub-Delivery: 1\r\nContent-Type: application/json\r\n"
        b"X-Hub-Signature-256: %b\r\nContent-Length: %d\r\n\r\n"
    ) % (hook.path.encode(), signature, length)
    reader, writer = await asyncio.open_connection("127.0.0.1", hook.client.server.port)
    writer.write(request)
    answer = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return answer


async def test_bytes_that_are_no_text_in_the_signature_are_refused(hook: Hook) -> None:
    answer = await _raw(hook, b"sha256=\xff\xfe\xe9", 0)

    assert answer.startswith(b"HTTP/1.1 401 ")


async def test_a_request_that_cannot_be_githubs_is_refused_before_its_body_is_read(
    hook: Hook,
) -> None:
    async with asyncio.timeout(60):
        answer = await _raw(hook, b"sha1=0", 25_000_000)

    assert answer.startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"X-GitHub-Event": ""}, 400),
        ({"X-GitHub-Event": "pull request\t"}, 400),
        ({"X-GitHub-Delivery": ""}, 400),
        ({"X-GitHub-Delivery": "a/../b"}, 400),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
async def test_a_signed_request_that_is_no_delivery_is_refused(
    hook: Hook, database: Database, change: dict[str, str], status: int
) -> None:
    answer = await hook.client.post(hook.path, data=BODY, headers={**HEADERS, **change})

    assert answer.status == status
    assert (await answer.json())["reason"]
    assert await _nothing_stored(database)


async def test_a_request_without_an_event_header_is_refused(hook: Hook, database: Database) -> None:
    headers = {key: value for key, value in HEADERS.items() if key != "X-GitHub-Event"}
    answer = await hook.client.post(hook.path, data=BODY, headers=headers)

    assert answer.status == 400
    assert await _nothing_stored(database)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        b"[" * 100_000,
        b"9" * 10_000,
        json.dumps(samples.pull_request(title="\ud83d")).encode(),
        json.dumps(samples.pull_request(head={})).encode(),
    ],
    ids=[
        "empty",
        "cut off",
        "list",
        "text",
        "no UTF-8",
        "deep",
        "long number",
        "half a pair",
        "without a head",
    ],
)
async def test_a_payload_that_cannot_be_read_is_refused(
    hook: Hook, database: Database, body: bytes, log: io.StringIO
) -> None:
    headers = {**HEADERS, "X-Hub-Signature-256": sign(body)}
    answer = await hook.client.post(hook.path, data=body, headers=headers)

    assert answer.status == 400
    assert await _nothing_stored(database)
    assert "Traceback" not in log.getvalue() + await answer.text()


async def test_values_that_nobody_reads_may_be_odd(hook: Hook, database: Database) -> None:
    odd = b'"nan": NaN, "big": 1e999, "id": %d, "nul": "\\u0000", "x": 1, "x": 2, "a": %s' % (
        2**64,
        b"[" * 150 + b"]" * 150,
    )
    body = BODY.replace(b'"draft"', odd + b', "draft"')
    headers = {**HEADERS, "X-Hub-Signature-256": sign(body)}
    answer = await hook.client.post(hook.path, data=body, headers=headers)

    assert answer.status == 202
    assert [row["state"] for row in await _rows(database, jobs)] == ["queued"]


async def test_a_payload_in_a_form_is_read_too(hook: Hook, database: Database) -> None:
    body = f"payload={quote_plus(BODY.decode())}".encode()
    headers = {
        **HEADERS,
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Hub-Signature-256": sign(body),
    }
    answer = await hook.client.post(hook.path, data=body, headers=headers)

    assert answer.status == 202
    assert len(await _rows(database, jobs)) == 1


async def test_a_form_without_a_payload_is_refused(hook: Hook) -> None:
    body = b"other=1"
    headers = {
        **HEADERS,
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Hub-Signature-256": sign(body),
    }
    answer = await hook.client.post(hook.path, data=body, headers=headers)

    assert answer.status == 400


async def test_a_payload_larger_than_github_sends_is_refused(hook: Hook) -> None:
    body = io.BytesIO(b" " * (WEBHOOK_PAYLOAD.size + 1))
    answer = await hook.client.post(hook.path, data=body, headers=HEADERS)

    assert answer.status == 413


async def test_a_delivery_that_comes_again_is_done_once(hook: Hook, database: Database) -> None:
    first = await hook.deliver("pull_request", samples.pull_request(), delivery=guid(1))
    same_guid = await hook.deliver("pull_request", samples.pull_request(), delivery=guid(1))
    same_meaning = await hook.deliver("pull_request", samples.pull_request(), delivery=guid(2))

    assert [first.status, same_guid.status, same_meaning.status] == [202, 200, 200]
    assert (await same_meaning.json())["status"] == "duplicate"
    assert len(await _rows(database, deliveries)) == 1
    assert len(await _rows(database, jobs)) == 1


async def test_a_redelivery_after_the_review_does_not_review_again(
    hook: Hook, database: Database
) -> None:
    await hook.deliver("pull_request", samples.pull_request(), delivery=guid(1))
    async with database.writing() as connection:
        await connection.execute(text("UPDATE jobs SET state = 'done'"))

    await hook.deliver("pull_request", samples.pull_request(), delivery=guid(1))

    assert [row["state"] for row in await _rows(database, jobs)] == ["done"]


async def test_pushes_that_come_while_a_review_waits_are_one_review(
    hook: Hook, database: Database
) -> None:
    for number in range(5):
        payload = samples.pull_request("synchronize", updated_at=str(number))
        assert (await hook.deliver("pull_request", payload)).status == 202

    assert len(await _rows(database, deliveries)) == 5
    (job,) = await _rows(database, jobs)
    assert job["delivery"] == guid(5)


async def test_closing_takes_the_review_back_and_reopening_asks_again(
    hook: Hook, database: Database
) -> None:
    for number, action in enumerate(["opened", "closed", "reopened", "closed", "reopened"]):
        payload = samples.pull_request(action, updated_at=str(number))
        assert (await hook.deliver("pull_request", payload)).status == 202

    rows = await _rows(database, jobs)
    states = [row["state"] for row in rows if row["kind"] == "review"]
    assert states == ["cancelled", "cancelled", "queued"]


async def test_many_deliveries_at_once_are_each_taken_once(hook: Hook, database: Database) -> None:
    def payload(number: int) -> dict[str, Any]:
        return samples.pull_request(number=number)

    answers = await asyncio.gather(
        *(
            hook.deliver("pull_request", payload(number), delivery=guid(number))
            for number in [*range(1, 41), *range(1, 41)]
        )
    )

    assert sorted(answer.status for answer in answers) == [200] * 40 + [202] * 40
    assert len(await _rows(database, deliveries)) == 40
    assert {row["key"] for row in await _rows(database, jobs)} == {
        f"1001#{number}" for number in range(1, 41)
    }


@pytest.mark.parametrize(
    ("event", "payload", "answer"),
    [
        ("ping", {"zen": "Design for failure.", "hook_id": 1}, (200, "pong")),
        ("star", samples.envelope(action="created"), (202, "ignored")),
        ("issue_comment", samples.issue_comment("Nice!"), (202, "ignored")),
    ],
)
async def test_an_event_that_asks_for_nothing_is_answered_and_not_stored(
    hook: Hook, database: Database, event: str, payload: dict[str, Any], answer: tuple[int, str]
) -> None:
    response = await hook.deliver(event, payload)

    assert (response.status, (await response.json())["status"]) == answer
    assert await _nothing_stored(database)


async def test_a_database_that_is_locked_away_makes_the_delivery_fail(
    hook: Hook, database: Database, log: io.StringIO
) -> None:
    async with database.writing() as connection:
        await connection.execute(text("ALTER TABLE deliveries RENAME TO elsewhere"))

    answer = await hook.deliver("pull_request", samples.pull_request())

    assert answer.status == 503
    assert (await answer.json())["reason"] == "The database does not answer."
    assert "Traceback" not in log.getvalue()


async def test_a_delivery_is_one_log_line_with_its_guid_and_nothing_secret(
    hook: Hook, log: io.StringIO
) -> None:
    payload = samples.issue_comment("/jurat explain not-for-the-log")
    await hook.deliver("issue_comment", payload, delivery=guid(9))

    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    (line,) = [line for line in lines if line["event"] == "delivery"]
    assert (line["delivery"], line["event_name"], line["status"]) == (
        guid(9),
        "issue_comment",
        202,
    )
    assert line["milliseconds"] > 0
    assert "not-for-the-log" not in log.getvalue()
    assert WEBHOOK_SECRET not in log.getvalue()
    assert sign(json.dumps(payload).encode()) not in log.getvalue()


async def test_only_post_is_answered_where_deliveries_go(hook: Hook) -> None:
    assert (await hook.client.get(hook.path)).status == 405
    assert (await hook.client.post("/elsewhere", data=b"{}")).status == 404


# A server that says where it listens, and dies as soon as it has answered one delivery.
SERVER = """
import asyncio, datetime as dt, os, signal
from aiohttp import web
from jurat.settings import Settings
from jurat.jobs.table_queue import TableQueue
from jurat.store.database import Database
from jurat.server.intake import Intake
from jurat.server.readiness import Readiness
from jurat.server.webhook import create_app

async def die(request, response):
    await response.prepare(request)
    await response.write_eof()
    os.kill(os.getpid(), signal.SIGKILL)

async def main():
    settings = Settings.from_environment(os.environ).for_server()
    database = Database.at(settings.database_url)
    now = lambda: dt.datetime.now(dt.UTC)
    intake = Intake(database, TableQueue(database, now), now=now)
    app = create_app(settings, intake, Readiness({}))

    @web.middleware
    async def answer_and_die(request, handler):
        await die(request, await handler(request))

    app.middlewares.append(answer_and_die)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def _deliver_and_let_die(environment: dict[str, str]) -> bytes:
    """Deliver one event to a server that dies right after its answer; the answer."""
    lines = [f"{name}: {value}" for name, value in HEADERS.items()]
    lines += ["Host: localhost", f"Content-Length: {len(BODY)}"]
    request = "POST /api/github/webhooks HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n"
    with subprocess.Popen(
        [python(), "-c", SERVER], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(request.encode() + BODY)
            answer = connection.recv(65_536)
    assert process.returncode == -9
    return answer


async def test_an_event_is_not_lost_when_the_server_dies_right_after_its_answer(
    environment: dict[str, str], database: Database
) -> None:
    answer = await asyncio.to_thread(_deliver_and_let_die, environment)

    assert answer.startswith(b"HTTP/1.1 202 ")
    (job,) = await _rows(database, jobs)
    assert (job["key"], job["state"]) == ("1001#12", "queued")


async def test_an_event_whose_name_holds_a_digit_is_ignored_and_not_refused(hook: Hook) -> None:
    answer = await hook.deliver("projects_v2_item", {"action": "created"})
    assert answer.status == 202
    assert (await answer.json())["status"] == "ignored"
