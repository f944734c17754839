"""A rule that asks nothing here takes no other rule's place, and holds none back in shadow."""

from __future__ import annotations

from typing import Any

import pytest

from tests.seed_engine.conftest import Asking, Raw, computed, judged, rule
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import denying


def cap(amount: int) -> Raw:
    return {"type": "numeric", "field_path": "amount", "operator": "<=", "threshold": amount}


SWISS = {"type": "enum", "field_path": "country", "allowed_values": ["CH"]}
GERMAN_150 = {"amount": 150, "country": "DE"}
SWISS_150 = {"amount": 150, "country": "CH"}


def verdicts(said: Raw) -> dict[str, str]:
    return {item["rule_id"]: item["verdict"] for item in said["rule_verdicts"]}


@pytest.mark.parametrize(
    "stronger",
    [
        {"relations": {"overrides": ["r.base"]}},
        {"relations": {"refines": ["r.base"]}},
        {"relations": {"conflicts_with": ["r.base"]}, "severity": "CRITICAL"},
    ],
    ids=["overrides", "refines", "conflicts"],
)
async def test_a_rule_replaces_another_only_where_its_preconditions_are_met(
    engine: Asking, stronger: dict[str, Any]
) -> None:
    local = computed("r.local", cap(200), preconditions=[SWISS], **stronger)
    api = await engine(computed("r.base", cap(100)), local)
    abroad = await judged(api, facts=GERMAN_150)
    assert verdicts(abroad) == {"r.base": "DENY", "r.local": "ALLOW"}
    assert verdicts(await judged(api, facts=SWISS_150)) == {"r.local": "ALLOW"}


async def test_it_replaces_none_where_its_preconditions_fail_in_a_part(engine: Asking) -> None:
    local = computed(
        "r.local", cap(200), preconditions=[SWISS], relations={"overrides": ["r.base"]}
    )
    api = await engine(computed("r.base", cap(100)), local)
    files = [
        {"path": f"pay/{name}.json", "content": f'{{"amount": 150, "country": "{name}"}}'}
        for name in ("CH", "DE")
    ]
    said = await judged(api, files=files, subject="transaction")
    assert verdicts(said) == {"r.base": "DENY", "r.local": "ALLOW"}


@pytest.mark.parametrize("kind", ["definitional", "principle"])
async def test_a_rule_that_decides_nothing_replaces_none(engine: Asking, kind: str) -> None:
    api = await engine(
        computed("r.base", cap(100)),
        rule("r.other", kind=kind, severity="CRITICAL", relations={"conflicts_with": ["r.base"]}),
    )
    assert verdicts(await judged(api, facts=GERMAN_150))["r.base"] == "DENY"


@pytest.mark.parametrize(
    "precondition", [SWISS, "The payment is made in Switzerland."], ids=["unknown", "worded"]
)
async def test_a_model_that_lets_pass_replaces_none_where_nobody_knows_if_the_rule_applies(
    engine: Asking, gemini: StandInGemini, precondition: object
) -> None:
    local = rule("r.local", preconditions=[precondition], relations={"overrides": ["r.base"]})
    api = await engine(computed("r.base", cap(100)), local)
    assert verdicts(await judged(api, facts={"amount": 150}))["r.base"] == "DENY"
    assert len(gemini.asked) == 1


async def test_an_experimental_deny_holds_no_rule_back_from_the_model(
    engine: Asking, gemini: StandInGemini
) -> None:
    gemini.judges("r.dependant", denying("150"))
    api = await engine(
        computed("r.trial", cap(100), maturity="experimental"),
        rule("r.dependant", relations={"depends_on": ["r.trial"]}),
    )
    said = await judged(api, facts={"amount": 150})
    assert verdicts(said) == {"r.trial": "NEEDS_CONFIRMATION", "r.dependant": "DENY"}
