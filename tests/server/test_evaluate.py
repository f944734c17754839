"""What the seed's page promises of POST /api/v1/evaluate and its siblings."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from jurat.judge.gemini import GeminiJudge
from jurat.judge.protocol import Prompt, Reply
from jurat.server.api_queue import MAX_AT_ONCE
from jurat.server.api_requests import EvaluateRequest
from jurat.store.evaluations import Store
from tests.server.conftest import MD5, Client, build_services, connected
from tests.standins.gemini.reactions import Behaviour, refused, server_error, stalled
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import Spoken, denying

DIFF = """\
diff --git a/digest.py b/digest.py
--- a/digest.py
+++ b/digest.py
@@ -3,3 +3,3 @@

 def name(data):
-    return hashlib.sha256(data).hexdigest()
+    return hashlib.md5(data).hexdigest()
"""
BEFORE = MD5.replace("md5", "sha256")
TRANSACTION = {"amount": 900, "currency": "EUR"}


def ids(found: list[dict[str, Any]]) -> set[str]:
    return {item["rule_id"] for item in found}


async def test_a_diff_is_judged(api: Client) -> None:
    said = await api.evaluated(diff=DIFF)
    assert said["overall_verdict"] == "DENY"
    (found,) = said["violations"]
    (place,) = found["locations"]
    assert (found["rule_id"], place["file_path"], place["start_line"]) == (
        "py.weak-hash",
        "digest.py",
        5,
    )
    (fix,) = said["remediations"]
    assert (fix["start_line"], fix["replacement"]) == (
        5,
        "    return hashlib.sha256(data).hexdigest()",
    )


async def test_a_file_with_content_is_judged_as_added(api: Client) -> None:
    said = await api.evaluated(files=[{"path": "digest.py", "content": MD5}])
    (found,) = said["violations"]
    assert found["locations"][0]["start_line"] == 5
    assert said["coverage"]["unread"] == []


async def test_facts_are_judged_as_what_they_are_said_to_be(api: Client) -> None:
    said = await api.evaluated(facts=TRANSACTION, subject="transaction")
    (found,) = said["violations"]
    assert found["rule_id"] == "pay.refund-cap"
    assert found["locations"][0]["surface"] == "transaction"
    assert found["locations"][0]["json_path"] == "$.amount"


async def test_facts_alone_are_a_decision(api: Client) -> None:
    said = await api.evaluated(facts=TRANSACTION)
    assert said["violations"][0]["locations"][0]["surface"] == "generic"


async def test_fractions_are_exact(api: Client) -> None:
    body = b'{"facts": {"amount": 500.00000000000000001, "currency": "EUR"}}'
    said = await (await api.post("/evaluate", body)).json()
    assert ids(said["violations"]) == {"pay.refund-cap"}


async def test_a_diff_files_and_facts_go_together(api: Client) -> None:
    said = await api.evaluated(
        diff=DIFF,
        files=[{"path": "other.py", "content": MD5}],
        facts=TRANSACTION,
    )
    assert said["coverage"]["files"] == 2
    assert {place["file_path"] for place in said["violations"][0]["locations"]} == {
        "digest.py",
        "other.py",
    }


@pytest.mark.parametrize("content", [MD5, BEFORE], ids=["after", "before"])
async def test_a_diff_takes_the_whole_text_of_a_file_from_either_side(
    api: Client, content: str
) -> None:
    said = await api.evaluated(diff=DIFF, files=[{"path": "digest.py", "content": content}])
    assert said["coverage"] == {**said["coverage"], "files": 1, "unread": []}
    (place,) = said["violations"][0]["locations"]
    assert (place["start_line"], place["function_name"]) == (5, "name")


async def test_a_text_that_is_neither_side_of_the_diff_makes_the_file_unread(api: Client) -> None:
    said = await api.evaluated(diff=DIFF, files=[{"path": "digest.py", "content": "other\n"}])
    assert [file["path"] for file in said["coverage"]["unread"]] == ["digest.py"]
    assert said["overall_verdict"] == "NEEDS_CONFIRMATION"


async def test_a_path_alone_finds_the_rules_about_it_and_passes_none_that_reads_it(
    api: Client,
) -> None:
    said = await api.evaluated(files=["digest.py"])
    assert said["coverage"]["unread"] == [
        {"path": "digest.py", "reason": "its content was not given"}
    ]
    unread = [item for item in said["not_assessed"] if item["gap"] == "unread"]
    assert "py.weak-hash" in ids(unread)
    assert "py.weak-hash" not in ids(said["rule_verdicts"])
    assert said["overall_verdict"] == "NEEDS_CONFIRMATION"


async def test_nothing_to_judge_is_not_the_same_as_all_passed(api: Client) -> None:
    said = await api.evaluated(diff="")
    assert (said["rules_evaluated"], said["notes"]) == (0, ["No rule applies to this change."])


async def test_rules_are_narrowed_as_asked(api: Client) -> None:
    async def judged(**narrowing: Any) -> set[str]:
        said = await api.evaluated(facts=TRANSACTION, **narrowing)
        return ids(said["rule_verdicts"]) | ids(said["not_assessed"])

    every = {"pay.refund-cap", "pay.approved-in-time", "house.polite"}
    assert await judged() == every
    assert await judged(severity_min="HIGH") == every - {"pay.approved-in-time"}
    assert await judged(modality=["MUST_NOT"]) == {"house.polite"}
    assert await judged(tags=["money", "other"]) == {"pay.refund-cap"}
    assert await judged(scope="hr") == {"house.polite"}
    assert await judged(scope="payments") == every
    assert await judged(subject="creative") == {"house.polite"}


async def test_null_is_what_was_left_out(api: Client) -> None:
    optional = EvaluateRequest.model_fields.keys() - {"facts"}
    nothing: dict[str, Any] = dict.fromkeys(optional)
    said = await api.evaluated(facts={**TRANSACTION, "approved_on": None}, **nothing)
    assert ids(said["violations"]) == {"pay.refund-cap"}
    quick = {"action": "Refund", "facts": None, "scope": None}
    assert (await api.post("/evaluate/quick", quick)).status == 200
    assert (await api.post("/evaluate", {"diff": None, "facts": None})).status == 422
    assert (await api.post("/evaluate/quick", {"action": None})).status == 422


@pytest.mark.parametrize("path", ["./pay/digest.py", "pay//digest.py", "pay/./digest.py"])
async def test_a_path_is_the_one_that_rules_mean(store: Store, path: str) -> None:
    pattern = "{type: pattern, language: python, pattern: hashlib.md5($X)}"
    text = f"""
version: 1
rules:
  - {{id: r.md5, statement: No MD5., kind: computational, modality: MUST_NOT, severity: HIGH,
      paths: ["pay/*"], constraints: [{pattern}]}}
"""
    async with connected(build_services(store), store, rules={"own/r.yml": text}) as api:
        said = await api.evaluated(files=[{"path": path, "content": MD5}], packs=[])
    assert said["violations"][0]["locations"][0]["file_path"] == "pay/digest.py"


async def test_packs_replace_the_servers_choice(api: Client) -> None:
    files = [{"path": "digest.py", "content": MD5}]
    assert (await api.evaluated(files=files, packs=[]))["rules_evaluated"] == 0
    assert (await api.evaluated(files=files, packs=["engineering"]))["rules_violated"] == 1


async def test_the_bound_on_rules_leaves_none_out_in_silence(store: Store) -> None:
    async with connected(build_services(store, Spoken()), store) as api:
        files = [{"path": "digest.py", "content": MD5}]
        said = await api.evaluated(files=files, max_rules=1)
    gaps = {item["rule_id"]: item["gap"] for item in said["not_assessed"]}
    assert gaps["change.behaviour-described"] == "max_rules"


async def test_a_model_judges_what_cannot_be_computed(
    store: Store, gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.judges("logs.no-personal-data", denying("customer.name"))
    async with connected(build_services(store, gemini_judge), store) as api:
        content = "import logging\n\nlogging.info(customer.name)\n"
        said = await api.evaluated(files=[{"path": "log.py", "content": content}])
    (found,) = said["violations"]
    assert (found["rule_id"], found["decided_by"]) == ("logs.no-personal-data", "batch")
    assert found["locations"][0]["start_line"] == 3
    assert said["model_ids_used"] == [use["model_id"] for use in said["model_usage"]] != []


@pytest.mark.parametrize(
    "behaviour", [refused(), stalled, server_error()], ids=["refuses", "stalls", "fails"]
)
async def test_a_model_that_fails_is_neither_an_error_nor_a_pass(
    store: Store, gemini: StandInGemini, gemini_judge: GeminiJudge, behaviour: Behaviour
) -> None:
    gemini.always(behaviour)
    async with connected(build_services(store, gemini_judge), store) as api:
        said = await api.evaluated(files=[{"path": "a.py", "content": "x = 1\n"}])
    assert said["overall_verdict"] == "NEEDS_CONFIRMATION"
    failures = {item["gap"] for item in said["not_assessed"]}
    assert failures == {"model_failed"}
    assert said["rules_passed"] > 0


async def test_an_action_is_a_decision_whose_facts_hold_its_words(store: Store) -> None:
    spoken = Spoken()
    async with connected(build_services(store, spoken), store) as api:
        body = {"action": "Call the customer a fool", "scope": "shop"}
        answer = await api.post("/evaluate/quick", body)
        said = await answer.json()
    assert answer.status == 200
    assert ids(said["rule_verdicts"]) == {"house.polite"}
    (asked,) = spoken.asked
    assert 'action = "Call the customer a fool"' in asked.fenced


async def test_an_action_may_come_with_facts_and_a_scope(api: Client) -> None:
    body = {"action": "Refund", "facts": TRANSACTION, "scope": "payments/refunds"}
    said = await (await api.post("/evaluate/quick", body)).json()
    assert ids(said["violations"]) == {"pay.refund-cap"}


class Gate(Spoken):
    """A model that answers nobody until it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = asyncio.Semaphore(0)
        self.opened = asyncio.Event()

    async def ask(self, prompt: Prompt) -> Reply:
        self.waiting.release()
        await self.opened.wait()
        return await super().ask(prompt)


async def test_thirty_evaluations_at_once_wait_for_each_other_and_are_all_served(
    store: Store,
) -> None:
    gate = Gate()
    async with connected(build_services(store, gate), store) as api:
        asked = [
            asyncio.create_task(api.post("/evaluate/quick", {"action": f"Number {number}"}))
            for number in range(30)
        ]
        for _ in range(MAX_AT_ONCE):
            await gate.waiting.acquire()
        lookup = await api.get("/rules", limit="1")
        gate.opened.set()
        answers = await asyncio.gather(*asked)
    assert lookup.status == 200  # what judges nothing does not wait
    assert [answer.status for answer in answers] == [200] * 30


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/evaluate", {"diff": DIFF, "facts": TRANSACTION}),
        ("/evaluate/quick", {"action": "refund", "facts": TRANSACTION}),
    ],
)
async def test_a_judge_that_cannot_even_be_constructed_costs_no_other_verdict(
    store: Store, monkeypatch: pytest.MonkeyPatch, path: str, body: dict[str, Any]
) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)
    async with (
        GeminiJudge("a-key") as judge,
        connected(build_services(store, judge), store) as client,
    ):
        answer = await client.post(path, body)
        said = await answer.json()
    assert answer.status == 200, said
    assert said["overall_verdict"] == "DENY"
    left = {item["rule_id"]: item for item in said["not_assessed"]}
    assert left
    assert all(item["gap"] == "model_failed" for item in left.values())
    assert "the model's client could not be made" in next(iter(left.values()))["reason"]
