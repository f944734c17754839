"""A clause's score over such evidence alone as supports a verdict, and the lines that carry it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jurat.rating.evidence import Inventory, NamedRule, Signal, SignalEvidence, Signals
from jurat.rating.file_reader import FOLLOWED
from jurat.rating.file_roles import Role
from jurat.rating.pack import Clause
from jurat.rating.recon_table import load_recon_table
from jurat.rating.scale import PARTIAL, Ordinal, compute_raw_score, to_ordinal
from jurat.rating.worktree import Worktree


@dataclass(frozen=True, slots=True)
class RepositoryScan:
    """What RECON saw of one worktree, which the named rules read."""

    worktree: Worktree
    signals: Signals
    inventory: Inventory


@dataclass(frozen=True, slots=True)
class RuleScore:
    """One named rule's part in a clause. `score` is None if the rule failed or did not run."""

    rule: str
    weight: float
    score: float | None
    evidence: tuple[SignalEvidence, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldScore:
    """What evidence supports of a clause.

    `carrying` are the lines without any one of which the ordinal would be another; all of them, if
    several say the same.
    """

    ordinal: Ordinal
    raw: float
    rules: tuple[RuleScore, ...]
    carrying: tuple[tuple[str, int], ...] = ()


_TRIED = 12
"""Lines that are taken away one by one to see which of them carry a verdict."""

_OUTRIGHT = frozenset(("keys", "prompts", "texts", "imports", "calls", "behaviours", "settings"))
"""What is seen of a practice whatever its functions are called."""


def rate_held(
    clause: Clause, seen: RepositoryScan, rules: Mapping[str, NamedRule]
) -> HeldScore | None:
    """The score over what is held, None if nobody looked into what holds.

    A practice that shows in names alone is not held: under other names it would not be seen.
    """
    if seen.signals.held is None:
        return None
    held = seen.signals.keep_held()
    scores = _score(clause, held, seen, rules)
    raw = _compute_raw(scores)
    ordinal = to_ordinal(raw, negative=clause.negative)
    evidence = [item for score in scores for item in score.evidence]
    if clause.negative:
        if not any(item.kind in _OUTRIGHT for item in evidence):
            return HeldScore(4, 0.0, scores)
        return HeldScore(ordinal, raw, scores, tuple(dict.fromkeys(_list_places(evidence))))
    # In some languages names alone are known, and what rests on them is partial at most.
    if ordinal > PARTIAL and any(_is_by_name(item, seen.inventory) for item in evidence):
        ordinal = PARTIAL
    return HeldScore(ordinal, raw, scores, _find_carrying(clause, held, seen, rules, scores))


def _score(
    clause: Clause, signals: Signals, seen: RepositoryScan, rules: Mapping[str, NamedRule]
) -> tuple[RuleScore, ...]:
    scores = (
        (item, rules[item.rule](signals, seen.inventory, seen.worktree))
        for item in clause.checker.deterministic
    )
    return tuple(
        RuleScore(item.rule, item.weight, score.value, score.evidence) for item, score in scores
    )


def _compute_raw(scores: tuple[RuleScore, ...]) -> float:
    return compute_raw_score((s.weight, s.score) for s in scores if s.score is not None)


def _is_by_name(item: SignalEvidence, inventory: Inventory) -> bool:
    file = inventory.by_path.get(item.path)
    return (
        file is not None
        and file.role is Role.CODE
        and file.language is not None
        and file.language not in FOLLOWED
        and item.kind in ("imports", "calls", "defines", "names", "keys")
    )


def _list_places(evidence: list[SignalEvidence]) -> list[tuple[str, int]]:
    return [(item.path, item.line) for item in evidence]


def _find_carrying(
    clause: Clause,
    held: Signals,
    seen: RepositoryScan,
    rules: Mapping[str, NamedRule],
    scores: tuple[RuleScore, ...],
) -> tuple[tuple[str, int], ...]:
    """The lines without which the ordinal falls; all of them, if none alone makes it fall."""
    whole = to_ordinal(_compute_raw(scores))
    places = list(dict.fromkeys(_list_places([e for s in scores for e in s.evidence])))
    if not whole or not places:
        return ()
    carrying = [
        place
        for place in places[:_TRIED]
        if to_ordinal(_compute_raw(_score(clause, drop_line(held, place), seen, rules))) < whole
    ]
    return tuple(carrying or places)


def drop_line(signals: Signals, place: tuple[str, int]) -> Signals:
    """The signals without what one line shows."""
    weights = {
        source.name: tuple(probe.weight for probe in source.probes)
        for source in load_recon_table().signals
    }
    left = {}
    for signal in signals:
        kept = tuple(item for item in signal.evidence if (item.path, item.line) != place)
        if len(kept) == len(signal.evidence):
            left[signal.name] = signal
            continue
        strength = sum(weights[signal.name][number] for number in {e.probe for e in kept})
        left[signal.name] = Signal(signal.name, min(1.0, round(strength, 6)), kept)
    return Signals(left)
