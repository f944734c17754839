"""`jurat review --fix` and `--diff-fixes`: what is proven, and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from jurat.errors import ExitCode
from tests.support.checkout import Checkout
from tests.support.command import RULES, Run, written

OLD = "import hashlib\n\n\ndef digest(data):\n    return data\n"
NEW = "import hashlib\n\n\ndef digest(data):\n    return hashlib.md5(data)\n"
FIXED = NEW.replace("md5", "sha256")


@pytest.fixture
def changed(checkout: Checkout) -> Checkout:
    checkout.write({"a.py": OLD, ".github/jurat.yml": "packs: []\nrules: [rules.yml]\n"})
    checkout.write({"rules.yml": RULES})
    checkout.commit()
    checkout.write({"a.py": NEW})
    return checkout


def read(checkout: Checkout) -> str:
    return (checkout.folder / "a.py").read_text()


class TestFix:
    def test_applies_what_is_proven_and_says_what_is_left(
        self, run: Run, changed: Checkout
    ) -> None:
        ran = run("review", "--repo", changed.folder, "--fix")
        assert read(changed) == FIXED
        assert ran.err == "jurat: applied 1 fix in 1 file.\n"
        assert ran.code == ExitCode.PASSED
        assert ran.out.startswith(" ALLOW  2 rules passed.")

    def test_keeps_the_line_ends_that_lie_on_the_disk(self, run: Run, changed: Checkout) -> None:
        changed.git("config", "core.autocrlf", "true")
        changed.write({"a.py": NEW.replace("\n", "\r\n")})
        assert run("review", "--repo", changed.folder, "--fix").code == ExitCode.PASSED
        assert (changed.folder / "a.py").read_bytes() == FIXED.replace("\n", "\r\n").encode()

    def test_does_not_touch_what_git_has_otherwise(self, run: Run, changed: Checkout) -> None:
        changed.write({".gitattributes": "a.py filter=shout\n"})
        changed.git("config", "filter.shout.clean", "sed s/quiet/QUIET/")
        text = NEW + "# quiet\n"
        changed.write({"a.py": text})
        ran = run("review", "--repo", changed.folder, "--fix")
        assert read(changed) == text
        assert "a.py was not fixed: it is not on the disk as git has it." in ran.err
        assert ran.code == ExitCode.FINDINGS

    def test_leaves_advice_alone(self, run: Run, changed: Checkout) -> None:
        rules = written(
            changed.folder / "rules.yml",
            RULES.replace(
                "fix: hashlib.sha256($X)}",
                "fix: hashlib.sha256($X), consequence: Old digests differ.}",
            ),
        )
        changed.git("stash", "--quiet", "--", "a.py")
        changed.commit("rules with a consequence")
        changed.write({"a.py": NEW})
        ran = run("review", "--repo", changed.folder, "--base", "HEAD", "--fix")
        assert rules.exists()
        assert read(changed) == NEW
        assert ran.err == ""
        assert ran.code == ExitCode.FINDINGS

    @pytest.mark.parametrize("option", [["--head", "HEAD"], ["--diff", "a.diff"]])
    def test_needs_a_work_tree_to_write_to(self, run: Run, option: list[str]) -> None:
        ran = run("review", "--fix", *option)
        assert ran.code == ExitCode.USAGE
        assert "--fix changes the work tree" in ran.err


class TestDiffFixes:
    def test_prints_a_diff_that_git_applies(self, run: Run, changed: Checkout) -> None:
        ran = run("review", "--repo", changed.folder, "--diff-fixes")
        assert ran.code == ExitCode.FINDINGS
        assert read(changed) == NEW
        subprocess.run(
            ["git", "apply", "-"], cwd=changed.folder, input=ran.out, text=True, check=True
        )
        assert read(changed) == FIXED

    @pytest.mark.parametrize("name", ["no newline.py", 'quo"te\\s.py', "tab\tone.py", "ümlaut.py"])
    def test_of_a_file_with_any_name_and_end(
        self, run: Run, changed: Checkout, name: str, tmp_path: Path
    ) -> None:
        changed.write({"a.py": OLD, name: NEW.rstrip("\n")})
        ran = run("review", "--repo", changed.folder, "--diff-fixes")
        assert "\\ No newline at end of file" in ran.out
        subprocess.run(
            ["git", "apply", "-"], cwd=changed.folder, input=ran.out, text=True, check=True
        )
        assert (changed.folder / name).read_text() == FIXED.rstrip("\n")

    def test_without_a_fix_prints_nothing(self, run: Run, changed: Checkout) -> None:
        changed.write({"a.py": FIXED})
        ran = run("review", "--repo", changed.folder, "--diff-fixes")
        assert (ran.code, ran.out) == (ExitCode.PASSED, "")
