"""From signals to a score: their weighed sum, or how closely two of them stand together."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, zip_longest

from bot.rating.evidence import Evidence, Signal, Signals
from bot.rating.recon.probes import shipped_table
from bot.rating.scores import Score

SHOWN = 30
"""Lines of evidence that a control's rule gives: a reader sees that it is there. A prohibition's
rule gives all of its evidence, as somebody has to look at each."""

_ELSEWHERE = 0.2
"""What two things weigh that are in one repository, and in no folder together: below the 0.15 of
the lowest band but for strong signals, as a library that does both need not do them to one another.
"""
_SAME_FOLDER = 0.85


def weighed(signals: Signals, weights: Mapping[str, float]) -> Score:
    """The sum of the signals' strengths, each times its weight, at most 1."""
    found = [(signals[name], weight) for name, weight in weights.items()]
    value = sum(signal.strength * weight for signal, weight in found)
    return Score(min(1.0, round(value, 6)), in_turn((s for s, _ in found), SHOWN))


def together(signals: Signals, one: str, other: str) -> Score:
    """How far two signals show at the same place: what neither of them alone would mean.

    In one file it counts whole, in one folder a little less, elsewhere in the repository hardly.
    The evidence of both is given, that of the places where they meet first.
    """
    first, second = signals[one], signals[other]
    if not first or not second:
        return Score(0.0)
    near = _nearest(first, second, lambda path: path)
    beside = _SAME_FOLDER * _nearest(first, second, posixpath.dirname)
    value = max(near, beside, _ELSEWHERE * min(first.strength, second.strength))
    shared = {e.path for e in first.evidence} & {e.path for e in second.evidence}
    evidence = sorted(
        in_turn((first, second), len(first.evidence) + len(second.evidence)),
        key=lambda e: e.path not in shared,
    )
    return Score(round(value, 6), tuple(evidence))


def in_turn(signals: Iterable[Signal], most: int) -> tuple[Evidence, ...]:
    """Evidence of each probe of each signal in turn, each line once: none is crowded out."""
    probes: list[list[Evidence]] = []
    for signal in signals:
        by_probe: defaultdict[int, list[Evidence]] = defaultdict(list)
        for evidence in signal.evidence:
            by_probe[evidence.probe].append(evidence)
        probes += by_probe.values()
    turns = chain.from_iterable(zip_longest(*probes))
    places = {(e.path, e.line): e for e in reversed([e for e in turns if e is not None])}
    return tuple(reversed(places.values()))[:most]


def _nearest(first: Signal, second: Signal, place: Callable[[str], str]) -> float:
    """The most that both signals reach at one place."""
    ours, theirs = dict(_strengths(first, place)), dict(_strengths(second, place))
    return max((min(ours[at], theirs[at]) for at in ours.keys() & theirs.keys()), default=0.0)


def _strengths(signal: Signal, place: Callable[[str], str]) -> Iterator[tuple[str, float]]:
    """How strong a signal is at each place where it shows."""
    weights = _weights()[signal.name]
    probes: defaultdict[str, set[int]] = defaultdict(set)
    for evidence in signal.evidence:
        probes[place(evidence.path)].add(evidence.probe)
    for at, held in probes.items():
        yield at, min(1.0, sum(weights[probe] for probe in held))


def _weights() -> dict[str, tuple[float, ...]]:
    table = shipped_table()
    return {source.name: tuple(p.weight for p in source.probes) for source in table.signals}
