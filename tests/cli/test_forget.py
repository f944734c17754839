"""`jurat forget OWNER/NAME`."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.maintenance import upgrade_schema
from jurat.store.repositories import Arrival
from tests.store.test_store import ABOUT, _evaluation, _verdict
from tests.support.command import Run
from tests.support.evaluations import save_published
from tests.support.server import START, FakeTime


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database that knows octo/hello, of which there is one review."""
    address = f"sqlite:///{tmp_path / 'jurat.sqlite3'}"
    monkeypatch.setenv("DATABASE_URL", address)

    async def fill() -> None:
        await upgrade_schema(address)
        database = Database.at(address)
        store = Store(database, FakeTime().now)
        await store.repositories.note([Arrival(9, "octo/hello", 77)], START)
        await save_published(store, _evaluation(_verdict()), replace(ABOUT, repository_id=9))
        await database.close()

    asyncio.run(fill())
    return address


@pytest.mark.usefixtures("url")
def test_it_says_what_it_deleted_and_then_knows_nothing_of_it(run: Run) -> None:
    ran = run("forget", "Octo/Hello", "--yes")
    assert ran.code == 0
    assert "Deleted all that was kept of octo/hello:\n" in ran.out
    assert "1 reviews\n" in ran.out
    again = run("forget", "octo/hello", "--yes")
    assert (again.code, again.out) == (2, "")
    assert "Nothing is kept of a repository called 'octo/hello'." in again.err
    assert "Give its name as it is now" in again.err


@pytest.mark.usefixtures("url")
def test_it_asks_nobody_where_nobody_is(run: Run) -> None:
    ran = run("forget", "9")
    assert (ran.code, ran.out) == (2, "")
    assert "--yes" in ran.err
    assert run("forget", "9", "--yes").code == 0


@pytest.mark.usefixtures("url")
def test_on_a_terminal_it_asks_first(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def refuse(question: str, **_: bool) -> None:
        asked.append(question)
        raise typer.Abort

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(typer, "confirm", refuse)
    assert run("forget", "octo/hello").code != 0
    assert "The App is still installed there." in asked[0]
    assert run("forget", "octo/hello", "--yes").code == 0
