"""`make changelog` moves each fragment into its section of the first release, all or none."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.production import python

ROOT = Path(__file__).parents[2]
CHANGELOG = """# Changelog

Words.

## 0.2.0, unreleased

### Rules

- One.

### Running it

- Two.

## 0.1.0, 2026-01-01

### Rules

- Old.
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "deploy").mkdir()
    shutil.copy(ROOT / "deploy" / "changelog.py", tmp_path / "deploy")
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d" / "README.md").write_text("How.\n")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    return tmp_path


def assemble(checkout: Path) -> subprocess.CompletedProcess[str]:
    program = [python(), str(checkout / "deploy" / "changelog.py")]
    return subprocess.run(program, capture_output=True, text=True, check=False)


def fragments(checkout: Path) -> list[str]:
    return sorted(path.name for path in (checkout / "changelog.d").iterdir())


def test_fragments_join_their_sections_and_are_deleted(checkout: Path) -> None:
    (checkout / "changelog.d" / "a.md").write_text("### Rules\n\n- Three,\n  at length.\n- Four.\n")
    (checkout / "changelog.d" / "b.md").write_text("### The model\n\n- Five.\n")
    assert assemble(checkout).returncode == 0
    grown = CHANGELOG.replace("- One.\n", "- One.\n- Three,\n  at length.\n- Four.\n")
    grown = grown.replace("- Two.\n", "- Two.\n\n### The model\n\n- Five.\n")
    assert (checkout / "CHANGELOG.md").read_text() == grown
    assert fragments(checkout) == ["README.md"]


def test_without_fragments_nothing_changes(checkout: Path) -> None:
    assert assemble(checkout).returncode == 0
    assert (checkout / "CHANGELOG.md").read_text() == CHANGELOG


@pytest.mark.parametrize(
    "text",
    ["- No heading.\n", "### Rules\n\nNo bullet.\n", "### Rules\n\n- One.\n\n### More\n", ""],
)
def test_a_fragment_that_is_none_is_named_and_nothing_is_written(checkout: Path, text: str) -> None:
    (checkout / "changelog.d" / "a.md").write_text("### Rules\n\n- Fine.\n")
    (checkout / "changelog.d" / "b.md").write_text(text)
    ended = assemble(checkout)
    assert ended.returncode == 1
    assert ended.stderr.startswith("changelog.d/b.md: ")
    assert (checkout / "CHANGELOG.md").read_text() == CHANGELOG
    assert fragments(checkout) == ["README.md", "a.md", "b.md"]


def test_a_release_that_is_dated_takes_nothing_more(checkout: Path) -> None:
    (checkout / "CHANGELOG.md").write_text(CHANGELOG.replace("unreleased", "2026-02-01"))
    (checkout / "changelog.d" / "a.md").write_text("### Rules\n\n- Late.\n")
    ended = assemble(checkout)
    assert ended.returncode == 1
    assert "VERSION, unreleased" in ended.stderr
    assert fragments(checkout) == ["README.md", "a.md"]


def test_the_fragments_of_this_checkout_can_be_assembled(checkout: Path) -> None:
    shutil.copy(ROOT / "CHANGELOG.md", checkout)
    shutil.copytree(ROOT / "changelog.d", checkout / "changelog.d", dirs_exist_ok=True)
    ended = assemble(checkout)
    assert (ended.returncode, ended.stderr) == (0, "")
