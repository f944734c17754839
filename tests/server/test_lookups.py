"""Which rules apply, what was evaluated before, and how often: the routes that judge nothing."""

from __future__ import annotations

import datetime as dt
import json
from asyncio import create_subprocess_exec
from asyncio.subprocess import PIPE
from pathlib import Path
from textwrap import indent

from sqlalchemy import func, select

from jurat.findings.evaluation import Coverage, Evaluation
from jurat.findings.verdict import Verdict
from jurat.server.api import MAX_LEFT_OUT, MAX_ROWS
from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.tables import audit_log, evaluations, reviews
from tests.server.conftest import MD5, OWN_RULES, Client, build_services, connected
from tests.store.test_store import ABOUT
from tests.support.evaluations import save_published
from tests.support.gemini import Spoken
from tests.support.production import python
from tests.support.server import START
from tests.support.values import a_rule, a_verdict

FILES = [{"path": "digest.py", "content": MD5}]
BLOCKED = "def run(text: str) -> object:\n    value = eval(text)\n    return value\n"
"""Breaks a rule of HIGH severity; MD5 breaks one that only advises."""


async def test_the_rules_that_apply_to_a_path_are_those_that_would_be_evaluated(
    api: Client,
) -> None:
    found = await (await api.post("/evaluate/applicable-rules", {"files": ["digest.py"]})).json()
    said = await api.evaluated(files=FILES)
    evaluated = [item["rule_id"] for item in said["rule_verdicts"] + said["not_assessed"]]
    assert sorted(rule["rule_id"] for rule in found["rules"]) == sorted(evaluated)
    assert found["rules_in_force"] == said["coverage"]["rules_in_force"]
    assert len(found["rules"]) + found["inapplicable_count"] == found["rules_in_force"]


async def test_every_rule_that_does_not_apply_has_its_reason(api: Client) -> None:
    body = {"files": ["app.go"], "severity_min": "HIGH", "tags": ["crypto", "tls"]}
    found = await (await api.post("/evaluate/applicable-rules", body)).json()
    reasons = {item["rule_id"]: item["reason"] for item in found["inapplicable"]}
    assert len(reasons) == found["inapplicable_count"]
    assert reasons["py.weak-hash"] == "severity MEDIUM is below the minimum HIGH"
    assert reasons["pay.refund-cap"] == "has none of the tags asked for"
    assert all(reasons.values())


async def test_rules_beyond_the_bound_are_named(api: Client) -> None:
    body = {"files": ["digest.py"], "max_rules": 1}
    found = await (await api.post("/evaluate/applicable-rules", body)).json()
    assert [item["rule_id"] for item in found["omitted"]] == ["change.behaviour-described"]
    assert found["omitted"][0]["reason"].endswith("2 rules that may block come first")


async def test_nothing_is_evaluated_or_kept_to_find_the_rules(
    store: Store, database: Database
) -> None:
    spoken = Spoken()
    async with connected(build_services(store, spoken), store) as api:
        await api.post("/evaluate/applicable-rules", {"files": ["digest.py"]})
    async with database.reading() as connection:
        assert await connection.scalar(select(func.count()).select_from(reviews)) == 0
    assert spoken.asked == []


async def test_the_rules_left_out_are_bounded_and_counted(store: Store) -> None:
    rules = "version: 1\nrules:\n" + "".join(
        f"  - {{id: go.rule-{number}, statement: Go., kind: normative, modality: MUST, "
        "severity: HIGH, languages: [go]}\n"
        for number in range(MAX_LEFT_OUT + 50)
    )
    async with connected(build_services(store), store, rules={"own/go.yml": rules}) as api:
        body = {"files": ["a.py"], "packs": []}
        found = await (await api.post("/evaluate/applicable-rules", body)).json()
    assert found["rules"] == []
    assert (len(found["inapplicable"]), found["inapplicable_count"]) == (
        MAX_LEFT_OUT,
        MAX_LEFT_OUT + 50,
    )


async def test_an_evaluation_is_found_again_as_it_was_answered(api: Client) -> None:
    files = [{"path": "client.py", "content": BLOCKED}]
    said = await api.evaluated(files=files, repository="acme/shop", mode="posthoc")
    answer = await api.get(f"/evaluations/{said['evaluation_id']}")
    found = await answer.json()
    about = found.pop("about")
    assert found == said
    assert (said["overall_verdict"], said["conclusion"]) == ("DENY", "failure")
    assert about.pop("subject_digest") != ""
    assert about == {
        "asked_by": "api",
        "mode": "posthoc",
        "surface": "code",
        "repository": "acme/shop",
        "number": None,
        "head_sha": None,
        "conclusion": "failure",
        "override": None,
        "created_at": START.isoformat().replace("+00:00", "Z"),
    }


async def test_the_command_prints_what_the_api_answers(api: Client, tmp_path: Path) -> None:
    added = indent(BLOCKED, "+", lambda _: True)
    diff = f"--- /dev/null\n+++ b/client.py\n@@ -0,0 +1,3 @@\n{added}"
    (tmp_path / "change.diff").write_text(diff)
    (tmp_path / "own.yml").write_text(OWN_RULES["own/pay.yml"])
    arguments = ("--diff", "change.diff", "--rules", "own.yml", "--format", "json")
    ran = await create_subprocess_exec(
        *(python(), "-m", "jurat", "review", *arguments),
        cwd=tmp_path,
        stdout=PIPE,
        stderr=PIPE,
    )
    printed = json.loads((await ran.communicate())[0])
    said = await api.evaluated(diff=diff)
    # The doors differ in what they know of the change, and so in the id; and in the time it took.
    for answer in (printed, said):
        for own in ("evaluation_id", "total_latency_ms"):
            del answer[own]
        for verdict in (*answer["rule_verdicts"], *answer["violations"]):
            del verdict["latency_ms"]
    assert printed == said
    assert printed["conclusion"] == "failure"


async def test_the_surface_of_what_was_judged_is_kept(api: Client) -> None:
    said = await api.evaluated(facts={"amount": 1}, subject="transaction")
    found = await (await api.get(f"/evaluations/{said['evaluation_id']}")).json()
    assert found["about"]["surface"] == "transaction"


async def test_every_verdict_and_a_line_of_the_audit_log_are_kept(
    api: Client, database: Database
) -> None:
    said = await api.evaluated(files=FILES)
    async with database.reading() as connection:
        verdicts = await connection.scalar(select(func.count()).select_from(evaluations))
        asked = (await connection.scalars(select(audit_log.c.asked_by))).all()
    assert verdicts == len(said["rule_verdicts"]) + len(said["not_assessed"])
    assert asked == ["api"]


async def test_an_evaluation_that_there_is_not_is_not_found(api: Client) -> None:
    for name in ("00000000-0000-4000-8000-000000000099", "a b", "%00", "x" * 65, "é"):
        answer = await api.get(f"/evaluations/{name}")
        assert answer.status == 404
        assert (await answer.json())["type"].endswith("#not_found")


async def test_what_was_evaluated_is_counted(api: Client) -> None:
    for mode, intent in (
        ("preflight", "one"),
        ("posthoc", "one"),
        ("posthoc", "another"),
        ("posthoc", "another"),  # the same evaluation, and so the same row
    ):
        await api.evaluated(files=FILES, repository="acme/shop", mode=mode, intent=intent)
    answer = await api.get(
        "/analytics", rule="py.weak-hash", mode="posthoc", since="2026-03-02", period="week"
    )
    assert await answer.json() == {
        "period": "week",
        "rows": [
            {
                "rule_id": "py.weak-hash",
                "repository": "acme/shop",
                "start": "2026-03-02",
                "evaluations": 2,
                "verdicts": {"ALLOW": 0, "DENY": 2, "NEEDS_CONFIRMATION": 0, "NOT_ASSESSED": 0},
                "would_block": 0,
                "latency_ms": {"mean": 0.0, "p95": 0.0, "max": 0.0},
                "tokens": {"input": 0, "output": 0},
            }
        ],
        "truncated": False,
    }


async def test_analytics_says_when_there_is_more(api: Client, database: Database) -> None:
    store = Store(database, lambda: START - dt.timedelta(days=1))
    verdicts = tuple(a_verdict(a_rule(f"r.{number}")) for number in range(MAX_ROWS + 1))
    await save_published(store, Evaluation("e-1", Verdict.DENY, verdicts, Coverage()), ABOUT)
    said = await (await api.get("/analytics")).json()
    assert (len(said["rows"]), said["truncated"]) == (MAX_ROWS, True)
