"""The pages for those who come name what there is: files, targets of make, walks that are short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("CONTRIBUTING.md", "README.md", "SECURITY.md")),
    ROOT / "changelog.d" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
INSIDE = {"CONTRIBUTING.md", "architecture.md", "glossary.md"}
"""Pages about the code: each path is one of ours. Others name files of their readers too."""

PATH = re.compile(r"(?=.*(?:/|\.(?:py|md|ya?ml|toml|txt|lock|json)$))[\w.-]+(?:/[\w.-]+)*/?")
OURS = re.compile(r"(?:bot|changelog\.d|deploy|docs|fixtures|tests)/")
TARGET = re.compile(r"^make ([\w-]+)", re.MULTILINE)
WALK = re.compile(r"^### (Add [^\n]*)\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
MOST_STEPS = 10
MOST_FILES = 4


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def paths_on(text: str, *, all_ours: bool) -> set[str]:
    """The paths between backticks, without the readers' own."""
    spans = [span for span in re.findall(r"`([^`\n]+)`", text) if PATH.fullmatch(span)]
    return {span for span in spans if all_ours or OURS.match(span)}


def there_is(path: str) -> bool:
    """Whether the repository has it; pages about the code leave out bot/jurat/."""
    return (ROOT / path).exists() or (ROOT / "bot" / "jurat" / path).exists()


def walks() -> dict[str, str]:
    return dict(WALK.findall((ROOT / "CONTRIBUTING.md").read_text()))


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_path_on_a_page_is_there(page: Path) -> None:
    paths = paths_on(page.read_text(), all_ours=page.name in INSIDE)
    assert [path for path in sorted(paths) if not there_is(path)] == []
    assert len(paths) > 20 or page.name not in INSIDE


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_make_has_every_target_on_a_page(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    text = page.read_text()
    named = {*TARGET.findall(text), *re.findall(r"`make ([\w-]+)", text)}
    assert named <= targets
    assert named or page.name != "CONTRIBUTING.md"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        assert "://" in target or (page.parent / target).exists(), target


def test_there_is_a_walk_for_all_that_people_add() -> None:
    added = " ".join(walks())
    for thing in ("a rule", "a constraint type", "a language", "a judge", "a command"):
        assert f"Add {thing}" in added


@pytest.mark.parametrize("walk", walks())
def test_a_walk_is_short_and_names_files(walk: str) -> None:
    steps = re.findall(r"^(\d+)\. (.*)$", walks()[walk], re.MULTILINE)
    assert [int(number) for number, _ in steps] == list(range(1, len(steps) + 1))
    assert 3 <= len(steps) <= MOST_STEPS
    assert paths_on(walks()[walk], all_ours=True)


def test_a_question_is_answered_by_at_most_four_files() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    section = page.split("## Three walks\n", 1)[1].split("\n## ", 1)[0]
    rows = [paths_on(line, all_ours=True) for line in section.splitlines() if "?" in line]
    assert len(rows) == 3
    assert all(1 <= len(files) <= MOST_FILES for files in rows)


def test_what_is_missing_would_be_seen() -> None:
    text = "`bot/jurat/gone.py`, `gone.md`, `app/`, `/recheck`, `jurat / rules`, `change.files`"
    assert paths_on(text, all_ours=True) == {"bot/jurat/gone.py", "gone.md", "app/"}
    assert paths_on(text, all_ours=False) == {"bot/jurat/gone.py"}
    assert [path for path in ("bot/jurat/gone.py", "gone.md", "app/") if there_is(path)] == ["app/"]
