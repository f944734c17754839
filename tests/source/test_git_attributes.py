"""Attributes of folders and files, as git itself reads them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from jurat.source.diff import Diff, FileChange, FileStatus
from jurat.source.git_attributes import (
    ATTRIBUTES,
    find_last_lines,
    leave_open,
    list_attribute_files,
    parse_attributes,
)

FILES = {
    ATTRIBUTES: """*.gen.py linguist-generated
/top.py linguist-vendored
libs/ linguist-vendored
libs/*/x.py linguist-vendored
api/** linguist-generated=true
back/** linguist-generated
{a,b}.py linguist-generated
[ab]?.py linguist-generated
 # no comment here, and a file called #
docs/a.py\tlinguist-vendored\r
deep/**/end.py linguist-vendored linguist-generated
no/a.py linguist-generated --no-name
no/b.py linguist-generated .name
no/c.py linguist-generated na/me=1
""",
    "api/.gitattributes": "own.py -linguist-generated\nv1/*.py linguist-vendored\n",
    "api/v1/.gitattributes": """*.py !linguist-vendored
own.py linguist-generated
/here.py linguist-vendored=false
sub/here.py linguist-generated=false
""",
    "back/.gitattributes": "* !linguist-generated\n",
    "ap/.gitattributes": "* linguist-vendored\n",
    "we[i]rd {a,b}/.gitattributes": "*.py linguist-generated\n",
}
PATHS = (
    *("a.gen.py", "deep/a.gen.py", "top.py", "deep/top.py", "libs/a.py", "libs/b/x.py"),
    *("libs/b/c/x.py", "api/a.py", "api/own.py", "api/v1/a.py", "api/v1/own.py", "api/v1/here.py"),
    *("api/v1/sub/here.py", "api/v1/sub/own.py", "api/x/own.py", "back/a.py", "back/a.gen.py"),
    *("{a,b}.py", "a.py", "bb.py", "#", "docs/a.py", "deep/end.py", "deep/a/b/end.py", "ap/a.py"),
    *("we[i]rd {a,b}/a.py", "wei rd a/a.py", "api", "v1/a.py"),
    *("no/a.py", "no/b.py", "no/c.py"),
)
NAMES = {"generated": "linguist-generated", "vendored": "linguist-vendored"}


def build_change(*paths: str, old: str | None = None) -> Diff:
    return Diff(tuple(FileChange(path, FileStatus.MODIFIED, old_path=old) for path in paths))


@pytest.fixture(scope="module")
def told_by_git(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], str]:
    """What git itself says of each path and attribute."""
    folder = tmp_path_factory.mktemp("attributes")
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True, env=environment)
    for name, text in FILES.items():
        Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
        Path(folder, name).write_bytes(text.encode())
    done = subprocess.run(
        ["git", "check-attr", "-z", *NAMES.values(), "--", *PATHS],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    words = done.stdout.split("\0")[:-1]
    return {(words[i], words[i + 1]): words[i + 2] for i in range(0, len(words), 3)}


@pytest.mark.parametrize("path", PATHS)
def test_the_same_holds_as_for_git(path: str, told_by_git: dict[tuple[str, str], str]) -> None:
    lines = [
        line
        for name in list_attribute_files(build_change(path))
        for line in parse_attributes(FILES.get(name, ""), name)
    ]
    found = {line.kind: line.holds for line in find_last_lines(lines, path)}
    for kind, name in NAMES.items():
        said = told_by_git[path, name]
        assert found.get(kind) == {"unspecified": None, "unset": False, "false": False}.get(
            said, True
        ), said


def test_git_was_asked_about_every_sort(told_by_git: dict[tuple[str, str], str]) -> None:
    assert set(told_by_git.values()) == {"set", "unset", "unspecified", "true", "false"}


def test_the_files_are_those_above_what_is_touched_and_what_it_was() -> None:
    assert list_attribute_files(build_change("b/c/x.py", "x.py", old="a/y.py")) == [
        ATTRIBUTES,
        "a/.gitattributes",
        "b/.gitattributes",
        "b/c/.gitattributes",
    ]


def test_below_what_was_not_read_nothing_above_counts() -> None:
    lines = [*parse_attributes("* linguist-generated\n"), *leave_open("a/.gitattributes")]
    assert find_last_lines(lines, "a/b/x.py") == []
    assert [line.kind for line in find_last_lines(lines, "b/x.py")] == ["generated"]
