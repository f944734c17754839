"""A chaos run in which something did not happen shows nothing of it, and fails."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.chaos.tale import STORM, Plan, Tale, find_emptiness

PLAN = Plan(1, 500, 40, "sqlite:///x", ["serve"], ["serve"])
COUNTS = {
    "deliveries": 600,
    "deliveries that failed": 100,
    "checks of all heads": 50,
    "requests to GitHub": 6_000,
    "workers killed": 9,
    "questions that it never answered": 20,
    "starts with a full disk": 1,
}


def a_tale(**changed: int) -> Tale:
    counts = COUNTS | {name.replace("_", " "): count for name, count in changed.items()}
    return Tale(Counter(counts), Counter({STORM: 30, "502": 1_200}))


def test_one_in_which_all_happened_is_no_violation() -> None:
    assert find_emptiness(a_tale(), PLAN) == []


@pytest.mark.parametrize(
    "changed",
    [
        {"deliveries": 0, "deliveries_that_failed": 0},
        {"deliveries_that_failed": 600},
        {"deliveries_that_failed": 560},
        {"checks_of_all_heads": 0},
        {"workers_killed": 0},
        {"questions_that_it_never_answered": 0},
        {"starts_with_a_full_disk": 0},
    ],
)
def test_what_did_not_happen_is_a_violation(changed: dict[str, int]) -> None:
    assert find_emptiness(a_tale(**changed), PLAN)


def test_a_storm_that_met_nobody_is_a_violation_where_there_was_to_be_one() -> None:
    tale = a_tale()
    tale.faults.pop(STORM)
    assert find_emptiness(tale, PLAN)
    assert find_emptiness(tale, replace(PLAN, storm=0.0)) == []


def test_an_outage_needs_deliveries_and_nobody_killed() -> None:
    calm = replace(PLAN, events=0, mortal=(), harder=0.0)
    tale = a_tale(workers_killed=0, questions_that_it_never_answered=0, starts_with_a_full_disk=0)
    assert find_emptiness(tale, calm) == []
    assert find_emptiness(Tale(), calm)
