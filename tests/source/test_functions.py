"""Functions found, and what a change did to them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from jurat.resources import get_bundled_path
from jurat.source.diff import FileChange, FileStatus, Function, FunctionChange
from jurat.source.functions import find_touched_functions
from jurat.source.grammars import GRAMMARS
from jurat.source.languages import detect_language
from tests.support.changes import changed_file, touched, whole_file

ADDED, CHANGED, REMOVED = FunctionChange.ADDED, FunctionChange.CHANGED, FunctionChange.REMOVED
SOURCES = sorted(
    path for path in get_bundled_path("fixtures", "functions").iterdir() if path.suffix != ".json"
)


def _described(function: Function) -> dict[str, object]:
    return {
        "qualified_name": function.qualified_name,
        "kind": function.kind,
        "lines": [function.start_line, function.end_line],
        "parameters": list(function.parameters),
        "nesting": function.nesting,
        "complexity": function.complexity,
    }


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_the_functions_of_a_source_file_are_those_written_down_beside_it(
    source: Path, tmp_path: Path
) -> None:
    file = changed_file(tmp_path, source.name, None, source.read_text())
    expected = json.loads(source.with_name(f"{source.name}.json").read_text())

    functions = find_touched_functions(file)
    assert [_described(function) for function in functions] == expected
    assert {(function.change, function.partial) for function in functions} == {(ADDED, False)}


def test_every_grammar_has_a_source_file() -> None:
    assert {detect_language(path.name) for path in SOURCES} == GRAMMARS.keys()


BASE = """\
class Till:
    def open(self, cash):
        self.cash = cash

    def sell(self, item):
        if item.free:
            return 0
        return item.price

    def close(self):
        return self.cash


def audit(till):
    return till.cash
"""


def test_an_edit_changes_its_function_alone(tmp_path: Path) -> None:
    file = whole_file(tmp_path, "till.py", BASE, BASE.replace("return 0", "return 1"))

    assert touched(file) == {"Till.sell": CHANGED}


def test_lines_taken_out_of_a_function_change_it(tmp_path: Path) -> None:
    head = BASE.replace("        if item.free:\n            return 0\n", "")

    assert touched(whole_file(tmp_path, "till.py", BASE, head)) == {"Till.sell": CHANGED}


def test_an_edit_between_functions_changes_none(tmp_path: Path) -> None:
    head = BASE.replace("class Till:\n", "class Till:\n    cash = 0\n\n")

    assert touched(whole_file(tmp_path, "till.py", BASE, head)) == {}


def test_a_new_name_is_one_added_and_one_removed(tmp_path: Path) -> None:
    file = whole_file(tmp_path, "till.py", BASE, BASE.replace("def audit", "def check"))
    functions = find_touched_functions(file)

    assert [(f.name, f.change, f.start_line) for f in functions] == [
        ("check", ADDED, 14),
        ("audit", REMOVED, 14),
    ]


def test_a_moved_function_is_not_touched(tmp_path: Path) -> None:
    body = "    def close(self):\n        return self.cash\n\n"
    head = BASE.replace(body, "").replace("class Till:\n", "class Till:\n" + body)
    assert head != BASE

    assert touched(whole_file(tmp_path, "till.py", BASE, head)) == {}


def test_a_function_moved_to_another_class_is_not_touched(tmp_path: Path) -> None:
    one, two = "class A:\n", "class B:\n    x = 1\n"
    method = "    def f(self):\n        return 1\n"

    file = whole_file(tmp_path, "a.py", one + method + two, one + "    y = 2\n" + two + method)
    assert touched(file) == {}


def test_a_function_put_before_another_is_the_only_one_added(tmp_path: Path) -> None:
    head = BASE.replace(
        "def audit(till):\n", "def first(till):\n    return till.cash\n\n\ndef audit(till):\n"
    )

    assert touched(whole_file(tmp_path, "till.py", BASE, head)) == {"first": ADDED}


def test_a_decorator_taken_off_changes_the_function(tmp_path: Path) -> None:
    decorated = BASE.replace("def audit", "@login_required\ndef audit")

    assert touched(whole_file(tmp_path, "till.py", decorated, BASE)) == {"audit": CHANGED}


def test_overloads_are_told_apart(tmp_path: Path) -> None:
    one = "    int f(int a) { return a; }\n"
    two = "    int f(int a, int b) { return a + b; }\n"
    three = "    int f(long a) { return 3; }\n"
    base = "class A {\n" + one + two + "}\n"
    head = "class A {\n" + three + one + two.replace("a + b", "a - b") + "}\n"

    functions = find_touched_functions(whole_file(tmp_path, "A.java", base, head))
    assert sorted((f.change, f.parameters) for f in functions) == [
        (ADDED, ("a",)),
        (CHANGED, ("a", "b")),
    ]


def test_all_functions_of_a_removed_file_are_removed(tmp_path: Path) -> None:
    file = changed_file(tmp_path, "till.py", BASE, None)

    assert touched(file) == dict.fromkeys(
        ["Till.open", "Till.sell", "Till.close", "audit"], REMOVED
    )


def test_a_rename_alone_touches_nothing_and_one_with_an_edit_its_function(tmp_path: Path) -> None:
    file = whole_file(tmp_path, "till.py", BASE, BASE.replace("return 0", "return 1"))
    renamed = replace(file, status=FileStatus.RENAMED, path="desk.py")

    assert touched(renamed) == {"Till.sell": CHANGED}
    assert touched(replace(renamed, hunks=(), base=BASE, head=BASE)) == {}


@pytest.mark.parametrize(
    "file",
    [
        FileChange("a.py", FileStatus.ADDED, language="python", head=BASE, unread="damaged"),
        FileChange("a.md", FileStatus.ADDED, language="markdown", head=BASE),
        FileChange("a", FileStatus.ADDED, head=BASE),
    ],
)
def test_what_was_not_read_or_has_no_functions_gives_none(file: FileChange) -> None:
    assert find_touched_functions(file) == ()


def test_a_syntax_error_costs_only_what_it_breaks(tmp_path: Path) -> None:
    head = BASE + "\n\ndef broken(:\n    return 1\n\n\ndef fine():\n    return 1\n"

    assert touched(whole_file(tmp_path, "till.py", BASE, head))["fine"] == ADDED


PARTIAL = {
    "python": (
        "till.py",
        BASE,
        BASE.replace("item.price", "item.price * 2"),
        {"Till.sell": CHANGED},
    ),
    "python, a new method": (
        "till.py",
        BASE,
        BASE.replace("    def close", "    def void(self):\n        pass\n\n    def close"),
        {"Till.void": ADDED},
    ),
    "go": (
        "s.go",
        "package s\n\nfunc (s *Server) Run(n int) {\n" + "\ta()\n" * 9 + "}\n",
        "package s\n\nfunc (s *Server) Run(n int) {\n" + "\ta()\n" * 8 + "\tif b() {\n\t}\n}\n",
        {"Server.Run": CHANGED},
    ),
    "javascript": (
        "a.js",
        "function run(a) {\n" + "  a();\n" * 9 + "}\n",
        "function run(a) {\n" + "  a();\n" * 8 + "  b();\n}\n\nconst go = (x) => x;\n",
        {"run": CHANGED, "go": ADDED},
    ),
    "typescript, a method": (
        "a.ts",
        "export class Till {\n" + "  a = 1;\n" * 9 + "}\n",
        "export class Till {\n"
        + "  a = 1;\n" * 9
        + "  sell(item: Item): void {\n    x();\n  }\n}\n",
        {"Till.sell": ADDED},
    ),
    "java, a constructor": (
        "A.java",
        "public class A {\n" + "  int a;\n" * 9 + "}\n",
        "public class A {\n" + "  int a;\n" * 9 + "  public A(int b) {\n    a = b;\n  }\n}\n",
        {"A.A": ADDED},
    ),
    "rust": (
        "a.rs",
        "impl Till {\n" + "    // x\n" * 9 + "}\n",
        "impl Till {\n" + "    // x\n" * 9 + "    fn sell(&self) {}\n}\n",
        {"Till.sell": ADDED},
    ),
    "c": (
        "a.c",
        "static int run(int a)\n{\n" + "  a++;\n" * 9 + "}\n",
        "static int run(int a)\n{\n" + "  a++;\n" * 8 + "  a--;\n}\n",
        {"run": CHANGED},
    ),
    "ruby": (
        "a.rb",
        "def run(a)\n" + "  a\n" * 9 + "end\n",
        "def run(a)\n" + "  a\n" * 8 + "  b\nend\n",
        {"run": CHANGED},
    ),
    "php": (
        "a.php",
        "<?php\nclass Till {\n" + "    // x\n" * 9 + "}\n",
        "<?php\nclass Till {\n" + "    // x\n" * 9 + "    function sell($a) { return $a; }\n}\n",
        {"Till.sell": ADDED},
    ),
    "a removed function": (
        "till.py",
        BASE + "\n\ndef old():\n    return 1\n",
        BASE,
        {"old": REMOVED},
    ),
}


@pytest.mark.parametrize(("path", "base", "head", "expected"), PARTIAL.values(), ids=PARTIAL)
def test_from_hunks_alone_functions_are_partial(
    path: str, base: str, head: str, expected: dict[str, FunctionChange], tmp_path: Path
) -> None:
    file = changed_file(tmp_path, path, base, head)

    assert touched(file) == expected
    assert all(function.partial for function in find_touched_functions(file))


def test_a_function_that_a_hunk_lies_inside_of_is_measured_as_far_as_it_shows(
    tmp_path: Path,
) -> None:
    base = "def run(a, b):\n" + "    a()\n" * 20
    head = base + "    if a and b:\n        for x in a:\n            x()\n"
    (function,) = find_touched_functions(changed_file(tmp_path, "a.py", base, head))

    assert (function.qualified_name, function.parameters) == ("run", ("a", "b"))
    assert (function.start_line, function.end_line) == (19, 24)
    assert (function.complexity, function.nesting) == (4, 2)


def test_two_hunks_of_one_function_are_one_function(tmp_path: Path) -> None:
    base = "def run(a):\n" + "".join(f"    a({i})\n" for i in range(40))
    head = base.replace("a(15)", "b()").replace("a(35)", "a(35) if a else b()")
    (function,) = find_touched_functions(changed_file(tmp_path, "a.py", base, head))

    assert (function.qualified_name, function.change, function.complexity) == ("run", CHANGED, 2)
    assert (function.start_line, function.end_line) == (14, 40)


def test_a_head_without_its_base_tells_new_functions_by_their_first_line(tmp_path: Path) -> None:
    head = BASE.replace("return 0", "return 1") + "\n\ndef more():\n    pass\n"
    file = replace(whole_file(tmp_path, "till.py", BASE, head), base=None)

    assert touched(file) == {"Till.sell": CHANGED, "more": ADDED}
