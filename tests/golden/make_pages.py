"""The dashboard's pages, what Prometheus reads, health, and the rows behind a review."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace

import aiohttp
from pydantic import SecretStr

from tests.golden.golden import Files, golden, listed, stabilized
from tests.golden.make_pulls import LOGS, judging
from tests.golden.material import BROKEN
from tests.golden.town import Town, town
from tests.support.town import API_TOKEN

TOKEN = "a token for tests alone"


@golden("pages")
def pages() -> Files:
    return asyncio.run(_pages())


async def _pages() -> Files:
    # A jar that keeps the cookies of an address that is no name.
    jar = aiohttp.CookieJar(unsafe=True)
    async with town() as here, aiohttp.ClientSession(cookie_jar=jar) as session:

        async def got(path: str, **headers: str) -> str:
            url = here.url + path
            async with session.get(url, headers=headers, allow_redirects=False) as answer:
                return f"{answer.status} {answer.content_type}\n{await answer.text()}"

        made = {"login.html": await got("/login")}
        async with session.post(here.url + "/login", data={"token": API_TOKEN}):
            pass  # the session keeps the cookie
        made["empty.html"] = await got("/")
        judging(here)
        await here.open({"digest.py": BROKEN, "log.py": LOGS}, title="<b>All</b> at once")
        made["overview.html"] = await got("/")
        number = _rows(here, "reviews")[0]["evaluation_id"]
        made["review.html"] = await got(f"/reviews/{number}")
        made["no-review.html"] = await got("/reviews/none")
        made["healthz.txt"] = await got("/healthz")
        made["readyz.txt"] = await got("/readyz")
        bearer = {"Authorization": f"Bearer {API_TOKEN}"}
        made["metrics.txt"] = "\n".join(
            sorted(
                {line for line in (await got("/metrics", **bearer)).split("\n") if line[:1] == "#"}
            )
        )
        return {name: _without_days(stabilized(text)) for name, text in made.items()}


def _without_days(text: str) -> str:
    """Pages and rows name today and days before it."""
    return re.sub(r"\b\d{4}-\d\d-\d\d\b", "<day>", text)


@golden("guarded")
def guarded() -> Files:
    async def told() -> Files:
        async with (
            town(change=lambda given: replace(given, api_token=SecretStr(TOKEN))) as here,
            aiohttp.ClientSession() as session,
        ):
            parts = []
            for path in ("/", "/reviews/1", "/metrics", "/api/v1/analytics"):
                async with session.get(here.url + path, allow_redirects=False) as answer:
                    where = answer.headers.get("Location", "")
                    parts.append(f"GET {path}\n{answer.status} {where}\n{await answer.text()}\n")
            return {"answers.txt": stabilized("\n".join(parts))}

    return asyncio.run(told())


@golden("rows")
def rows() -> Files:
    """Every row that one review and one dismissal leave behind."""
    return asyncio.run(_all_rows())


_FLEETING = {"worker", "lease_expires_at", "free_at", "tick"}
"""Columns that hold machines and moments."""


async def _all_rows() -> Files:
    async with town() as here:
        judging(here)
        pull = await here.open({"digest.py": BROKEN, "log.py": LOGS})
        await here.say(pull, f"/jurat dismiss {here.finding(pull)} It names a file.")
        known = here.repository.git.refs("refs/").values()
        with closing(sqlite3.connect(here.database)) as connection:
            names = connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
                " AND name NOT LIKE 'sqlite%' ORDER BY name"
            ).fetchall()
        shown = {}
        for (name,) in names:
            found = [
                {
                    column: "<fleeting>" if column in _FLEETING and value is not None else value
                    for column, value in row.items()
                }
                for row in _rows(here, name)
            ]
            shown[name] = sorted(found, key=lambda row: stabilized(str(row)))
        return {"rows.yml": _without_days(stabilized(listed(shown), *known))}


def _rows(here: Town, table: str) -> list[dict[str, object]]:
    """All rows of a table, JSON read."""
    with closing(sqlite3.connect(here.database)) as connection:
        connection.row_factory = sqlite3.Row
        return [
            {name: _read(row[name]) for name in row.keys()}  # noqa: SIM118 - a Row iterates values
            for row in connection.execute(f"SELECT * FROM {table}")
        ]


def _read(value: object) -> object:
    if isinstance(value, str) and value[:1] in ("{", "["):
        return json.loads(value)
    return value
