"""Rebuilt diffs are checked by git itself: applied to the old file they must give the new one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jurat.github.diffs import Versions, needs_file_contents, rebuild_file_diff, rebuild_hunks
from jurat.github.models import PullRequestFilePayload


def row(status: str = "modified", name: str = "f.txt", **fields: object) -> PullRequestFilePayload:
    return PullRequestFilePayload.model_validate({"filename": name, "status": status, **fields})


def applied(folder: Path, diff: bytes) -> None:
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        input=diff,
        cwd=folder,
        check=True,
        capture_output=True,
    )


texts = st.lists(
    st.sampled_from([b"a", b"b", b"c\r", b"", b"\x0c", b" x", b"\xff\xe9", b"-- y", b"@@ -1 +1 @@"])
).map(b"\n".join)
ended = st.builds(lambda text, end: text + end, texts, st.sampled_from([b"", b"\n"]))


@given(old=ended, new=ended)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_git_applies_a_rebuilt_diff(tmp_path: Path, old: bytes, new: bytes) -> None:
    (tmp_path / "f.txt").write_bytes(old)
    patch = rebuild_hunks(Versions(old, new))
    assert (patch == b"") == (old == new)
    if patch:
        applied(tmp_path, rebuild_file_diff(row(), patch))
    assert (tmp_path / "f.txt").read_bytes() == new


@pytest.mark.parametrize("name", ["a b.txt", "dir/ü.txt", 'q"uote', "back\\slash", "tab\tname"])
def test_git_understands_the_names_it_quotes(tmp_path: Path, name: str) -> None:
    added = rebuild_file_diff(row("added", name), rebuild_hunks(Versions(None, b"one\n")))
    applied(tmp_path, added)
    assert (tmp_path / name).read_bytes() == b"one\n"
    renamed = row("renamed", "new " + name.rpartition("/")[2], previous_filename=name)
    applied(tmp_path, rebuild_file_diff(renamed, rebuild_hunks(Versions(b"one\n", b"two\n"))))
    assert (tmp_path / renamed.filename).read_bytes() == b"two\n"
    removed = row("removed", renamed.filename)
    applied(tmp_path, rebuild_file_diff(removed, rebuild_hunks(Versions(b"two\n", None))))
    assert not (tmp_path / renamed.filename).exists()


def test_a_rename_without_a_patch_has_no_hunks(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    applied(tmp_path, rebuild_file_diff(row("renamed", "b", previous_filename="a"), b""))
    assert (tmp_path / "b").read_bytes() == b"x"


def test_binary_files_are_named_as_git_names_them() -> None:
    patch = rebuild_hunks(Versions(b"\0one", b"\0two"))
    assert rebuild_file_diff(row(), patch).splitlines() == [
        b"diff --git a/f.txt b/f.txt",
        b"Binary files a/f.txt and b/f.txt differ",
    ]
    assert rebuild_hunks(Versions(b"\0", b"\0")) == b""


def test_a_submodule_is_told_by_its_patch() -> None:
    patch = b"@@ -1 +1 @@\n-Subproject commit " + b"a" * 40 + b"\n+Subproject commit " + b"b" * 40
    assert b" 160000\n" in rebuild_file_diff(row(), patch)
    assert b"new file mode 160000\n" in rebuild_file_diff(row("added"), patch)


@pytest.mark.parametrize(
    ("file", "needed"),
    [
        (row(patch="@@ -1 +1 @@\n-a\n+b", additions=1, deletions=1), False),
        (row(patch="@@ -1 +1 @@\n-a\n+b", additions=9, deletions=1), True),
        (row(additions=9_000, deletions=0), True),
        (row(), True),
        (row("added"), True),
        (row("renamed", previous_filename="old"), False),
        (row("renamed", previous_filename="old", additions=4_000), True),
        (row("unchanged"), False),
    ],
)
def test_a_missing_or_cut_patch_is_noticed(file: PullRequestFilePayload, needed: bool) -> None:
    assert needs_file_contents(file) is needed
