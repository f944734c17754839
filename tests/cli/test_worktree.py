"""The local git source: what counts as the change, and from where on."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from jurat.cli.checkout import GitCheckout, read_commit_messages, resolve_range
from jurat.errors import UsageError
from jurat.source.diff import Diff, FileStatus
from tests.support.checkout import Checkout, base_of, changed, paths


class TestTheChange:
    def test_is_everything_since_the_merge_base_uncommitted_and_untracked_included(
        self, checkout: Checkout
    ) -> None:
        checkout.write({"kept.py": "a = 1\n", "gone.py": "b = 1\n", ".gitignore": "*.log\n"})
        checkout.commit()
        checkout.git("switch", "--quiet", "--create", "work")
        checkout.write({"committed.py": "c = 1\n"})
        checkout.commit()
        checkout.git("switch", "--quiet", "main")
        checkout.write({"elsewhere.py": "d = 1\n"})
        checkout.commit("main moves on")
        checkout.git("switch", "--quiet", "work")
        checkout.write({"kept.py": "a = 2\n", "staged.py": "e = 1\n"})
        checkout.git("add", "staged.py")
        checkout.git("rm", "--quiet", "gone.py")
        checkout.write({"untracked/new.py": "f = 1\n", "noise.log": "x\n"})
        assert paths(changed(checkout)) == {
            "committed.py": FileStatus.ADDED,
            "gone.py": FileStatus.REMOVED,
            "kept.py": FileStatus.MODIFIED,
            "staged.py": FileStatus.ADDED,
            "untracked/new.py": FileStatus.ADDED,
        }

    def test_ends_at_the_head_that_is_named(self, checkout: Checkout) -> None:
        checkout.commit()
        checkout.git("switch", "--quiet", "--create", "work")
        checkout.write({"committed.py": "c = 1\n"})
        checkout.commit()
        checkout.write({"untracked.py": "f = 1\n", "committed.py": "c = 2\n"})
        change = changed(checkout, head="work")
        assert paths(change) == {"committed.py": FileStatus.ADDED}
        assert change.files[0].head == "c = 1\n"

    def test_carries_both_texts_of_each_file(self, checkout: Checkout) -> None:
        old = "".join(f"line {number}\n" for number in range(40))
        checkout.write({"a.py": old, "b.py": old, "gone.py": old})
        checkout.commit()
        checkout.git("mv", "b.py", "renamed.py")
        checkout.git("rm", "--quiet", "gone.py")
        new = old.replace("line 20", "changed")
        checkout.write({"a.py": new, "renamed.py": new, "new.py": "x\n"})
        files = {file.path: file for file in changed(checkout).files}
        assert (files["a.py"].base, files["a.py"].head) == (old, new)
        assert (files["renamed.py"].base, files["renamed.py"].head) == (old, new)
        assert files["renamed.py"].old_path == "b.py"
        assert (files["new.py"].base, files["new.py"].head) == (None, "x\n")
        assert (files["gone.py"].base, files["gone.py"].head) == (old, None)

    def test_of_a_clean_checkout_is_empty(self, checkout: Checkout) -> None:
        checkout.write({"a.py": "a = 1\n"})
        checkout.commit()
        assert changed(checkout) == Diff()

    def test_leaves_the_index_as_it_was(self, checkout: Checkout) -> None:
        checkout.write({"a.py": "a = 1\n"})
        checkout.commit()
        checkout.write({"new.py": "b = 1\n"})
        index = checkout.folder / ".git" / "index"
        before = index.read_bytes()
        assert paths(changed(checkout)) == {"new.py": FileStatus.ADDED}
        assert index.read_bytes() == before
        assert checkout.git("status", "--porcelain") == "?? new.py"

    def test_odd_names_survive(self, checkout: Checkout) -> None:
        checkout.commit()
        names = [
            "a b.py",
            'qu"ote.py',
            "tab\there.py",
            "näme.py",
            "-n.py",
            ":(glob)*.py",
            "a\nb.py",
        ]
        checkout.write(dict.fromkeys(names, "x = 1\n"))
        assert set(paths(changed(checkout))) == set(names)
        checkout.commit()
        checkout.write(dict.fromkeys(names, "x = 2\n"))
        change = changed(checkout, base="HEAD")
        assert set(paths(change)) == set(names)
        # Git's batch protocol ends a name at a newline, so this one file is read by its hunks.
        assert {file.path for file in change.files if file.base is None} == {"a\nb.py"}

    def test_line_endings_that_git_converts_do_not_make_a_file_unread(
        self, checkout: Checkout
    ) -> None:
        checkout.git("config", "core.autocrlf", "true")
        checkout.write({"a.py": b"a = 1\r\nb = 1\r\n"})
        checkout.commit()
        checkout.write({"a.py": b"a = 1\r\nb = 2\r\n"})
        (file,) = changed(checkout).files
        assert file.unread is None
        assert file.head == "a = 1\nb = 2\n"

    def test_a_change_in_the_moment_of_the_last_commit_is_seen_beside_new_files(
        self, checkout: Checkout
    ) -> None:
        """Git tells by the index's own time that it must read such a file again."""
        checkout.git("config", "core.trustctime", "false")
        file, index = checkout.folder / "a.py", checkout.folder / ".git" / "index"
        moment = (1_700_000_000, 1_700_000_000)
        checkout.write({"a.py": "a = 1\n"})
        os.utime(file, moment)
        checkout.commit()
        checkout.write({"a.py": "a = 2\n", "new.py": ""})
        os.utime(file, moment)
        os.utime(index, moment)
        assert set(paths(changed(checkout))) == {"a.py", "new.py"}

    def test_new_files_have_their_modes_and_repositories_inside_are_left_out(
        self, checkout: Checkout
    ) -> None:
        checkout.write({"a.bin": b"\0\1"})
        checkout.commit()
        checkout.write({"a.bin": b"\0\2", "b.bin": b"\0"})
        (checkout.folder / "link").symlink_to("/etc/passwd")
        checkout.write({"run.sh": "#!/bin/sh\n", "empty.py": ""})
        (checkout.folder / "run.sh").chmod(0o755)
        Checkout(checkout.folder / "inner").commit()
        files = {file.path: file for file in changed(checkout).files}
        assert set(files) == {"a.bin", "b.bin", "empty.py", "link", "run.sh"}
        assert files["run.sh"].new_mode == "100755"
        assert files["a.bin"].is_binary
        assert files["b.bin"].is_binary
        assert files["link"].head == "/etc/passwd"

    def test_a_conflict_is_shown_as_it_lies_there(self, checkout: Checkout) -> None:
        checkout.write({"a.py": "a = 1\n"})
        checkout.commit()
        checkout.git("switch", "--quiet", "--create", "work")
        checkout.write({"a.py": "a = 2\n"})
        checkout.commit()
        checkout.git("switch", "--quiet", "main")
        checkout.write({"a.py": "a = 3\n"})
        checkout.commit()
        with pytest.raises(subprocess.CalledProcessError):
            checkout.git("merge", "work")
        (file,) = changed(checkout).files
        assert file.path == "a.py"
        assert file.unread is None
        assert "<<<<<<<" in (file.head or "")


class TestTheBase:
    def clone(self, checkout: Checkout, folder: Path, *options: str) -> Checkout:
        command = ["git", "clone", "--quiet", *options, checkout.folder.as_uri(), str(folder)]
        subprocess.run(command, check=True, capture_output=True)
        return Checkout(folder)

    def test_is_what_the_remote_calls_its_default(self, checkout: Checkout, tmp_path: Path) -> None:
        checkout.git("switch", "--quiet", "--create", "trunk")
        first = checkout.commit("first")
        clone = self.clone(checkout, tmp_path / "clone")
        clone.git("switch", "--quiet", "--create", "main")
        clone.commit("ahead")
        assert base_of(clone.folder) == first

    @pytest.mark.parametrize("name", ["main", "master"])
    def test_is_main_or_master_without_a_remote(self, checkout: Checkout, name: str) -> None:
        checkout.git("switch", "--quiet", "--create", name) if name != "main" else None
        first = checkout.commit("first")
        checkout.git("switch", "--quiet", "--create", "work")
        checkout.commit("second")
        assert base_of(checkout.folder) == first

    def test_named_is_moved_back_to_where_the_two_part(self, checkout: Checkout) -> None:
        first = checkout.commit("first")
        checkout.git("switch", "--quiet", "--create", "release")
        checkout.commit("release")
        checkout.git("switch", "--quiet", "main")
        checkout.commit("main")
        assert base_of(checkout.folder, "release") == first

    def test_missing_says_what_to_do(self, checkout: Checkout) -> None:
        checkout.commit()
        checkout.git("branch", "--move", "trunk")
        with pytest.raises(UsageError, match=r"No default branch .* --base"):
            base_of(checkout.folder)

    def test_in_a_shallow_clone_says_what_to_do(self, checkout: Checkout, tmp_path: Path) -> None:
        checkout.commit("first")
        checkout.git("switch", "--quiet", "--create", "work")
        checkout.commit("work")
        checkout.git("switch", "--quiet", "main")
        checkout.commit("second")
        clone = self.clone(checkout, tmp_path / "clone", "--depth=1", "--no-single-branch")
        clone.git("switch", "--quiet", "work")
        with pytest.raises(UsageError, match="git fetch --unshallow"):
            base_of(clone.folder)

    def test_without_a_commit_says_what_to_do(self, checkout: Checkout) -> None:
        with pytest.raises(UsageError, match=r"no commit .* --diff"):
            base_of(checkout.folder)

    @pytest.mark.parametrize("ref", ["nowhere", "--output=stolen", "-h", "", "HEAD:a.py", "a b"])
    def test_that_is_no_commit_is_refused_and_never_an_option(
        self, checkout: Checkout, ref: str
    ) -> None:
        checkout.write({"a.py": ""})
        checkout.commit()
        with pytest.raises(UsageError, match="names no commit"):
            base_of(checkout.folder, ref)
        with pytest.raises(UsageError, match="names no commit"):
            base_of(checkout.folder, None, ref)
        assert not (checkout.folder / "stolen").exists()


def test_the_intent_is_what_the_commits_say(checkout: Checkout) -> None:
    def told() -> str:
        with GitCheckout.containing(checkout.folder) as repository:
            return read_commit_messages(repository, resolve_range(repository))

    checkout.commit("before")
    checkout.git("switch", "--quiet", "--create", "work")
    assert told() == ""
    checkout.commit("Add a thing\n\nBecause of that.")
    assert told() == "Add a thing\n\nBecause of that."
