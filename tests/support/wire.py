"""Bare connections, for what no client would send."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest


@dataclass(slots=True)
class Wire:
    """Connections to loopback, each open until the test ends."""

    writers: list[asyncio.StreamWriter] = field(default_factory=list)

    async def send(self, port: int, *data: bytes, local: str | None = None) -> asyncio.StreamReader:
        """What comes back on a new connection, from `local`, on which so much is sent, no more."""
        # Kept: a writer that is collected closes its connection.
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, local_addr=(local, 0) if local else None
        )
        self.writers.append(writer)
        writer.writelines(data)
        return reader

    async def status(self, port: int, *data: bytes) -> int:
        """The status of the answer to so much."""
        line = await (await self.send(port, *data)).readline()
        return int(line.split(b" ")[1])

    def close(self) -> None:
        """Close all of them."""
        for writer in self.writers:
            writer.close()


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    opened = Wire()
    yield opened
    opened.close()
