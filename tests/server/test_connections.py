"""Connections that say nothing are not kept, and none keeps out another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_network

from aiohttp import web

from jurat.server.connections import LIMITS, ConnectionLimits, listen
from tests.support.wire import Wire

GET = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"


@dataclass
class Site:
    """A server with one page, which is answered when the test lets it."""

    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    asked: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    port: int = 0

    async def page(self, _: web.Request) -> web.Response:
        self.asked.release()
        await self.may_answer.wait()
        return web.Response()

    @asynccontextmanager
    async def served(self, limits: ConnectionLimits) -> AsyncIterator[None]:
        app = web.Application(handler_args=LIMITS)
        app.router.add_get("/", self.page)
        async with listen(app, "127.0.0.1", 0, limits) as url:
            self.port = int(url.rpartition(":")[2])
            try:
                yield
            finally:
                # Or the end of a test that failed would wait for what is being answered.
                self.may_answer.set()


async def test_headers_that_do_not_come_in_time_end_the_connection_and_a_slow_answer_does_not(
    wire: Wire,
) -> None:
    site = Site()
    async with site.served(ConnectionLimits(header_seconds=0.05)):
        answered = await wire.send(site.port, GET)
        await site.asked.acquire()
        for silent in (b"", b"GET", GET[:-2], b"GET / HTTP/1.1\r\nX-A: " + b"a" * 5_000):
            # Each is later than the one that is answered, whose time is over too then. Without
            # the deadline none is ever ended: that must fail, not hang.
            async with asyncio.timeout(30):
                assert await (await wire.send(site.port, silent)).read() == b""
        site.may_answer.set()
        assert (await answered.readline()).startswith(b"HTTP/1.1 200 ")


async def test_one_connection_too_many_ends_the_oldest_that_waits(wire: Wire) -> None:
    site = Site()
    async with site.served(ConnectionLimits(connections=3)):
        asked = await wire.send(site.port, GET)
        await site.asked.acquire()
        first, second = await wire.send(site.port, b"GET"), await wire.send(site.port, b"GET")
        another = await wire.send(site.port, GET)
        await site.asked.acquire()
        assert await first.read() == b""
        site.may_answer.set()
        assert (await asked.readline()).startswith(b"HTTP/1.1 200 ")
        assert (await another.readline()).startswith(b"HTTP/1.1 200 ")
        assert not second.at_eof()


async def test_an_address_with_too_many_connections_loses_its_own(wire: Wire) -> None:
    site = Site()
    async with site.served(ConnectionLimits(by_address=3)):
        silent = [await wire.send(site.port, b"GET") for _ in range(3)]
        elsewhere = await wire.send(site.port, GET, local="127.0.0.2")
        await site.asked.acquire()
        further = [await wire.send(site.port, b"GET") for _ in range(2)]
        assert [await each.read() for each in silent[:2]] == [b"", b""]
        site.may_answer.set()
        assert (await elsewhere.readline()).startswith(b"HTTP/1.1 200 ")
        assert not any(each.at_eof() for each in (silent[2], *further))


async def test_if_all_are_too_many_whoever_has_most_of_them_gives_way(wire: Wire) -> None:
    site = Site()
    async with site.served(ConnectionLimits(connections=4)):
        quiet = await wire.send(site.port, b"GET", local="127.0.0.2")
        many = [await wire.send(site.port, b"GET") for _ in range(5)]
        assert [await each.read() for each in many[:2]] == [b"", b""]
        assert not quiet.at_eof()


async def test_a_proxy_has_as_many_as_all_together(wire: Wire) -> None:
    site = Site()
    known = (ip_network("127.0.0.1"),)
    async with site.served(ConnectionLimits(connections=6, by_address=2, proxies=known)):
        stranger = [await wire.send(site.port, b"GET", local="127.0.0.2") for _ in range(2)]
        behind = [await wire.send(site.port, b"GET") for _ in range(5)]
        # Before it a stranger gives way, who has fewer.
        assert await stranger[0].read() == b""
        assert not any(each.at_eof() for each in behind)


async def test_if_all_are_being_answered_the_oldest_ends(wire: Wire) -> None:
    site = Site()
    async with site.served(ConnectionLimits(connections=2)):
        readers = []
        for _ in range(3):
            readers.append(await wire.send(site.port, GET))
            await site.asked.acquire()
        assert await readers[0].read() == b""
        site.may_answer.set()
        assert (await readers[2].readline()).startswith(b"HTTP/1.1 200 ")


async def test_more_headers_than_a_proxy_adds_are_refused(wire: Wire) -> None:
    site = Site()
    site.may_answer.set()
    async with site.served(ConnectionLimits()):
        for count, status in ((60, 200), (80, 400)):
            lines = b"".join(b"X-%d: a\r\n" % number for number in range(count))
            assert await wire.status(site.port, GET[:-2] + lines + b"\r\n") == status


async def test_little_is_read_ahead_of_a_body_that_nobody_reads(wire: Wire) -> None:
    site, ahead = Site(), []

    async def idle(request: web.Request) -> web.Response:
        site.asked.release()
        await site.may_answer.wait()
        ahead.append(request.content.total_bytes)
        return web.Response()

    site.page = idle  # type: ignore[method-assign]
    async with site.served(ConnectionLimits()):
        head = b"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 8000000\r\n\r\n"
        answered = await wire.send(site.port, head, b"x" * 8_000_000)
        await site.asked.acquire()
        # A reader takes what is there, pauses, and has no more than that afterwards.
        for _ in range(100):
            await asyncio.sleep(0)
        site.may_answer.set()
        assert (await answered.readline()).startswith(b"HTTP/1.1 200 ")
    # aiohttp's own bound lets a megabyte through, beside what comes in one go.
    assert ahead[0] <= (1 << 16) + (1 << 18)
