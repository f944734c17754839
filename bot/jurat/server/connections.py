"""The socket: how many connections there are, and how long one may take to say what it wants."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

from aiohttp import web
from aiohttp.typedefs import Handler
from aiohttp.web_protocol import RequestHandler

from jurat.errors import UsageError
from jurat.server.access import is_within, to_network
from jurat.settings import Network

LIMITS: Mapping[str, Any] = MappingProxyType(
    {
        # Unpacked while it is read, a body would be in memory before anybody looked at its size.
        "auto_decompress": False,
        # GitHub sends 15 headers, and a proxy adds a few; aiohttp keeps 128 of 8 KB each.
        "max_headers": 64,
        # What is read ahead of a body, for each connection; aiohttp reads 512 KB ahead.
        "read_bufsize": 1 << 15,
        # Longer than proxies keep an idle connection, which is 60 s for most: they must be the
        # first to close it, or they answer 502.
        "keepalive_timeout": 75.0,
        # For what is left of a body that was refused, so that its sender reads why.
        "lingering_time": 1.0,
    }
)
"""What each `web.Application` here is given as `handler_args`."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many connections are open at once, and seconds until the first request's headers.

    aiohttp has neither: it waits for headers as long as it keeps an idle connection. One address
    has `by_address` of them, unless it is one of the `proxies`, behind which are many.
    """

    connections: int = 512
    by_address: int = 256
    header_seconds: float = 10.0
    proxies: tuple[Network, ...] = ()


_DEFAULTS = ConnectionLimits()


async def bind_sockets(host: str, port: int) -> list[socket.socket]:
    """Sockets at an address, which one application after another may be served on.

    What connects while none is served waits for the next. Raises UsageError; close them.
    """
    loop = asyncio.get_running_loop()
    try:
        bound = await loop.create_server(asyncio.Protocol, host, port, start_serving=False)
    except OSError as error:
        raise _build_bind_error(host, port, error) from error
    try:
        return [item.dup() for item in bound.sockets]
    finally:
        bound.close()


@asynccontextmanager
async def listen(
    app: web.Application,
    host: str,
    port: int,
    limits: ConnectionLimits = _DEFAULTS,
    *,
    sockets: Sequence[socket.socket] = (),
) -> AsyncIterator[str]:
    """The application on a socket; its address. Raises UsageError if it cannot be opened.

    If there are `sockets`, it is served on them instead, and they stay open after it.
    """
    connections = _Connections(limits)
    app.middlewares.append(connections.note)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        server = cast("web.Server", runner.server)
        try:
            opened = (
                [await connections.open(server, sock=item.dup()) for item in sockets]
                if sockets
                else [await connections.open(server, host=host, port=port)]
            )
        except OSError as error:
            raise _build_bind_error(host, port, error) from error
        try:
            yield format_address(opened[0].sockets[0].getsockname())
        finally:
            # Before the runner's cleanup: it waits for what is being answered.
            for item in opened:
                item.close()
    finally:
        await runner.cleanup()


def format_address(name: tuple[Any, ...]) -> str:
    """The URL of a socket, by its name."""
    host, port = name[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _build_bind_error(host: str, port: int, error: OSError) -> UsageError:
    return UsageError(
        f"{host} port {port} cannot be listened on: {_format_reason(error)}.",
        hint="Set HOST and PORT, or --host and --port, to an address that is free here.",
    )


class _Connections:
    """The connections of one server: which have said what they want, and which are answered now."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self._limits = limits
        self._begun: set[RequestHandler] = set()
        self._answering: set[RequestHandler] = set()

    async def open(self, server: web.Server, **place: Any) -> asyncio.Server:
        """Accept connections for `server` at a place that `create_server` takes."""

        def accept() -> RequestHandler:
            self._make_room(server.connections)
            protocol = server()
            loop.call_later(self._limits.header_seconds, self._close_silent, protocol)
            return protocol

        loop = asyncio.get_running_loop()
        return await loop.create_server(accept, **place)

    @web.middleware
    async def note(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Around every request, whose headers are here now."""
        self._begun.add(request.protocol)
        self._answering.add(request.protocol)
        try:
            return await handler(request)
        finally:
            self._answering.discard(request.protocol)

    def _make_room(self, connections: list[RequestHandler]) -> None:
        """Close a connection if there are too many, of whoever has most of them.

        Of those the oldest that only waits, or else the oldest: what GitHub sends is answered in
        milliseconds. A connection that has just come is counted with the next one.
        """
        full = len(connections) >= self._limits.connections
        if not full and len(connections) < self._limits.by_address:
            return
        by_address: dict[str, list[RequestHandler]] = {}
        for item in connections:
            by_address.setdefault(_find_network(item), []).append(item)
        # A proxy has as many as there are visitors behind it: it gives way last.
        direct = [
            crowd
            for address, crowd in by_address.items()
            if not is_within(address, self._limits.proxies)
        ]
        crowd = max(direct or by_address.values(), key=len)
        if full or (direct and len(crowd) >= self._limits.by_address):
            idle = (item for item in crowd if item not in self._answering)
            next(idle, crowd[0]).force_close()

    def _close_silent(self, protocol: RequestHandler) -> None:
        """End a connection that has not said what it wants."""
        if protocol not in self._begun:
            protocol.force_close()
        self._begun.discard(protocol)


def _find_network(protocol: RequestHandler) -> str:
    """From where a connection comes; nothing of one that is being closed."""
    if protocol.transport is None:
        return ""
    peer = protocol.transport.get_extra_info("peername")
    return to_network(peer[0]) if peer else ""


def _format_reason(error: OSError) -> str:
    """The system's own words: asyncio puts its own around them, and a name's numbers are others."""
    if isinstance(error, socket.gaierror) or error.errno is None:
        return str(error.strerror or error)
    return os.strerror(error.errno)
