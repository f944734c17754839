"""`jurat review --baseline`: what is known does not count, and what is new does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jurat.errors import ExitCode
from tests.support.checkout import Checkout
from tests.support.command import RULES, Ran, Run, written

OLD = "import hashlib\nhashlib.md5(one)\nhashlib.md5(two)\n"


@pytest.fixture
def old(checkout: Checkout) -> Checkout:
    checkout.write({"a.py": OLD, "rules.yml": RULES})
    checkout.write({".github/jurat.yml": "packs: []\nrules: [rules.yml]\n"})
    checkout.commit()
    return checkout


class TestBaseline:
    @pytest.fixture
    def file(self, run: Run, old: Checkout, tmp_path: Path) -> Path:
        path = tmp_path / "baseline.json"
        ran = run("review", "--repo", old.folder, "--all", "--write-baseline", path)
        assert ran.code == ExitCode.PASSED
        assert ran.err == f"jurat: {path} holds 2 findings.\n"
        return path

    def review(self, run: Run, old: Checkout, file: Path) -> Ran:
        return run("review", "--repo", old.folder, "--all", "--baseline", file)

    def test_sets_aside_what_it_holds(self, run: Run, old: Checkout, file: Path) -> None:
        ran = self.review(run, old, file)
        assert ran.code == ExitCode.PASSED
        assert "Set aside: 2 findings, none counts" in ran.out
        assert "dismissed by baseline.json" in ran.out

    def test_holds_when_lines_move(self, run: Run, old: Checkout, file: Path) -> None:
        old.write({"a.py": f"# above\n\n{OLD}"})
        assert self.review(run, old, file).code == ExitCode.PASSED

    @pytest.mark.parametrize(
        "files",
        [
            {"a.py": f"{OLD}hashlib.md5(three)\n"},
            {"a.py": f"{OLD}hashlib.md5(one)\n"},
            {"b.py": "import hashlib\nhashlib.md5(one)\n"},
        ],
        ids=["other code", "the same code again", "the same code elsewhere"],
    )
    def test_lets_nothing_new_pass(
        self, run: Run, old: Checkout, file: Path, files: dict[str, str]
    ) -> None:
        old.write(files)
        ran = self.review(run, old, file)
        assert ran.code == ExitCode.FINDINGS
        assert "Set aside: 2 findings" in ran.out

    def test_is_written_anew_without_what_was_mended(
        self, run: Run, old: Checkout, file: Path
    ) -> None:
        old.write({"a.py": "import hashlib\nhashlib.md5(two)\n"})
        asked = ("review", "--repo", old.folder, "--all", "--baseline", file)
        assert run(*asked, "--write-baseline", file).code == ExitCode.PASSED
        assert len(json.loads(file.read_text())["findings"]) == 1

    def test_is_written_beside_a_fix_that_found_nothing(
        self, run: Run, old: Checkout, tmp_path: Path
    ) -> None:
        old.write({"a.py": "import hashlib\n"})
        path = tmp_path / "new.json"
        run("review", "--repo", old.folder, "--all", "--fix", "--write-baseline", path)
        assert json.loads(path.read_text())["findings"] == []

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("{", "b.json:1: is not valid JSON"),
            (
                "[]",
                "b.json: is no baseline of this version. "
                "Write one with `jurat review --write-baseline FILE`.",
            ),
            ('{"version": 2, "findings": []}', "b.json: is no baseline of this version."),
            ('{"version": 1, "written": "2027-01-01", "findings": [{}]}', "is no baseline"),
        ],
    )
    def test_that_is_none_is_an_error(
        self, run: Run, old: Checkout, tmp_path: Path, text: str, says: str
    ) -> None:
        ran = self.review(run, old, written(tmp_path / "b.json", text))
        assert (ran.code, ran.out) == (ExitCode.USAGE, "")
        assert says in ran.err
        assert ran.err.count("\n") == 1

    def test_that_is_not_there_is_an_error(self, run: Run, old: Checkout) -> None:
        assert self.review(run, old, Path("nowhere.json")).code == ExitCode.USAGE
