"""The geometry of a probe run, computed by scikit-learn: the optional extra `probes`.

It stands at the door because nothing below knows that library.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from jurat.probes.observability import (
    CasePoint,
    MutualInformation,
    Observability,
    build_document,
)
from jurat.probes.probe import ProbeSeverity
from jurat.probes.scoring import CaseScore

SEED = 20260101
"""Of everything that is drawn at random, so that two runs over the same cases agree."""

_DIMENSIONS = 16
_PLACES = 4


def is_observable() -> bool:
    """Whether scikit-learn is installed."""
    return find_spec("sklearn") is not None


def compute_observability(cases: Sequence[CaseScore]) -> Observability:
    """The geometry of at least two cases.

    Their documents become TF-IDF vectors and, by a truncated singular value decomposition, points
    in at most 16 dimensions, which KMeans sorts into as many clusters as there are categories. The
    picture is a second decomposition, in two dimensions.
    """
    # All loaded here: they take a second, and are there only with the extra.
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    # Sums that several threads share come out with other last digits each time.
    with threadpool_limits(limits=1):
        vectors = TfidfVectorizer().fit_transform([build_document(case) for case in cases])
        embedded = _decompose(vectors, _DIMENSIONS)
        picture = _decompose(vectors, 2)
        clusters = _cluster(embedded, len({case.category for case in cases}))
    return Observability(
        n=len(cases),
        clusters=len(set(clusters)),
        dimensions=embedded.shape[1],
        mutual_information=_compute_information(cases, clusters),
        points=tuple(
            CasePoint(case.probe_id, cluster, _round_coordinate(row, 0), _round_coordinate(row, 1))
            for case, cluster, row in zip(cases, clusters, picture, strict=True)
        ),
    )


def _decompose(vectors: Any, dimensions: int) -> Any:
    from numpy import errstate  # noqa: PLC0415 - as in `compute_observability`
    from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415 - as in `compute_observability`

    most = min(vectors.shape) - 1
    reduced = TruncatedSVD(max(1, min(dimensions, most)), random_state=SEED)
    # It divides by the variance, which equal cases do not have; the quotient is not used here.
    with errstate(invalid="ignore"):
        return reduced.fit(vectors).transform(vectors)


def _cluster(embedded: Any, wanted: int) -> list[int]:
    """The cluster of each point, numbered in the order in which they first appear."""
    from sklearn.cluster import KMeans  # noqa: PLC0415 - as in `compute_observability`

    distinct = len({tuple(row) for row in embedded.round(_PLACES)})
    means = KMeans(min(max(2, wanted), distinct), n_init=10, random_state=SEED)
    found = means.fit_predict(embedded).tolist()
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(found))}
    return [numbers[cluster] for cluster in found]


def _compute_information(cases: Sequence[CaseScore], clusters: list[int]) -> MutualInformation:
    from sklearn.metrics import mutual_info_score  # noqa: PLC0415 - as in `compute_observability`

    def shared(labels: list[str]) -> float:
        return abs(round(float(mutual_info_score(labels, clusters)), _PLACES))

    severities = {tier: str(number) for number, tier in enumerate(ProbeSeverity)}
    return MutualInformation(
        category=shared([case.category for case in cases]),
        severity=shared([severities[case.severity] for case in cases]),
        pass_fail=shared([str(case.passed) for case in cases]),
    )


def _round_coordinate(row: Any, axis: int) -> float:
    # Adding 0.0 turns -0.0 into 0.0.
    return round(float(row[axis]), _PLACES) + 0.0 if axis < len(row) else 0.0
