"""Being told by PostgreSQL that procrastinate's queue has new jobs.

https://www.postgresql.org/docs/current/sql-listen.html
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import psycopg
from sqlalchemy import URL

_SILENCE = 60.0
"""Seconds after which a connection that has told nothing is asked whether it still lives."""
_RECONNECT = 5.0
"""Seconds between two attempts to listen again."""

_log = logging.getLogger(__name__)


async def listen(database: URL, queue: str, wake: Callable[[], None]) -> None:
    """Call `wake` whenever a job was enqueued in `queue`, until cancelled.

    Listens on a connection of its own, and again where that is lost.
    """
    address = database.set(drivername="postgresql").render_as_string(hide_password=False)
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(address, autocommit=True) as told:
                await told.execute(f'LISTEN "procrastinate_queue_v1#{queue}"')
                wake()  # for what came before
                while True:
                    async for _ in told.notifies(timeout=_SILENCE):
                        wake()
                    await told.execute("SELECT 1")
        except (psycopg.Error, OSError) as error:
            _log.warning("not told of new jobs: %s", type(error).__name__)
        await asyncio.sleep(_RECONNECT)
