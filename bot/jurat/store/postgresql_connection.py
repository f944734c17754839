"""A connection to PostgreSQL that gives up on a server which has gone silent.

Imported only for PostgreSQL: the driver is an extra.
"""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Any, Self

import psycopg
from psycopg.abc import RV, PQGen

CONNECT = 10
"""Seconds within which a server must take a connection."""
STATEMENT = 60
"""Seconds after which the server ends a statement of its own accord."""
LOCK = 30
"""Seconds that a statement waits for another transaction's lock."""
SILENCE = 75.0
"""Seconds after which a server that has said nothing is hung up on: it cannot end a statement any
more if it is stopped itself, or if nobody is left at the other end of the line."""


class PatientConnection(psycopg.AsyncConnection[Any]):
    """One that ends what takes too long; `patience` are its seconds."""

    patience = SILENCE

    @classmethod
    async def open(cls, *args: Any, **options: Any) -> Self:
        """Connect, and say how long statements may take."""
        connection = await cls.connect(*args, **{"connect_timeout": CONNECT, **options})
        try:
            # Not by `options` of the address, which connection poolers refuse.
            await connection.execute(
                "SELECT set_config('statement_timeout', %s, false),"
                " set_config('lock_timeout', %s, false)",
                [f"{STATEMENT}s", f"{LOCK}s"],
            )
            # Else the transaction's undoing would undo this too.
            await connection.commit()
        except BaseException:
            await connection.close()
            raise
        return connection

    async def wait(self, gen: PQGen[RV], *args: Any, **options: Any) -> RV:
        """Whatever is asked of the server waits here, and no longer than `patience`."""
        # Not `asyncio.timeout`: to cancel a statement the driver asks the server, which is what
        # does not answer.
        deadline = asyncio.get_running_loop().call_later(self.patience, self._end_line)
        try:
            return await super().wait(gen, *args, **options)
        finally:
            deadline.cancel()

    def _end_line(self) -> None:
        """End the line, so that the driver finds it ended: it alone knows what to free."""
        with socket.socket(fileno=os.dup(self.pgconn.socket)) as line:
            line.shutdown(socket.SHUT_RDWR)
