"""What parse_diff makes of input that git would not print, or not print like this."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurat.errors import UsageError
from jurat.source.diff import Diff, FileStatus
from jurat.source.diff_headers import Header, NameProblem
from jurat.source.diff_parser import parse_diff
from jurat.source.file_text import attach_head_text
from tests.support.git import COMMIT, Entry, Pair

BEFORE = (
    "diff --git a/before.py b/before.py\n--- a/before.py\n+++ b/before.py\n@@ -1 +1 @@\n-a\n+b\n"
)
AFTER = BEFORE.replace("before", "after")


def parse(text: str) -> Diff:
    return parse_diff(text.encode())


def git_file(*body: str, name: str = "x.py") -> str:
    lines = (f"diff --git a/{name} b/{name}", f"--- a/{name}", f"+++ b/{name}", *body)
    return "".join(f"{line}\n" for line in lines)


def plain_file(old: str, new: str, *body: str) -> str:
    return "".join(f"{line}\n" for line in (f"--- {old}", f"+++ {new}", *body))


@pytest.mark.parametrize("data", [b"", b"\n\n  \r\n"])
def test_nothing_is_an_empty_change(data: bytes) -> None:
    assert parse_diff(data) == Diff()


@pytest.mark.parametrize(
    "data",
    [
        b"Hello.\n",
        b"\xff\x00\x1b",
        b"1c1\n< a\n---\n> b\n",
        b"*** a.py\n--- b.py\n***************\n",
        b"\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[31m-a\x1b[m\n",
    ],
    ids=["prose", "bytes", "normal diff", "context diff", "coloured"],
)
def test_what_is_no_unified_diff_is_refused_with_a_hint(data: bytes) -> None:
    with pytest.raises(UsageError, match="no unified diff") as caught:
        parse_diff(data)
    assert "git diff --no-color" in caught.value.hint
    assert "\n" not in str(caught.value)


def test_a_hunk_before_any_header_is_refused() -> None:
    with pytest.raises(UsageError, match="belongs to no file"):
        parse("@@ -1 +1 @@\n-a\n+b\n" + AFTER)


DAMAGED = {
    "cut short": git_file("@@ -1,3 +1,3 @@", " a", "-b"),
    "longer than it says": git_file("@@ -1 +1 @@", "-a", "+b", "+import os"),
    "a change between two hunks": git_file(
        "@@ -1 +1 @@", "-a", "+b", "+import os", "@@ -9 +9 @@", "-a", "+b"
    ),
    "a hunk behind a line of no kind": git_file(
        "@@ -1 +1 @@", "-a", "+b", "c", "@@ -9 +9 @@", "-a", "+import os"
    ),
    "a line of no kind": git_file("@@ -1,2 +1,2 @@", "-a", "+b", "@import os"),
    "no numbers": git_file("@@ -x +y @@", "-a", "+b"),
    "numbers beyond reason": git_file(f"@@ -{'9' * 5000} +1 @@", "-a", "+b"),
    "no lines": git_file("@@ -0,0 +0,0 @@"),
    "overlapping hunks": git_file("@@ -5 +5 @@", "-a", "+b", "@@ -5 +6 @@", "-a", "+b"),
    "hunks in the wrong order": git_file("@@ -5 +5 @@", "-a", "+b", "@@ -2 +2 @@", "-a", "+b"),
    "header alone": "diff --git a/x.py b/x.py\nindex 1234567..89abcde 100644\n",
    "added without its content": (
        "diff --git a/x.py b/x.py\nnew file mode 100644\nindex 0000000..89abcde\n"
    ),
    "names that disagree": git_file("@@ -1 +1 @@", "-a", "+b").replace("+++ b/x", "+++ b/y"),
}


@pytest.mark.parametrize("damaged", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_unread_and_costs_no_other(damaged: str) -> None:
    before, broken, after = parse(BEFORE + damaged + AFTER).files

    assert (broken.path, broken.hunks) == ("x.py", ())
    assert broken.unread is not None
    assert "import os" not in broken.unread
    assert (before.path, before.unread, len(before.hunks)) == ("before.py", None, 1)
    assert (after.path, after.unread, len(after.hunks)) == ("after.py", None, 1)


@pytest.mark.parametrize(
    "name",
    ["../up.py", "a/../../up.py", "/etc/passwd", "a//b", ".git/hooks/x", "./x", "..", ""],
)
def test_a_path_that_leads_outside_is_unread(name: str) -> None:
    (file,) = parse(git_file("@@ -1 +1 @@", "-a", "+b", name=name)).files

    assert file.unread == "its path leads outside the repository"
    assert file.hunks == ()


def test_a_quoted_path_that_leads_outside_is_unread() -> None:
    quoted = '"b/\\056\\056/x"'
    (file,) = parse(f"diff --git {quoted.replace('b/', 'a/')} {quoted}\nold mode 100644\n").files

    assert file.unread == "its path leads outside the repository"


@pytest.mark.parametrize("kind", ["cc", "combined"])
def test_a_combined_diff_is_unread(kind: str) -> None:
    merge = f"diff --{kind} m.py\nindex 1,2..3\n--- a/m.py\n+++ b/m.py\n"
    merge += "@@@ -1 -1 +1 @@@\n- a\n -b\n++c\n"
    before, file, after = parse(BEFORE + merge + AFTER).files

    assert (file.path, file.hunks) == ("m.py", ())
    assert "combined diff" in (file.unread or "")
    assert before.unread is after.unread is None


def test_a_path_that_stands_twice_is_unread_and_stands_once() -> None:
    first, second = parse(BEFORE + AFTER + BEFORE).files

    assert (first.path, second.path) == ("before.py", "after.py")
    assert "2 times" in (first.unread or "")
    assert second.unread is None


def test_a_name_that_is_not_utf8_is_unread(tmp_path: Path) -> None:
    pair = Pair(tmp_path, {b"caf\xe9": b"x\n", "ok": b"x\n"}, {b"caf\xe9": b"y\n", "ok": b"y\n"})

    for setting in ("true", "false"):
        pair.configure("core.quotePath", setting)
        odd, fine = parse_diff(pair.diff()).files
        assert odd.unread == "its name is not UTF-8"
        assert fine.unread is None


def test_a_submodule_in_the_log_format_is_seen(tmp_path: Path) -> None:
    pair = Pair(tmp_path, {"a": b"x\n"}, {"a": b"y\n", "lib": Entry(COMMIT.encode(), "160000")})

    _, lib = parse_diff(pair.diff("--submodule=log")).files
    assert (lib.path, lib.status, lib.is_submodule) == ("lib", FileStatus.ADDED, True)


def test_a_mail_holds_the_change_alone(tmp_path: Path) -> None:
    pair = Pair(tmp_path, {"a": b"- x\n", "b": b"x\n"}, {"a": b"", "b": b"y"})

    assert parse_diff(pair.mail()) == parse_diff(pair.diff())
    assert parse_diff(pair.mail() * 2).files[0].unread is not None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_diff_redirected_by_another_shell_reads_the_same(encoding: str) -> None:
    text = git_file("@@ -1 +1 @@", "-grün", "+blau")

    assert parse_diff(text.encode(encoding)) == parse(text)


def test_a_diff_saved_with_crlf_reads_the_same() -> None:
    assert parse(BEFORE.replace("\n", "\r\n")) == parse(BEFORE)


def test_a_diff_without_its_last_newline_reads_the_same() -> None:
    assert parse(BEFORE.removesuffix("\n")) == parse(BEFORE)


def test_context_whose_blank_was_stripped_is_still_context() -> None:
    (file,) = parse(git_file("@@ -1,3 +1,3 @@", "", "-a", "+b", "")).files

    assert [(line.kind, line.old, line.new) for line in file.hunks[0].lines] == [
        ("context", 1, 1),
        ("removed", 2, None),
        ("added", None, 2),
        ("context", 3, 3),
    ]


def test_the_section_is_what_git_printed_behind_the_hunk() -> None:
    (file,) = parse(git_file("@@ -1 +1 @@ def pay(self):\r", "-a", "+b")).files

    assert file.hunks[0].section == "def pay(self):"


def test_a_binary_patch_is_binary_and_has_no_lines(tmp_path: Path) -> None:
    pair = Pair(tmp_path, {"a.png": b"\0\1", "z": b"x\n"}, {"a.png": b"\0\2", "z": b"y\n"})

    for options in ((), ("--binary",)):
        picture, text = parse_diff(pair.diff(*options)).files
        assert (picture.is_binary, picture.hunks, picture.unread) == (True, (), None)
        assert (text.is_binary, len(text.hunks)) == (False, 1)


def test_an_added_file_brings_its_head_and_a_removed_one_its_base(tmp_path: Path) -> None:
    pair = Pair(tmp_path, {"old.py": b"a\r\nb"}, {"new.py": b"c\nd\n"})

    added, removed = parse_diff(pair.diff("--no-renames")).files
    assert (added.base, added.head) == (None, "c\nd\n")
    assert (removed.base, removed.head) == ("a\r\nb", None)


def test_plain_diffs_are_read_one_after_the_other() -> None:
    change = parse(
        "Only in new: z\ndiff -ru old/a.py new/a.py\n"
        + plain_file(
            "old/a.py\t2024-01-01 00:00:00", "new/a.py\t2024-01-02", "@@ -1 +1 @@", "-a", "+b"
        )
        + plain_file("/dev/null", "b/n.py", "@@ -0,0 +1 @@", "+b")
        + "Index: svn.py\n=====\n"
        + plain_file("a/gone.py", "/dev/null", "@@ -1 +0,0 @@", "-b")
        + "Binary files old/p.png and new/p.png differ\n"
        + plain_file("same.py", "same.py", "@@ -1 +1 @@", "-a", "+b")
    )
    assert [(file.status, file.path, file.is_binary) for file in change.files] == [
        (FileStatus.MODIFIED, "a.py", False),
        (FileStatus.ADDED, "n.py", False),
        (FileStatus.REMOVED, "gone.py", False),
        (FileStatus.MODIFIED, "p.png", True),
        (FileStatus.MODIFIED, "same.py", False),
    ]


def test_a_plain_diff_by_diff_itself_knows_new_files(tmp_path: Path) -> None:
    for folder, name in (("old", "gone"), ("new", "born")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text("x\n")
    done = subprocess.run(
        ["diff", "-ruN", "old", "new"], cwd=tmp_path, capture_output=True, check=False
    )
    born, gone = parse_diff(done.stdout).files

    assert (born.path, born.status, born.head) == ("born", FileStatus.ADDED, "x\n")
    assert (gone.path, gone.status, gone.base) == ("gone", FileStatus.REMOVED, "x\n")


def test_lines_that_look_like_a_plain_header_stay_in_their_hunk() -> None:
    text = plain_file(
        "a.sql", "a.sql", "@@ -1 +1 @@", "--- old", "+++ new", "@@ -9 +9 @@", "-x", "+y"
    )
    (file,) = parse(text).files

    assert [line.text for hunk in file.hunks for line in hunk.lines] == [
        "-- old",
        "++ new",
        "x",
        "y",
    ]


def test_a_damaged_plain_file_costs_no_other() -> None:
    good = plain_file("a/good.py", "b/good.py", "@@ -1 +1 @@", "-a", "+b")
    bad = plain_file("a/bad.py", "b/bad.py", "@@ -1,5 +1 @@", "-a", "+b")

    first, broken, last = parse(good + bad + good.replace("good", "last")).files
    assert [first.unread, last.unread] == [None, None]
    assert (broken.path, broken.unread is not None) == ("bad.py", True)


def test_a_plain_diff_behind_a_git_diff_is_not_lost() -> None:
    plain = plain_file("old/p.py", "new/p.py", "@@ -1 +1 @@", "-a", "+b")
    renamed = "diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n"

    assert [file.path for file in parse(BEFORE + plain).files] == ["before.py", "p.py"]
    assert [file.path for file in parse(renamed + "And:\n" + plain).files] == ["n", "p.py"]


@pytest.mark.parametrize("head", ["", "other\n", "b", "b\n\n", "x\nb\n"])
def test_a_head_that_the_hunks_do_not_fit_makes_the_file_unread(head: str) -> None:
    (file,) = parse(BEFORE).files
    fitted = attach_head_text(file, head)

    if head == "b\n\n":
        assert fitted.base == "a\n\n"
    else:
        assert (fitted.unread, fitted.hunks) == ("the diff does not fit the file's content", ())


TEXTS = st.lists(
    st.sampled_from(
        ["", "a", "b", "-- a", "++ b", "\r", " ", "\\ No newline", "@@ -1 +1 @@", "é\f"]
    ),
    max_size=12,
).flatmap(lambda lines: st.sampled_from(["\n".join(lines), "".join(f"{line}\n" for line in lines)]))


@settings(max_examples=60, deadline=None)
@given(base=TEXTS, head=TEXTS, context=st.integers(0, 4))
def test_undoing_gits_hunks_gives_the_base(
    base: str, head: str, context: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("pair")
    (folder / "a").write_bytes(base.encode())
    (folder / "b").write_bytes(head.encode())
    done = subprocess.run(
        ["git", "diff", "--no-index", f"-U{context}", "a", "b"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    change = parse_diff(done.stdout)

    assert len(change.files) == (base != head)
    for file in change.files:
        attached = attach_head_text(file, head)
        assert (attached.unread, attached.base) == (None, base)


ANY = (
    BEFORE
    + DAMAGED["longer than it says"]
    + plain_file("a", "b", "@@ -1 +1 @@", "-a", "+b")
    + AFTER
)


@settings(max_examples=200, deadline=None)
def binary(name: str, status: str = "index 1234567..89abcde 100644") -> str:
    before, after = f"a/{name}", f"b/{name}"
    lines = [f"diff --git {before} {after}", status, f"Binary files {before} and {after} differ"]
    return "".join(f"{line}\n" for line in lines)


def test_a_source_file_that_git_takes_for_binary_is_unread() -> None:
    source, picture, removed = parse(
        binary("a.py") + binary("a.png") + binary("b.py", "deleted file mode 100644")
    ).files
    assert (source.language, source.is_binary) == ("python", True)
    assert source.unread == "git takes it for binary and does not show what changed in it"
    assert (picture.unread, removed.unread) == (None, None)


@pytest.mark.parametrize("name", [".gitattributes", "src/.gitattributes"])
def test_a_change_that_says_what_is_binary_hides_nothing(name: str) -> None:
    attributes, settings = parse(BEFORE.replace("before.py", name) + binary("settings.env")).files
    assert attributes.unread is None
    assert settings.unread is not None


@pytest.mark.parametrize(
    "text",
    [
        plain_file("../x.py", "../x.py", "@@ -1 +1 @@", "-a", "+b"),
        "diff --git a/x.py b/y.py\nindex 1..2 100644\n",
        "diff --git a/x.py b/x.py\n--- a/y.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n",
    ],
    ids=["outside", "no name", "two names"],
)
def test_any_rule_may_be_about_a_file_whose_name_is_not_known(text: str) -> None:
    (file,) = parse(text).files
    assert file.unread is not None
    assert file.unlisted


def test_a_name_may_begin_here() -> None:
    (file,) = parse(plain_file("./src/x.py", "./src/x.py", "@@ -1 +1 @@", "-a", "+b")).files
    assert (file.path, file.unread) == ("src/x.py", None)


@given(st.lists(st.sampled_from(ANY.splitlines(keepends=True)), max_size=12), st.binary(max_size=8))
def test_any_mixture_of_lines_is_read_or_refused(lines: list[str], noise: bytes) -> None:
    try:
        change = parse_diff("".join(lines).encode() + noise)
    except UsageError:
        return
    paths = [file.path for file in change.files]
    assert len(paths) == len(set(paths))
    assert all(file.unread is None or not file.hunks for file in change.files)


@pytest.mark.parametrize("problem", list(NameProblem))
def test_a_header_without_a_name_is_known_by_its_problem_and_not_by_the_words(
    problem: NameProblem,
) -> None:
    header = Header("a", "a", FileStatus.MODIFIED, problem=problem)
    assert header.is_unnamed
    assert not replace(header, problem=str(problem.value)).is_unnamed
