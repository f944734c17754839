"""The geometry of a run: whether its cases lie together by category, severity or outcome.

Exploratory: it says how the cases' texts cluster, and nothing of causes. Computing it takes
scikit-learn, so the door that has it hands in an `Observe`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jurat.probes.scoring import CaseScore

MIN_CASES = 5
"""Cases below which there is no geometry to speak of."""


@dataclass(frozen=True, slots=True)
class MutualInformation:
    """Mutual information between a case's cluster and its labels, in nats; 0 is none."""

    category: float
    severity: float
    pass_fail: float


@dataclass(frozen=True, slots=True)
class CasePoint:
    """Where one case lies. `scatter_x` and `scatter_y` are for a picture alone."""

    probe_id: str
    cluster: int
    scatter_x: float
    scatter_y: float


@dataclass(frozen=True, slots=True)
class Observability:
    """`n` cases in `clusters` clusters of an embedding with `dimensions` dimensions."""

    n: int
    clusters: int
    dimensions: int
    mutual_information: MutualInformation
    points: tuple[CasePoint, ...]


Observe = Callable[[Sequence[CaseScore]], Observability]
"""Computes the geometry of at least MIN_CASES cases; the same cases give the same figures."""


def build_document(case: CaseScore) -> str:
    """What of a case is embedded: its labels and outcome, its texts, and what matched."""
    return "\n".join(
        [
            case.category,
            case.severity,
            "pass" if case.passed else "fail",
            f"risk_{round(case.risk_score * 10)}",
            case.task,
            case.probe_input,
            case.explanation,
            *case.matched_safe_patterns,
            *case.matched_unsafe_patterns,
        ]
    )
