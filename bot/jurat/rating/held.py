"""A clause's score over such evidence alone as supports a verdict, and the lines that carry it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import fsum

from jurat.rating.code.file_reader import FOLLOWED
from jurat.rating.pack import Clause
from jurat.rating.scale import PARTIAL, Ordinal, compute_raw_score, to_ordinal
from jurat.rating.signals.evidence import Inventory, NamedRule, Signal, SignalEvidence, Signals
from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.page_subjects import is_front
from jurat.rating.signals.recon_table import load_recon_table
from jurat.rating.signals.worktree import Worktree


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
    several say the same. `bound` is why it is partial at most where it would be more, else "".
    """

    ordinal: Ordinal
    raw: float
    rules: tuple[RuleScore, ...]
    carrying: tuple[tuple[str, int], ...] = ()
    bound: str = ""


BY_NAME = "Partial at most: it is in a language of which names alone are known."
BY_CODE_ALONE = (
    "Partial at most: code of a large program shows that something is done at a place, and no page"
    " of its own says that it is done for all of it."
)
WITHOUT_HEART = "What the clause is about was not found, only what goes with it."

_IN_ALL_LARGE = frozenset(("supply_chain_controlled",))
"""What nearly every large program has, such as a file of locked versions: it decides nothing."""
_RUN_AS = {"evaluation_suite_present": "evaluation_in_ci"}
"""What a platform is seen to run is there, whatever it looks like."""
_LEAST_RUN = 0.5
"""From here on it is seen to run that very thing, and not tests of any sort."""
_SEVERAL = 2
_HEART = 0.5
"""From this part of a clause on a rule is what the clause is about."""
_LEAST_OF_HEART = 0.25
_TRIED = 12
"""Lines, or files, that are taken away one by one to see which of them carry a verdict."""

_OUTRIGHT = frozenset(("keys", "prompts", "texts", "imports", "calls", "behaviours", "settings"))
"""What is seen of a practice whatever its functions are called."""
_LIBRARIES = frozenset(("imports", "calls"))
"""What a large program has for many ends: that two stand near one another is no practice."""


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
    if not clause.negative and ordinal and ordinal <= _rate_nothing(clause, held, seen, rules):
        return HeldScore(0, 0.0, scores)  # it stands as well if every cited file is gone
    if not (clause.negative or seen.inventory.is_small) and _is_without_heart(scores):
        beside = any(score.score for score in scores)
        return HeldScore(0, 0.0, scores, bound=WITHOUT_HEART if beside else "")
    evidence = [item for score in scores for item in score.evidence]
    if clause.negative:
        outright = _OUTRIGHT if seen.inventory.is_small else _OUTRIGHT - _LIBRARIES
        if not any(item.kind in outright for item in evidence):
            return HeldScore(4, 0.0, scores)
        return HeldScore(ordinal, raw, scores, tuple(dict.fromkeys(_list_places(evidence))))
    bound = _explain_bound(evidence, seen.inventory) if ordinal > PARTIAL else ""
    score = HeldScore(PARTIAL if bound else ordinal, raw, scores, bound=bound)
    return replace(score, carrying=_find_carrying(clause, held, seen, rules, score))


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


def _is_without_heart(scores: tuple[RuleScore, ...]) -> bool:
    """Whether what a clause is about is not held, or if that is several things, two of them.

    What stands beside it, such as a bound of tries beside a stop, is in all large programs.
    """
    least = _HEART * fsum(score.weight for score in scores)
    heart = [score.rule for score in scores if score.weight >= least]
    found = {score.rule: score.score or 0.0 for score in scores}
    run = {rule: found.get(_RUN_AS.get(rule, rule), 0.0) for rule in heart}
    lacking = any(
        found[rule] < _LEAST_OF_HEART and (rule not in _RUN_AS or run[rule] < _LEAST_RUN)
        for rule in heart
    )
    held = [rule for rule, score in found.items() if score and rule not in _IN_ALL_LARGE]
    return lacking or (not heart and len(held) < _SEVERAL)


def _compute_raw(scores: tuple[RuleScore, ...]) -> float:
    return compute_raw_score((s.weight, s.score) for s in scores if s.score is not None)


def _explain_bound(evidence: Iterable[SignalEvidence], inventory: Inventory) -> str:
    """Why evidence that would pass a clause supports it in part at most, "" if it may pass."""
    if any(_is_by_name(item, inventory) for item in evidence):
        return BY_NAME
    written = any(item.kind == "documents" and not is_front(item.path) for item in evidence)
    return "" if written or inventory.is_small else BY_CODE_ALONE


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


def _rate_nothing(
    clause: Clause, held: Signals, seen: RepositoryScan, rules: Mapping[str, NamedRule]
) -> Ordinal:
    """The ordinal if no evidence is left at all."""
    nothing = Signals({signal.name: Signal(signal.name, 0.0) for signal in held})
    return to_ordinal(_compute_raw(_score(clause, nothing, seen, rules)))


def _find_carrying(
    clause: Clause,
    held: Signals,
    seen: RepositoryScan,
    rules: Mapping[str, NamedRule],
    score: HeldScore,
) -> tuple[tuple[str, int], ...]:
    """The lines without which the ordinal falls, those among them that stubs would empty.

    If no line alone makes it fall, those of the files without which it falls, and if there is no
    such file, all.
    """
    evidence = [item for part in score.rules for item in part.evidence]
    places = list(dict.fromkeys([*_list_places(evidence), *_list_carriers(evidence)]))
    if not score.ordinal or not places:
        return ()

    def falls_without(gone: frozenset[tuple[str, int]], path: str = "") -> bool:
        left = drop_lines(held, gone, path)
        return to_ordinal(_compute_raw(_score(clause, left, seen, rules))) < score.ordinal

    carrying = [place for place in places[:_TRIED] if falls_without(frozenset({place}))]
    if not carrying:
        paths = list(dict.fromkeys(path for path, _ in places))[:_TRIED]
        needed = {path for path in paths if falls_without(frozenset(), path)}
        carrying = [place for place in places if place[0] in needed]
    return tuple(carrying or places)


def _list_carriers(evidence: list[SignalEvidence]) -> list[tuple[str, int]]:
    return [place for item in evidence for place in item.carriers]


def drop_lines(signals: Signals, places: frozenset[tuple[str, int]], path: str = "") -> Signals:
    """The signals without what some lines show, or carry, and without a file."""

    def is_gone(item: SignalEvidence) -> bool:
        held_by = ((item.path, item.line), *item.carriers)
        return not places.isdisjoint(held_by) or any(where == path for where, _ in held_by)

    def drop(signal: Signal) -> Signal:
        kept = tuple(item for item in signal.evidence if not is_gone(item))
        if len(kept) == len(signal.evidence):
            return signal
        weights = _load_weights()[signal.name]
        strength = sum(weights[number] for number in {e.probe for e in kept})
        return Signal(signal.name, min(1.0, round(strength, 6)), kept)

    return Signals(_ChangedSignals(signals.by_name, drop))


class _ChangedSignals(Mapping[str, Signal]):
    """Signals of which each is changed once it is asked for: a clause's rules read few of them."""

    def __init__(self, by_name: Mapping[str, Signal], change: Callable[[Signal], Signal]) -> None:
        self._by_name = by_name
        self._change = change
        self._changed: dict[str, Signal] = {}

    def __getitem__(self, name: str) -> Signal:
        if name not in self._changed:
            self._changed[name] = self._change(self._by_name[name])
        return self._changed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)


@cache
def _load_weights() -> Mapping[str, tuple[float, ...]]:
    return {
        source.name: tuple(probe.weight for probe in source.probes)
        for source in load_recon_table().signals
    }
