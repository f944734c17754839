"""The action and the hooks run as a runner and pre-commit run them."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from jurat.errors import ExitCode
from tests.support.checkout import Checkout
from tests.support.command import RULES
from tests.support.production import python

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "A Tester")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "tester@example.com")
    found = Checkout(tmp_path / "checkout")
    found.write({"a.py": "import hashlib\n", "rules.yml": RULES})
    found.write({".github/jurat.yml": "packs: []\nrules: [rules.yml]\n"})
    found.commit()
    found.git("switch", "--quiet", "--create", "work")
    found.write({"a.py": "import hashlib\nhashlib.md5(data)\n"})
    return found


def test_no_script_holds_what_a_runner_fills_in() -> None:
    scripts = [step["run"] for step in STEPS if "run" in step]
    assert len(scripts) == 2
    assert not any("${{" in script for script in scripts)


def test_every_action_is_pinned_to_a_commit() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name) for name in used)


def test_the_page_names_every_input_and_its_default() -> None:
    page = (ROOT / "docs" / "ci.md").read_text()
    rows = dict(re.findall(r"^\| `([\w-]+)` \| ([^|]+) \|", page, re.MULTILINE))
    assert rows.keys() == ACTION["inputs"].keys()
    for name in ("fail-on", "upload", "python-version"):
        assert rows[name] == ACTION["inputs"][name]["default"]


def run_review(checkout: Checkout, tmp_path: Path, base: str) -> subprocess.CompletedProcess[str]:
    """The step as a runner would: its script in a file of its own, its variables set."""
    (step,) = [one for one in STEPS if one.get("id") == "review"]
    temp = tmp_path / "runner"
    (temp / "jurat" / "bin").mkdir(parents=True)
    command = temp / "jurat" / "bin" / "jurat"
    command.write_text(f'#!/bin/sh\nexec "{python()}" -m jurat "$@"\n')
    command.chmod(0o755)
    script = temp / "step.sh"
    script.write_text(step["run"])
    filled = {"BASE": base, "FAIL_ON": "deny", "GEMINI_API_KEY": "", "XDG_CACHE_HOME": str(temp)}
    assert filled.keys() == step["env"].keys()
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script],
        cwd=checkout.folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(temp),
            "RUNNER_TEMP": str(temp),
            "GITHUB_OUTPUT": str(temp / "output"),
            "GITHUB_ACTIONS": "true",
            **filled,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_review_annotates_fails_and_leaves_its_findings(
    checkout: Checkout, tmp_path: Path
) -> None:
    checkout.commit()
    done = run_review(checkout, tmp_path, "main")
    assert done.returncode == ExitCode.FINDINGS, done.stderr
    assert done.stdout.startswith("::error file=a.py,line=2,endLine=2,title=acme.no-md5")
    sarif = tmp_path / "runner" / "jurat.sarif"
    assert (tmp_path / "runner" / "output").read_text() == f"sarif={sarif}\n"
    (run,) = json.loads(sarif.read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["acme.no-md5"]


def test_the_base_is_a_name_and_no_command(checkout: Checkout, tmp_path: Path) -> None:
    done = run_review(checkout, tmp_path, 'main"; touch pwned; $(touch pwned) --help')
    assert done.returncode == ExitCode.USAGE
    assert "names no commit" in done.stderr
    assert not (checkout.folder / "pwned").exists()


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_passes_and_fails(
    checkout: Checkout, hook: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run() -> int:
        name, *arguments = shlex.split(hook["entry"])
        assert name == "jurat"
        command = [python(), "-m", "jurat", *arguments]
        return subprocess.run(command, cwd=checkout.folder, check=False).returncode

    checkout.write({"a.py": "import hashlib\n"})
    assert run() == ExitCode.PASSED
    checkout.write({"a.py": "import hashlib\nhashlib.md5(data)\n", "rules.yml": "rules: 1\n"})
    checkout.git("add", "--all")
    assert run() == (ExitCode.FINDINGS if hook["id"] == "jurat" else ExitCode.USAGE)
