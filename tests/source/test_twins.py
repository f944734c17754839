"""What is said to other tools in comments is read as they read it, and counts once it is old."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurat.source.diff import FileStatus
from jurat.source.suppressions import Suppression, read_suppressions, read_twins
from tests.support.code import added, changed


def the_one(code: str, path: str = "a.py") -> Suppression:
    (found,) = read_twins(changed(code, code + "x = 0\n", path))
    return found


@pytest.mark.parametrize(
    ("path", "code", "twins"),
    [
        ("a.py", "f(x)  # noqa: S602\n", {"ruff:S602"}),
        ("a.py", "f(x)  # type: ignore[x] # noqa: E501,S602 why\n", {"ruff:E501", "ruff:S602"}),
        ("a.py", "f(x)  # NOQA\n", {"ruff"}),
        ("a.py", "f(x)  # nosec\n", {"bandit", "gosec"}),
        ("a.py", "f(x)  # nosec B602, B607\n", {"bandit:B602", "bandit:B607"}),
        ("a.go", "f(x) // #nosec G204 -- why\n", {"gosec:G204"}),
        ("a.go", "f(x) //nolint:gosec,errcheck // why\n", {"gosec", "errcheck"}),
        ("a.py", "f(x)  # nosemgrep: python.lang.eval\n", {"semgrep:python.lang.eval"}),
        ("a.js", "eval(x); // eslint-disable-line no-eval -- why\n", {"eslint:no-eval"}),
        ("a.js", "eval(x); // eslint-disable-line\n", {"eslint"}),
        ("a.java", "class A { int f = g(); // NOSONAR\n}\n", {"sonar"}),
    ],
)
def test_a_comment_names_checks_or_a_whole_tool(path: str, code: str, twins: set[str]) -> None:
    found = the_one(code, path)
    assert found.twins == twins
    assert (found.target, found.added) == (1, False)


def test_the_next_line_is_meant_from_a_line_of_its_own() -> None:
    found = the_one("// eslint-disable-next-line no-eval\neval(x);\n", "a.js")
    assert (found.line, found.target) == (1, 2)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.js", "/* eslint-disable no-eval */\neval(x);\n"),
        ("a.js", "/* eslint-disable */\neval(x);\n"),
        ("a.py", 's = "# noqa: S602"\n'),
        ("a.py", "nosec = 1\n"),
        ("a.py", "# nosecurity\n"),
    ],
)
def test_what_is_no_comment_for_one_line_says_nothing(path: str, code: str) -> None:
    assert read_twins(changed(code, code + "x = 0\n", path)) == ()


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ("f(x)\n", "f(x)  # noqa: S602\n"),
        ("f(x)  # noqa: E501\n", "f(x)  # noqa: E501, S602\n"),
        ("f(x)  # noqa: S602\n", "f(x)  # noqa\n"),
        ("f(x)  # noqa: S602\n\n\ng(y)\n", "f(x)\n\n\ng(y)  # noqa: S602\n"),
    ],
)
def test_one_that_the_change_writes_or_widens_is_added(base: str, head: str) -> None:
    (found,) = read_twins(changed(base, head))
    assert found.added


def test_one_of_a_new_file_is_added() -> None:
    (found,) = read_twins(added("f(x)  # noqa\n", "a.py"))
    assert found.added


def test_ours_and_theirs_are_read_apart() -> None:
    code = "f(x)  # noqa: S602 jurat: ignore a.rule until 2027-01-01 -- legacy\n"
    file = replace(added(code, "a.py"), status=FileStatus.MODIFIED, hunks=(), base=code)
    assert read_suppressions(file) == ()
    (found,) = read_twins(file)
    assert found.twins == {"ruff:S602"}


@pytest.mark.parametrize(
    ("said", "known", "means"),
    [
        ({"ruff:S602"}, ["bandit:B602", "ruff:S602"], True),
        ({"ruff"}, ["ruff:S602"], True),
        ({"ruff:S60"}, ["ruff:S602"], False),
        ({"bandit"}, ["ruff:S602"], False),
        ({"ruff"}, [], False),
    ],
)
def test_a_rule_is_meant_by_what_others_call_it(
    said: set[str], known: list[str], means: bool
) -> None:
    one = Suppression("a.py", 1, 1, twins=frozenset(said))
    assert one.means("a.rule", known) is means
