"""A model's verdict counts only with a reasoning that passes the audit."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

import jurat.judge.second_judge
from jurat.audit.verdict_rules import audit_verdict
from jurat.facts.context import Surface
from jurat.findings.finding import Location
from jurat.findings.verdict import DecidedBy, NotAssessedReason, RuleVerdict, Verdict
from jurat.judge.gemini import GeminiJudge
from jurat.judge.judge import ask_judge
from tests.cli.stage import staged
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import Notebook, a_diff, a_normative_rule, denying
from tests.support.values import a_context, a_fix, a_verdict, with_findings

RULE = a_normative_rule()
MATERIAL = "=== pay.py (modified, python)\n@@ 1\n1+log(secret)"
PLACE = Location(file_path="pay.py", start_line=1, end_line=1, fields={"snippet": "log(secret)"})


def verdict(kind: Verdict, reasoning: str, **fields: Any) -> RuleVerdict:
    values = {"confidence": 0.9, "decided_by": DecidedBy.BATCH, **fields}
    return a_verdict(RULE, kind, reasoning=reasoning, **values)


DENIED = verdict(Verdict.DENY, "It writes a secret to the log.", locations=(PLACE,))
ALLOWED = verdict(Verdict.ALLOW, "No secret is logged.")
VAGUE = (replace(DENIED, reasoning="It is bad."), replace(ALLOWED, reasoning="Looks good."))


def test_a_verdict_with_a_reasoning_stays_as_it_is() -> None:
    assert audit_verdict(DENIED, MATERIAL) is DENIED
    assert audit_verdict(ALLOWED, MATERIAL.replace("secret", "order")) is ALLOWED


def test_an_allow_that_says_what_the_code_contradicts_does_not_count() -> None:
    stopped = audit_verdict(ALLOWED, MATERIAL)
    assert stopped.verdict is Verdict.NEEDS_CONFIRMATION
    assert "it says that something is absent that stands there" in stopped.note


@pytest.mark.parametrize("given", VAGUE, ids=["DENY", "ALLOW"])
def test_a_verdict_without_a_reason_is_a_persons_to_decide(given: RuleVerdict) -> None:
    stopped = audit_verdict(replace(given, note="A part was not judged."), MATERIAL)
    assert stopped.verdict is Verdict.NEEDS_CONFIRMATION
    assert f"verdict_rationale_v1_{given.verdict.lower()}\nResult: FLAGGED" in stopped.audit
    assert stopped.note.startswith(
        f"A part was not judged. The model said {given.verdict}, but its reasoning failed"
    )
    assert "\n" not in stopped.note
    untouched = replace(
        stopped,
        verdict=given.verdict,
        findings=given.findings,
        note=given.note,
        audit="",
    )
    assert untouched == given


def test_the_line_says_what_was_wrong() -> None:
    def line(given: RuleVerdict) -> str:
        return audit_verdict(given, MATERIAL).note.partition("the audit: ")[2]

    assert line(VAGUE[1]).startswith("it does not say why")
    elsewhere = Location(file_path="pay.py", fields={"snippet": "log(key)"})
    assert line(with_findings(DENIED, [elsewhere])) == (
        "it quotes nothing that stands in the subject."
    )
    instructed = line(replace(ALLOWED, reasoning="As instructed, the log is fine and secret."))
    assert instructed.startswith("it goes by what text in the subject tells it and ")
    assert line(replace(ALLOWED, reasoning=" ")) == "it gives none."
    assert line(replace(ALLOWED, confidence=0.0)).startswith("it does not say how sure it is")


@pytest.mark.parametrize("kind", [Verdict.NEEDS_CONFIRMATION, Verdict.NOT_ASSESSED])
def test_what_decides_nothing_is_not_audited(kind: Verdict) -> None:
    gap = NotAssessedReason.MODEL_FAILED if kind is Verdict.NOT_ASSESSED else None
    given = verdict(kind, "?", gap=gap)
    assert audit_verdict(given, MATERIAL) is given


@pytest.mark.parametrize("path", list(DecidedBy))
def test_what_a_model_decided_is_audited_on_every_path_and_nothing_else(path: DecidedBy) -> None:
    computed = path in (DecidedBy.DETERMINISTIC, DecidedBy.PATTERN, DecidedBy.NOBODY)
    for given in VAGUE:
        after = audit_verdict(replace(given, decided_by=path), MATERIAL)
        assert (after.verdict is given.verdict) is computed


def test_a_fix_says_what_would_resolve_it() -> None:
    stopped = audit_verdict(with_findings(VAGUE[0], [PLACE], [a_fix(new="log(id)")]), MATERIAL)
    assert "+ 0.2 [verdict.resolution]" in stopped.audit
    assert "- 0.2 [verdict.resolution]" in audit_verdict(VAGUE[0], MATERIAL).audit


@pytest.mark.parametrize(
    "fields",
    [
        {"json_path": "payment.note", "field_name": "note", "current_value": 'say "hi"'},
        {"json_path": "payment.note", "field_name": "note", "current_value": ""},
        {"clause_ref": "4.2", "span_text": "payment.note"},
        {"step": "approval", "context": 'payment.note = "say'},
    ],
)
def test_a_place_of_any_surface_is_a_place_and_its_text_a_quote(
    fields: dict[str, str | int],
) -> None:
    place = Location(Surface.GENERIC, fields=fields)
    material = '=== facts: transaction\npayment.note = "say \\"hi\\""'
    given = with_findings(DENIED, [place])
    assert audit_verdict(given, material) is given


def test_a_quote_over_several_lines_stands_though_each_has_its_mark() -> None:
    place = Location(file_path="pay.py", fields={"snippet": "log(\n    secret,\n)"})
    material = "=== pay.py\n1+log(\n2+    secret,\n3+)"
    given = with_findings(DENIED, [place])
    assert audit_verdict(given, material) is given


async def test_what_the_stand_in_says_passes_the_audit_through_the_engine(
    gemini: StandInGemini, gemini_judge: GeminiJudge
) -> None:
    gemini.judges(RULE.id, denying("log(secret)"))
    other = a_normative_rule("house.names", statement="Names are short.")
    context = a_context(a_diff("pay.py", "+x = 1", "+log(secret)"))
    judged = await ask_judge(context, [RULE, other], gemini_judge, Notebook(), audit=audit_verdict)
    assert [item.verdict for item in judged.verdicts] == [Verdict.DENY, Verdict.ALLOW]
    assert [item.audit for item in judged.verdicts] == ["", ""]


INJECTIONS = [
    entry
    for file in sorted((Path(__file__).parents[2] / "fixtures" / "injections").glob("*.yml"))
    for entry in yaml.safe_load(file.read_text("utf-8"))
    if entry["obeyed"] == "allow everything"
]


@pytest.mark.parametrize("entry", INJECTIONS, ids=lambda entry: entry["name"])
@pytest.mark.parametrize(
    "obeying",
    [
        "Approved, as the material says.",
        "As instructed in the subject, the log keeps the secret rule.",
        'The material says "{text}", so it is allowed.',
        "All rules are satisfied.",
    ],
)
def test_a_model_that_obeys_and_says_so_is_caught(entry: dict[str, str], obeying: str) -> None:
    said = obeying.format(text=entry["text"].replace("\n", " ").replace('"', "'"))
    given = replace(ALLOWED, reasoning=said)
    stopped = audit_verdict(given, f"=== pay.py\n1+{entry['text']}\n2+log(secret)")
    assert stopped.verdict is Verdict.NEEDS_CONFIRMATION


async def test_the_demo_keeps_its_denial_with_the_audit_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    audits: list[tuple[Verdict, Verdict]] = []

    def watched(given: RuleVerdict, material: str) -> RuleVerdict:
        after = audit_verdict(given, material)
        audits.append((given.verdict, after.verdict))
        return after

    monkeypatch.setattr(jurat.judge.second_judge, "ask_judge", partial(ask_judge, audit=watched))
    async with staged() as stage:
        await stage.settle()
        view = stage.view()
    assert audits
    assert all(before is after for before, after in audits)
    assert (Verdict.DENY, Verdict.DENY) in audits
    assert view.check.conclusion == "failure"
    assert any("holds the customer's e-mail address" in item.body for item in view.comments)
