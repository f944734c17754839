"""Writes the examples of the OpenAPI document anew, from what a server answers to each.

python -m tests.server.examples
"""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

from sqlalchemy import insert

import jurat.server.openapi
from jurat.findings.waivers import DecisionKind
from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.maintenance import upgrade_schema
from jurat.store.tables import findings
from tests.server.conftest import MD5, Client, build_services, connected
from tests.support.evaluations import a_decision
from tests.support.server import START

FILE = Path(jurat.server.openapi.__file__).parent / "examples.json"
ASKED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "evaluate": (
        "POST",
        "/evaluate",
        {
            "files": [{"path": "digest.py", "content": MD5}],
            "intent": "Name files by their content",
            "repository": "acme/shop",
            "tags": ["crypto"],
        },
    ),
    "evaluation": ("GET", "/evaluations/{}", {}),
    "evaluate_quick": (
        "POST",
        "/evaluate/quick",
        {
            "action": "Refund order 1042 in full",
            "scope": "payments/refunds",
            "facts": {"amount": 180.5},
        },
    ),
    "applicable_rules": (
        "POST",
        "/evaluate/applicable-rules",
        {"files": ["src/digest.py"], "tags": ["crypto"]},
    ),
    "list_evaluations": (
        "GET",
        "/evaluations",
        {"repository": "acme/shop", "conclusion": "neutral"},
    ),
    "list_findings": ("GET", "/findings", {"repository": "acme/shop", "state": "open"}),
    "list_decisions": ("GET", "/decisions", {"repository": "acme/shop", "kind": "dismissed"}),
    "list_rules": ("GET", "/rules", {"tag": "crypto", "limit": "2"}),
    "analytics": ("GET", "/analytics", {"period": "month", "rule": "py.weak-hash"}),
}
"""Each operation, and a request that shows what it is for."""


async def collect_examples(api: Client, store: Store) -> dict[str, Any]:
    """What a server with a finding and a decision answers to each request, cut and at one time."""
    known = await store.repositories.keep(71, "acme/shop")
    finding = {
        "repository_id": known.id,
        "number": 42,
        "fingerprint": "3f2c1a9be07d5548",
        "code_print": "90b1f6aa27c4d3e1",
        "rule_id": "py.weak-hash",
        "substance": "s",
        "written": "stable",
        "path": "digest.py",
        "standing": "open",
    }
    async with store.database.writing() as connection:
        await connection.execute(insert(findings), [finding])
    decision = a_decision(
        finding["fingerprint"],
        kind=DecisionKind.DISMISSED,
        repository="acme/shop",
        repository_id=known.id,
        number=42,
        rule_id="py.weak-hash",
        path="digest.py",
        evaluation_id="e" * 64,
        why="Only names files.",
        at=START + dt.timedelta(hours=1),
    )
    await store.decide([decision], "0" * 64)
    examples: dict[str, Any] = {}
    said: Any = None
    for name, (method, path, request) in ASKED.items():
        if "{}" in path:
            known_id = said["evaluation_id"]
            path, request = path.format(known_id), {"evaluation_id": known_id}  # noqa: PLW2901
        answer = (
            await api.post(path, request)
            if method == "POST"
            else await api.get(path, **({} if "evaluation_id" in request else request))
        )
        said = await answer.json()
        assert answer.status == 200, (name, said)
        examples[name] = {"request": _cut(request), "answer": _cut(said)}
    return examples


def _cut(value: Any, key: str = "") -> Any:
    """Two items of each list; no time, and no digest of the rules as they are today."""
    if isinstance(value, dict):
        return {name: _cut(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_cut(item) for item in value[:2]]
    if "latency" in key or key in ("mean", "p95", "max"):
        return 12.5
    if key in ("evaluation_id", "digest", "subject_digest", "revision"):
        return hashlib.sha256(key.encode()).hexdigest()
    return value


async def _write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder, 'examples.sqlite3')}"
        await upgrade_schema(url)
        database = Database.at(url)
        store = Store(database, lambda: START)
        async with connected(build_services(store), store, rules={}) as api:
            examples = await collect_examples(api, store)
        await database.close()
    FILE.write_text(json.dumps(examples, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    asyncio.run(_write())
