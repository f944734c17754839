"""Git as a command: which repository it is, and what it is never allowed to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from jurat.cli.checkout import GitCheckout, read_change, resolve_range
from jurat.errors import UsageError
from jurat.source.diff import FileStatus
from tests.support.checkout import Checkout, changed, paths


class TestTheRepository:
    def test_is_found_from_a_folder_inside_it(
        self, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        checkout.write({"deep/down/a.py": ""})
        monkeypatch.chdir(checkout.folder / "deep" / "down")
        assert GitCheckout.containing(None).root == checkout.folder

    def test_may_be_bare(self, checkout: Checkout, tmp_path: Path) -> None:
        checkout.commit()
        checkout.git("switch", "--quiet", "--create", "work")
        checkout.write({"a.py": "a = 1\n"})
        checkout.commit()
        bare = tmp_path / "bare.git"
        checkout.git("clone", "--quiet", "--bare", str(checkout.folder), str(bare))
        with GitCheckout.containing(bare) as repository:
            change = read_change(repository, resolve_range(repository, "main", "work"))
            with pytest.raises(UsageError, match=r"is a bare repository.* with --head\."):
                resolve_range(repository, "main")
        assert paths(change) == {"a.py": FileStatus.ADDED}

    def test_nowhere_says_what_to_do(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match=r"not a git repository.*--repo"):
            GitCheckout.containing(tmp_path)
        with pytest.raises(UsageError, match="is not a folder"):
            GitCheckout.containing(tmp_path / "nowhere")

    def test_without_git_says_what_to_do(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(UsageError, match=r"git was not found\. Install git"):
            GitCheckout.containing(tmp_path)

    def test_named_is_not_the_one_that_a_hook_runs_in(
        self, checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = Checkout(tmp_path / "other")
        monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
        monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
        assert GitCheckout.containing(checkout.folder).root == checkout.folder
        assert GitCheckout.containing(None).root == other.folder


class TestConfiguredGit:
    """A user's or a repository's git configuration changes nothing of what is read."""

    @pytest.mark.parametrize(
        "settings",
        [
            {"diff.noprefix": "true"},
            {"diff.mnemonicPrefix": "true"},
            {"diff.context": "0", "diff.interHunkContext": "9"},
            {"color.ui": "always", "diff.colorMoved": "zebra"},
            {"diff.renames": "copies", "diff.algorithm": "histogram"},
            {"diff.submodule": "log", "diff.relative": "true"},
            {"diff.suppressBlankEmpty": "true", "core.quotePath": "false"},
            {"log.showSignature": "false", "core.pager": "false"},
        ],
        ids=lambda settings: next(iter(settings)),
    )
    def test_the_change_is_the_same(self, checkout: Checkout, settings: dict[str, str]) -> None:
        checkout.write({"ä/a.py": "a = 1\n\n\nb = 1\n" + "c = 1\n" * 20})
        checkout.commit()
        checkout.write({"ä/a.py": "a = 2\n\n\nb = 1\n" + "c = 1\n" * 20 + "d = 1\n"})
        plain = changed(checkout)
        for name, value in settings.items():
            checkout.git("config", name, value)
        assert changed(checkout) == plain

    @pytest.mark.parametrize(
        ("settings", "attributes"),
        [
            ({"diff.external": "{program}"}, ""),
            ({"diff.custom.command": "{program}"}, "*.py diff=custom"),
            ({"diff.custom.textconv": "{program}"}, "*.py diff=custom"),
            ({"core.fsmonitor": "{program}"}, ""),
            ({"core.pager": "{program}", "pager.diff": "true"}, ""),
        ],
        ids=["external", "driver", "textconv", "fsmonitor", "pager"],
    )
    def test_no_program_is_run(
        self, checkout: Checkout, settings: dict[str, str], attributes: str
    ) -> None:
        checkout.write({"a.py": "a = 1\n", ".gitattributes": attributes})
        checkout.commit()
        trace = checkout.folder.parent / "was-run"
        program = checkout.folder.parent / "program"
        program.write_text(f"#!/bin/sh\ntouch {trace}\n")
        program.chmod(0o755)
        for name, value in settings.items():
            checkout.git("config", name, value.format(program=program))
        checkout.write({"a.py": "a = 2\n", "b.py": "b = 1\n"})
        trace.unlink(missing_ok=True)
        assert set(paths(changed(checkout))) == {"a.py", "b.py"}
        assert not trace.exists()

    def test_nothing_is_written_to_the_repository(self, checkout: Checkout) -> None:
        checkout.write({"a.py": "a = 1\n"})
        checkout.commit()
        checkout.write({"a.py": "a = 2\n", "b.py": "b = 1\n"})

        def snapshot() -> dict[Path, bytes]:
            return {
                path: path.read_bytes() for path in checkout.folder.rglob("*") if path.is_file()
            }

        before = snapshot()
        changed(checkout)
        assert snapshot() == before
