"""Odd diffs, each compared with what git itself says of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jurat.source.diff import FileChange, FileStatus
from jurat.source.diff_parser import decode_text, parse_diff
from jurat.source.file_text import attach_base, attach_head_text
from tests.support.git import COMMIT, Entry, Pair, Tree


@dataclass(frozen=True)
class Odd:
    """Two trees and how git is asked to compare them."""

    base: Tree
    head: Tree
    options: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


def _lines(*numbers: int) -> bytes:
    return b"".join(b"line %d\n" % number for number in numbers)


LONG = _lines(*range(1, 60))
EDITED = LONG.replace(b"line 7\n", b"seven\nseven and a half\n").replace(b"line 50\n", b"")
PATCH = b"""diff --git a/x.py b/x.py
--- a/x.py
+++ b/x.py
@@ -1,2 +1,2 @@
-- old
+++ new
 \\ No newline at end of file
"""

ODD = {
    "one line changed": Odd({"a.py": b"x\ny\nz\n"}, {"a.py": b"x\nY\nz\n"}),
    "several hunks": Odd({"a.py": LONG}, {"a.py": EDITED}),
    "no context": Odd({"a.py": LONG}, {"a.py": EDITED}, ("-U0",)),
    "the whole file as context": Odd({"a.py": LONG}, {"a.py": EDITED}, ("-U999",)),
    "function context": Odd({"a.c": b"f()\n{\n" + LONG}, {"a.c": b"f()\n{\n" + EDITED}, ("-W",)),
    "several files": Odd({"a": b"1\n", "d/b": b"2\n"}, {"a": b"2\n", "d/c": b"3\n"}),
    "added": Odd({}, {"new.py": b"a\nb\n"}),
    "removed": Odd({"old.py": b"a\nb\n"}, {}),
    "empty file added": Odd({}, {"empty.txt": b""}),
    "empty file removed": Odd({"empty.txt": b""}, {}),
    "filled": Odd({"a.txt": b""}, {"a.txt": b"a\n"}),
    "emptied": Odd({"a.txt": b"a\n"}, {"a.txt": b""}),
    "renamed": Odd({"old.py": LONG}, {"new.py": LONG}),
    "renamed and edited": Odd({"old.py": LONG}, {"deep/new.py": EDITED}),
    "two files swapped": Odd(
        {"a": LONG, "b": b"other\n" * 50}, {"b": LONG, "a": b"other\n" * 50}, ("-B",)
    ),
    "copied": Odd({"a.py": LONG}, {"a.py": LONG, "b.py": EDITED}, ("-C", "--find-copies-harder")),
    "binary changed": Odd({"a.png": b"\0\1\2"}, {"a.png": b"\0\1\3"}),
    "binary added with its content": Odd({}, {"a.png": b"\0" * 99}, ("--binary",)),
    "binary renamed": Odd({"a.png": b"\0\1\2" * 9}, {"b.png": b"\0\1\2" * 9}),
    "mode alone": Odd({"run": b"x\n"}, {"run": Entry(b"x\n", "100755")}),
    "mode and content": Odd({"run": b"x\n"}, {"run": Entry(b"y\n", "100755")}),
    "renamed with a mode": Odd({"run": LONG}, {"go": Entry(LONG, "100755")}),
    "newline at the end lost": Odd({"a": b"x\ny\n"}, {"a": b"x\ny"}),
    "newline at the end gained": Odd({"a": b"x\ny"}, {"a": b"x\ny\n"}),
    "no newline on either side": Odd({"a": b"x\ny"}, {"a": b"z\ny"}),
    "added without a newline": Odd({}, {"a": b"x"}),
    "CRLF": Odd({"a": b"x\r\ny\r\nz\r\n"}, {"a": b"x\r\nY\r\nz\r\n"}),
    "CRLF to LF": Odd({"a": b"x\r\ny\r\n"}, {"a": b"x\ny\n"}),
    "lone CR, form feed and line separators": Odd(
        {"a": b"x\ry\f\x0b\x1c\x85\n\xe2\x80\xa8\n"}, {"a": b"x\ry\f\x0b\x1cY\x85\n\xe2\x80\xa8\n"}
    ),
    "blank lines as context": Odd({"a": b"\n\n\nx\n\n\n"}, {"a": b"\n\n\ny\n\n\n"}),
    "a name that is not ASCII": Odd({"grüße/日本.py": b"x\n"}, {"grüße/日本.py": b"y\n"}),
    "a name that is not ASCII and not quoted": Odd(
        {"grüße/日本.py": b"x\n"}, {"grüße/日本.py": b"y\n"}, settings={"core.quotePath": "false"}
    ),
    "a name with blanks": Odd({"a b/c b/d e": b"x\n"}, {"a b/c b/d e": b"y\n"}),
    "renamed from and to names with blanks": Odd({"old b/one": LONG}, {"new b/two x": EDITED}),
    "a name that looks like two": Odd({"x b/x": b"x\n"}, {"x b/x": b"y\n"}),
    "a name with a tab, quotes and backslashes": Odd(
        {'a\t"b"\\c\n\x01': b"x\n"}, {'a\t"b"\\c\n\x01': b"y\n"}
    ),
    "renamed between quoted names": Odd({"ä\tx": LONG}, {"ö y": EDITED}),
    "submodule added": Odd({}, {"lib": Entry(COMMIT.encode(), "160000")}),
    "submodule moved on": Odd(
        {"lib": Entry(COMMIT[::-1].encode(), "160000")}, {"lib": Entry(COMMIT.encode(), "160000")}
    ),
    "link changed": Odd({"l": Entry(b"a", "120000")}, {"l": Entry(b"b/c.py", "120000")}),
    "file became a link": Odd({"a.py": b"x\ny\n"}, {"a.py": Entry(b"b.py", "120000")}),
    "link became a file": Odd({"a.py": Entry(b"b.py", "120000")}, {"a.py": b"x\ny\n"}),
    "not UTF-8": Odd({"a": b"caf\xe9\nb\n"}, {"a": b"caf\xe9s\nb\n"}),
    "lines that look like headers": Odd(
        {"a.sql": b"-- one\n-- two\nkeep\n" + LONG + b"-- x\n"},
        {"a.sql": b"++ one\nkeep\n" + EDITED + b"++ y\n"},
    ),
    "a diff inside a file": Odd({"p.diff": PATCH + b"x\n"}, {"p.diff": b"y\n" + PATCH * 2}),
    "a very long line": Odd({"a.js": b"x" * 300_000}, {"a.js": b"x" * 300_000 + b";"}),
    "no prefix": Odd({"b/a.py": LONG, "c": b"1\n"}, {"b/a.py": EDITED}, ("--no-prefix",)),
    "renamed without a prefix": Odd({"d/x": LONG}, {"e/x": EDITED}, ("--no-prefix",)),
    "mnemonic prefixes": Odd(
        {"i/a": LONG}, {"i/a": EDITED}, ("--src-prefix=i/", "--dst-prefix=w/")
    ),
    "prefixes of one's own": Odd(
        {"d/a": LONG}, {"d/a": EDITED}, ("--src-prefix=old/", "--dst-prefix=newer/")
    ),
    "blanks left out": Odd({"a": b" x\ny\nz\n"}, {"a": b"x\nY\nz\n"}, ("-w",)),
    "patience": Odd({"a": LONG}, {"a": LONG[::-1]}, ("--patience",)),
}
STATUSES = {
    "A": FileStatus.ADDED,
    "C": FileStatus.COPIED,
    "D": FileStatus.REMOVED,
    "M": FileStatus.MODIFIED,
    "R": FileStatus.RENAMED,
    "T": FileStatus.MODIFIED,
}


@pytest.fixture(params=ODD.values(), ids=list(ODD))
def odd(request: pytest.FixtureRequest) -> Odd:
    assert isinstance(request.param, Odd)
    return request.param


@pytest.fixture
def pair(odd: Odd, tmp_path: Path) -> Pair:
    made = Pair(tmp_path, odd.base, odd.head)
    for setting, value in odd.settings.items():
        made.configure(setting, value)
    return made


def test_paths_and_statuses_are_gits(odd: Odd, pair: Pair) -> None:
    files = parse_diff(pair.diff(*odd.options)).files

    ours = [(file.status, file.old_path, file.path) for file in files]
    assert ours == _name_status(pair.diff("-z", "--name-status", *odd.options).decode())
    assert [file.unread for file in files] == [None] * len(files)


def test_counts_of_lines_are_gits(odd: Odd, pair: Pair) -> None:
    files = parse_diff(pair.diff(*odd.options)).files

    ours = [(_count(file, "added"), _count(file, "removed")) for file in files]
    assert ours == _numstat(pair.diff(*odd.options, "--numstat").decode())


def test_every_line_stands_where_git_has_it(odd: Odd, pair: Pair) -> None:
    for file in parse_diff(pair.diff(*odd.options)).files:
        old = _content(pair, "base", file.old_path, file)
        new = _content(pair, "head", file.path, file)
        for line in (line for hunk in file.hunks for line in hunk.lines):
            ended = (line.text, line.newline)
            assert line.new is None or new[line.new - 1] == ended
            # With -w git prints the head's version of a context line.
            assert line.old is None or "-w" in odd.options or old[line.old - 1] == ended


def test_either_version_is_had_from_the_other(odd: Odd, pair: Pair) -> None:
    for file in parse_diff(pair.diff(*odd.options)).files:
        if file.is_binary or file.is_submodule or "-w" in odd.options:
            continue
        if file.status is not FileStatus.REMOVED:
            head = decode_text(pair.show("head", file.path))
            attached = attach_head_text(file, head)
            assert (attached.unread, attached.head) == (None, head)
            assert attached.base == _base(pair, file)
        if file.status is not FileStatus.ADDED:
            attached = attach_base(file, _base(pair, file) or "")
            assert (attached.unread, attached.base) == (None, _base(pair, file))


def _base(pair: Pair, file: FileChange) -> str | None:
    return decode_text(pair.show("base", file.old_path)) if file.old_path else None


def _content(pair: Pair, tree: str, path: str | None, file: FileChange) -> list[tuple[str, bool]]:
    absent = FileStatus.REMOVED if tree == "head" else FileStatus.ADDED
    if path is None or file.status is absent or file.is_binary:
        return []
    if file.is_submodule:
        commit = COMMIT if tree == "head" else COMMIT[::-1]
        return [(f"Subproject commit {commit}", True)]
    *lines, last = decode_text(pair.show(tree, path)).split("\n")
    ended = [(line, True) for line in lines]
    return [*ended, (last, False)] if last else ended


def _count(file: FileChange, kind: str) -> int:
    return sum(line.kind == kind for hunk in file.hunks for line in hunk.lines)


def _numstat(printed: str) -> list[tuple[int, int]]:
    """Lines added and removed; git prints "-" for binary files."""
    counts = re.findall(r"^(\d+|-)\t(\d+|-)\t", printed, re.MULTILINE)
    return [(int(added.replace("-", "0")), int(gone.replace("-", "0"))) for added, gone in counts]


def _name_status(printed: str) -> list[tuple[FileStatus, str | None, str]]:
    fields = iter(printed.rstrip("\0").split("\0")) if printed else iter(())
    found: list[tuple[FileStatus, str | None, str]] = []
    for code in fields:
        status = STATUSES[code[0]]
        old = next(fields)
        if status in (FileStatus.RENAMED, FileStatus.COPIED):
            found.append((status, old, next(fields)))
        else:
            found.append((status, None if status is FileStatus.ADDED else old, old))
    return found
