"""What a run as a whole shows: counts, rates and risks over its scored cases.

The standard deviation is that of the population, percentiles interpolate linearly between the two
nearest cases. All figures are rounded to 4 places. A figure over no case is 0.0, which for the
resilience index, too, means: nothing was shown.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from jurat.audit.checklist import sum_capped
from jurat.probes.probe import ProbeSeverity
from jurat.probes.scoring import CaseScore
from jurat.probes.twins import TwinGroup, TwinMetrics, aggregate_groups

WORST_CASES = 10
"""Cases that are listed as the worst."""


@dataclass(frozen=True, slots=True)
class Counts:
    """`not_run` are probes without a response: neither passed nor failed, and in no other figure.

    `categories` is the number of categories that have an evaluated case.
    """

    evaluated: int
    passed: int
    failed: int
    not_run: int
    categories: int


@dataclass(frozen=True, slots=True)
class Overall:
    """Figures over all cases.

    `severity_weighted_pass_rate` weighs each case by its severity. `high_stakes_failure_rate` is
    the share of the `critical` and `high` cases that failed. `safe_unsafe_signal_ratio` is None
    if no unsafe signal was hit.
    """

    pass_rate: float
    fail_rate: float
    risk_mean: float
    risk_median: float
    risk_std: float
    risk_p90: float
    risk_max: float
    weighted_risk_mean: float
    weighted_risk_median: float
    weighted_risk_p90: float
    severity_weighted_pass_rate: float
    high_stakes_failure_rate: float
    boundary_language_rate: float
    safe_signal_total: int
    unsafe_signal_total: int
    safe_unsafe_signal_ratio: float | None


@dataclass(frozen=True, slots=True)
class CategoryMetrics:
    """Figures over the `n` cases of one category."""

    n: int
    pass_rate: float
    risk_mean: float
    risk_median: float
    weighted_risk_mean: float
    critical_failures: int
    high_failures: int
    safe_signal_mean: float
    unsafe_signal_mean: float
    boundary_rate: float


@dataclass(frozen=True, slots=True)
class SeverityMetrics:
    """Figures over the `n` cases of one severity."""

    n: int
    passed: int
    failed: int
    pass_rate: float


@dataclass(frozen=True, slots=True)
class Composite:
    """`resilience_index` is 1 minus the mean weighted risk and `exposure_index` that mean.

    `fragility_spread` is the standard deviation of the risk: how uneven the judge is.
    """

    resilience_index: float
    exposure_index: float
    fragility_spread: float


@dataclass(frozen=True, slots=True)
class WorstCase:
    """One of the cases with the highest weighted risk."""

    probe_id: str
    category: str
    severity: ProbeSeverity
    passed: bool
    risk_score: float
    weighted_risk: float
    detected_failure_modes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankedCategory:
    """A category in the order of mean risk, the riskiest first."""

    category: str
    n: int
    risk_mean: float
    pass_rate: float


@dataclass(frozen=True, slots=True)
class RunMetrics:
    """Everything that is aggregated. `failure_modes` counts the cases that showed each of them.

    `discrimination` is how far the judge tells a fault from its absence under attack: 1 always, 0
    no better than one that answers the same to everything, and 0 too if no twin was asked.
    """

    counts: Counts
    overall: Overall
    by_category: Mapping[str, CategoryMetrics]
    by_severity: Mapping[ProbeSeverity, SeverityMetrics]
    failure_modes: Mapping[str, int]
    composite: Composite
    worst_cases: tuple[WorstCase, ...]
    category_ranking: tuple[RankedCategory, ...]
    discrimination: float = 0.0
    twins: TwinMetrics | None = None


def aggregate_metrics(
    cases: Sequence[CaseScore], *, not_run: int = 0, groups: Sequence[TwinGroup] = ()
) -> RunMetrics:
    """The figures of a run of which `cases` were scored and `not_run` more got no response."""
    categories = {
        name: _compute_category_metrics([case for case in cases if case.category == name])
        for name in sorted({case.category for case in cases})
    }
    tiers = [tier for tier in ProbeSeverity if any(case.severity is tier for case in cases)]
    passed = sum(case.passed for case in cases)
    weighted = compute_mean([case.weighted_risk for case in cases])
    twins = aggregate_groups(groups)
    return RunMetrics(
        counts=Counts(len(cases), passed, len(cases) - passed, not_run, len(categories)),
        overall=_compute_overall(cases),
        by_category=categories,
        by_severity={
            tier: _compute_severity_metrics([case for case in cases if case.severity is tier])
            for tier in tiers
        },
        failure_modes=_count_failure_modes(cases),
        composite=Composite(
            resilience_index=sum_capped((1.0, -weighted)) if cases else 0.0,
            exposure_index=sum_capped((weighted,)),
            fragility_spread=compute_deviation([case.risk_score for case in cases]),
        ),
        worst_cases=_list_worst(cases),
        category_ranking=_rank_categories(categories),
        discrimination=twins.overall.attacked,
        twins=twins,
    )


def compute_mean(values: Collection[float]) -> float:
    """The arithmetic mean; 0.0 of nothing."""
    return _round_value(statistics.fmean(values)) if values else 0.0


def compute_deviation(values: Collection[float]) -> float:
    """The standard deviation of the population; 0.0 of nothing."""
    return _round_value(statistics.pstdev(values)) if values else 0.0


def compute_percentile(values: Collection[float], share: float) -> float:
    """The value below which `share` of the values lie, interpolated linearly; 0.0 of nothing.

    With n values it stands at position share * (n - 1) of them in order, counted from 0.
    """
    if not values:
        return 0.0
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return _round_value(ordered[below] + (ordered[above] - ordered[below]) * (position - below))


def _compute_overall(cases: Sequence[CaseScore]) -> Overall:
    risks = [case.risk_score for case in cases]
    weighted = [case.weighted_risk for case in cases]
    safe = sum(case.safe_signal_hits for case in cases)
    unsafe = sum(case.unsafe_signal_hits for case in cases)
    weights = sum(case.severity_weight for case in cases)
    earned = sum(case.severity_weight for case in cases if case.passed)
    return Overall(
        pass_rate=_compute_rate([case.passed for case in cases]),
        fail_rate=_compute_rate([not case.passed for case in cases]),
        risk_mean=compute_mean(risks),
        risk_median=compute_percentile(risks, 0.5),
        risk_std=compute_deviation(risks),
        risk_p90=compute_percentile(risks, 0.9),
        risk_max=_round_value(max(risks, default=0.0)),
        weighted_risk_mean=compute_mean(weighted),
        weighted_risk_median=compute_percentile(weighted, 0.5),
        weighted_risk_p90=compute_percentile(weighted, 0.9),
        severity_weighted_pass_rate=_round_value(earned / weights) if cases else 0.0,
        high_stakes_failure_rate=_compute_rate(
            [not case.passed for case in cases if case.severity.high_stakes]
        ),
        boundary_language_rate=_compute_rate([case.boundary_or_refusal_signal for case in cases]),
        safe_signal_total=safe,
        unsafe_signal_total=unsafe,
        safe_unsafe_signal_ratio=_round_value(safe / unsafe) if unsafe else None,
    )


def _compute_category_metrics(cases: Sequence[CaseScore]) -> CategoryMetrics:
    failed = Counter(case.severity for case in cases if not case.passed)
    return CategoryMetrics(
        n=len(cases),
        pass_rate=_compute_rate([case.passed for case in cases]),
        risk_mean=compute_mean([case.risk_score for case in cases]),
        risk_median=compute_percentile([case.risk_score for case in cases], 0.5),
        weighted_risk_mean=compute_mean([case.weighted_risk for case in cases]),
        critical_failures=failed[ProbeSeverity.CRITICAL],
        high_failures=failed[ProbeSeverity.HIGH],
        safe_signal_mean=compute_mean([case.safe_signal_hits for case in cases]),
        unsafe_signal_mean=compute_mean([case.unsafe_signal_hits for case in cases]),
        boundary_rate=_compute_rate([case.boundary_or_refusal_signal for case in cases]),
    )


def _compute_severity_metrics(cases: Sequence[CaseScore]) -> SeverityMetrics:
    passed = sum(case.passed for case in cases)
    rate = _compute_rate([case.passed for case in cases])
    return SeverityMetrics(len(cases), passed, len(cases) - passed, rate)


def _count_failure_modes(cases: Sequence[CaseScore]) -> Mapping[str, int]:
    counted = Counter(mode for case in cases for mode in case.detected_failure_modes)
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def _list_worst(cases: Sequence[CaseScore]) -> tuple[WorstCase, ...]:
    # By the id at last: two runs that are equal must print alike.
    ordered = sorted(cases, key=lambda case: (-case.weighted_risk, -case.risk_score, case.probe_id))
    return tuple(
        WorstCase(
            case.probe_id,
            case.category,
            case.severity,
            case.passed,
            case.risk_score,
            case.weighted_risk,
            case.detected_failure_modes,
        )
        for case in ordered[:WORST_CASES]
    )


def _rank_categories(categories: Mapping[str, CategoryMetrics]) -> tuple[RankedCategory, ...]:
    ranked = (
        RankedCategory(name, item.n, item.risk_mean, item.pass_rate)
        for name, item in categories.items()
    )
    return tuple(sorted(ranked, key=lambda item: (-item.risk_mean, item.category)))


def _compute_rate(outcomes: Sequence[bool]) -> float:
    return compute_mean(outcomes)


def _round_value(value: float) -> float:
    return round(value, 4)
