"""Added lines that no parser could read are never passed by a rule over patterns."""

from __future__ import annotations

from dataclasses import replace

from jurat.engine.check import CheckResult, check_rules
from jurat.findings.verdict import NotAssessedReason, Verdict
from jurat.rules.rule import Rule, RuleSet
from jurat.rules.selection import Selection
from tests.support.gemini import a_diff
from tests.support.values import a_context, a_rule

NO_EVAL = a_rule(
    "house.no-eval",
    constraints=[{"type": "pattern", "language": "python", "pattern": "eval($X)"}],
)


def check(rule: Rule, text: str, added: int) -> CheckResult:
    """A file of Python of which the last lines are new."""
    lines = text.rstrip("\n").split("\n")
    kept = len(lines) - added
    shown = [f" {line}" for line in lines[:kept]] + [f"+{line}" for line in lines[kept:]]
    file = replace(a_diff("a.py", *shown), language="python", head=text)
    rules = RuleSet(rules={rule.id: rule})
    return check_rules(a_context(file), Selection(rules=(rule,)), rules)


def test_an_added_line_in_a_parse_error_leaves_the_rule_open_and_the_file_unread() -> None:
    result = check(NO_EVAL, "x = 1\ny = 2\n)eval(y(\n", added=2)
    (verdict,) = result.verdicts
    assert verdict.verdict is Verdict.NOT_ASSESSED
    assert verdict.gap is NotAssessedReason.UNREAD
    assert "its parser makes nothing of" in verdict.reasoning
    assert [file.path for file in result.unread] == ["a.py"]


def test_an_old_parse_error_elsewhere_leaves_nothing_open() -> None:
    result = check(NO_EVAL, "x = = 1\n\n\ny = 2\nz = 3\n", added=1)
    assert [item.verdict for item in result.verdicts] == [Verdict.ALLOW]
    assert result.unread == ()


def test_what_is_found_beside_one_stands() -> None:
    result = check(NO_EVAL, "x = 1\neval(x)\ny = = 2\n", added=2)
    assert [item.verdict for item in result.verdicts] == [Verdict.DENY]
