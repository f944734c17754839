"""Hostile weather: a share of all requests fails, in every way that GitHub's do."""

from __future__ import annotations

import random
from collections import Counter

from tests.standins.github.faults import (
    APPLIED_BAD_GATEWAY,
    APPLIED_DROPPED,
    BAD_CREDENTIALS,
    BAD_GATEWAY,
    DROPPED,
    SERVER_ERROR,
    Fault,
    FaultRule,
    secondary_limit,
)

FAULTS = {
    "500": SERVER_ERROR,
    "502": BAD_GATEWAY,
    "502, and it took effect": APPLIED_BAD_GATEWAY,
    "dropped": DROPPED,
    "dropped, and it took effect": APPLIED_DROPPED,
    "403 secondary limit": secondary_limit(1),
    "401": BAD_CREDENTIALS,
}
GONE = Fault(404, "Not Found")
UNAVAILABLE = Fault(503, "Service Unavailable")


class Spell:
    """While `fault` is set, GitHub answers every request with it; `struck` counts them."""

    def __init__(self, struck: Counter[str]) -> None:
        self.fault: Fault | None = None
        self.name = ""
        self._struck = struck

    def __call__(self, _method: str, _path: str) -> Fault | None:
        if self.fault is not None:
            self._struck[self.name] += 1
        return self.fault

    def begin(self, name: str, fault: Fault) -> None:
        """From now on."""
        self.name, self.fault = name, fault

    def end(self) -> None:
        """The sky is clear."""
        self.fault = None


def hostile(rate: float, randomness: random.Random, struck: Counter[str]) -> FaultRule:
    """Strikes a share `rate` of all requests; `struck` counts with what."""

    def rule(_method: str, _path: str) -> Fault | None:
        if randomness.random() >= rate:
            return None
        name = randomness.choice(list(FAULTS))
        struck[name] += 1
        return FAULTS[name]

    return rule
