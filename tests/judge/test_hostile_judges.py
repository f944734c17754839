"""Hostile judges over random changes: no ALLOW and no DENY that they did not earn.

Together they see more than 500 changes here; the benchmark of the same name shows each of them 500.
"""

from __future__ import annotations

import pytest

from tests.support.hostile_judges import FILES, HONEST, HOSTILE, run_reviews


@pytest.mark.parametrize("name", HOSTILE)
def test_no_hostile_judge_passes_or_blocks_what_it_did_not_earn(name: str) -> None:
    found = run_reviews(HOSTILE[name], 2)
    assert len(HOSTILE) * len(found) >= 500
    assert [
        (case.line, item.verdict, item.reasoning) for case, item in found if case.is_unearned(item)
    ] == []


def test_an_honest_judge_keeps_its_verdicts() -> None:
    found = run_reviews(HONEST["is honest"], 25)
    assert len(found) == 25 * FILES
    assert sum(case.is_right(item) for case, item in found) >= 0.98 * len(found)
