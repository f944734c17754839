"""What nobody writes by hand: not sent, or as what it pins; and no pass that hides behind it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

from jurat.findings.verdict import RuleVerdict, Verdict
from jurat.judge.judge import ask_judge
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule, denying
from tests.support.values import a_context

PINNED = a_normative_rule("house.sources", statement="Dependencies come from our own registry.")
LOGS = a_normative_rule()


def a_lock(version: str = "1.3.0") -> FileChange:
    entry = {"version": version, "resolved": "https://evil.example/left-pad.tgz"}
    head = json.dumps({"packages": {"node_modules/left-pad": entry}}, indent=1)
    base = head.replace(version, "1.0.0").replace("evil.example", "npm.acme.example")
    lines = [f"-{line}" for line in base.split("\n")] + [f"+{line}" for line in head.split("\n")]
    file = a_diff("web/package-lock.json", *lines, base=base, head=head)
    return replace(file, unwritten="it is a lock file", was_unwritten=True)


def judge(model: Spoken, rule: Rule, *files: FileChange) -> RuleVerdict:
    context: Any = a_context(*files)
    return asyncio.run(ask_judge(context, [rule], model, Notebook())).verdicts[0]


def test_a_rule_about_dependencies_is_shown_what_a_lock_file_pins() -> None:
    model = Spoken()
    model.functions = {PINNED.id: denying("evil.example")}
    verdict = judge(model, PINNED, a_lock(), a_diff("app.py", "+x = 1"))
    shown = "left-pad 1.0.0 -> 1.3.0 from https://npm.acme.example/left-pad.tgz -> https://evil"
    assert shown in model.asked[0].fenced
    assert '"resolved"' not in model.asked[0].fenced
    (place,) = verdict.locations
    assert (verdict.verdict, place.file_path, place.start_line) == (
        Verdict.DENY,
        "web/package-lock.json",
        3,
    )


def test_a_fix_never_takes_what_is_shown_for_a_line_of_the_file() -> None:
    model = Spoken()
    quote = "left-pad 1.0.0 -> 1.3.0 from https://npm.acme.example/left-pad.tgz"
    fix = {"type": "replace", "replacement": "left-pad 1.0.0"}
    finding = {"file_path": "web/package-lock.json", "quote": quote, "remediation": fix}
    model.functions = {PINNED.id: denying("evil.example", findings=[finding])}
    verdict = judge(model, PINNED, a_lock())
    assert (verdict.verdict, verdict.remediations) == (Verdict.DENY, ())


def test_other_rules_are_shown_none_of_it_and_no_model_is_asked_about_it_alone() -> None:
    model = Spoken()
    judge(model, LOGS, a_lock(), a_diff("app.py", "+x = 1"))
    assert "package-lock" not in model.asked[0].fenced
    verdict = judge(model, LOGS, a_lock())
    assert (len(model.asked), verdict.verdict, verdict.vacuous) == (1, Verdict.ALLOW, True)


def test_who_names_a_generated_file_is_shown_its_lines() -> None:
    model = Spoken()
    file = replace(a_diff("api/client.py", "+log(secret)"), unwritten="it says so")
    named = a_normative_rule("house.client", paths=("api/client.py",))
    model.functions = {named.id: denying("log(secret)")}
    assert judge(model, named, file).verdict is Verdict.DENY
    assert judge(model, a_normative_rule("house.x", everywhere=True), file).vacuous is False


def test_an_unread_file_beside_it_lets_no_rule_pass() -> None:
    unread = replace(a_diff("app.py", "+x = 1"), unread="too large")
    assert judge(Spoken(), LOGS, a_lock(), unread).verdict is Verdict.NOT_ASSESSED
    private = replace(a_diff("app.py", "+x = 1"), private=True)
    assert judge(Spoken(), LOGS, a_lock(), private).verdict is Verdict.NOT_ASSESSED


def test_a_lock_file_that_cannot_be_read_is_shown_as_it_stands() -> None:
    model = Spoken()
    broken = replace(a_lock(), head='{"packages": 1}')
    judge(model, PINNED, broken)
    assert '"resolved"' in model.asked[-1].fenced
