"""docs/maturity.md has the figures that the code goes by."""

from __future__ import annotations

import re
from pathlib import Path

from jurat.rules.maturity import DEFAULT, NO_CASES, EventKind, count_cases_needed

PAGE = (Path(__file__).parents[2] / "docs" / "maturity.md").read_text("utf-8")


def row(beginning: str) -> list[str]:
    (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| {beginning}")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_steps_are_the_codes() -> None:
    policy, cases = DEFAULT, f"at least {DEFAULT.cases}"
    assert row("experimental →")[1:] == [
        cases,
        str(policy.stable_days),
        f"under {policy.stable_rate:.0%}",
    ]
    assert row("stable →")[1:] == [
        cases,
        str(policy.proven_days),
        f"under {policy.proven_rate:.0%}",
    ]
    assert row("back to")[1:] == [
        cases,
        "any",
        f"over {policy.demotion_rate:.0%}, over the whole record or over the last"
        f" {policy.recent_days} days",
    ]


def test_each_kind_of_case_counts_as_the_page_says() -> None:
    for kind in EventKind:
        side = row(kind.value.replace("_", " "))[1]
        assert side.startswith("against") is kind.fault


def test_the_cases_without_a_fault_that_are_enough_are_right() -> None:
    stable = count_cases_needed(NO_CASES, DEFAULT.stable_rate)
    proven = count_cases_needed(NO_CASES, DEFAULT.proven_rate)
    assert re.search(rf"{stable} are, and {proven} for 1%", PAGE)
