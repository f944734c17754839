"""Facts that rules about different kinds of subject compute with are asked of all of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.seed_engine.conftest import Asking, Raw, computed, judged

HOURS = {"type": "numeric", "field_path": "hours", "operator": "<=", "threshold": 45}
AMOUNT = {"type": "numeric", "field_path": "amount", "operator": "<=", "threshold": 100}
TRIP = {"hours": 50, "amount": 500}
RULES = (
    computed("r.event", HOURS, subject_kinds=["event"]),
    computed("r.payment", AMOUNT, subject_kinds=["transaction"]),
    computed("r.code", AMOUNT, subject_kinds=["code_diff"]),
    computed("r.contract", HOURS, subject_kinds=["clause_set"], paths=["contracts/**"]),
)


def denied(said: Raw) -> list[str]:
    return [item["rule_id"] for item in said["violations"]]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, ["r.event", "r.payment"]),
        ({"subject": "event"}, ["r.event"]),
        ({"files": [{"path": "a.py", "content": "x = 1\n"}]}, ["r.event", "r.payment", "r.code"]),
    ],
    ids=["alone", "of a kind", "beside code"],
)
async def test_no_rule_that_computes_with_them_is_left_unasked(
    engine: Asking, asked: dict[str, Any], expected: list[str]
) -> None:
    api = await engine(*RULES)
    assert denied(await judged(api, facts=TRIP, **asked)) == expected


async def test_an_action_with_facts_is_no_different(engine: Asking) -> None:
    api = await engine(*RULES)
    answer = await api.post("/evaluate/quick", {"action": "Travel", "facts": TRIP, "packs": []})
    assert denied(await answer.json()) == ["r.event", "r.payment"]
