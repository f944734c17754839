"""Single ways to read what came in, or to pass it on: which of them bring it to a shell.

`fixtures/quality/values/LANGUAGE.txt` holds programs, each behind a line `=== name | language`,
with what is put in the place of VALUE behind a line `---`, one a line. What begins with "! " brings
nothing dangerous; behind "- " stands what is known to come out wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from jurat.rules.rule import RuleSet
from tests.quality.pairs import WEAKNESSES, list_blocking

FOLDER = Path(__file__).parents[2] / "fixtures" / "quality" / "values"

_SUFFIXES = {"python": "py", "javascript": "js", "typescript": "ts", "go": "go", "java": "java"}


class ReadValue(NamedTuple):
    """A value in a program; `is_found` is what was last seen of it."""

    program: str
    language: str
    value: str
    code: str
    is_found: bool


def read_values() -> Iterator[ReadValue]:
    """All values, in the order of the files."""
    for path in sorted(FOLDER.glob("*.txt")):
        for part in re.split(r"(?m)^=== ", path.read_text("utf-8"))[1:]:
            head, _, rest = part.partition("\n")
            name, language = head.split(" | ")
            program, _, values = rest.partition("---\n")
            for said in values.splitlines():
                right = said.removeprefix("- ")
                value = right.removeprefix("! ")
                found = (value == right) is (right == said)
                yield ReadValue(name, language, value, program.replace("VALUE", value), found)


def is_found(one: ReadValue, rule_set: RuleSet) -> bool:
    """Whether a command that the value is a part of is found, and blocks."""
    # Java wants a public class in a file of its name.
    path = f"shop/A.{_SUFFIXES[one.language]}"
    return any(list_blocking(path, one.language, one.code, rule_set, WEAKNESSES["command"]))
