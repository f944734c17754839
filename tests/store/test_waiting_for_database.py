"""A database that is away at start is waited for, and one that falls silent holds nobody up."""

from __future__ import annotations

import asyncio
import sqlite3
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from aiohttp import ClientSession
from sqlalchemy import URL, make_url, text

from jurat.app.lifecycle import await_database
from jurat.errors import UsageError
from jurat.settings import ServerSettings
from jurat.store import database as store_database
from jurat.store import postgresql_connection
from jurat.store.database import Database, DatabaseUnavailable
from jurat.store.maintenance import read_revision, wait_for_database

SSL_REQUEST, GSS_REQUEST = 80877103, 80877104


def refusal(state: str, words: str) -> bytes:
    """How PostgreSQL refuses a connection (its manual, "Message Formats")."""
    fields = b"".join(
        kind + value.encode() + b"\0"
        for kind, value in ((b"S", "FATAL"), (b"V", "FATAL"), (b"C", state), (b"M", words))
    )
    return b"E" + struct.pack("!I", len(fields) + 5) + fields + b"\0"


@dataclass
class Line:
    """A line to a server that may be cut, go silent, or be answered by one that refuses."""

    target: URL
    refuses: list[bytes] = field(default_factory=list)
    silent: bool = False
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0

    @property
    def url(self) -> str:
        """The server by way of this line."""
        address = self.target.set(host="127.0.0.1", port=self.port, query={})
        return address.render_as_string(hide_password=False)

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        if self.refuses:
            kind = 0
            while kind in (0, SSL_REQUEST, GSS_REQUEST):
                size, kind = struct.unpack("!II", await reader.readexactly(8))
                await reader.readexactly(size - 8)
                if kind in (SSL_REQUEST, GSS_REQUEST):
                    writer.write(b"N")
            writer.write(self.refuses.pop(0))
            await writer.drain()
            writer.close()
            return
        folder = str(self.target.query["host"])
        there, back = await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.5432")
        try:
            await asyncio.gather(self._carry(reader, back), self._carry(there, writer))
        finally:
            back.close()
            writer.close()

    async def _carry(self, source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
        while part := await source.read(65_536):
            if self.silent:
                self.asked.set()
            else:
                to.write(part)
        to.close()


@asynccontextmanager
async def a_line(target: str, *refuses: bytes) -> AsyncIterator[Line]:
    line = Line(make_url(target), list(refuses))
    server = await asyncio.start_server(line.take, "127.0.0.1", 0)
    line.port = server.sockets[0].getsockname()[1]
    try:
        yield line
    finally:
        server.close()


async def wait_for(url: str) -> tuple[list[str], list[float]]:
    """What is noted while a database is waited for, and the pauses, which nobody makes."""
    notes, pauses = [], []

    async def note(reason: str) -> None:
        notes.append(reason)

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    await wait_for_database(url, note, sleep)
    return notes, pauses


class TestPostgreSQL:
    async def test_that_starts_or_refuses_for_now_is_waited_for(self, postgres_url: str) -> None:
        refusals = [
            refusal("57P03", "the database system is starting up"),
            refusal("57P03", "the database system is not yet accepting connections"),
            refusal("53300", "sorry, too many clients already"),
            refusal("57P03", "das Datenbanksystem startet"),
            refusal("57P03", "the database system is shutting down"),
        ]
        async with a_line(postgres_url, *refusals) as line:
            notes, pauses = await wait_for(line.url)
            assert notes == [
                "it starts or shuts down",
                "it starts or shuts down",
                "it takes no more connections",
                "it does not answer",
                "it starts or shuts down",
            ]
            assert pauses == [1.0, 2.0, 4.0, 8.0, 15.0]
            assert await read_revision(line.url) is not None

    async def test_at_whose_address_nobody_listens_is_waited_for(
        self, postgres_url: str, tmp_path: Path
    ) -> None:
        given = make_url(postgres_url)
        away = given.set(query={"host": str(tmp_path)}).render_as_string(hide_password=False)
        notes = []

        async def note(reason: str) -> None:
            notes.append(reason)

        async def sleep(_: float) -> None:
            socket = tmp_path / ".s.PGSQL.5432"
            socket.symlink_to(Path(str(given.query["host"]), socket.name))

        await wait_for_database(away, note, sleep)
        assert notes == ["nobody listens at its address"]

    @pytest.mark.parametrize(
        ("state", "words"),
        [
            ("3D000", 'database "jurat" does not exist'),
            ("28P01", 'password authentication failed for user "jurat"'),
            ("28000", 'no pg_hba.conf entry for host "127.0.0.1"'),
        ],
    )
    async def test_that_no_waiting_mends_is_said_at_once(
        self, postgres_url: str, state: str, words: str
    ) -> None:
        async with a_line(postgres_url, refusal(state, words)) as line:
            with pytest.raises(UsageError, match="cannot be used"):
                await wait_for(line.url)

    async def test_bounds_statements_and_locks_itself(self, upgraded_postgresql_url: str) -> None:
        database = Database.at(upgraded_postgresql_url)
        async with database.writing() as connection:
            for name in ("statement_timeout", "lock_timeout"):
                value = await connection.scalar(text(f"SHOW {name}"))
                assert value == {"statement_timeout": "1min", "lock_timeout": "30s"}[name]
        # What the first transaction's end would have undone.
        with pytest.raises(ZeroDivisionError):
            async with database.writing() as connection:
                raise ZeroDivisionError
        async with database.reading() as connection:
            assert await connection.scalar(text("SHOW lock_timeout")) == "30s"
        await database.close()

    async def test_a_lock_that_another_holds_is_not_waited_for_without_end(
        self, upgraded_postgresql_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(postgresql_connection, "LOCK", 0.05)
        database = Database.at(upgraded_postgresql_url)
        async with database.writing() as connection:
            await connection.execute(text("LOCK TABLE reviews IN ACCESS EXCLUSIVE MODE"))
            with pytest.raises(DatabaseUnavailable) as refused:
                async with database.writing() as other:
                    await other.execute(text("DELETE FROM reviews"))
        assert refused.value.reason == "another transaction holds a lock"
        await database.close()

    async def test_that_falls_silent_holds_nobody_up(
        self, upgraded_postgresql_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(postgresql_connection.PatientConnection, "patience", 0.5)
        async with a_line(upgraded_postgresql_url) as line, asyncio.timeout(30):
            database = Database.at(line.url)
            async with database.reading() as connection:
                await connection.execute(text("SELECT 1"))
                line.silent = True
                # Within a transaction, and then at the look that a pool takes before it hands out
                # a connection.
                with pytest.raises(Exception, match="server closed the connection"):
                    await connection.execute(text("SELECT 1"))
            line.silent = False
            async with database.reading() as connection:
                await connection.execute(text("SELECT 1"))
            line.silent = True
            looking = asyncio.create_task(read(database))
            await line.asked.wait()
            line.silent = False
            # Another connection was made in place of the one that was hung up on.
            assert await looking == 1
            await database.close()


async def read(database: Database) -> object:
    async with database.reading() as connection:
        return await connection.scalar(text("SELECT 1"))


class TestSQLite:
    @pytest.fixture(autouse=True)
    def _hasty(self, monkeypatch: pytest.MonkeyPatch) -> None:
        settings = [line.replace("5000", "10") for line in store_database._SETTINGS]
        monkeypatch.setattr(store_database, "_SETTINGS", tuple(settings))

    async def test_that_another_process_has_locked_is_waited_for(self, tmp_path: Path) -> None:
        notes = []
        path = tmp_path / "jurat.sqlite3"
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")

            async def note(reason: str) -> None:
                notes.append(reason)

            async def sleep(_: float) -> None:
                if len(notes) == 2:
                    other.execute("COMMIT")

            await wait_for_database(f"sqlite:///{path}", note, sleep)
        assert notes == ["another process holds its write lock"] * 2

    async def test_that_has_no_place_says_so(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="which is no folder"):
            await wait_for(f"sqlite:///{tmp_path}/missing/jurat.sqlite3")

    async def test_meanwhile_the_process_lives_and_says_what_is_wrong(
        self, settings: ServerSettings, tmp_path: Path
    ) -> None:
        path = tmp_path / "jurat.sqlite3"
        answers: list[tuple[int, object]] = []
        urls: list[str] = []
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")

            async def sleep(_: float) -> None:
                async with ClientSession() as session:
                    for name in ("/healthz", "/readyz", settings.webhook_path):
                        async with session.request(
                            "POST" if name == settings.webhook_path else "GET", urls[0] + name
                        ) as answer:
                            answers.append((answer.status, (await answer.json())["status"]))
                            if name == "/readyz":
                                said = await answer.json()
                                assert said["problems"] == [
                                    "database: another process holds its write lock"
                                ]
                other.execute("COMMIT")

            locked = replace(settings, database_url=f"sqlite:///{path}")
            await await_database(locked, "127.0.0.1", 0, sleep, waiting=urls.append)
        assert answers == [(200, "alive"), (503, "unready"), (503, "failed")]
