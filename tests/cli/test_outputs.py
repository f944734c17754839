"""Where a local review goes, how much of it is said, and by whose rules it was made."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from jurat.errors import ExitCode
from tests.support.checkout import Checkout
from tests.support.command import DIFF, RULES, Run, written


@pytest.fixture
def diff(tmp_path: Path) -> Path:
    return written(tmp_path / "a.diff", DIFF)


class TestOutput:
    def test_writes_several_formats_at_once(
        self, run: Run, rules: Path, diff: Path, tmp_path: Path
    ) -> None:
        files = [tmp_path / name for name in ("r.json", "r.sarif", "r.txt")]
        given = [word for file in files for word in ("--output", file)]
        ran = run("review", "--diff", diff, "--rules", rules, *given)
        assert ran.code == ExitCode.FINDINGS
        answer, log, text = (file.read_text() for file in files)
        assert json.loads(answer)["overall_verdict"] == "DENY"
        assert json.loads(log)["version"] == "2.1.0"
        assert text == ran.out

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("report.xml", "its name does not say its format. End it with .txt, .json, .sarif."),
            ("nowhere/report.json", "there is no folder to write such a file into."),
        ],
    )
    def test_refuses_a_file_before_it_reviews(
        self, run: Run, diff: Path, name: str, says: str
    ) -> None:
        ran = run("review", "--diff", diff, "--output", name)
        assert (ran.code, ran.out) == (ExitCode.USAGE, "")
        assert ran.err == f"jurat: --output {name}: {says}\n"


class TestDetail:
    def test_quiet_leaves_out_what_does_not_count(self, run: Run, rules: Path, diff: Path) -> None:
        loud = run("review", "--diff", diff, "--rules", rules, "--pack", "none").out
        quiet = run("review", "--diff", diff, "--rules", rules, "--pack", "none", "--quiet").out
        assert loud.startswith(quiet)
        assert "Read 1 of 1 file" in loud
        assert "Read 1 of 1 file" not in quiet
        assert "digest.py:2:7  CRITICAL, blocks  acme.no-md5" in quiet

    def test_verbose_adds_each_rules_verdict(self, run: Run, rules: Path, diff: Path) -> None:
        out = run("review", "--diff", diff, "--rules", rules, "--pack", "none", "-v").out
        assert "Verdicts\n  acme.small: ALLOW, deterministic\n  acme.no-md5: DENY, pattern" in out

    def test_thousands_are_grouped_by_their_rules(
        self, run: Run, checkout: Checkout, rules: Path
    ) -> None:
        checkout.commit()
        calls = "".join(f"hashlib.md5(data_{number})\n" for number in range(150))
        checkout.write({"a.py": f"import hashlib\n{calls}", "b.py": f"import hashlib\n{calls}"})
        asked = ("review", "--repo", checkout.folder, "--rules", rules, "--pack", "none")
        out = run(*asked).out
        assert "300 places in 2 files  CRITICAL, blocks  acme.no-md5" in out
        assert "       a.py:2:1\n       a.py:3:1\n" in out
        assert "… and 295 more places" in out
        assert len(out.splitlines()) < 40
        assert "b.py:151:1" in run(*asked, "--verbose").out


class TestAnEmptyDiff:
    @pytest.mark.parametrize("content", ["", "\n\n", "fatal: bad revision\n"])
    def test_is_an_error(self, run: Run, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        ran = run("review", "--diff", "-")
        assert (ran.code, ran.out) == (ExitCode.USAGE, "")
        assert ran.err.count("\n") == 1


class TestWhoseRules:
    @pytest.fixture
    def branch(self, checkout: Checkout) -> Checkout:
        checkout.write({"a.py": "import hashlib\n"})
        checkout.commit()
        checkout.git("switch", "--quiet", "--create", "work")
        checkout.write({".github/jurat.yml": "packs: []\nrules: [house]\n"})
        checkout.write({"house/r.yml": RULES.replace("threshold: 1", "threshold: 9")})
        checkout.write({"a.py": "import hashlib\nhashlib.md5(data)\n"})
        return checkout

    def test_are_the_bases_which_is_said(self, run: Run, branch: Checkout) -> None:
        ran = run("review", "--repo", branch.folder)
        assert "acme.no-md5" not in ran.out
        assert "of the shipped pack engineering. Configuration: as in commit" in " ".join(
            ran.out.split()
        )
        assert "--rules-from head tries it." in ran.err

    @pytest.mark.parametrize("commits", [False, True])
    def test_are_the_branchs_own_if_asked(self, run: Run, branch: Checkout, commits: bool) -> None:
        head = ("--head", branch.commit()) if commits else ()
        ran = run("review", "--repo", branch.folder, "--rules-from", "head", *head)
        assert ran.code == ExitCode.FINDINGS
        assert "acme.no-md5" in ran.out
        place = "commit" if commits else "the work tree"
        assert f"Rules: 2 of 1 file that .github/jurat.yml names. Configuration: as in {place}" in (
            " ".join(ran.out.split())
        )
        assert ran.err == ""


class TestAll:
    def test_reviews_what_was_there_before(self, run: Run, checkout: Checkout) -> None:
        checkout.write({"a.py": "import hashlib\nhashlib.md5(data)\n", "b.py": "x = 1\n"})
        checkout.write({".github/jurat.yml": "packs: []\nrules: [r.yml]\n", "r.yml": RULES})
        checkout.commit()
        assert run("review", "--repo", checkout.folder).code == ExitCode.PASSED
        ran = run("review", "--repo", checkout.folder, "--all")
        assert ran.code == ExitCode.FINDINGS
        assert "a.py:2:1  CRITICAL, blocks  acme.no-md5" in ran.out
        # Its limit is on the size of a change, and a repository is none.
        assert "acme.small" not in ran.out
        assert "Read 4 of 4 files" in ran.out

    def test_asks_no_model(
        self, run: Run, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GEMINI_API_KEY", "not-a-key")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
        checkout.write({"a.py": "x = 1\n"})
        checkout.commit()
        ran = run("review", "--repo", checkout.folder, "--all")
        assert ran.code == ExitCode.PASSED
        assert "0 model calls" in " ".join(ran.out.split())

    def test_goes_without_a_base(self, run: Run) -> None:
        assert run("review", "--all", "--base", "main").code == ExitCode.USAGE


def test_a_report_beside_a_diff_of_fixes_is_refused_and_not_forgotten(run: Run) -> None:
    ended = run("review", "--diff-fixes", "--output", "report.sarif")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert "--diff-fixes prints a diff and no report" in ended.err


class TestProvenance:
    """Which repository and commit a SARIF log is about (3.14.13)."""

    def log(self, ran_out: str) -> object:
        (one,) = json.loads(ran_out)["runs"]
        return one.get("versionControlProvenance")

    def test_names_the_page_and_the_commit_but_no_secret(
        self, run: Run, checkout: Checkout
    ) -> None:
        base = checkout.commit()
        checkout.write({"a.py": "a = 1\n"})
        head = checkout.commit()
        remote = "https://robot:ghp_secret@github.example.com/acme/shop.git"
        checkout.git("remote", "add", "origin", remote)
        asked = ("review", "--repo", checkout.folder, "--base", base, "--format", "sarif")
        page = {
            "repositoryUri": "https://github.example.com/acme/shop",
            "mappedTo": {"uriBaseId": "%SRCROOT%"},
        }
        assert self.log(run(*asked, "--head", head).out) == [{**page, "revisionId": head}]
        # The work tree may hold what no commit does.
        assert self.log(run(*asked).out) == [page]
        whole = ("review", "--repo", checkout.folder, "--all", "--format", "sarif")
        assert self.log(run(*whole).out) == [page]

    def test_is_left_out_if_there_is_no_remote(self, run: Run, checkout: Checkout) -> None:
        base = checkout.commit()
        checkout.write({"a.py": "a = 1\n"})
        checkout.commit()
        ran = run("review", "--repo", checkout.folder, "--base", base, "--format", "sarif")
        assert self.log(ran.out) is None
