"""The workflows run what exists, on the Pythons that are named, and `make check` reads them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text()


def load(name: str) -> dict[str, Any]:
    loaded = yaml.safe_load((GITHUB / "workflows" / name).read_text())
    assert isinstance(loaded, dict)
    return loaded


def pythons() -> list[str]:
    """The Pythons that CI runs."""
    versions = load("ci.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert versions
    assert all(isinstance(version, str) for version in versions)  # 3.10 would be the number 3.1
    return versions  # type: ignore[no-any-return]


def test_the_classifiers_name_the_pythons_of_ci() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    prefix = "Programming Language :: Python :: 3."
    named = [line.rpartition(" ")[2] for line in project["classifiers"] if line.startswith(prefix)]
    assert named == pythons()
    assert project["requires-python"] == f">={pythons()[0]}"


def test_the_readme_names_the_pythons_of_ci() -> None:
    (line,) = re.findall(r"^CI runs all tests on Python (.+), on Linux\.$", readme(), re.MULTILINE)
    assert line == f"{', '.join(pythons()[:-1])} and {pythons()[-1]}"


def test_the_image_has_a_python_of_ci() -> None:
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    (version,) = re.findall(r"^FROM python:([\d.]+)-slim", dockerfile, re.MULTILINE)
    assert version in pythons()


def readme() -> str:
    return (ROOT / "README.md").read_text()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_runs_what_is_there(path: Path) -> None:
    for job in load(path.name)["jobs"].values():
        if "uses" in job:
            assert job["uses"].startswith("$/")
            assert (ROOT / job["uses"].removeprefix("$/")).exists()
            continue
        for step in job["steps"]:
            for line in step.get("run", "").splitlines():
                for targets in re.findall(r"\bmake ([\w -]+)", line):
                    for target in targets.split():
                        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target
                if line.startswith(".ci/"):
                    assert (ROOT / line).exists()
            # A release that was asked for by name: what a person reads beside the commit.
            assert "uses" not in step or re.search(
                rf"uses: {re.escape(step['uses'])} # v\d+\.\d+\.\d+$",
                path.read_text(),
                re.MULTILINE,
            )


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """What the line in `make check` says to another folder."""
    (line,) = re.findall(r"^\t@\$\(BIN\)/(zizmor .+) \.github$", MAKEFILE, re.MULTILINE)
    name, *options = shlex.split(line)
    program = Path(sys.executable).with_name(name)
    command = [str(program), *options, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_workflows_have_no_finding() -> None:
    ended = lint(GITHUB)
    assert (ended.returncode, ended.stdout) == (0, ended.stdout), ended.stdout
    assert "error" not in ended.stderr


@pytest.mark.parametrize(
    ("before", "after", "finding"),
    [
        (
            "run: .ci/run",
            'run: echo "${{ github.event.pull_request.title }}" && .ci/run',
            "template-injection",
        ),
        ("persist-credentials: false", "fetch-depth: 0", "artipacked"),
        (r"actions/checkout@\w{40} ", "actions/checkout@v7 ", "unpinned-uses"),
        (r"permissions: \{\}", "permissions: write-all", "excessive-permissions"),
        (r"  pull_request:\n", "  pull_request_target:\n", "dangerous-triggers"),
    ],
)
def test_a_careless_workflow_turns_the_check_red(
    tmp_path: Path, before: str, after: str, finding: str
) -> None:
    workflow = tmp_path / ".github" / "workflows" / "ci.yml"
    workflow.parent.mkdir(parents=True)
    text = (GITHUB / "workflows" / "ci.yml").read_text()
    changed, times = re.subn(before, lambda _: after, text)
    assert times == 1
    workflow.write_text(changed)
    ended = lint(tmp_path / ".github")
    assert ended.returncode != 0
    assert f"[{finding}]" in ended.stdout
