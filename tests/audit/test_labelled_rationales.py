"""What the audit flags of labelled rationales, those it was made with and those it was not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from jurat.audit import RuleSet, decision_rationale_rules, verdict_rationale_rules

FIXTURES = Path(__file__).parents[2] / "fixtures" / "rationales"
SETS = {
    "ALLOW": verdict_rationale_rules("ALLOW"),
    "DENY": verdict_rationale_rules("DENY"),
    "DECISION": decision_rationale_rules(),
}
LEAST_OF_BAD, MOST_OF_GOOD = 0.9, 0.05


def build_metadata(entry: dict[str, Any], subject: dict[str, Any]) -> dict[str, Any]:
    if entry["verdict"] == "DECISION":
        return {"flags_present": subject["flags"]}
    known = {"confidence": 0.9, "rule_id": subject["id"]}
    if entry["verdict"] == "DENY":
        quotes = entry.get("quotes") or [subject["quote"]]
        rows = [row for row in subject["code"].splitlines() if quotes[0] in row]
        line = rows[0].partition("+")[0].strip() if rows and "+" in rows[0] else "1"
        known |= {"quotes": quotes, "locations": [f"file:{line}"]}
    return known


def iter_flags(name: str) -> Iterator[tuple[dict[str, Any], bool]]:
    """Each rationale of a file, and whether it was flagged."""
    table = yaml.safe_load((FIXTURES / f"{name}.yml").read_text(encoding="utf-8"))
    for entry in table["rationales"]:
        subject = table["subjects"][entry["of"]]
        rules: RuleSet = SETS[entry["verdict"]]
        result = rules.evaluate(
            question=subject["rule"],
            response=entry["text"],
            context=subject["code"],
            metadata=build_metadata(entry, subject),
        )
        yield entry, result.flagged


@pytest.mark.parametrize("name", ["labelled_first", "labelled_second", "labelled_unseen"])
def test_bad_rationales_are_flagged_and_good_ones_are_not(name: str) -> None:
    flags = list(iter_flags(name))
    good = [(entry["text"], flagged) for entry, flagged in flags if entry["label"] == "good"]
    bad = [(entry["text"], flagged) for entry, flagged in flags if entry["label"] != "good"]
    assert min(len(good), len(bad)) >= 58
    missed = [text for text, flagged in bad if not flagged]
    accused = [text for text, flagged in good if flagged]
    assert len(bad) - len(missed) >= LEAST_OF_BAD * len(bad), missed
    assert len(accused) <= MOST_OF_GOOD * len(good), accused


@pytest.mark.parametrize("name", ["labelled_first", "labelled_second", "labelled_unseen"])
def test_there_are_eight_kinds_of_bad_rationales_and_none_goes_unseen(name: str) -> None:
    kinds: dict[str, list[bool]] = {}
    for entry, flagged in iter_flags(name):
        if entry["label"] != "good":
            kinds.setdefault(entry["label"], []).append(flagged)
    assert len(kinds) >= 8
    assert [kind for kind, flags in kinds.items() if sum(flags) * 2 < len(flags)] == []


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("labelled_fifth", "the 58, looked at since"),
        ("labelled_seventh", "the last 40, looked at since"),
        ("labelled_eighth", "3 of 40), looked at since"),
    ],
)
def test_the_page_says_what_later_sets_come_to(name: str, row: str) -> None:
    flags = list(iter_flags(name))
    good = [flagged for entry, flagged in flags if entry["label"] == "good"]
    bad = [flagged for entry, flagged in flags if entry["label"] != "good"]
    page = FIXTURES.parents[1].joinpath("docs", "rationale.md").read_text(encoding="utf-8")
    figures = f"| {sum(bad)} of {len(bad)} | {sum(good)} of {len(good)} |"
    # Below the aims, which stay as they are: a change for the better changes the page as well.
    assert f"{row} {figures}" in page


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("material_first", "60 of 16 kinds"),
        ("material_second", "40 more"),
        ("material_third", "40 more, as terse as reviewers are"),
        ("material_fourth", "40 after the last change, looked at since"),
    ],
)
def test_the_page_says_what_is_flagged_over_new_material(name: str, row: str) -> None:
    flags = list(iter_flags(name))
    good = [flagged for entry, flagged in flags if entry["label"] == "good"]
    bad = [flagged for entry, flagged in flags if entry["label"] != "good"]
    assert len(good) == len(bad)
    assert sum(good) <= MOST_OF_GOOD * len(good)
    page = FIXTURES.parents[1].joinpath("docs", "rationale.md").read_text(encoding="utf-8")
    said = next(line for line in page.splitlines() if line.startswith(f"| {row} |"))
    figures = f"{sum(bad)} of {len(bad)} bad, {sum(good)} of {len(good)} good"
    assert said.split("|")[-2].strip() == figures
