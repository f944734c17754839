"""What a shipped rule has earned: to block, it must be right often, and hard to get around.

A firing is a finding in code that the rule's author did not write for it, and what a person said of
it. Examples and planted faults are none: they show what a rule finds, not how often it is right.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

Z = 1.959963984540054
"""The 97.5% quantile of the normal distribution: 95% lie within it on both sides."""

LEAST = 0.90
"""The lower bound of the share of right firings from which a rule may block."""

_UNLIKELY = 0.025
"""The chance below which something is not put down to chance: what lies beyond one end of Z."""

LEAST_CAUGHT = 0.75
"""The share of its disguised examples that a rule must catch to block. It may be fooled by none."""

ENOUGH = 35
"""Firings from which a rule is judged, by its own alone; with none wrong, they earn LEAST."""


class OutcomeCounts(NamedTuple):
    """Cases, and how many of them are faults."""

    cases: int = 0
    faults: int = 0

    @property
    def right(self) -> int:
        """Those that are none."""
        return self.cases - self.faults

    def plus(self, other: OutcomeCounts) -> OutcomeCounts:
        """Both together."""
        return OutcomeCounts(self.cases + other.cases, self.faults + other.faults)


NO_CASES = OutcomeCounts()


class DisguiseCounts(NamedTuple):
    """What became of a rule's examples in disguise (`jurat rules mutate`).

    Of the `invalid` so many were `caught`, and so many of the `valid` `fooled` the rule.
    """

    invalid: int = 0
    caught: int = 0
    valid: int = 0
    fooled: int = 0

    @property
    def is_enough(self) -> bool:
        """Whether the rule goes by what code means, as far as was tried: by nothing, if none is."""
        return not self.fooled and self.caught >= LEAST_CAUGHT * self.invalid

    def __str__(self) -> str:
        caught = f"caught {self.caught} of {self.invalid}, fooled by {self.fooled} of {self.valid}"
        return f"of its examples in disguise {caught}"


NO_DISGUISES = DisguiseCounts()


def compute_wilson_interval(tally: OutcomeCounts) -> tuple[float, float]:
    """The 95% score interval of the fault rate; (0, 1) if there is no case.

    E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22
    (1927), 209-212.
    """
    cases, faults = tally
    if cases == 0:
        return 0.0, 1.0
    rate = faults / cases
    spread = Z * math.sqrt(rate * (1 - rate) / cases + Z**2 / (4 * cases**2))
    centre, scale = rate + Z**2 / (2 * cases), 1 + Z**2 / cases
    return max((centre - spread) / scale, 0.0), min((centre + spread) / scale, 1.0)


@dataclass(frozen=True, slots=True)
class Merit:
    """What its firings and its examples in disguise have earned a rule.

    `own` are its firings and how many of them were wrong, `counted` those that its bound is taken
    over: the same, or all of its `family` if its own are fewer than ENOUGH.
    """

    own: OutcomeCounts = NO_CASES
    counted: OutcomeCounts = NO_CASES
    family: str = ""
    disguises: DisguiseCounts = NO_DISGUISES

    @property
    def bound(self) -> float:
        """The lower end of the 95% interval of the share that is right; 0 without a firing."""
        return 1 - compute_wilson_interval(self.counted)[1]

    @property
    def is_earned(self) -> bool:
        """Whether enough firings were right to say that the rule may block."""
        return self.bound >= LEAST

    @property
    def is_refuted(self) -> bool:
        """Whether its own firings say that the rule may not block.

        Fewer than ENOUGH say so if a rule that is right as often as LEAST would hardly fire so
        badly. A family vouches for a rule and never speaks against it: a rule that nobody has read
        would pay for the faults of another.
        """
        if self.is_earned or not self.own.cases:
            return False
        return self.own.cases >= ENOUGH or _compute_chance(self.own) < _UNLIKELY

    @property
    def is_decided(self) -> bool:
        """Whether what was measured says anything of the rule, either way."""
        return self.is_earned or self.is_refuted or not self.disguises.is_enough

    @property
    def may_block(self) -> bool:
        """Whether nothing that was measured keeps the rule from blocking."""
        return not self.is_refuted and self.disguises.is_enough

    def __str__(self) -> str:
        """In a few words, as the end of "it blocks: …" or "it only advises: …"."""
        if not self.disguises.is_enough:
            return f"{self.disguises}; {LEAST_CAUGHT:.0%} and none must be"
        if not self.is_decided:
            verb = "was" if self.own.cases == 1 else "were"
            right = f"{self.own.right} of {self.own.cases} that were read {verb} right"
            said = right if self.own.cases else "none was read"
            return f"not measured yet, which takes {ENOUGH} real firings: {said}"
        if self.is_refuted:
            return f"{_count_right(self.own)}, and {LEAST:.0%} must be"
        of = f" of its family, {self.family}," if self.family else ""
        # Rounded down: a bound of 89.9% that reads 90% and does not block would be a riddle.
        return f"{_count_right(self.counted, of)} (at least {math.floor(self.bound * 100)}%)"


def _compute_chance(tally: OutcomeCounts) -> float:
    """How likely it is that no more than so many are right, if each is so with LEAST.

    Below 2.5% the upper end of the exact 95% interval is below LEAST: C. J. Clopper and E. S.
    Pearson, The use of confidence or fiducial limits illustrated in the case of the binomial,
    Biometrika 26 (1934), 404-413. Wilson's, which is an approximation, is too narrow for a few:
    after one wrong firing it ends at 79%, though one in ten of such rules begins so.
    """
    cases = tally.cases
    return math.fsum(
        math.comb(cases, right) * LEAST**right * (1 - LEAST) ** (cases - right)
        for right in range(tally.right + 1)
    )


def _count_right(tally: OutcomeCounts, of: str = "") -> str:
    verb = "was" if tally.cases == 1 else "were"
    return f"{tally.right:,} of {tally.cases:,} real firings{of} {verb} right"


def judge_merit(
    own: OutcomeCounts,
    family: OutcomeCounts,
    name: str,
    disguises: DisguiseCounts = NO_DISGUISES,
) -> Merit:
    """The merit of a rule with those firings, in a family of that name with all of those.

    The family's include the rule's own; a rule without a family stands for itself.
    """
    if own.cases >= ENOUGH or not name:
        return Merit(own, own, disguises=disguises)
    return Merit(own, family, name, disguises)
