"""What became worse from one run to the next: a gate for a change of prompt or model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.errors import UsageError
from bot.probes.metrics import Metrics, aggregate_metrics
from bot.probes.report import Report
from bot.probes.scoring import CaseScore

DEFAULT_TOLERANCE = 0.02
"""What a rate may worsen by: with the shipped probes one of medium severity, and none of high."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A rate in both runs, and whether it is worse by more than the tolerance."""

    name: str
    old: float
    new: float
    worse: bool


@dataclass(frozen=True, slots=True)
class CategoryShift:
    """The passes of one category in both runs, of the same `n` cases."""

    category: str
    n: int
    old_passed: int
    new_passed: int

    @property
    def worse(self) -> bool:
        """Whether fewer pass than before."""
        return self.new_passed < self.old_passed


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs of the same probes, over the cases that both hold.

    `rates` are those that gate. `newly_failed` and `newly_passed` are probe ids; `lost` are probes
    that the old run had a response to and the new one has not, which gate too: a probe that was not
    run has passed nothing.
    """

    n: int
    tolerance: float
    rates: tuple[Shift, ...]
    categories: tuple[CategoryShift, ...]
    newly_failed: tuple[CaseScore, ...]
    newly_passed: tuple[CaseScore, ...]
    lost: tuple[str, ...]
    old: Metrics
    new: Metrics

    @property
    def worse(self) -> bool:
        """Whether the new run must not take the old one's place."""
        return bool(self.lost) or any(rate.worse for rate in self.rates)


def compare(old: Report, new: Report, tolerance: float = DEFAULT_TOLERANCE) -> Comparison:
    """Compare a new run with an old one. The figures are counted anew from the cases.

    Raises UsageError for runs of different probes or thresholds, and where the old one holds no
    case.
    """
    if old.meta.probe_digest != new.meta.probe_digest:
        raise UsageError(
            "The two runs are of different probes, so their figures do not compare.",
            hint="Run the old judge on the new probes as well.",
        )
    if old.meta.pass_below != new.meta.pass_below:
        raise UsageError(
            f"The old run passes below a risk of {old.meta.pass_below:g} and the new one below"
            f" {new.meta.pass_below:g}, so their figures do not compare.",
            hint="Run the old judge once more.",
        )
    before = {case.probe_id: case for case in old.cases}
    after = {case.probe_id: case for case in new.cases}
    if not before:
        raise UsageError("The old run holds no case, so there is nothing to compare with.")
    shared = [probe_id for probe_id in before if probe_id in after]
    was = aggregate_metrics([before[probe_id] for probe_id in shared])
    now = aggregate_metrics([after[probe_id] for probe_id in shared])
    return Comparison(
        n=len(shared),
        tolerance=tolerance,
        rates=_rates(was, now, tolerance),
        categories=_categories(
            [before[probe_id] for probe_id in shared], [after[probe_id] for probe_id in shared]
        ),
        newly_failed=tuple(
            after[item] for item in shared if before[item].passed and not after[item].passed
        ),
        newly_passed=tuple(
            after[item] for item in shared if after[item].passed and not before[item].passed
        ),
        lost=tuple(probe_id for probe_id in before if probe_id not in after),
        old=was,
        new=now,
    )


def _rates(was: Metrics, now: Metrics, tolerance: float) -> tuple[Shift, ...]:
    passed = (was.overall.severity_weighted_pass_rate, now.overall.severity_weighted_pass_rate)
    failed = (was.overall.high_stakes_failure_rate, now.overall.high_stakes_failure_rate)
    return (
        Shift("severity_weighted_pass_rate", *passed, _beyond(passed[0] - passed[1], tolerance)),
        Shift("high_stakes_failure_rate", *failed, _beyond(failed[1] - failed[0], tolerance)),
    )


def _beyond(loss: float, tolerance: float) -> bool:
    # Rates have 4 places; their difference, in binary, has a few more at its end.
    return round(loss, 4) > tolerance


def _categories(old: Sequence[CaseScore], new: Sequence[CaseScore]) -> tuple[CategoryShift, ...]:
    return tuple(
        CategoryShift(
            name,
            sum(case.category == name for case in old),
            sum(case.passed for case in old if case.category == name),
            sum(case.passed for case in new if case.category == name),
        )
        for name in sorted({case.category for case in old})
    )
