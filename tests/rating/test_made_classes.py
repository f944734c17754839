"""A method runs if there can be an object of its class: each pair differs in one thing."""

from __future__ import annotations

import pytest

from jurat.rating.code.file_reader import read_facts
from jurat.rating.program.made_classes import list_unmade
from jurat.rating.program.reach import Program

KEPT = """
class Trail:
    def note(self, text):
        open("trail", "a").write(text)


class Nothing:
    def note(self, text):
        pass
"""


@pytest.mark.parametrize(
    ("main", "runs"),
    [
        ("from kept import Nothing\nwork(Nothing())\n", False),
        ("from kept import Trail\nwork(Trail())\n", True),
        ("import kept\nwork(kept.Trail())\n", True),
        ("from kept import Nothing\nwork(find('kept.Trail'))\n", True),
    ],
)
def test_a_method_is_called_on_what_somebody_makes(main: str, *, runs: bool) -> None:
    work = "def work(trail):\n    trail.note('x')\n\n\n"
    files = {"kept.py": read_facts(KEPT, "python"), "main.py": read_facts(work + main, "python")}
    found = Program(files).resolve("main.py", "?.note")[0]
    assert (("kept.py", 1) in found) is runs


def test_if_nobody_here_makes_an_object_somebody_elsewhere_does() -> None:
    files = {
        "kept.py": read_facts(KEPT, "python"),
        "main.py": read_facts("def work(trail):\n    trail.note('x')\n", "python"),
    }
    assert len(Program(files).resolve("main.py", "?.note")[0]) == 2


@pytest.mark.parametrize(
    ("text", "unmade"),
    [
        ("class A:\n    def f(self): return A()\n", True),
        ("class A(View):\n    def f(self): pass\n", False),
        ("class A:\n    def f(self): pass\nfor one in A.__subclasses__(): one()\n", False),
    ],
)
def test_a_class_that_nothing_names_is_not_made(text: str, *, unmade: bool) -> None:
    assert bool(list_unmade({"a.py": read_facts(text, "python")})) is unmade
