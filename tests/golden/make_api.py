"""The REST API, the dashboard, what Prometheus reads, and the rows behind them."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from jurat.judge.gemini import GeminiJudge
from jurat.server.api import add_api
from jurat.server.connections import LIMITS
from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.maintenance import upgrade_schema
from tests.golden.command import fixed_words
from tests.golden.golden import Files, golden, listed, stabilized
from tests.golden.material import BROKEN, NORMATIVE, RULES
from tests.server.conftest import AUTHORIZED, OWN_RULES, TOKEN, build_services
from tests.standins.gemini.script import Script
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import denying
from tests.support.server import START, build_gate

DIFF = """\
diff --git a/digest.py b/digest.py
--- a/digest.py
+++ b/digest.py
@@ -3,3 +3,3 @@

 def name(data):
-    return hashlib.sha256(data).hexdigest()
+    return hashlib.md5(data).hexdigest()
"""
LOGS = "import logging\n\n\ndef note(customer):\n    logging.info(customer.name)\n"
TRANSACTION = {"amount": 900, "currency": "EUR"}
EVALUATED: Mapping[str, Mapping[str, Any]] = {
    "diff": {"diff": DIFF},
    "files": {
        "files": [{"path": "digest.py", "content": BROKEN}, {"path": "log.py", "content": LOGS}]
    },
    "facts": {"facts": TRANSACTION, "subject": "transaction", "scope": "payments/refunds"},
    "facts-alone": {"facts": TRANSACTION},
    "all-together": {
        "diff": DIFF,
        "files": [{"path": "other.py", "content": BROKEN}],
        "facts": TRANSACTION,
        "repository": "acme/shop",
        "max_rules": 5,
        "severity_min": "HIGH",
    },
    "undecided": {"facts": {"currency": "EUR"}, "subject": "transaction"},
}
REFUSED: tuple[object, ...] = (
    {},
    [],
    {"diff": "", "max_rule": 3},
    {"diff": 1},
    {"diff": "", "max_rules": 101},
    {"diff": "", "severity_min": "high"},
    {"diff": "", "repository": "a b"},
    {"facts": []},
    {"files": ["a.py", {"path": "a.py"}]},
    {"files": ["/etc/passwd"]},
    {"diff": "hello"},
    {"facts": {}, "packs": ["enginering"]},
    {"diff": "", "max_rule": 3, "packs": 1, "facts": 2},
)


@asynccontextmanager
async def served(rules: Mapping[str, str] = OWN_RULES) -> AsyncIterator[tuple[Any, StandInGemini]]:
    """A client of the API, whose model knows two rules; clock and ids are fixed."""
    with tempfile.TemporaryDirectory(prefix="golden-") as folder, fixed_words():
        url = f"sqlite:///{Path(folder, 'api.sqlite3')}"
        await upgrade_schema(url)
        database = Database.at(url)
        async with (
            StandInGemini(Script()) as gemini,
            GeminiJudge(gemini.api_key, base_url=gemini.base_url) as judge,
        ):
            gemini.judges("house.no-names-in-logs", denying("customer.name"))
            store = Store(database, lambda: START)
            app = web.Application(handler_args=LIMITS)
            add_api(app, build_services(store, judge), store, gate=build_gate(TOKEN), rules=rules)
            async with TestClient(TestServer(app)) as http:
                yield http, gemini
        await database.close()


async def asked(http: Any, method: str, path: str, body: object = None, **about: Any) -> str:
    """A request and its answer as text."""
    headers = about.pop("headers", {**AUTHORIZED, "Content-Type": "application/json"})
    data = json.dumps(body) if body is not None and not isinstance(body, bytes) else body
    async with http.request(method, f"/api/v1{path}", data=data, headers=headers, **about) as said:
        text = await said.text()
        shown = json.dumps(json.loads(text), indent=2, ensure_ascii=False) if text else ""
        return stabilized(f"{said.status} {said.content_type}\n{shown}\n")


@golden("api/evaluate")
def evaluate() -> Files:
    return asyncio.run(_evaluate())


async def _evaluate() -> Files:
    made = {}
    async with served({**OWN_RULES, "own/house.yml": RULES + NORMATIVE}) as (http, _):
        for name, body in EVALUATED.items():
            made[f"{name}.txt"] = await asked(http, "POST", "/evaluate", body)
        quick = {"action": "refund", "facts": TRANSACTION}
        made["quick.txt"] = await asked(http, "POST", "/evaluate/quick", quick)
        paths = {"files": ["digest.py", "main.go"], "max_rules": 3}
        made["applicable-rules.txt"] = await asked(
            http, "POST", "/evaluate/applicable-rules", paths
        )
        last = await http.post("/api/v1/evaluate", json=EVALUATED["diff"], headers=AUTHORIZED)
        number = (await last.json())["evaluation_id"]
        made["read-back.txt"] = await asked(http, "GET", f"/evaluations/{number}")
        made["analytics.txt"] = await asked(http, "GET", "/analytics")
        made["analytics-of-one.txt"] = await asked(
            http, "GET", "/analytics", params={"rule_id": "pay.refund-cap"}
        )
    return made


@golden("api/refusals")
def refusals() -> Files:
    return asyncio.run(_refusals())


async def _refusals() -> Files:
    async with served() as (http, _):
        parts = [
            f"{json.dumps(body)}\n{await asked(http, 'POST', '/evaluate', body)}"
            for body in REFUSED
        ]
        others: tuple[tuple[str, str, dict[str, Any]], ...] = (
            ("POST", "/evaluate", {"body": b"{"}),
            ("POST", "/evaluate", {"headers": {}}),
            ("POST", "/evaluate", {"headers": dict(AUTHORIZED)}),
            ("POST", "/evaluate/quick", {"body": {}}),
            ("POST", "/evaluate/applicable-rules", {"body": {}}),
            ("GET", "/evaluate", {}),
            ("GET", "/nowhere", {}),
            ("GET", "/evaluations/none", {}),
            ("GET", "/evaluations/00000000-0000-4000-8000-000000000099", {}),
            ("GET", "/analytics", {"params": {"since": "soon"}}),
            ("GET", "/analytics", {"params": {"repo": "a"}}),
        )
        for method, path, about in others:
            given = dict(about)
            body = given.pop("body", None)
            answer = await asked(http, method, path, body, **given)
            parts.append(f"{method} {path} {given.get('params', '')}\n{answer}")
    return {"refusals.txt": "\n".join(parts)}


@golden("api/openapi")
def openapi() -> Files:
    async def told() -> str:
        async with served() as (http, _):
            return await asked(http, "GET", "/openapi.json")

    return {"openapi.txt": asyncio.run(told())}


@golden("prompts")
def prompts() -> Files:
    """Every byte that a model is sent, for a diff, for files and for facts."""
    return asyncio.run(_prompts())


async def _prompts() -> Files:
    made = {}
    for name in ("diff", "files", "facts"):
        async with served({**OWN_RULES, "own/house.yml": RULES + NORMATIVE}) as (http, gemini):
            await asked(http, "POST", "/evaluate", {**EVALUATED[name], "intent": "Because."})
            # The order in which the calls of one review arrive is nobody's promise.
            bodies = sorted((item.body for item in gemini.asked), key=json.dumps)
            made[f"{name}.yml"] = listed(bodies)
    return made
