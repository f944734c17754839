"""Parsing texts and fragments."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurat.source.diff import FileChange, FileStatus, TextFragment
from jurat.source.diff_parser import parse_diff
from jurat.source.languages import LANGUAGES
from jurat.source.syntax import is_parsable, parse, parse_fragment, parse_side


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("x = 1\n", "python"),
        ("", "python"),
        ("\n\n", "go"),
        ("\ufeffx = 1\n", "python"),
        ("x = ''\n", "python"),
        ("const a = `` + '';", "javascript"),
        ("{}", "json"),
    ],
)
def test_sound_source_parses(text: str, language: str) -> None:
    assert is_parsable(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("x = (1\n", "python"),
        ("int f() { return 1 }", "c"),
        ("f(a;", "javascript"),
        ("class A { int x = ; }", "java"),
        ("def f\n  1", "ruby"),
        ("func f() {", "go"),
    ],
)
def test_source_with_something_wrong_or_missing_does_not(text: str, language: str) -> None:
    assert not is_parsable(text, language)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_has_its_grammar(language: str) -> None:
    assert parse("", language).root().text() == ""


def test_an_unknown_language_is_an_error_and_no_panic() -> None:
    with pytest.raises(ValueError, match="no grammar for 'cobol'"):
        parse("x", "cobol")


def test_one_text_is_parsed_once() -> None:
    assert parse("once = 1\n", "python") is parse("once = " + "1\n", "python")
    assert parse("once = 1\n", "python") is not parse("once = 1\n", "ruby")


def test_trees_beyond_the_budget_are_let_go() -> None:
    first = parse("first = 1\n", "python")
    for i in range(5):
        parse(f"x = {i}\n" + "#" * 700_000, "python")

    assert parse("first = 1\n", "python") is not first


FRAGMENTS = {
    "indented": ("python", "        if x:\n            y()\n"),
    "the end of blocks": (
        "python",
        "            y()\n        z()\n    def f(self):\n        pass\n",
    ),
    "the end of a try": ("python", "        y()\n    except E:\n        pass\nx = 1\n"),
    "tabs": ("go", "\t\tx := 1\n\t\treturn x\n"),
    "an open block": ("go", "func f(a int) {\n\tif a > 1 {\n\t\tg()\n"),
    "the end of a block": ("go", "\tx()\n}\n\nfunc g() {}\n"),
    "a method": ("typescript", "  async run(a: string): Promise<void> {\n    b();\n  }\n"),
    "a constructor": ("java", "    public A(int b) {\n        this.b = b;\n    }\n"),
    "no opening tag": ("php", "    $a = b($c);\n"),
    "a member": ("cpp", "  int f() const override { return 1; }\n"),
    "self": ("rust", "    pub fn f(&mut self) -> u8 {\n        1\n"),
}


@pytest.mark.parametrize(("language", "text"), FRAGMENTS.values(), ids=FRAGMENTS)
def test_a_fragment_parses_and_its_lines_and_columns_map_back(language: str, text: str) -> None:
    source = parse_fragment(TextFragment(40, text), language)
    lines = text.split("\n")

    assert source.clean
    assert source.last_line == 40 + len(lines) - 2
    for node in source.root.find_all(regex="."):
        start = node.range().start
        number = source.first_line + start.line
        if node.is_leaf() and 40 <= number <= source.last_line and node.text() not in "{}[]()":
            original = lines[number - 40][start.column + source.column :]
            assert original.startswith(node.text().split("\n")[0])


def test_a_whole_text_is_preferred_to_fragments() -> None:
    (file,) = parse_diff(b"--- a/a.py\n+++ b/a.py\n@@ -9 +9 @@\n-  x\n+  y\n").files
    whole = FileChange("a.py", FileStatus.MODIFIED, language="python", head="y\n")

    assert [(s.partial, s.first_line, s.column, s.text) for s in parse_side(file, "head")] == [
        (True, 9, 2, "y\n")
    ]
    assert [(s.partial, s.first_line, s.text) for s in parse_side(whole, "head")] == [
        (False, 1, "y\n")
    ]
    assert list(parse_side(whole, "base")) == []


def test_what_was_not_read_is_not_parsed() -> None:
    file = FileChange("a.py", FileStatus.ADDED, language="python", head="x", unread="damaged")

    assert list(parse_side(file, "head")) == []


CODE = st.text(alphabet="(){}[]'\"`/*\\ \n\t:x;#<", max_size=60)


@settings(max_examples=150, deadline=None)
@given(CODE, st.sampled_from(["python", "go", "javascript", "rust", "php", "ruby", "bash"]))
def test_any_fragment_parses_somehow(text: str, language: str) -> None:
    source = parse_fragment(TextFragment(7, text), language)

    assert source.partial
    assert source.first_line <= 7
