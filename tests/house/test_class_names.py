"""One class name has one meaning, so that a search finds the class that was meant."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.house.sources import parse_source

PACKAGE = Path(__file__).parents[2] / "bot" / "jurat"
LICENSED = {"RuleSet"}
"""The audit's own rule set has a name that its users know."""


def test_no_class_name_is_given_twice() -> None:
    places = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(parse_source(path)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path.relative_to(PACKAGE).as_posix())
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert twice.keys() == LICENSED, twice
    assert sorted(twice["RuleSet"]) == ["audit/checklist.py", "rules/rule.py"]
