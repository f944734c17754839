"""Whether a judge got worse, or was merely asked twice: paired tests over repeated probes.

A model that does not answer twice alike fails another few probes each time. So each probe is asked
several times, and the same probes of both runs are compared with each other.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, lgamma, log

from jurat.probes.probe import ProbeSeverity

MAX_REPEATS = 1_000_000
"""Repeats of a probe above which no run has ever gone."""

ENOUGH = 3
"""Repeats from which tests say something. Below, what fails anew cannot be told from noise."""

NOISE = 0.05
"""The share of a probe's answers that may fail by chance, in a judge that mostly passes it."""

LEVEL = 0.01
"""The chance at which each test calls a judge worse that is not. Together they stay below 0.05."""

RESAMPLES = 1000
_SEED = 20260101


@dataclass(frozen=True, slots=True)
class TrialCount:
    """How often a probe was asked, and how often it failed."""

    probe_id: str
    n: int
    failed: int

    @property
    def mostly_fails(self) -> bool:
        """Whether it failed in more than half."""
        return 2 * self.failed > self.n


def compute_tail(n: int, hits: int, share: float) -> float:
    """The chance of at least `hits` of `n`, each of which comes with the chance `share`."""
    # By logarithms: the ways to choose among a thousand and more are too many for a float.
    each, none = log(share), log(1 - share)
    ways = lgamma(n + 1)
    chances = (
        exp(ways - lgamma(k + 1) - lgamma(n - k + 1) + k * each + (n - k) * none)
        for k in range(hits, n + 1)
    )
    return min(fsum(chances), 1.0)


def compute_mcnemar(failed: int, passed: int) -> float:
    """The exact one-sided p of McNemar's test: `failed` probes anew against `passed` anew."""
    return compute_tail(failed + passed, failed, 0.5)


def is_regression(old: TrialCount, new: TrialCount, tests: int) -> bool:
    """Whether a probe that never failed before fails in most repeats, or in more than by chance.

    `tests` are the probes that are looked at alike: the chance is shared among them.
    """
    if old.failed or not new.failed:
        return False
    if new.mostly_fails:
        return True
    return new.n >= ENOUGH and compute_tail(new.n, new.failed, NOISE) * tests <= LEVEL


@dataclass(frozen=True, slots=True)
class Loss:
    """What a figure lost from one run to the next, with the bootstrap interval of 98 %."""

    loss: float
    low: float
    high: float


def estimate_loss(losses: Sequence[float]) -> Loss:
    """The mean of what each probe lost, and how far it wavers if other such probes are drawn."""
    if not losses:
        return Loss(0.0, 0.0, 0.0)
    n = len(losses)
    dice = random.Random(_SEED)  # noqa: S311 - a bootstrap, and the same one each time
    means = sorted(sum(dice.choices(losses, k=n)) / n for _ in range(RESAMPLES))
    cut = int(LEVEL * RESAMPLES)
    return Loss(round(sum(losses) / n, 4), round(means[cut], 4), round(means[-1 - cut], 4))


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two runs of the same probes. `regressed` are critical and high ones (see `is_regression`).

    `repeats` is the least that a probe was asked in either run; below ENOUGH `tested` is False and
    neither McNemar's p nor the interval of the severity-weighted loss says anything.
    """

    repeats: int
    regressed: tuple[str, ...]
    mcnemar_p: float
    weighted_loss: Loss

    @property
    def tested(self) -> bool:
        """Whether there were repeats enough to tell a change from noise."""
        return self.repeats >= ENOUGH

    def is_worse(self, tolerance: float) -> bool:
        """Whether a probe has regressed, or all together are worse than by chance."""
        if self.regressed:
            return True
        lost = self.weighted_loss
        return self.tested and (
            self.mcnemar_p <= LEVEL or (lost.low > 0 and round(lost.loss, 4) > tolerance)
        )


def compare_trials(
    old: Mapping[str, TrialCount],
    new: Mapping[str, TrialCount],
    severities: Mapping[str, ProbeSeverity],
) -> PairedTest:
    """The tests over the probes of `severities`, which both runs have asked."""
    graves = [name for name, severity in severities.items() if severity.high_stakes]
    failed = passed = 0
    losses = []
    mean = sum(item.weight for item in severities.values()) / max(len(severities), 1)
    for name, severity in severities.items():
        before, after = old[name], new[name]
        failed += after.mostly_fails and not before.mostly_fails
        passed += before.mostly_fails and not after.mostly_fails
        share = after.failed / after.n - before.failed / before.n
        losses.append(share * severity.weight / mean)
    return PairedTest(
        repeats=min(
            (count.n for name in severities for count in (old[name], new[name])), default=0
        ),
        regressed=tuple(
            name for name in graves if is_regression(old[name], new[name], len(graves))
        ),
        mcnemar_p=round(compute_mcnemar(failed, passed), 6),
        weighted_loss=estimate_loss(losses),
    )
