"""How weights become a score, and scores one figure. The only definition of either."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable


def capped_sum(weights: Iterable[float]) -> float:
    """The sum of `weights`, held in [0, 1] and rounded to 4 places. It does not depend on order."""
    return round(min(1.0, max(0.0, math.fsum(weights))), 4)


def geometric_mean(values: Collection[float]) -> float:
    """The geometric mean of values in [0, 1]: 0.0 as soon as one is 0, and of nothing at all.

    Rounded to 12 places, so that the last bit of a platform's power function shows nowhere.
    """
    if not values or min(values) <= 0.0:
        return 0.0
    return round(math.prod(values) ** (1 / len(values)), 12)
