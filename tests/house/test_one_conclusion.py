"""A review is concluded in one place, and everything else takes the conclusion from there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house.sources import parse_source

PRODUCT = Path(__file__).parents[2] / "bot" / "jurat"


def callers(name: str) -> list[str]:
    """`module:function` of each call of a plain function of that name in the product."""
    return [
        f"{path.relative_to(PRODUCT)}:{function.name}"
        for path in sorted(PRODUCT.rglob("*.py"))
        if name in path.read_text(encoding="utf-8")  # few are walked then
        for function in ast.walk(parse_source(path))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]


@pytest.mark.parametrize("name", ["conclude", "compute_evaluation_id", "apply_waivers"])
def test_only_evaluate_does_it(name: str) -> None:
    assert callers(name) == ["review.py:evaluate"]


def test_nobody_makes_ids_by_chance_for_what_is_kept() -> None:
    importing = [
        path.relative_to(PRODUCT).as_posix()
        for path in PRODUCT.rglob("*.py")
        if any(
            isinstance(node, ast.Import) and any(item.name == "uuid" for item in node.names)
            for node in ast.walk(parse_source(path))
        )
    ]
    # Deliveries of the demo's and the doctor's own, and a trial row that is taken back.
    assert sorted(importing) == ["app/doctor.py", "cli/demo_github.py", "store/write_trial.py"]
