"""Sessions of the dashboard. A cookie is random, and only its digest is kept.

The digest is made with the token as its key: who reads the table can make no cookie, and a new
token ends every session.
"""

from __future__ import annotations

import datetime as dt
import hmac
import secrets
from collections.abc import Callable

from sqlalchemy import delete, exists, insert, select

from jurat.store.database import Database
from jurat.store.tables import sessions

LIFETIME = dt.timedelta(hours=12)


class SessionStore:
    """Sessions in the database, for every process that shares it. `now` gives the time."""

    def __init__(self, database: Database, token: str, now: Callable[[], dt.datetime]) -> None:
        self._database = database
        self._key = token.encode("utf-8", "surrogatepass")
        self._now = now

    async def begin(self) -> str:
        """Open a session; its cookie."""
        cookie = secrets.token_urlsafe(32)
        now = self._now()
        async with self._database.writing() as connection:
            # Here, as nothing else adds rows.
            await connection.execute(delete(sessions).where(sessions.c.ends_at <= now))
            row = {"digest": self._digest(cookie), "ends_at": now + LIFETIME}
            await connection.execute(insert(sessions).values(**row))
        return cookie

    async def is_open(self, cookie: str) -> bool:
        """Whether a cookie is one of ours, and its session neither over nor ended."""
        this = (sessions.c.digest == self._digest(cookie), sessions.c.ends_at > self._now())
        async with self._database.reading() as connection:
            return bool(await connection.scalar(select(exists().where(*this))))

    async def end(self, cookie: str) -> None:
        """End a session, for whoever has a copy of its cookie too."""
        async with self._database.writing() as connection:
            ended = sessions.c.digest == self._digest(cookie)
            await connection.execute(delete(sessions).where(ended))

    def _digest(self, cookie: str) -> str:
        return hmac.digest(self._key, cookie.encode("utf-8", "surrogatepass"), "sha256").hex()
