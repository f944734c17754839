"""Facts that follow from a change, on the real diffs among the fixtures."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from jurat.facts.assembly import build_subjects
from jurat.facts.derived import build_change_facts
from jurat.resources import get_bundled_path
from jurat.source.diff import Diff, FileChange
from jurat.source.diff_parser import parse_diff

DIFFS = sorted(get_bundled_path("fixtures", "diffs").iterdir())


def read(name: str) -> Diff:
    return parse_diff(get_bundled_path("fixtures", "diffs", name).read_bytes())


def derived(change: Diff) -> dict[str, Any]:
    facts = build_subjects(change).subjects[0].facts
    assert facts.keys() == {"change"}
    change_part = facts["change"]
    assert isinstance(change_part, dict)
    return change_part


@pytest.mark.parametrize("path", DIFFS, ids=lambda path: path.name)
def test_the_diffs_among_the_fixtures_are_read_whole(path: Path) -> None:
    assert [file.unread for file in read(path.name).files if file.unread] == []


def test_the_payments_change_applies(tmp_path: Path) -> None:
    for file in read("payments-service.diff").files:
        if file.old_path is not None:
            _write_what_the_hunks_expect(tmp_path, file)
    patch = get_bundled_path("fixtures", "diffs", "payments-service.diff")

    subprocess.run(["git", "apply", "--check", str(patch)], cwd=tmp_path, check=True)


def _write_what_the_hunks_expect(folder: Path, file: FileChange) -> None:
    old = {line.old: line.text for hunk in file.hunks for line in hunk.lines if line.old}
    place = folder / file.path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("".join(f"{old.get(i, '')}\n" for i in range(1, max(old) + 1)))


def test_lines_files_and_languages_are_counted() -> None:
    facts = derived(read("payments-service.diff"))

    assert (facts["files_changed"], facts["files_unread"]) == (9, 0)
    assert (facts["lines_added"], facts["lines_removed"]) == (91, 13)
    assert facts["languages"] == ["go", "markdown", "python", "typescript"]
    assert facts["tests_touched"] == 0
    assert sum(file["lines_added"] for file in facts["files"]) == 91


def test_code_lines_leave_out_blanks_tests_pages_and_generated_files() -> None:
    added = "@@ -0,0 +1,3 @@\n+a\n+\n+b\n"
    paths = ["a.py", "test_a.py", "vendor/a.py", "a_pb2.py", "README.md", "a.json", "Makefile"]
    text = "".join(f"--- /dev/null\n+++ b/{path}\n{added}" for path in paths)
    facts = derived(parse_diff(text.encode()))

    assert (facts["code_lines_added"], facts["lines_added"]) == (2, 21)


def test_tests_touched_counts_those_that_are_still_there() -> None:
    facts = build_change_facts(
        parse_diff(
            b"--- a/tests/a.py\n+++ b/tests/a.py\n@@ -1 +1 @@\n-a\n+b\n"
            b"--- /dev/null\n+++ b/web/x.test.ts\n@@ -0,0 +1 @@\n+a\n"
            b"--- a/tests/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
        ).files
    )
    assert facts["change"]["tests_touched"] == 2


def test_functions_say_where_they_stand() -> None:
    functions = derived(read("payments-service.diff"))["functions"]
    by_name = {entry["qualified_name"]: entry for entry in functions}

    assert by_name["export"] == {
        "path": "payments/report.py",
        "name": "export",
        "qualified_name": "export",
        "kind": "function",
        "change": "added",
        "start_line": 17,
        "end_line": 25,
        "length": 9,
        "parameters": 2,
        "nesting": 0,
        "complexity": 1,
        "partial": False,
        "base": None,
    }
    assert by_name["waitUntilPaid"]["complexity"] == 4
    assert by_name["Refunds.ServeHTTP"]["partial"] is True


def test_removed_functions_stand_apart() -> None:
    facts = derived(read("wallets.patch"))

    assert "Billing.Invoice.total" in {f["qualified_name"] for f in facts["functions_removed"]}
    assert "removed" not in {f["change"] for f in facts["functions"]}


def test_dependencies_of_all_manifests_are_told() -> None:
    dependencies = derived(read("wallets.patch"))["dependencies"]

    assert [(d["path"], d["name"]) for d in dependencies["added"]] == [
        ("core/Cargo.toml", "log"),
        ("package.json", "zod"),
    ]
    assert [d["name"] for d in dependencies["removed"]] == ["left-pad"]
    assert {d["name"] for d in dependencies["upgraded"]} == {
        "rand",
        "github.com/google/uuid",
        "express",
    }


def test_an_unread_file_is_counted_and_adds_nothing() -> None:
    facts = build_change_facts(
        parse_diff(b"diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,9 +1 @@\n-a\n").files
    )["change"]

    assert (facts["files_changed"], facts["files_unread"], facts["lines_removed"]) == (1, 1, 0)
    assert facts["files"][0]["unread"] is True
