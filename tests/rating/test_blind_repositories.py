"""What one run over repositories showed that the rater had not been corrected beside."""

from __future__ import annotations

from collections import Counter
from functools import cache

from tests.rating.blind_repositories import build_blind_controls, build_blind_practices
from tests.rating.test_labelled_repositories import is_seen
from tests.support.rating import rate_document

RIGHT, MISSED = 19, 10


@cache
def count_outcomes() -> tuple[Counter[tuple[bool, bool]], tuple[str, ...]]:
    """How many hold and are seen, and the names of those that were seen wrongly."""
    counts: Counter[tuple[bool, bool]] = Counter()
    wrong = []
    for case in (*build_blind_controls(), *build_blind_practices()):
        seen = is_seen(case, rate_document(case.files))
        counts[case.holds, seen] += 1
        if seen and not case.holds:
            wrong.append(case.name)
    return counts, tuple(wrong)


def test_look_alikes_are_not_taken_for_the_thing() -> None:
    counts, wrong = count_outcomes()
    assert wrong == ()
    assert counts[False, False] == 31


def test_no_more_is_missed_than_before() -> None:
    counts, _ = count_outcomes()
    assert counts[True, True] >= RIGHT
    assert counts[True, False] <= MISSED
