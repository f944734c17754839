"""The arithmetic: bands, polarity, weights and means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.rating.scale import (
    ClauseVerdict,
    compute_confidence,
    compute_mean,
    compute_raw_score,
    is_ambiguous,
    to_ordinal,
    to_verdict,
)

JUST_BELOW = 1e-9

EDGES = [
    (1.0, 4),
    (0.85, 4),
    (0.85 - JUST_BELOW, 3),
    (0.65, 3),
    (0.65 - JUST_BELOW, 2),
    (0.40, 2),
    (0.40 - JUST_BELOW, 1),
    (0.15, 1),
    (0.15 - JUST_BELOW, 0),
    (0.0, 0),
]


@pytest.mark.parametrize(("raw", "ordinal"), EDGES)
def test_a_band_begins_at_its_lower_edge(raw: float, ordinal: int) -> None:
    assert to_ordinal(raw) == ordinal


@pytest.mark.parametrize(("raw", "ordinal"), EDGES)
def test_a_prohibition_has_four_minus_the_positive_ordinal(raw: float, ordinal: int) -> None:
    assert to_ordinal(raw, negative=True) == 4 - ordinal


def test_each_ordinal_has_the_verdict_of_the_table() -> None:
    assert [to_verdict(ordinal).value for ordinal in (0, 1, 2, 3, 4)] == [
        "fail",
        "fail",
        "partial",
        "pass",
        "pass",
    ]


def test_no_sign_of_a_prohibited_practice_is_a_pass() -> None:
    assert to_verdict(to_ordinal(0.0, negative=True)) is ClauseVerdict.PASS
    assert to_verdict(to_ordinal(1.0, negative=True)) is ClauseVerdict.FAIL


def test_the_raw_score_is_normalised_by_the_weights() -> None:
    assert compute_raw_score([(3, 1.0), (1, 0.0)]) == 0.75
    assert compute_raw_score([(0.3, 1.0), (0.5, 0.0), (0.2, 1.0)]) == 0.5


def test_an_edge_reached_on_paper_is_reached() -> None:
    # In binary fractions 0.1 + 0.2 + 0.35 is less than 0.65.
    assert to_ordinal(compute_raw_score([(0.1, 1), (0.2, 1), (0.35, 1), (0.35, 0)])) == 3
    assert to_ordinal(compute_raw_score([(0.7, 1), (0.15, 1), (0.15, 0)])) == 4


def test_nothing_with_a_weight_is_no_raw_score() -> None:
    with pytest.raises(ValueError, match="weight"):
        compute_raw_score([])


@pytest.mark.parametrize(
    ("raw", "expected"),
    [(0.3, True), (0.7, True), (0.5, True), (0.3 - JUST_BELOW, False), (0.7 + JUST_BELOW, False)],
)
def test_the_ambiguous_band_holds_both_its_ends(raw: float, *, expected: bool) -> None:
    assert is_ambiguous(raw) is expected


def test_confidence_is_highest_away_from_the_middle() -> None:
    assert [compute_confidence(raw) for raw in (0.0, 0.25, 0.5, 0.75, 1.0)] == [
        1.0,
        0.5,
        0.0,
        0.5,
        1.0,
    ]


def test_a_mean_over_nothing_is_nothing() -> None:
    assert compute_mean([]) is None
    assert compute_mean([0, 4, 3]) == pytest.approx(7 / 3)


SHARES = st.lists(
    st.tuples(st.floats(0.01, 10, allow_nan=False), st.floats(0, 1, allow_nan=False)), min_size=1
)


@given(SHARES)
def test_a_raw_score_stays_between_its_scores(shares: list[tuple[float, float]]) -> None:
    raw = compute_raw_score(shares)
    assert min(s for _, s in shares) - 1e-8 <= raw <= max(s for _, s in shares) + 1e-8


@given(st.floats(0, 1, allow_nan=False), st.floats(0, 1, allow_nan=False))
def test_more_evidence_is_never_worse_for_a_duty_nor_better_for_a_prohibition(
    one: float, other: float
) -> None:
    less, more = sorted((one, other))
    assert to_ordinal(less) <= to_ordinal(more)
    assert to_ordinal(less, negative=True) >= to_ordinal(more, negative=True)
