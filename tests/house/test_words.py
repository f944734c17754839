"""In prose a condition begins with "if"; "where" is for places.

Only what is a condition beyond doubt is found here: the rest is for whoever reads a change.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROSE = sorted(
    path
    for pattern in ("bot/**/*.py", "deploy/*.py", "docs/*.md", "*.md")
    for path in ROOT.glob(pattern)
)
CONDITION = re.compile(
    r"\b(?:None|True|False|[Ee]mpty|Raises? \w+|[01]) where\b(?! =)"
    r"|\bwhere (?:it|that|one) is (?:known|given|there)\b"
    r"|\bwhere (?:there (?:is|are)|given|nobody (?:says|gives))\b"
)


def find_conditions(text: str) -> list[str]:
    """The conditions of a text that speak of a place, whatever its lines."""
    return [found.group() for found in CONDITION.finditer(re.sub(r"\s+(?:# )?", " ", text))]


def test_conditions_are_written_with_if() -> None:
    found = {
        str(path.relative_to(ROOT)): phrases
        for path in PROSE
        if (phrases := find_conditions(path.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("None where nothing is there", 1),
        ("Raises GitHubError\n    where it says no", 1),
        ("# by its id where that\n# is known", 1),
        ("None if nothing is there", 0),
        ("the line where it stands", 0),
    ],
)
def test_lint_finds_conditions_alone(text: str, count: int) -> None:
    assert len(find_conditions(text)) == count
