"""How processor time grows with what there is to do: a ratio, which no machine changes."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 4
"""How many times the work of the small measure the large one is."""

LINEAR = 9.0
"""A bound between what is linear, which takes about 4 times as long, and quadratic, 16 times."""

_LONG_ENOUGH = 0.01
"""Seconds that a measure lasts at least, so that a clock's tick is no part of the ratio."""


def measure_growth(prepare: Callable[[int], Callable[[], object]], size: int) -> float:
    """How many times the processor time it takes if there is four times as much to do.

    `prepare` makes the work for a size, uncounted. Each measure is the best of three, as what else
    the machine does only ever adds to one.
    """
    return _measure(prepare(TIMES * size)) / _measure(prepare(size))


def _measure(work: Callable[[], object]) -> float:
    """Seconds of the processor for a piece of work, done as often as it takes to tell."""
    best = float("inf")
    for _ in range(3):
        times, began = 0, time.process_time()
        while (taken := time.process_time() - began) < _LONG_ENOUGH:
            work()
            times += 1
        best = min(best, taken / times)
    return best
