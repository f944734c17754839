"""What prose names in backticks is there: a class, a function, a field, a setting, a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.house.sources import parse_source

ROOT = Path(__file__).parents[2]
SOURCES = [path for folder in ("bot", "tests", "deploy") for path in (ROOT / folder).rglob("*.py")]
DATA = [path for folder in ("rules", "fixtures/probes") for path in (ROOT / folder).rglob("*.yml")]
PAGES = [
    page
    for page in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").glob("*.md")),
    )
    if page.name != "rating-figures.md"  # quotes the code of other projects
]
OTHERS = {
    "credentials_file",  # Prometheus's
    "fetch_job",  # procrastinate's
}
"""Names of those whom Jurat works with."""
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
NAME = re.compile(r"_?(?:[A-Z][a-z0-9]+){2,}|_?[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
"""A name as only programs write them: in capitals within, or with an underscore."""


def list_named(prose: str) -> Iterator[str]:
    """The names of ours that stand in backticks by themselves, as in `Rule.id` or `conclude()`."""
    for quoted in CODE.findall(prose):
        parts = quoted.removesuffix("()").split(".")
        if all(part.isidentifier() for part in parts):
            yield from (part for part in parts if NAME.fullmatch(part))


def iter_docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value


@cache
def known() -> frozenset[str]:
    """Every word of the sources that is no prose, and every word of what is data."""
    words: set[str] = set()
    for path in SOURCES:
        tree = parse_source(path)
        prose = {id(node) for node in iter_docstrings(tree)}
        for node in ast.walk(tree):
            for value in vars(node).values():
                if isinstance(value, str) and id(node) not in prose:
                    words.update(re.findall(r"\w+", value))
    for path in DATA:
        words.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    return frozenset(words | OTHERS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_is_there(page: Path) -> None:
    assert {*list_named(page.read_text(encoding="utf-8"))} - known() == set()


def test_what_a_docstring_names_is_there() -> None:
    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in SOURCES
        for node in iter_docstrings(parse_source(path))
        for name in list_named(str(node.value))
        if name not in known()
    }
    assert missing == set()


def test_a_name_that_is_gone_is_seen() -> None:
    assert [
        *list_named("`Rule.no_such_key` and `NoSuchClass()`, not `rules check` or `plain`")
    ] == [
        "no_such_key",
        "NoSuchClass",
    ]
