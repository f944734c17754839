"""What makes a value fit, and what only looks like it: see fixtures/twins/README.md."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.quality.pairs import PairOutcome, load_pairs, measure_pairs

FOLDER = Path(__file__).parents[2] / "fixtures" / "twins"
PAIRS = list(load_pairs("open", FOLDER))


@cache
def measure_all() -> dict[str, PairOutcome]:
    return {outcome.pair.name: outcome for outcome in measure_pairs(PAIRS)}


@pytest.mark.parametrize("name", [pair.name for pair in PAIRS])
def test_the_fault_is_found_and_its_twin_is_not(name: str) -> None:
    outcome = measure_all()[name]
    assert outcome.found
    assert not outcome.false
