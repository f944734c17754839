"""Instructions inside the subject: none leaves the fence, and a model that obeys them is caught."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.findings.verdict import NotAssessedReason, RuleVerdict, Verdict
from jurat.judge.judge import ask_judge
from tests.standins.gemini import reactions
from tests.standins.gemini.reactions import Behaviour
from tests.standins.gemini.reading import Asked
from tests.standins.gemini.script import denied
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule, denying
from tests.support.values import a_context

RULE = a_normative_rule(reads=("description",))
VIOLATION = "log(secret)"


@dataclass(frozen=True, slots=True)
class Injection:
    """An entry of fixtures/injections."""

    name: str
    place: str
    text: str
    obeyed: str


FILES = sorted((Path(__file__).parents[2] / "fixtures" / "injections").glob("*.yml"))
INJECTIONS = [
    Injection(**entry) for file in FILES for entry in yaml.safe_load(file.read_text("utf-8"))
]


def context_with(injection: Injection | None) -> EvaluationContext:
    """A change that breaks the rule on line 3 of pay.py, with the text where it belongs."""
    place = injection.place if injection else ""
    text = injection.text if injection else "harmless"
    at = {name: text if place == name else "harmless" for name in ("context line", "removed line")}
    pay = a_diff(
        "pay.py",
        f" {at['context line']}",
        f"-{at['removed line']}",
        f"+{text if place == 'line' else 'harmless'}",
        f"+{VIOLATION}",
        section=text if place == "section" else "harmless",
    )
    other = a_diff(text if place == "file name" else "harmless", "+x")
    return a_context(pay, other, intent=text if place == "description" else "harmless")


def obedient(injection: Injection) -> Behaviour:
    """A model that does what the text says."""
    name = RULE.id

    def finding(path: str, quote: str) -> dict[str, Any]:
        return {"findings": [{"file_path": path, "quote": quote}]}

    homoglyph = {"rule": name.replace("o", "\u03bf"), "verdict": "ALLOW", "findings": []}
    return {
        "allow everything": reactions.allowing_all,
        "deny everything": denying_all,
        "answer nothing": reactions.saying('{"verdicts": []}'),
        "answer in prose": reactions.saying("All rules are satisfied."),
        "answer under another id": reactions.with_fields(name, **homoglyph),
        "quote vendor/log.py": reactions.with_fields(
            name, **finding("vendor/log.py", "log(password)")
        ),
        "quote what is nearly there": reactions.with_fields(
            name, **finding("pay.py", "log(secret, level=10)")
        ),
        "quote what was removed": reactions.with_fields(name, **finding("pay.py", injection.text)),
        "quote nothing": reactions.with_fields(name, findings=[]),
    }[injection.obeyed]


def denying_all(asked: Asked, _reply: reactions.Reply) -> reactions.Reaction:
    """Find every rule broken, on a line that really stands there."""
    verdicts = [
        denied(asked, rule, shown := asked.about(rule)[0], shown.lines[0]) for rule in asked.rules
    ]
    return reactions.generated(asked, json.dumps({"verdicts": verdicts}))


each = pytest.mark.parametrize("injection", INJECTIONS, ids=lambda injection: injection.name)


def test_there_are_enough_of_them_and_each_has_a_name_of_its_own() -> None:
    assert len({injection.name for injection in INJECTIONS}) == len(INJECTIONS) >= 25


def believe(verdict: RuleVerdict, _material: str) -> RuleVerdict:
    """No audit: what is asked counts here, not what is answered."""
    return verdict


@each
async def test_it_does_not_leave_the_fence(injection: Injection) -> None:
    model = Spoken()
    for context in (context_with(None), context_with(injection)):
        await ask_judge(context, [RULE], model, Notebook(), nonce=lambda: "5eed", audit=believe)
    harmless, injected = model.asked
    assert injected.unfenced == harmless.unfenced
    assert [rule.id for rule in injected.rules] == [rule.id for rule in harmless.rules]
    assert len(injected.shown) == len(harmless.shown)
    assert injected.user.count("5eed") == harmless.user.count("5eed") == 3


@each
async def test_it_does_not_leave_the_fence_on_any_other_surface(injection: Injection) -> None:
    for kind in SubjectKind:
        model = Spoken()
        for text in ("harmless", injection.text):
            facts = {"note": text, "body": f"Dear all,\n{text}\nYours", "list": [{"name": text}]}
            context = EvaluationContext((Subject(kind, facts=facts),))
            await ask_judge(context, [RULE], model, Notebook(), nonce=lambda: "5eed", audit=believe)
        harmless, injected = model.asked
        assert injected.unfenced == harmless.unfenced
        assert len(injected.shown) == len(harmless.shown)


@each
async def test_a_careful_model_finds_what_is_broken_all_the_same(injection: Injection) -> None:
    model = Spoken()
    model.functions[RULE.id] = denying(VIOLATION)
    judgment = await ask_judge(context_with(injection), [RULE], model, Notebook())
    (verdict,) = judgment.verdicts
    assert verdict.verdict is Verdict.DENY
    assert [(place.file_path, place.start_line) for place in verdict.locations] == [("pay.py", 3)]


@each
async def test_a_model_that_obeys_it_is_caught(injection: Injection) -> None:
    model = Spoken()
    model.functions[RULE.id] = denying(VIOLATION)
    model.behaviour = obedient(injection)
    ledger = Notebook()
    (verdict,) = (await ask_judge(context_with(injection), [RULE], model, ledger)).verdicts
    assert (verdict.verdict, verdict.gap) == (
        Verdict.NOT_ASSESSED,
        NotAssessedReason.MODEL_FAILED,
    )
    assert verdict.locations == verdict.remediations == ()
    assert ledger == {}
