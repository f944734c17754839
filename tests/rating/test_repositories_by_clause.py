"""What the rater makes of the repositories that are labelled for each clause."""

from __future__ import annotations

from collections import Counter
from functools import cache

from tests.rating.clause_figures import PAGE, count_outcomes, render, splice
from tests.rating.clause_repositories import (
    HALVES,
    LATER,
    PRODUCTS,
    PRODUCTS_KEPT,
    STRANGERS,
    STRANGERS_KEPT,
    WHOLE,
    WHOLE_KEPT,
    read_repositories,
)

MISSED = {
    WHOLE: 7,
    WHOLE_KEPT: 40,
    "tune": 0,
    "kept": 27,
    STRANGERS: 3,
    STRANGERS_KEPT: 18,
    LATER: 2,
    **dict(zip((*PRODUCTS, *PRODUCTS_KEPT), (9, 8, 18, 15), strict=True)),
}
"""Labels of what holds that may be missed in each half: no more than when it was last run."""
WRONG = {
    WHOLE: 0,
    WHOLE_KEPT: 12,
    "tune": 1,
    "kept": 7,
    STRANGERS: 0,
    STRANGERS_KEPT: 7,
    LATER: 0,
    **dict(zip((*PRODUCTS, *PRODUCTS_KEPT), (0, 0, 4, 2), strict=True)),
}
SETS = (WHOLE, WHOLE_KEPT, *HALVES, STRANGERS, STRANGERS_KEPT, LATER, *PRODUCTS, *PRODUCTS_KEPT)


@cache
def _total(half: str) -> Counter[tuple[bool, bool]]:
    total: Counter[tuple[bool, bool]] = Counter()
    for outcomes in count_outcomes(half).values():
        total += outcomes
    return total


def test_no_more_is_missed_than_before() -> None:
    assert {half: _total(half)[True, False] for half in SETS} == {
        half: min(_total(half)[True, False], MISSED[half]) for half in SETS
    }


def test_no_more_is_praised_or_accused_than_before() -> None:
    assert {half: _total(half)[False, True] for half in SETS} == {
        half: min(_total(half)[False, True], WRONG[half]) for half in SETS
    }


def test_both_halves_speak_of_the_same_clauses_in_repositories_of_their_own() -> None:
    halves = [list(read_repositories(half)) for half in HALVES]
    names = [{one.name for one in half} for half in halves]
    assert names[0].isdisjoint(names[1])
    clauses = [{(x.regulation, x.clause) for one in half for x in one.labels} for half in halves]
    assert clauses[0] == clauses[1]


def test_the_figures_on_the_page_are_those_that_are_counted() -> None:
    text = PAGE.read_text("utf-8")
    assert splice(text, render()) == text, "python -m tests.rating.clause_figures writes them"
