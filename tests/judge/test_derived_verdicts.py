"""A verdict is derived, not believed: what contradicts itself is asked again, and then none."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from jurat.findings.verdict import NotAssessedReason, RuleVerdict, Verdict
from jurat.judge.judge import ask_judge
from jurat.rules.rule import Rule
from tests.standins.gemini.reading import Asked, ListedRule
from tests.standins.gemini.script import Verdict as Said
from tests.standins.gemini.script import allowed
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule, denying
from tests.support.values import a_context

RULE = a_normative_rule()
ADVICE = a_normative_rule("house.advice", modality="SHOULD", severity="LOW")
LINE = "log(secret)"
DENIED = denying(LINE)


def say(**fields: Any) -> Any:
    return lambda asked, rule: {**DENIED(asked, rule), **fields}


def say_kept(**fields: Any) -> Any:
    return lambda asked, rule: {**allowed(asked, rule), "reasoning": "Ids alone.", **fields}


CONTRADICTIONS: dict[str, tuple[Any, str]] = {
    "allows and lists": (say(verdict="ALLOW", checked=["pay.py"]), "listed what breaks the rule"),
    "allows and confesses": (
        say_kept(reasoning=f"`{LINE}` violates the rule, but it is old."),
        "it says that the rule is broken",
    ),
    "checked nothing": (say_kept(checked=[]), "checked nothing that stands there"),
    "checked what is not there": (say_kept(checked=["vault.py"]), "checked nothing"),
    "denies and found nothing": (say(findings=[]), "quoted nothing"),
    "denies for a keyword": (
        say(findings=[{"file_path": "pay.py", "quote": "def"}]),
        "stands in any code",
    ),
    "denies for what it approves": (
        say(findings=[{"file_path": "pay.py", "quote": LINE, "why": "This complies with it."}]),
        "it says that it keeps the rule",
    ),
    "denies and says it is fine": (say(reasoning=f"`{LINE}` is fine."), "the rule is kept"),
    "denies in the rule's words": (say(reasoning=RULE.statement), "repeats the rule"),
    "gives a value that is not": (
        say(reasoning=f"`{LINE}` logs a secret, as limit is 90."),
        "a value that the material contradicts",
    ),
    "misquotes": (say(findings=[{"file_path": "pay.py", "quote": "log(k)"}]), "does not stand"),
}


def judge(model: Spoken, rule: Rule = RULE) -> RuleVerdict:
    context = a_context(a_diff("pay.py", "+def pay():", f"+    {LINE}", "+    limit = 40"))
    return asyncio.run(ask_judge(context, [rule], model, Notebook())).verdicts[0]


def in_turn(*functions: Any) -> Any:
    """A judge that answers each time otherwise, and the last way from then on."""
    left = list(functions)

    def judged(asked: Asked, rule: ListedRule) -> Said:
        said: Said = (left.pop(0) if len(left) > 1 else left[0])(asked, rule)
        return said

    return judged


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_contradiction_is_named_once_and_then_no_verdict(name: str) -> None:
    contradicting, reason = CONTRADICTIONS[name]
    model = Spoken()
    model.functions = {ADVICE.id: contradicting}
    verdict = judge(model, ADVICE)
    first, again = model.asked
    assert "an earlier answer was no verdict" not in first.user
    assert reason in again.unfenced
    assert (verdict.verdict, verdict.gap) == (
        Verdict.NOT_ASSESSED,
        NotAssessedReason.MODEL_FAILED,
    )
    assert verdict.findings == ()


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_who_mends_it_is_believed(name: str) -> None:
    model = Spoken()
    model.functions = {RULE.id: in_turn(CONTRADICTIONS[name][0], DENIED)}
    assert judge(model).verdict is Verdict.DENY
    assert len(model.asked) == 2


def test_what_blocks_and_is_doubted_twice_is_read_blindly_by_the_other_tier() -> None:
    model = Spoken()
    doubtful = CONTRADICTIONS["denies and says it is fine"][0]
    model.functions = {RULE.id: in_turn(doubtful, doubtful, DENIED)}
    assert judge(model).verdict is Verdict.DENY
    *_, blind = model.asked
    assert [asked.model for asked in model.asked] == ["spoken-flash", "spoken-flash", "spoken-pro"]
    assert "an earlier answer" not in blind.user
    assert "is fine" not in blind.user


def test_a_second_reading_that_contradicts_itself_as_well_decides_nothing() -> None:
    model = Spoken()
    model.functions = {RULE.id: CONTRADICTIONS["allows and confesses"][0]}
    assert judge(model).verdict is Verdict.NOT_ASSESSED
    assert len(model.asked) == 3


def test_an_allow_that_says_what_it_checked_counts() -> None:
    model = Spoken()
    model.functions = {
        RULE.id: lambda asked, rule: {**allowed(asked, rule), "checked": ["limit = 40"]}
    }
    context = a_context(a_diff("pay.py", "+limit = 40"))
    (verdict,) = asyncio.run(ask_judge(context, [RULE], model, Notebook())).verdicts
    assert (verdict.verdict, len(model.asked)) == (Verdict.ALLOW, 1)
