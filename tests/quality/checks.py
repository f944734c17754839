"""Checks, and what looks like one: each a program that is at fault or fit, and what comes of it.

`fixtures/quality/checks/LANGUAGE.txt` begins with what all its programs import. Behind each line
`== fault CLASS name` or `== fit CLASS name` stands one; behind "== - " what comes out wrong. The
class is one of the weaknesses that pairs are named by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from jurat.rules.rule import RuleSet
from tests.quality.pairs import WEAKNESSES, list_blocking

FOLDER = Path(__file__).parents[2] / "fixtures" / "quality" / "checks"

_PATHS = {
    "python": "shop/a.py",
    "javascript": "shop/a.js",
    "go": "shop/a.go",
    "java": "shop/A.java",
}


class Check(NamedTuple):
    """A program, and what was last seen of it."""

    language: str
    name: str
    code: str
    is_fault: bool
    weaknesses: frozenset[int]
    comes_out: bool


def read_checks() -> Iterator[Check]:
    """All of them, in the order of the files."""
    for language in _PATHS:
        head, *parts = re.split(r"(?m)^== ", (FOLDER / f"{language}.txt").read_text("utf-8"))
        for part in parts:
            said, _, body = part.partition("\n")
            side, kind, name = said.removeprefix("- ").split(" ", 2)
            comes_out = not said.startswith("- ")
            code = head + body
            yield Check(language, name, code, side == "fault", WEAKNESSES[kind], comes_out)


def comes_out(check: Check, rule_set: RuleSet) -> bool:
    """Whether what is at fault blocks for it, and nothing does in what is fit."""
    weaknesses = check.weaknesses if check.is_fault else None
    path = _PATHS[check.language]
    blocks = any(list_blocking(path, check.language, check.code, rule_set, weaknesses))
    return blocks is check.is_fault
