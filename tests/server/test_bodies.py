"""What a body may cost before anybody knows who sent it."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp.test_utils import TestClient, TestServer

from jurat.jobs.table_queue import TableQueue
from jurat.server.bodies import BodyReader
from jurat.server.intake import Intake
from jurat.server.readiness import Readiness
from jurat.server.webhook import create_app
from jurat.settings import ServerSettings
from jurat.store.database import Database
from tests.server import samples
from tests.support.server import FakeTime, Hook, guid, sign
from tests.support.wire import Wire

FORGED = "sha256=" + "0" * 64


class Reader(BodyReader):
    """A body reader that a test looks into."""

    @property
    def sizes(self) -> list[int]:
        """What has come of each body that is on its way."""
        return sorted(item.size for item in self._uploads)

    async def holds(self, *sizes: int) -> None:
        """Wait until so much has come of as many bodies."""
        async with asyncio.timeout(30):
            while self.sizes != sorted(sizes):  # noqa: ASYNC110 - the reader tells nobody
                await asyncio.sleep(0)


@asynccontextmanager
async def hooked(
    bodies: BodyReader,
    settings: ServerSettings,
    database: Database,
    queue: TableQueue,
    time: FakeTime,
) -> AsyncIterator[Hook]:
    app = create_app(settings, Intake(database, queue, now=time.now), Readiness({}), bodies=bodies)
    async with TestClient(TestServer(app)) as client:
        yield Hook(client, settings.webhook_path)


def port(hook: Hook) -> int:
    assert isinstance(hook.client.server, TestServer)
    return hook.client.server.port or 0


def unsigned(hook: Hook, length: int) -> bytes:
    """The headers of a delivery with a signature that nobody made."""
    return (
        f"POST {hook.path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
        f"X-GitHub-Event: ping\r\nX-GitHub-Delivery: {guid(1)}\r\n"
        f"X-Hub-Signature-256: {FORGED}\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "identity", "", "x"])
async def test_a_packed_delivery_is_refused_even_if_it_is_signed(hook: Hook, encoding: str) -> None:
    for body in (gzip.compress(b"{}"), zlib.compress(b"{}"), b"{}"):
        headers = {
            "Content-Type": "application/json",
            "Content-Encoding": encoding,
            "X-GitHub-Event": "ping",
            "X-GitHub-Delivery": guid(1),
            "X-Hub-Signature-256": sign(body),
        }
        answer = await hook.client.post(hook.path, data=body, headers=headers)
        assert answer.status == 415
        assert "Content-Encoding" in (await answer.json())["reason"]


async def test_a_body_that_does_not_come_in_time_is_given_up(
    settings: ServerSettings, database: Database, queue: TableQueue, time: FakeTime, wire: Wire
) -> None:
    bodies = Reader(seconds=0.01)
    async with hooked(bodies, settings, database, queue, time) as hook:
        answer = await wire.send(port(hook), unsigned(hook, 1_000), b"{")
        # Without the deadline nothing is ever answered: that must fail, not hang.
        async with asyncio.timeout(30):
            line = await answer.readline()
        assert line.startswith(b"HTTP/1.1 408 ")
        assert bodies.sizes == []


async def test_the_largest_body_gives_way_and_a_delivery_comes_through(
    settings: ServerSettings, database: Database, queue: TableQueue, time: FakeTime, wire: Wire
) -> None:
    bodies = Reader(max_held=99_100)
    async with hooked(bodies, settings, database, queue, time) as hook:
        large = await wire.send(port(hook), unsigned(hook, 99_000), b"x" * 98_000)
        await bodies.holds(98_000)
        await wire.send(port(hook), unsigned(hook, 2_000), b"x" * 1_000)
        await bodies.holds(98_000, 1_000)
        delivered = await hook.deliver("pull_request", samples.pull_request())
        assert delivered.status == 202
        assert (await large.readline()).startswith(b"HTTP/1.1 503 ")
        assert bodies.sizes == [1_000]
        wire.close()


async def test_bodies_on_their_way_never_hold_more_than_the_bound(
    settings: ServerSettings, database: Database, queue: TableQueue, time: FakeTime, wire: Wire
) -> None:
    class Bounded(Reader):
        most = 0

        def _make_room(self) -> None:
            super()._make_room()
            self.most = max(self.most, sum(item.size for item in self._uploads))

    bodies = Bounded(max_held=50_000)
    async with hooked(bodies, settings, database, queue, time) as hook:
        answers = [
            await wire.send(port(hook), unsigned(hook, 40_000), b"x" * 39_000) for _ in range(6)
        ]
        ends = asyncio.as_completed([answer.readline() for answer in answers])
        refused = [(await next(ends))[:12] for _ in range(5)]
        assert refused == [b"HTTP/1.1 503"] * 5
        wire.close()
        await next(ends)
        assert 39_000 <= bodies.most <= 50_000


async def test_large_bodies_are_read_one_after_the_other_and_the_smallest_first(
    settings: ServerSettings, database: Database, queue: TableQueue, time: FakeTime, wire: Wire
) -> None:
    bodies = Reader(small=1_000)
    lengths = (50_000, 49_000, 40_000)
    async with hooked(bodies, settings, database, queue, time) as hook:
        answers = []
        for begun, length in enumerate(lengths, 1):
            answers.append(await wire.send(port(hook), unsigned(hook, length), b"x" * 2_000))
            await bodies.holds(*[2_000] * begun)
        for writer, length in zip(wire.writers, lengths, strict=True):
            writer.write(b"x" * (length - 3_000))
        await bodies.holds(49_000, 2_000, 2_000)
        delivered = await hook.deliver("pull_request", samples.pull_request())
        assert delivered.status in (202, 200)
        wire.writers[0].write(b"x" * 1_000)
        assert (await answers[0].readline()).startswith(b"HTTP/1.1 401 ")
        await bodies.holds(39_000, 2_000)
        wire.writers[2].write(b"x" * 1_000)
        assert (await answers[2].readline()).startswith(b"HTTP/1.1 401 ")
        await bodies.holds(48_000)
        wire.close()


async def test_who_waits_for_a_turn_and_leaves_holds_nobody_up(
    settings: ServerSettings, database: Database, queue: TableQueue, time: FakeTime, wire: Wire
) -> None:
    bodies = Reader(small=1_000, seconds=0.2)
    async with hooked(bodies, settings, database, queue, time) as hook:
        first, second = [
            await wire.send(port(hook), unsigned(hook, 50_000), b"x" * 2_000) for _ in range(2)
        ]
        for answer in (first, second):
            assert (await answer.readline()).startswith(b"HTTP/1.1 408 ")
        whole = await wire.send(port(hook), unsigned(hook, 50_000), b"x" * 50_000)
        assert (await whole.readline()).startswith(b"HTTP/1.1 401 ")


async def test_a_body_that_alone_is_larger_than_the_bound_is_refused(
    settings: ServerSettings, database: Database, queue: TableQueue, time: FakeTime, wire: Wire
) -> None:
    async with hooked(Reader(max_held=10), settings, database, queue, time) as hook:
        answer = await wire.send(port(hook), unsigned(hook, 100), b"x" * 100)
        assert (await answer.readline()).startswith(b"HTTP/1.1 503 ")


async def test_a_body_that_ends_early_is_refused(hook: Hook, wire: Wire) -> None:
    await wire.send(
        port(hook),
        f"POST {hook.path} HTTP/1.1\r\nHost: h\r\nX-Hub-Signature-256: {FORGED}\r\n".encode(),
        b"Transfer-Encoding: chunked\r\n\r\n5\r\nab",
    )
    wire.close()
    assert (await hook.client.get("/healthz")).status == 200
