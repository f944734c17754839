"""`async` stands at the doors: core modules are plain functions over values."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.house.sources import parse_source

BOT = Path(__file__).parents[2] / "bot" / "jurat"
CORE = ("source", "facts", "rules", "findings", "engine")
WAITING = {
    "judge": {
        "answer_desk",
        "flights",
        "session",
        "judge",
        "second_judge",
        "opening",
        "gemini",
        "gemini_connection",
        "retries",
        "vendor_judge",
        "openai_vendor",
        "anthropic_vendor",
        "embeddings",
    },
    "reports": set(),
    "audit": set(),
    "rating": {"second_opinion"},
    "probes": {"run", "rule_twins"},
}
"""Core packages that must wait for the outside, and the modules that do."""


def asynchronous(path: Path) -> bool:
    """Whether a module defines a coroutine outside a Protocol, which only describes one."""
    tree = parse_source(path)
    described = {
        id(item)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
        for item in ast.walk(node)
    }
    return any(
        isinstance(node, ast.AsyncFunctionDef | ast.Await) and id(node) not in described
        for node in ast.walk(tree)
    )


@pytest.mark.parametrize("package", CORE)
def test_core_package_has_no_coroutine(package: str) -> None:
    modules = list((BOT / package).rglob("*.py"))
    assert modules
    assert [str(path) for path in modules if asynchronous(path)] == []


@pytest.mark.parametrize("package", WAITING)
def test_what_waits_in_a_package_is_known(package: str) -> None:
    modules = (BOT / package).rglob("*.py")
    assert {path.stem for path in modules if asynchronous(path)} == WAITING[package]


def test_a_coroutine_in_the_core_is_seen(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("async def fetch() -> None: ...\n")
    assert asynchronous(module)
