"""The installed server between GitHub and the model: webhooks, REST, pages, and its doctor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import aiohttp
import pytest

from tests.install.conftest import Command, Serve
from tests.support.command import DIFF, NORMATIVE, written
from tests.support.gemini import denying
from tests.support.town import API_TOKEN, Town

LOGGING = {"digest.py": "import logging\n\nlogging.info(customer.name)\n"}
RULE = "house.no-names-in-logs"


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """SQLite, or what a test is parametrised with."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return f"sqlite:///{tmp_path / 'jurat.sqlite3'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
async def test_a_signed_webhook_ends_in_a_check_with_a_rule_that_the_model_judged(
    town: Town, serve: Serve
) -> None:
    town.gemini.judges(RULE, denying("customer.name"))
    pull = town.open(LOGGING)
    async with serve() as server:
        assert all(delivery.ok for delivery in await town.github.flush())
        await server.comes(lambda: any(run.conclusion for run in town.checks(pull)))
    assert town.check(pull).conclusion == "failure"
    (comment,) = pull.review_comments
    assert RULE in comment.body
    assert f"Judged by `{town.gemini.asked[0].model}`" in comment.body


async def test_a_program_is_answered_with_a_verdict_of_the_models(
    town: Town, serve: Serve, tmp_path: Path
) -> None:
    town.gemini.judges("acme.kind", denying("md5"))
    rules = written(tmp_path / "house.yml", NORMATIVE)
    async with (
        serve("--rules", rules) as server,
        aiohttp.ClientSession(
            server.url,
            headers={"Authorization": f"Bearer {API_TOKEN}"},
            cookie_jar=aiohttp.CookieJar(unsafe=True),
        ) as session,
    ):
        answer = await session.post("/api/v1/evaluate", json={"diff": DIFF})
        said = await answer.json()
        assert answer.status == 200, server.log
        await session.post("/login", data={"token": API_TOKEN})
        for path in ("/", "/healthz", "/readyz", "/metrics", "/api/v1/openapi.json"):
            assert (await session.get(path)).status == 200, path
    models = {rule["rule_id"]: rule["model_id"] for rule in said["violations"]}
    assert models == {"acme.kind": town.gemini.asked[0].model, "py.weak-hash": None}


async def test_the_doctor_examines_what_is_served(
    jurat: Command, town: Town, serve: Serve, configured: Mapping[str, str]
) -> None:
    async with serve():
        await town.github.flush()
        ran = await jurat("doctor", **configured)
    assert (ran.err, ran.code) == ("", 0)
    assert "ok    model gemini-3-flash-preview: The key may use it." in ran.out
    assert "ok    webhook: ping from here" in ran.out
