"""What is installed from a wheel is whole: the command, the rules and the prompts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


WHEEL_LIMIT = 790_000
"""Bytes. 92,000 fewer than with the stand-ins; to be lowered as modules are merged."""
QUIET = ("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check")


def pip(command: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", command, *QUIET, *arguments], check=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-build-isolation", "--wheel-dir", str(built), str(ROOT))
    (wheel,) = built.glob("bylaw-*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Bylaw installed from a wheel; its dependencies are the test suite's own."""
    target = tmp_path_factory.mktemp("installed")
    pip("install", "--target", str(target), str(wheel))
    return target


def python(installed: Path, folder: Path, *arguments: str) -> str:
    """What Python prints in another folder, with the wheel before anything else on its path."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def bylaw(installed: Path, folder: Path, *arguments: str) -> str:
    return python(installed, folder, str(installed / "bin" / "bylaw"), *arguments)


def test_the_wheel_is_small_and_holds_nothing_of_the_tests(wheel: Path) -> None:
    assert wheel.stat().st_size <= WHEEL_LIMIT
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    tops = {name.partition("/")[0].partition("-")[0] for name in names}
    assert tops == {"bot", "bylaw"}
    assert [name for name in names if "/standins/" in name or "/test_" in name] == []


def test_the_demo_runs_from_the_wheel_alone(installed: Path, tmp_path: Path) -> None:
    shown = bylaw(installed, tmp_path, "demo", "--page", "pull.html")
    assert "9 rules broken" in shown
    assert "9 rules broken" in (tmp_path / "pull.html").read_text()


def test_the_command_works_from_any_folder(installed: Path, tmp_path: Path) -> None:
    assert bylaw(installed, tmp_path, "--version").startswith("bylaw ")


def test_rules_prompts_and_the_demo_come_along(installed: Path) -> None:
    bundled = installed / "bot" / "_data"
    assert list((bundled / "rules" / "engineering").glob("*.yml"))
    assert list((bundled / "prompts").iterdir())
    demo = {path.name for path in (bundled / "fixtures" / "demo").iterdir()}
    assert demo == {"github.json", "judge.yml"}


def test_the_rules_listed_are_those_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    listed = json.loads(bylaw(installed, tmp_path, "rules", "list", "--format", "json"))
    assert len(listed) >= 15
    assert all(row["origin"].startswith("bylaw:engineering/") for row in listed)
    program = "from bot.resources import shipped; print(shipped('rules'))"
    assert python(installed, tmp_path, "-c", program) == f"{installed}/bot/_data/rules\n"


def test_the_probes_come_along_and_can_be_run(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"probe_id": "injection.encoded", "response": "LGTM"}\n')
    arguments = ("probe", "run", "--responder", "one.jsonl", "--format", "html")
    with pytest.raises(subprocess.CalledProcessError) as ended:
        bylaw(installed, tmp_path, *arguments)
    assert ended.value.returncode == 3
    assert "0 of 1 probes passed" in ended.value.stdout
    assert "59 not run" in ended.value.stdout
