"""A rule that reads nothing else is asked about each function, with what that rests on."""

from __future__ import annotations

import asyncio

from jurat.findings.verdict import Verdict
from jurat.judge.judge import JudgeResult, ask_judge
from jurat.rules.rule import Rule, RuleInput
from tests.support.code import added
from tests.support.gemini import Notebook, Spoken, a_normative_rule, denying
from tests.support.values import a_context

RULE = a_normative_rule()
IMPORTS = "import json\nimport logging\n"
WRITES = "def write(user):\n    logging.info(render(user))\n"
RENDERS = "def render(user):\n    return json.dumps(user.id)\n"
COUNTS = "def count(users):\n    return len(users)\n"


class Desk:
    """One file, reviewed again and again with one ledger."""

    def __init__(self, *rules: Rule) -> None:
        self.rules = rules or (RULE,)
        self.model, self.ledger = Spoken(), Notebook()

    def review(self, *parts: str) -> JudgeResult:
        context = a_context(added("\n\n".join(parts), "app.py"))
        return asyncio.run(ask_judge(context, self.rules, self.model, self.ledger))

    def asked_lines(self) -> list[str]:
        """The lines of the file that the last prompt has, in order, but for empty ones."""
        shown = [item for item in self.model.asked[-1].shown if item.label == "app.py"]
        return [line.text for item in shown for line in item.lines if line.text]


def test_a_push_asks_about_the_function_that_it_touched_alone() -> None:
    desk = Desk()
    desk.review(IMPORTS, WRITES, RENDERS, COUNTS)
    assert desk.asked_lines() == "".join((IMPORTS, WRITES, RENDERS, COUNTS)).split("\n")[:-1]
    grown = COUNTS.replace("len(users)", "len(users) + 1")
    desk.review(IMPORTS, WRITES, RENDERS, grown)
    assert desk.asked_lines() == grown.split("\n")[:-1]
    assert desk.review(IMPORTS, WRITES, RENDERS, grown).models == ()


def test_what_a_function_rests_on_is_shown_and_asks_again() -> None:
    desk = Desk()
    desk.review(IMPORTS, WRITES, RENDERS, COUNTS)
    renders = RENDERS.replace("user.id", "user.password")
    desk.review(IMPORTS, WRITES, renders, COUNTS)
    assert desk.asked_lines() == "".join((IMPORTS, WRITES, renders)).split("\n")[:-1]


def test_a_denial_in_a_function_that_several_call_is_one_finding() -> None:
    desk = Desk()
    renders = RENDERS.replace("user.id", "user.password")
    desk.model.functions = {RULE.id: denying("password")}
    twice = WRITES.replace("write", "print")
    (verdict,) = desk.review(IMPORTS, WRITES, twice, renders).verdicts
    assert (verdict.verdict, len(verdict.findings)) == (Verdict.DENY, 1)
    # It stands while its code does, whatever is pushed beside it and whatever the model says now.
    desk.model.functions = {}
    (verdict,) = desk.review(IMPORTS, WRITES, twice, renders, COUNTS).verdicts
    assert (verdict.verdict, len(verdict.findings)) == (Verdict.DENY, 1)
    (verdict,) = desk.review(IMPORTS, WRITES, twice, RENDERS, COUNTS).verdicts
    assert verdict.verdict is Verdict.ALLOW


def test_who_reads_more_is_shown_the_file_and_no_line_of_it_twice() -> None:
    other = a_normative_rule("house.one-way", reads=frozenset({RuleInput.DESCRIPTION}))
    desk = Desk(RULE, other)
    desk.review(IMPORTS, WRITES, RENDERS, COUNTS)
    grown = COUNTS.replace("len(users)", "len(users) + 1")
    desk.review(IMPORTS, WRITES, RENDERS, grown)
    whole = "".join((IMPORTS, WRITES, RENDERS, grown)).split("\n")[:-1]
    assert sorted(desk.asked_lines()) == sorted(whole)
    on = {rule.id: len(rule.on) for rule in desk.model.asked[-1].rules}
    assert (on[RULE.id], on[other.id]) == (1, 2)
