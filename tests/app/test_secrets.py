"""A whole run, with its mishaps: no secret in anything that anybody can read afterwards."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import aiohttp
from pydantic import SecretStr

from jurat.app.wiring import App
from tests.standins.gemini.reactions import refused
from tests.standins.github import actions
from tests.standins.github.faults import BAD_CREDENTIALS, BAD_GATEWAY, once
from tests.support.github import SECRET
from tests.support.town import BROKEN, Town

TOKEN = "a token for tests alone"


async def knock(town: Town, said: list[str]) -> None:
    """Ask every door, rightly and wrongly, with the secrets themselves as the wrong answers."""
    origin = (town.github.webhook_url or "").removesuffix(town.settings.webhook_path)
    right = {"Authorization": f"Bearer {TOKEN}"}
    wrong = {"Authorization": f"Bearer {SECRET}"}
    asked = [
        ("GET", "/healthz", {}, None),
        ("GET", "/readyz", {}, None),
        ("GET", "/metrics", right, None),
        ("GET", "/metrics", wrong, None),
        ("GET", "/", {}, None),
        ("GET", "/login", {}, None),
        ("POST", "/login", {}, {"token": SECRET}),
        ("GET", "/api/v1/openapi.json", right, None),
        ("GET", "/api/v1/analytics", right, None),
        ("GET", "/api/v1/analytics?since=" + TOKEN.replace(" ", "+"), right, None),
        ("POST", "/api/v1/evaluate", right, None),
        ("POST", town.settings.webhook_path, {"X-Hub-Signature-256": SECRET}, None),
    ]
    async with aiohttp.ClientSession() as session:
        for method, path, headers, form in asked:
            async with session.request(
                method, origin + path, headers=headers, data=form, allow_redirects=False
            ) as answer:
                # What somebody typed is theirs: it is repeated if it is no secret of ours.
                said.append(f"{dict(answer.headers)} {await answer.text()}")
        async with session.post(origin + "/login", data={"token": TOKEN}) as answer:
            said.append(await answer.text())


async def live(town: Town, app: App) -> None:
    """Reviews that pass, break, meet faults and are given up; a command; a broken configuration."""
    repository = town.repository
    town.github.faults += [once(BAD_CREDENTIALS), once(BAD_GATEWAY)]
    town.gemini.behave(refused())
    pull = town.open({"digest.py": BROKEN, "log.py": "print('hello')\n"})
    await town.settle(app)
    actions.comment(pull, "/recheck", by="wendy")
    await town.settle(app)
    actions.push(repository, "main", {".github/jurat.yml": "version: 9\n"})
    actions.push(repository, "fix", {"digest.py": BROKEN + "\n"})
    await town.settle(app)
    town.github.gate.revoke_all()
    actions.push(repository, "fix", {"digest.py": BROKEN + "\n\n"})
    await town.settle(app)


def shown(town: Town) -> str:
    """All that stands on the stand-in GitHub, and all that was asked of it and of the model."""
    said = [
        f"{item.path} {item.query} {item.headers} {item.sent}" for item in town.github.exchanges
    ]
    said += [
        f"{delivery.response} {delivery.response_headers}" for delivery in town.github.deliveries
    ]
    said += [f"{asked}" for asked in town.gemini.asked]
    return "\n".join(said)


async def test_no_secret_is_in_anything_that_a_run_leaves_behind(
    town: Town, log: io.StringIO
) -> None:
    town.settings = replace(town.settings, api_token=SecretStr(TOKEN))
    answers: list[str] = []
    async with town.running() as app:
        await live(town, app)
        await knock(town, answers)
    key = [line for line in town.settings.app.private_key.get_secret_value().split("\n") if line]
    model = town.settings.model
    assert model is not None
    issued = [
        exchange.answered["token"]
        for exchange in town.github.exchanges
        if exchange.route.endswith("/access_tokens") and exchange.status == 201
    ]
    assert len(issued) >= 2
    secrets = {*key[1:-1], SECRET, TOKEN, model.api_key.get_secret_value(), *issued}
    path = Path(town.settings.database_url.removeprefix("sqlite:///"))
    stored = b"".join(part.read_bytes() for part in path.parent.glob(path.name + "*"))
    outputs = {
        "the log": log.getvalue(),
        "the answers": "\n".join(answers),
        "GitHub and the model": shown(town),
        "the database": stored.decode("utf-8", "replace"),
    }
    assert all(len(text) > 1_000 for text in outputs.values())
    outputs["the settings"] = repr(town.settings)
    found = {
        (where, secret[:6])
        for where, text in outputs.items()
        for secret in secrets
        if secret in text or json.dumps(secret)[1:-1] in text
    }
    assert found == set()
