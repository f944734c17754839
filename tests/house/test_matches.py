"""A `match` names what it knows: a default arm that swallows would lose what is added later."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from jurat.engine.compiler import compile_rule
from jurat.rules.constraints import EnumConstraint
from jurat.rules.rule import RuleSet
from tests.house.sources import parse_source
from tests.support.values import a_rule

PACKAGE = Path(__file__).parents[2] / "bot" / "jurat"


def swallows(arm: ast.match_case) -> bool:
    """Whether an arm takes everything and does not end in an error."""
    everything = isinstance(arm.pattern, ast.MatchAs) and arm.pattern.pattern is None
    last = arm.body[-1]
    proves = (
        isinstance(last, ast.Expr)
        and isinstance(last.value, ast.Call)
        and isinstance(last.value.func, ast.Name)
        and last.value.func.id == "assert_never"
    )
    return everything and not proves and not isinstance(last, ast.Raise)


def test_no_default_arm_swallows() -> None:
    """mypy's exhaustive-match holds the other half: a match without a default names every case."""
    found = [
        f"{path.relative_to(PACKAGE)}:{arm.pattern.lineno}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(parse_source(path))
        if isinstance(node, ast.Match)
        for arm in node.cases
        if swallows(arm)
    ]
    assert found == []


def test_a_constraint_that_the_engine_does_not_know_is_no_rule_without_checks() -> None:
    known = EnumConstraint(type="enum", field_path="a", allowed_values=("b",))
    rule = a_rule(constraints=(known,))
    assert len(compile_rule(rule, RuleSet({})).checks) == 1
    broken = rule.model_copy(update={"constraints": (known, object())})
    with pytest.raises(KeyError):
        compile_rule(broken, RuleSet({}))
