"""The API as `bylaw serve` hangs it on its server: with the pool of parsers and the database."""

from __future__ import annotations

import aiohttp
import pytest

from bot.app import assembled, listening
from bot.config import Settings
from tests.api.conftest import AUTHORIZED, MD5, TOKEN


@pytest.mark.parametrize("token", [TOKEN, None])
async def test_the_server_answers_the_api_beside_its_other_doors(
    environment: dict[str, str], token: str | None
) -> None:
    variables = environment if token is None else {**environment, "BYLAW_API_TOKEN": token}
    settings = Settings.from_environment(variables).for_server()
    body = {"files": [{"path": "digest.py", "content": MD5}], "repository": "acme/shop"}
    async with (
        assembled(settings) as app,
        listening(settings, app) as url,
        aiohttp.ClientSession(url, headers=AUTHORIZED if token else {}) as session,
    ):
        answer = await session.post("/api/v1/evaluate", json=body)
        said = await answer.json()
        found = await session.get(f"/api/v1/evaluations/{said['evaluation_id']}")
        counted = await session.get("/api/v1/analytics", params={"rule": "py.weak-hash"})
        alive = await session.get("/healthz")
        assert [row["verdicts"]["DENY"] for row in (await counted.json())["rows"]] == [1]
        assert (await found.json())["overall_verdict"] == said["overall_verdict"] == "DENY"
        assert alive.status == 200
        without = await session.get("/api/v1/analytics", headers={"Authorization": ""})
        assert without.status == (200 if token is None else 401)
