"""Suppressions are read from comments, and govern only if the base has them too."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.source.diff import FileChange, FileStatus
from jurat.source.languages import detect_language
from jurat.source.suppressions import Suppression, has_suppression_marker, read_suppressions
from tests.support.code import added, changed

SAYS = "jurat: ignore a.rule until 2027-01-01 -- legacy"
SAID = {"rule_id": "a.rule", "until": dt.date(2027, 1, 1), "reason": "legacy"}


def the_one(text: str, path: str = "app.py") -> Suppression:
    (found,) = read_suppressions(changed(text, text + "# more\n", path))
    return found


@pytest.mark.parametrize(
    ("path", "code", "target"),
    [
        ("a.py", f"x = 1  # {SAYS}\ny = 2\n", 1),
        ("a.py", f"# {SAYS}\n\n# why\nx = 1\n", 4),
        ("a.js", f"/* {SAYS} */\nlet x = 1\n", 2),
        ("a.js", f"/*\n * {SAYS}\n */\nlet x = 1\n", 4),
        ("a.tsx", f"const a = <p>\n{{/* {SAYS} */}}\n<b/></p>\n", 3),
        ("a.java", f"class A {{ // {SAYS}\n}}\n", 1),
        ("a.rs", f"// {SAYS}\nfn a() {{}}\n", 2),
        ("a.kt", f"// {SAYS}\nval x = 1\n", 2),
        ("a.lua", f"-- {SAYS}\nx = 1\n", 2),
        ("a.yaml", f"a: 1 # {SAYS}\n", 1),
        ("a.html", f"<!-- {SAYS} -->\n<p>a</p>\n", 2),
        ("a.md", f"# T\n\n<!-- {SAYS} -->\n\nText.\n", 5),
        ("Dockerfile", f"# {SAYS}\nFROM scratch\n", 2),
        ("a.sql", f"-- {SAYS}\nSELECT 1;\n", 2),
        ("a.py", f"# {SAYS}", None),
    ],
)
def test_a_comment_is_about_its_own_line_or_the_next_one_with_code(
    path: str, code: str, target: int | None
) -> None:
    unchanged = replace(added(code, path), status=FileStatus.MODIFIED, hunks=(), base=code)
    (found,) = read_suppressions(unchanged)
    line = code[: code.index("jurat:")].count("\n") + 1
    assert found == Suppression(path, line, target, **SAID)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.py", f's = "# {SAYS}"\n'),
        ("a.py", f'"""\n# {SAYS}\n"""\n'),
        ("a.py", f"# To say so, write {SAYS}\n"),
        ("a.js", f"const s = `// {SAYS}`\n"),
        ("a.md", f"Write `{SAYS}` above it.\n"),
        ("a.yaml", f"a: '# {SAYS}'\n"),
        ("notes.txt", f"Write {SAYS}\n"),
    ],
)
def test_what_stands_in_a_string_or_in_prose_is_no_suppression(path: str, code: str) -> None:
    assert read_suppressions(added(code, path)) == ()


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("", "it names no rule: write `jurat: ignore RULE until YYYY-MM-DD -- reason`"),
        ("a.rule", "it has no end: write `jurat: ignore RULE until YYYY-MM-DD -- reason`"),
        (
            "a.rule -- legacy",
            "it has no end: write `jurat: ignore RULE until YYYY-MM-DD -- reason`",
        ),
        ("a.rule until soon -- x", "its end is no date such as 2027-01-31"),
        (
            "a.rule until 2027-01-01",
            "it has no reason: write `jurat: ignore RULE until YYYY-MM-DD -- reason`",
        ),
        (
            "a.rule until 2027-01-01 -- */",
            "it has no reason: write `jurat: ignore RULE until YYYY-MM-DD -- reason`",
        ),
    ],
)
def test_one_that_cannot_be_read_says_what_is_missing(said: str, problem: str) -> None:
    assert the_one(f"// jurat: ignore {said}\nlet x = 1\n", "a.js").problem == problem


BASE = f"import hashlib\n# {SAYS}\na = md5(1)\n\n\n\n\nb = md5(2)  # {SAYS}\n"


@pytest.mark.parametrize(
    ("head", "added_ones"),
    [
        pytest.param("# first\n" + BASE, [False, False], id="moved by a line above"),
        pytest.param(BASE.replace("md5(1)", "md5(3)"), [False, False], id="line below changed"),
        pytest.param(BASE.replace("md5(2)", "md5(3)"), [False, False], id="its own line changed"),
        pytest.param(
            BASE.replace("a = ", "z = md5(0)\na = "), [True, False], id="code put between"
        ),
        pytest.param(BASE.replace("2027", "2028", 1), [True, False], id="extended by the change"),
        pytest.param(
            BASE.replace("import hashlib\n", f"import hashlib  # {SAYS}\n"),
            [True, False, False],
            id="one more",
        ),
        pytest.param(BASE.replace(f"# {SAYS}\na", "a"), [False], id="one taken away"),
    ],
)
def test_only_what_the_base_has_for_the_same_line_is_not_added(
    head: str, added_ones: list[bool]
) -> None:
    found = read_suppressions(changed(BASE, head))
    assert [item.added for item in found] == added_ones
    seen = read_suppressions(changed(BASE, head, whole=False))
    assert {(item.line, item.added) for item in seen} <= {(i.line, i.added) for i in found}
    assert seen or len(found) == 1


def test_a_new_file_holds_only_added_ones() -> None:
    (found,) = read_suppressions(added(f"x = 1  # {SAYS}\n"))
    assert found.added


def test_a_renamed_file_keeps_its_own() -> None:
    file = replace(changed(BASE, BASE + "c = 1\n"), path="new.py", old_path="app.py")
    assert [item.added for item in read_suppressions(file)] == [False, False]


def test_a_file_that_mentions_none_is_not_parsed() -> None:
    assert not has_suppression_marker(added("x = 1\n"))
    assert has_suppression_marker(added(f"# {SAYS}\n"))
    assert not has_suppression_marker(replace(added(f"# {SAYS}\n"), unread="too large"))


MARKS = [f"# {SAYS}\n", "jurat: ignore"]
PIECES = ["# ", "// ", "/*\n", "*/", "<!--", "-->", '"', "\n", " ", "x = 1", *MARKS]
PATHS = ["a.py", "a.js", "a.md", "a"]


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.sampled_from(PATHS))
def test_an_unchanged_file_adds_none_and_every_target_is_a_line_with_code(
    pieces: list[str], path: str
) -> None:
    text = "".join(pieces)
    file = FileChange(path, FileStatus.MODIFIED, path, detect_language(path), base=text, head=text)
    lines = text.split("\n")
    for found in read_suppressions(file):
        assert not found.added
        assert "jurat: ignore" in lines[found.line - 1]
        if found.target is not None:
            assert found.target >= found.line
            assert lines[found.target - 1].strip()


def test_sql_and_dockerfiles_have_no_grammar() -> None:
    assert detect_language("a.sql") is None
    assert detect_language("Dockerfile") is None
