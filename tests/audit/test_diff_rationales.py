"""What the audit flags of rationales over git's diffs, of which half was held back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from jurat.audit import decision_rationale_rules, verdict_rationale_rules

ROOT = Path(__file__).parents[2]


def load(name: str) -> list[dict[str, Any]]:
    path = ROOT / "fixtures" / "rationales" / f"{name}.yml"
    entries: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return entries


def quote_first_added(diff: str) -> tuple[str, str]:
    """The first line that a diff adds, as a finding would quote it, and its place."""
    path, number = "", 0
    for row in diff.splitlines():
        if header := re.match(r"\+\+\+ b/(\S+)", row):
            path = header[1]
        elif hunk := re.match(r"@@ -\d+(?:,\d+)? \+(\d+)", row):
            number = int(hunk[1])
        elif row.startswith("+") and len(row.strip()) > 4:
            return row[1:].strip(), f"{path}:{number}"
        elif not row.startswith("-"):
            number += 1
    return "", ""


def is_flagged(entry: dict[str, Any]) -> bool:
    known: dict[str, Any] = {"confidence": 0.9}
    if entry["outcome"] == "DENY":
        quote, place = quote_first_added(entry["code"])
        known |= {"quotes": [quote], "locations": [place]}
    result = verdict_rationale_rules(entry["outcome"]).evaluate(
        question=entry["rule"], response=entry["text"], context=entry["code"], metadata=known
    )
    return result.flagged


def has_fault(entry: dict[str, Any]) -> bool:
    rules = decision_rationale_rules()
    return bool(rules.find_faults(entry["rule"], entry["text"], entry["code"], {}))


@pytest.mark.parametrize("name", ["diffs_open", "diffs_held", "reviews_open", "reviews_held"])
def test_the_page_says_what_is_flagged_over_diffs(name: str) -> None:
    page = (ROOT / "docs" / "rationale.md").read_text(encoding="utf-8")
    verdicts = [entry for entry in load(name) if entry["form"] == "verdict"]
    decisions = [entry for entry in load(name) if entry["form"] == "decision"]
    assert len(verdicts) + len(decisions) >= 80
    for label, said in (("bad", "of the bad"), ("good", "of the good")):
        flags = [is_flagged(entry) for entry in verdicts if entry["label"] == label]
        faults = [has_fault(entry) for entry in decisions if entry["label"] == label]
        row = next(line for line in page.splitlines() if f"`{name}.yml`" in line)
        assert f"{sum(flags)} of {len(flags)} {said}" in row
        assert f"{sum(faults)} of {len(faults)} {said} decisions" in row
