"""The API as `jurat serve` hangs it on its server: with the pool of parsers and the database."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import aiohttp
import pytest

from jurat.app.lifecycle import serve_http
from jurat.app.wiring import build_app
from jurat.errors import UsageError
from jurat.server.access import get_token
from jurat.settings import Settings
from tests.server.conftest import MD5, OWN_RULES, TOKEN
from tests.support.process import HANGING
from tests.support.production import python


@pytest.mark.parametrize("token", [TOKEN, None])
async def test_the_server_answers_the_api_beside_its_other_doors(
    environment: dict[str, str], token: str | None
) -> None:
    variables = environment if token is None else {**environment, "JURAT_API_TOKEN": token}
    settings = Settings.from_environment(variables).for_server()
    headers = {"Authorization": f"Bearer {get_token(settings)}"}
    body = {"files": [{"path": "digest.py", "content": MD5}], "repository": "acme/shop"}
    async with (
        build_app(settings) as app,
        serve_http(settings, app) as url,
        aiohttp.ClientSession(url, headers=headers) as session,
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
        assert without.status == 401


@pytest.mark.parametrize(("host", "why"), [("127.0.0.1", "in use"), ("no.invalid", "not known")])
async def test_an_address_that_cannot_be_listened_on_is_one_line(
    environment: dict[str, str], host: str, why: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        settings = Settings.from_environment({**environment, "HOST": host, "PORT": port})
        async with build_app(settings.for_server()) as app:
            with pytest.raises(UsageError, match=f"^{host} port {port} cannot be .*{why}\\. Set "):
                async with serve_http(settings.for_server(), app):
                    pass


async def test_rule_files_of_the_server_judge_beside_the_packs(
    environment: dict[str, str],
) -> None:
    settings = Settings.from_environment(environment).for_server()
    body = {
        "files": [{"path": "digest.py", "content": MD5}],
        "facts": {"amount": "501 EUR"},
        "subject": "decision",
        "scope": "payments/refunds",
    }
    async with (
        build_app(settings) as app,
        serve_http(settings, app, rules=OWN_RULES) as url,
        aiohttp.ClientSession(url) as session,
    ):
        session.headers["Authorization"] = f"Bearer {get_token(settings)}"
        said = await (await session.post("/api/v1/evaluate", json=body)).json()
    assert {"pay.refund-cap", "py.weak-hash"} <= {rule["rule_id"] for rule in said["violations"]}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("version: 1\nrules:\n  - id: pay.cap\n    statment: At most 500.\n", "pay.yml:4: "),
        (None, "pay.yml: there is no such file or folder"),
    ],
)
def test_a_broken_rule_file_stops_the_start_with_its_line(
    environment: dict[str, str], tmp_path: Path, text: str | None, line: str
) -> None:
    if text is not None:
        (tmp_path / "pay.yml").write_text(text)
    ran = subprocess.run(
        [python(), "-m", "jurat", "serve", "--rules", "pay.yml"],
        cwd=tmp_path,
        env={**os.environ, **environment, "LOG_LEVEL": "error"},
        capture_output=True,
        text=True,
        timeout=HANGING,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert line in ran.stderr
    assert "Traceback" not in ran.stderr
