"""What is reviewed and by which rules: checkouts, diffs, facts, and `jurat rules`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from jurat.errors import ExitCode
from tests.support.checkout import Checkout
from tests.support.command import DIFF, NORMATIVE, OVERTIME, RULES, Run, written

FOR_THE_MODEL = f"{NORMATIVE}    examples: {{valid: [\"say('please')\"]}}\n"
"""An example that no computer can run."""


class TestWhatIsReviewed:
    def test_a_checkout_needs_no_configuration(
        self, run: Run, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        checkout.write({"a.py": "import requests\n"})
        checkout.commit()
        checkout.write({"a.py": "import requests\nrequests.get(url, verify=False)\n"})
        monkeypatch.chdir(checkout.folder)
        ran = run("review")
        assert ran.code == ExitCode.FINDINGS
        assert "a.py:2:19  CRITICAL, blocks  " in ran.out

    def test_nothing_changed_is_said_and_passes(self, run: Run, checkout: Checkout) -> None:
        checkout.commit()
        ran = run("review", "--repo", checkout.folder)
        assert ran.code == ExitCode.PASSED
        assert (
            ran.err
            == "jurat: nothing has changed since the base. --all reviews all that is there.\n"
        )

    def test_a_diff_from_standard_input(
        self, run: Run, rules: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DIFF.encode())))
        assert run("review", "--diff", "-", "--rules", rules).code == ExitCode.FINDINGS

    @pytest.mark.parametrize(
        ("name", "text", "code"),
        [
            ("facts.json", '{"monthly_overtime_hours": 52}', ExitCode.FINDINGS),
            ("facts.yaml", "monthly_overtime_hours: 45.0\n", ExitCode.PASSED),
            ("facts.json", '{"monthly_overtime_hours": 45.000000000000000001}', ExitCode.FINDINGS),
        ],
    )
    def test_facts_alone_need_no_checkout(
        self, run: Run, tmp_path: Path, name: str, text: str, code: ExitCode
    ) -> None:
        rules = written(tmp_path / "hr.yml", OVERTIME)
        facts = written(tmp_path / name, text)
        ran = run("review", "--facts", facts, "--subject", "event", "--rules", rules)
        assert ran.code == code

    @pytest.mark.parametrize(
        ("name", "text", "says"),
        [
            ("facts.json", '{"a": 1,\n "a": 2}', "'a' stands twice"),
            ("facts.json", '{"a": NaN}', "NaN is not a number"),
            ("facts.json", '{"a":\n', "facts.json:2: is not valid JSON"),
            ("facts.json", "[" * 100_000, "cannot be facts"),
            ("facts.yaml", "- 1\n", "must hold a mapping"),
            ("facts.yaml", "a: 1\na: 2\n", "facts.yaml:2:"),
            ("facts.yaml", "\udcff", "not UTF-8"),
        ],
    )
    def test_broken_facts_are_one_line(
        self, run: Run, tmp_path: Path, name: str, text: str, says: str
    ) -> None:
        facts = tmp_path / name
        facts.write_bytes(text.encode("utf-8", "surrogateescape"))
        ran = run("review", "--facts", facts)
        assert ran.code == ExitCode.USAGE
        (line,) = ran.err.splitlines()
        assert says in line


class TestRulesCommands:
    def test_check_counts_what_it_loaded(self, run: Run, rules: Path) -> None:
        ran = run("rules", "check", rules)
        assert (ran.code, ran.out) == (0, "2 rules in 1 file can be loaded.\n")

    def test_check_without_a_path_takes_the_work_tree_s_configuration(
        self, run: Run, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / ".github").mkdir()
        configuration = written(
            tmp_path / ".github" / "jurat.yml", "packs: []\nrules: [rules.yml]\n"
        )
        assert run("rules", "check").out == "2 rules in 1 file can be loaded.\n"
        configuration.write_text("packs: [nowhere]\n")
        ran = run("rules", "check")
        assert ran.code == ExitCode.USAGE
        assert ran.err.startswith(".github/jurat.yml:1: packs[0]: unknown pack 'nowhere'")
        monkeypatch.chdir(tmp_path / ".github")
        assert run("rules", "check").err.startswith("jurat.yml:1: packs[0]: unknown pack")
        configuration.write_text("packs: []\nrules: [rules.yml]\n")
        assert run("rules", "check").out == "2 rules in 1 file can be loaded.\n"

    def test_test_names_the_example_that_fails(self, run: Run, rules: Path) -> None:
        assert run("rules", "test", rules).code == ExitCode.PASSED
        rules.write_text(RULES.replace('["hashlib.sha256(data)"]', '["hashlib.md5(x)"]'))
        ran = run("rules", "test", rules)
        assert ran.code == ExitCode.FINDINGS
        assert ran.err.startswith(f"{rules}:20: acme.no-md5: valid[0] is caught")
        assert ran.out == "2 examples of 2 rules: 1 example failed.\n"

    @pytest.mark.parametrize("rule", [OVERTIME, FOR_THE_MODEL])
    def test_nothing_tested_is_no_pass(self, run: Run, tmp_path: Path, rule: str) -> None:
        ran = run("rules", "test", written(tmp_path / "own.yml", rule))
        assert (ran.code, ran.out) == (ExitCode.INCOMPLETE, "")
        assert ran.err.startswith("jurat: Nothing was tested: 1 rule, and no example to run. ")

    def test_list_shows_every_rule(self, run: Run, rules: Path) -> None:
        text = run("rules", "list", rules).out
        assert "acme.small" in text
        assert max(map(len, text.splitlines())) <= 80
        rows = json.loads(run("rules", "list", rules, "--format", "json").out)
        assert [row["id"] for row in rows] == ["acme.small", "acme.no-md5"]
        assert rows[0]["origin"] == f"{rules}:3"

    def test_the_shipped_rules_pass_their_own_examples(self, run: Run) -> None:
        ran = run("rules", "test")
        assert (ran.code, ran.err) == (0, "")
