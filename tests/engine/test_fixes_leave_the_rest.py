"""A fix that nobody has to look at changes nothing beside what it replaces."""

from __future__ import annotations

import pytest

from jurat.engine.check import check_rules
from jurat.engine.fix_verifier import verify_fixes
from jurat.engine.rule_examples import build_added_file
from jurat.engine.tree_comparison import has_changed_around
from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.findings.finding import Fix
from jurat.rules.constraints import PatternConstraint
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.selection import Selection

MOVED = {
    "a statement into a branch": ("if (x) debugger; return 1;", "if (x) return 1;", "javascript"),
    "over a line": ("if (x) debugger;\nreturn 1;", "if (x)\nreturn 1;", "javascript"),
    "into a loop": ("for (;;) debugger\nfoo()", "for (;;)\nfoo()", "javascript"),
    "into else": ("if (a) {} else debugger; f();", "if (a) {} else f();", "javascript"),
    "behind a label": ("label: debugger; f()", "label: f()", "javascript"),
    "two lines into a call": ("a = x\ndebugger\n(y)", "a = x\n(y)", "javascript"),
    "an operator that binds less": ("a = x and y", "a = x or z and y", "python"),
    "an operator that binds more": ("a = b * c", "a = b + d * c", "python"),
    "a sum into a call": ("a = b + c", "a = b(d) + e(c)[0]", "python"),
    "an indentation": ("if x:\n    a()\nb()\n", "if x:\n    a()\n    b()\n", "python"),
}
KEPT = {
    "a statement of a block": ("f(() => { debugger; return 1; })", "f(() => { return 1; })",
                               "javascript"),
    "a likeness in the text": ("function f() { debugger;\n debug(); }", "function f() { debug(); }",
                               "javascript"),
    "a longer name": ("x = yaml.load(y)\nz = 1", "x = yaml.safe_load(y)\nz = 1", "python"),
    "fewer arguments": ("x = yaml.load(y, z)\n", "x = yaml.safe_load(y)\n", "python"),
    "a keyword": ("r.get(u, verify=False)", "r.get(u, verify=True)", "python"),
    "a line": ("if x:\n    a()\n    pdb.set_trace()\nb()\n", "if x:\n    a()\nb()\n", "python"),
    "a part of a line": ("if x: pdb.set_trace(); y()\nb()\n", "if x: y()\nb()\n", "python"),
    "two statements": ("x = 1\nimport pdb; pdb.set_trace()\ny = 2", "x = 1\ny = 2", "python"),
    "two places": ("a(b(False), c, False)", "a(b(True), c, True)", "python"),
}  # fmt: skip


@pytest.mark.parametrize("name", MOVED)
def test_what_stands_around_has_moved(name: str) -> None:
    assert has_changed_around(*MOVED[name])


@pytest.mark.parametrize("name", KEPT)
def test_what_stands_around_is_as_it_was(name: str) -> None:
    assert not has_changed_around(*KEPT[name])


def find_fix(code: str, language: str, rule_id: str) -> Fix:
    """The fix of the one finding that a shipped rule has in an added file."""
    rule_set = load_ruleset(read_pack("engineering"))
    rule = rule_set.rules[rule_id]
    file = build_added_file(f"src/app.{language}", language, code)
    context = EvaluationContext((Subject(SubjectKind.CODE_DIFF, files=(file,)),))
    verdicts = check_rules(context, Selection((rule,)), rule_set).verdicts
    (verdict,) = verify_fixes(context, (rule,), rule_set, verdicts)
    (fix,) = verdict.remediations
    return fix


def test_a_fix_that_moves_the_next_statement_is_advice() -> None:
    code = "function f(x) {\n  if (x) debugger;\n  return 1;\n}\n"
    fix = find_fix(code, "javascript", "js.debugger-left")
    assert not fix.is_verified
    assert fix.verification is not None
    assert fix.verification.problem == "what stands around it would mean something else"
    whole = find_fix(code.replace("if (x) ", ""), "javascript", "js.debugger-left")
    assert whole.is_verified
    assert whole.auto_applicable


def test_a_fix_with_a_consequence_says_it_and_is_no_part_of_the_button() -> None:
    fix = find_fix(
        "import requests\nrequests.get(u, verify=False)\n", "python", "py.tls-verify-off"
    )
    assert fix.is_verified
    assert not fix.auto_applicable
    assert "is refused then" in fix.consequence


def test_every_shipped_fix_that_does_something_else_says_so() -> None:
    """What is left for the button takes a statement away that only helped to look for faults."""
    rules = load_ruleset(read_pack("engineering")).rules.values()
    by_itself = {
        (rule.id, constraint.fix)
        for rule in rules
        for constraint in rule.constraints
        if isinstance(constraint, PatternConstraint)
        and constraint.fix is not None
        and constraint.is_fixed_by_itself
    }
    assert by_itself == {("py.debugger-left", ""), ("js.debugger-left", "")}
