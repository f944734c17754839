"""The quality board says what is measured, and no figure falls unseen."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from jurat.rules.merit import OutcomeCounts
from tests.quality.cases import Case, load_cases
from tests.quality.figures import count_figures, find_falls, read_kept
from tests.quality.firings import (
    CodeBase,
    Firing,
    Reading,
    count_firings,
    find_reading,
    list_measured_rules,
    list_merits,
    load_code_bases,
    load_readings,
    scan_code_base,
)
from tests.quality.histories import load_first_sight, load_labels, load_projects
from tests.quality.measure import measure_cases
from tests.quality.page import PAGE, render_page
from tests.quality.pairs import HALVES, count_pairs, load_pairs, measure_pairs
from tests.quality.rounds_page import ROUNDS_PAGE, render_rounds_page
from tests.support.git import write_commits


def test_the_labelled_changes_come_out_as_the_board_says(tmp_path: Path) -> None:
    found = count_figures(measure_cases(load_cases(), tmp_path))
    assert found == read_kept()["cases"], "run `make quality`, and look at what has changed"


def test_the_open_pairs_come_out_as_the_board_says() -> None:
    """In each language at least half of the faults, in all 70%, as of those that are held back,
    which `make quality` alone counts anew.
    """
    kept = read_kept()["pairs"]
    found = count_pairs(list(measure_pairs(list(load_pairs("open")))))
    assert found == kept["open"], "run `make quality`, and look at what has changed"
    for rows in (kept[half].values() for half in HALVES):
        assert all(row["found"] * 2 >= row["pairs"] for row in rows)
        whole = {name: sum(row[name] for row in rows) for name in ("found", "pairs")}
        assert whole["found"] >= 0.7 * whole["pairs"]


def test_the_page_is_made_from_the_kept_figures() -> None:
    assert PAGE.read_text("utf-8") == render_page(read_kept()), "run `make quality`"


def test_the_page_of_rounds_is_made_from_the_kept_figures() -> None:
    made = render_rounds_page(read_kept()["flows"])
    assert ROUNDS_PAGE.read_text("utf-8") == made, "run `make quality`"


def test_the_board_shows_what_each_rule_has_earned() -> None:
    assert list_merits() == read_kept()["merits"], "run `make quality`"


def test_every_firing_was_read_at_a_commit_that_is_named() -> None:
    projects = {base.name for base in load_code_bases()}
    readings, shipped = load_readings(), _list_shipped()
    assert {reading.project for reading in readings} <= projects
    assert not [item.rule for item in readings if item.rule not in shipped]


def _list_shipped() -> set[str]:
    return {rule.id for rule in list_measured_rules()}


class TestAFiring:
    AT = Firing("a/b", "py.eval", "x.py", 10, 12)

    @pytest.mark.parametrize(("line", "found"), [(9, False), (10, True), (12, True), (13, False)])
    def test_is_read_at_any_line_that_it_covers(self, line: int, found: bool) -> None:
        reading = Reading(
            project="a/b", rule="py.eval", path="x.py", line=line, label="true", why="it is"
        )
        assert (find_reading(self.AT, [reading]) is not None) is found

    def test_that_nobody_has_read_is_counted_as_unread(self) -> None:
        (rule,) = (rule for rule in list_measured_rules() if rule.id == "py.eval")
        measured = count_firings([rule], [self.AT], [])["py.eval"]
        assert (measured.unread, measured.tally) == (1, OutcomeCounts(1, 1))
        assert measured.substance == rule.substance

    def test_is_found_in_code_as_it_stands(self, tmp_path: Path) -> None:
        folder = tmp_path / "a+b"
        folder.mkdir()
        write_commits(folder, [("main", None, {"x.py": b"eval(text)\n", "x.txt": b"eval(text)\n"})])
        (rule,) = (rule for rule in list_measured_rules() if rule.id == "py.eval")
        found = scan_code_base(CodeBase(name="a/b", commit="main"), [rule], tmp_path)
        assert found == [Firing("a/b", "py.eval", "x.py", 1, 1)]


def test_there_are_enough_of_each_kind() -> None:
    kinds = [case.kind for case in load_cases()]
    assert len(kinds) >= 400
    assert set(kinds) == {"planted", "twin", "removal", "context", "move", "rename", "ratchet"}


def test_ten_histories_are_measured_and_each_label_is_of_one() -> None:
    projects = {project.name for project in load_projects()}
    assert len(projects) >= 10
    assert {label.project for label in load_labels()} <= projects
    assert set(read_kept()["histories"]["projects"]) == projects


def test_what_was_read_at_first_sight_is_as_its_rounds_say() -> None:
    rounds = [row for row in read_kept()["flows"]["rounds"] if "all_right" in row]
    said = load_first_sight()
    assert len(rounds) == 2
    for row in rounds:
        of = [one for one in said if row["projects"].get(one.project) == one.commit[:8]]
        right = [one for one in of if one.label != "false"]
        assert (len(right), len(of)) == (row["all_right"], row["all_findings"])
    assert len(said) == sum(row["all_findings"] for row in rounds)


@pytest.mark.parametrize(
    ("group", "part", "change", "named"),
    [
        ("gate", "stopped", -1, "faults stopped"),
        ("gate", "good_stopped", 1, "good changes let through"),
    ],
)
def test_a_figure_that_falls_is_named(group: str, part: str, change: int, named: str) -> None:
    kept = read_kept()
    worse: dict[str, Any] = deepcopy(dict(kept))
    worse["cases"][group][part] += change
    (fall,) = find_falls(kept, worse)
    assert fall.startswith(f"{named}: ")
    assert find_falls(worse, kept) == []


def test_a_merged_change_that_would_be_stopped_anew_is_a_fall() -> None:
    kept = read_kept()
    worse: dict[str, Any] = deepcopy(dict(kept))
    next(iter(worse["histories"]["projects"].values()))["stopped"] += 1
    assert [fall.partition(":")[0] for fall in find_falls(kept, worse)] == [
        "merged changes let through"
    ]


WHOLE: Mapping[str, Any] = {
    "id": "py-a",
    "kind": "planted",
    "language": "python",
    "cwe": 89,
    "severity": "HIGH",
    "why": "a reason",
    "at": "bad()",
    "files": {"a.py": {"base": "good()\n", "head": "bad()\n"}},
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cwe": None}, "a fault has a cwe and a severity"),
        ({"at": "nowhere"}, "stands nowhere"),
        ({"files": {"a.py": {"base": "bad()\n", "head": "bad()\n"}}}, "nothing changes"),
        ({"id": "With Spaces"}, "should match"),
        ({"kind": "guess"}, "Input should be"),
    ],
)
def test_a_label_that_is_wrong_is_refused(change: dict[str, Any], said: str) -> None:
    Case.model_validate(WHOLE)
    with pytest.raises(ValueError, match=said):
        Case.model_validate({**WHOLE, **change})
