"""Aggregates: by hand, on nothing, on one case, and always within their bounds."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.probes.metrics import (
    aggregate_metrics,
    compute_deviation,
    compute_mean,
    compute_percentile,
)
from jurat.probes.probe import ProbeSeverity
from jurat.probes.report import render_json
from jurat.probes.scoring import CaseScore
from tests.support.probes import BAD, GOOD, a_case, a_run

CASES = st.lists(
    st.builds(
        lambda number, response, tier, family: a_case(
            f"p.{number}", response, severity=tier, category=family
        ),
        st.integers(0, 10_000),
        st.sampled_from([GOOD, BAD, GOOD + BAD, "Hm."]),
        st.sampled_from(list(ProbeSeverity)),
        st.sampled_from("abc"),
    ),
    max_size=12,
)


def numbers(value: Any) -> Iterator[float]:
    """Every number in a document."""
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


@given(CASES, st.integers(0, 5))
def test_no_figure_leaves_its_bounds_or_is_no_number(cases: list[CaseScore], lost: int) -> None:
    metrics = aggregate_metrics(cases, not_run=lost)
    assert all(math.isfinite(value) and value >= 0 for value in numbers(asdict(metrics)))
    overall, composite, counts = metrics.overall, metrics.composite, metrics.counts
    rates = [
        overall.pass_rate,
        overall.fail_rate,
        overall.severity_weighted_pass_rate,
        overall.high_stakes_failure_rate,
        overall.boundary_language_rate,
        composite.resilience_index,
        composite.exposure_index,
        composite.fragility_spread,
    ]
    assert all(0 <= rate <= 1 for rate in rates)
    assert counts.passed + counts.failed == counts.evaluated == len(cases)
    assert counts.not_run == lost
    assert sum(item.n for item in metrics.by_category.values()) == len(cases)
    assert sum(item.n for item in metrics.by_severity.values()) == len(cases)
    if cases:
        assert composite.resilience_index + composite.exposure_index == pytest.approx(1.0)


@given(CASES)
def test_the_order_of_the_cases_changes_no_figure(cases: list[CaseScore]) -> None:
    unique = list({case.probe_id: case for case in cases}.values())
    assert aggregate_metrics(unique) == aggregate_metrics(unique[::-1])


def test_nothing_evaluated_shows_nothing_and_is_no_pass() -> None:
    metrics = aggregate_metrics([], not_run=3)
    assert metrics.counts.not_run == 3
    assert set(numbers(asdict(metrics.overall))) == {0.0}
    assert metrics.overall.safe_unsafe_signal_ratio is None
    assert metrics.composite.resilience_index == 0.0
    assert (metrics.by_category, metrics.by_severity, metrics.failure_modes) == ({}, {}, {})
    assert (metrics.worst_cases, metrics.category_ranking) == ((), ())


def test_one_case_has_no_spread() -> None:
    metrics = aggregate_metrics([a_case(response=BAD)])
    overall = metrics.overall
    assert (overall.risk_mean, overall.risk_median, overall.risk_p90) == (0.9, 0.9, 0.9)
    assert (overall.risk_std, metrics.composite.fragility_spread) == (0.0, 0.0)
    assert (overall.pass_rate, overall.high_stakes_failure_rate) == (0.0, 1.0)


def test_a_run_without_high_stakes_has_no_failure_of_that_kind() -> None:
    metrics = aggregate_metrics([a_case(response=BAD, severity=ProbeSeverity.MEDIUM)])
    assert metrics.overall.high_stakes_failure_rate == 0.0


def test_the_json_of_an_empty_run_holds_only_numbers() -> None:
    text = render_json(a_run())
    assert "NaN" not in text
    assert json.loads(text)["metrics"]["counts"]["evaluated"] == 0


def test_the_deviation_is_that_of_the_population() -> None:
    assert compute_deviation([1.0, 0.0]) == 0.5
    assert compute_mean([0.25, 0.5]) == 0.375


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([], 0.9, 0.0),
        ([0.4], 0.9, 0.4),
        ([0.0, 1.0], 0.5, 0.5),
        ([1.0, 0.0, 0.5], 0.9, 0.9),
        ([0.1, 0.2, 0.3, 0.4, 0.5], 0.9, 0.46),
    ],
)
def test_a_percentile_interpolates_linearly(
    values: list[float], share: float, expected: float
) -> None:
    assert compute_percentile(values, share) == expected


@given(st.lists(st.floats(0, 1).map(lambda value: round(value, 4)), min_size=2, max_size=30))
def test_a_percentile_agrees_with_the_standard_library(values: list[float]) -> None:
    wanted = statistics.quantiles(values, n=10, method="inclusive")[8]
    assert compute_percentile(values, 0.9) == pytest.approx(wanted, abs=6e-5)


def test_the_worst_cases_come_by_weighted_risk_and_then_by_name() -> None:
    cases = [
        a_case("b", BAD, severity=ProbeSeverity.LOW),
        a_case("d", BAD),
        a_case("c", BAD),
        a_case("a", GOOD),
    ]
    assert [case.probe_id for case in aggregate_metrics(cases).worst_cases] == ["c", "d", "b", "a"]


def test_only_ten_worst_cases_are_listed() -> None:
    assert len(aggregate_metrics([a_case(f"p.{n}") for n in range(30)]).worst_cases) == 10
