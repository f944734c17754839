"""What the rater makes of the repositories that are labelled for each clause."""

from __future__ import annotations

from collections import Counter

from tests.rating.clause_figures import PAGE, count_outcomes, render, splice
from tests.rating.clause_repositories import FIRST, SETS, read_repositories

MISSED_AND_WRONG = {
    "twenty-first": (6, 0),
    "twenty-first-kept": (8, 0),
    "twentieth": (6, 0),
    "twentieth-kept": (6, 3),
    "nineteenth": (14, 1),
    "nineteenth-kept": (21, 1),
    "eighteenth": (7, 3),
    "eighteenth-kept": (18, 3),
    "seventeenth": (11, 2),
    "seventeenth-kept": (25, 4),
    "sixteenth": (10, 1),
    "sixteenth-kept": (17, 2),
    "fifteenth": (0, 3),
    "fifteenth-kept": (8, 7),
    "fourteenth": (3, 0),
    "fourteenth-kept": (10, 4),
    "thirteenth": (1, 1),
    "thirteenth-kept": (6, 3),
    "twelfth": (1, 2),
    "twelfth-kept": (5, 4),
    "eleventh": (1, 2),
    "eleventh-kept": (8, 4),
    "tenth": (1, 0),
    "tenth-kept": (11, 4),
    "firms": (0, 6),
    "firms-kept": (1, 7),
    "teams": (1, 0),
    "teams-kept": (8, 6),
    "young": (5, 0),
    "young-kept": (4, 3),
    "small": (2, 0),
    "small-kept": (11, 0),
    "whole": (5, 0),
    "whole-kept": (32, 11),
    "products-1": (8, 0),
    "products-2": (6, 0),
    "products-1-kept": (17, 4),
    "products-2-kept": (11, 3),
    "strangers": (1, 0),
    "strangers-kept": (13, 7),
    "later": (1, 0),
    "kept": (26, 6),
    "tune": (0, 1),
}
"""Labels of what holds that are missed in each half, and of what does not that are said to hold."""


def _count(half: str) -> tuple[int, int]:
    total: Counter[tuple[bool, bool]] = Counter()
    for outcomes in count_outcomes(half).values():
        total += outcomes
    return total[True, False], total[False, True]


def test_all_halves_come_out_as_they_did_and_as_the_page_says() -> None:
    """In one test: each half takes seconds, and another process would rate it again."""
    assert {half: _count(half) for half in SETS} == MISSED_AND_WRONG
    text = PAGE.read_text("utf-8")
    assert splice(text, render()) == text, "python -m tests.rating.clause_figures writes them"


def test_both_halves_speak_of_the_same_clauses_in_repositories_of_their_own() -> None:
    halves = [list(read_repositories(half)) for half in FIRST]
    names = [{one.name for one in half} for half in halves]
    assert names[0].isdisjoint(names[1])
    clauses = [{(x.regulation, x.clause) for one in half for x in one.labels} for half in halves]
    assert clauses[0] == clauses[1]
