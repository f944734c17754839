"""From a raw score in [0, 1] to an ordinal from 0 to 4 and what it is called."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from math import fsum
from statistics import fmean
from typing import Literal

Ordinal = Literal[0, 1, 2, 3, 4]

BANDS: tuple[tuple[float, Ordinal], ...] = ((0.85, 4), (0.65, 3), (0.40, 2), (0.15, 1))
"""The least raw score of each positive ordinal but 0."""

AMBIGUOUS = (0.3, 0.7)
"""Raw scores, both ends included, at which a model is asked for a second verdict."""

PARTIAL: Ordinal = 2

_DIGITS = 9
"""Decimals of a raw score. Weights such as 0.3 are no binary fractions: without rounding, a sum
that is 0.65 on paper could fall below the edge of its band."""


class ClauseVerdict(StrEnum):
    """What was found of a clause. The last three have no ordinal and enter no mean."""

    PASS = "pass"  # noqa: S105 - no password
    PARTIAL = "partial"
    FAIL = "fail"
    NOT_APPLICABLE = "n/a"
    EXTERNAL = "external"
    ERROR = "error"


_VERDICTS: dict[Ordinal, ClauseVerdict] = {
    4: ClauseVerdict.PASS,
    3: ClauseVerdict.PASS,
    2: ClauseVerdict.PARTIAL,
    1: ClauseVerdict.FAIL,
    0: ClauseVerdict.FAIL,
}
_INVERTED: dict[Ordinal, Ordinal] = {0: 4, 1: 3, 2: 2, 3: 1, 4: 0}


def compute_raw_score(weighed: Iterable[tuple[float, float]]) -> float:
    """The mean of (weight, score) pairs, by weight. Raises ValueError without any weight."""
    pairs = tuple(weighed)
    total = fsum(weight for weight, _ in pairs)
    if total <= 0:
        raise ValueError("nothing has any weight")
    return round(fsum(weight * score for weight, score in pairs) / total, _DIGITS)


def to_ordinal(raw: float, *, negative: bool = False) -> Ordinal:
    """The ordinal of a raw score; of a prohibition's it is 4 minus that, as evidence is against."""
    positive: Ordinal = next((ordinal for least, ordinal in BANDS if raw >= least), 0)
    return _INVERTED[positive] if negative else positive


def to_verdict(ordinal: Ordinal) -> ClauseVerdict:
    """What an ordinal is called: pass from 3 on, partial at 2, fail below."""
    return _VERDICTS[ordinal]


def is_ambiguous(raw: float) -> bool:
    """Whether a raw score stands in the band in which a model is asked."""
    return AMBIGUOUS[0] <= raw <= AMBIGUOUS[1]


def compute_confidence(raw: float) -> float:
    """How sure a raw score is, in [0, 1]: none in the middle, and all of it at either end."""
    return round(abs(2 * raw - 1), _DIGITS)


def compute_mean(ordinals: Iterable[Ordinal]) -> float | None:
    """The arithmetic mean, None over nothing: what was not rated is neither 0 nor 4."""
    given = tuple(ordinals)
    return fmean(given) if given else None
