"""What RECON looks for first, and when that decides a rating: most repositories hold no AI."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from jurat.rating.held import RepositoryScan
from jurat.rating.pack import RegulationPack, RiskClass
from jurat.rating.recon import FirstLook
from jurat.rating.risk import classify_risk
from jurat.rating.scope import explain_out_of_scope
from jurat.rating.signals.evidence import Inventory, NamedRule, Signal, Signals
from jurat.rating.signals.recon_table import load_recon_table
from jurat.rating.signals.worktree import build_worktree

FEW = 20
"""Files of code of a small program: what its functions do costs little, may tell a model without
words, and may be what a clause asks for although none applies.
"""
_NOTHING = build_worktree((), lambda entry: b"")


def build_first_look(
    packs: Sequence[RegulationPack],
    rules: Mapping[str, NamedRule],
    *,
    classifying: Sequence[RegulationPack],
    risk: RiskClass | None = None,
) -> FirstLook:
    """A look for AI and for prohibited practices alone; the arguments are those of `rate_scan`.

    It suffices if there is no AI system, and no clause that binds without one applies, or none of
    its rules finds a line. Then no clause asks what functions do or what a page says, and the whole
    would be rated the same. It is no ground for a model's opinion, which is shown more than rules
    read.
    """
    triggers = {
        name
        for pack in classifying
        for item in pack.risk_triggers.ai_system
        for name in item.signals
    }
    stand_ins = {
        name for pack in packs for item in pack.clauses for name in item.in_scope_when.without_ai
    }
    acting = frozenset(
        source.name
        for source in load_recon_table().signals
        if source.name in triggers | stand_ins and any(probe.behaviours for probe in source.probes)
    )
    asked = {
        weighed.rule
        for pack in packs
        for clause in pack.clauses
        if RiskClass.NOT_AI in clause.in_scope_when.risk
        for weighed in clause.checker.deterministic
    }
    read = {name for rule in asked if rule in rules for name in _list_read(rules[rule])}

    def suffices(signals: Signals, inventory: Inventory) -> bool:
        seen = RepositoryScan(_NOTHING, signals, inventory)
        if any(signals[name].evidence for name in acting):
            return False  # a word of it shows, and what functions do may say the rest
        return not triggers - signals.by_name.keys() and _is_settled(
            seen, packs, rules, classifying, risk
        )

    return FirstLook(frozenset(triggers | stand_ins | read), suffices, FEW)


def _is_settled(
    seen: RepositoryScan,
    packs: Sequence[RegulationPack],
    rules: Mapping[str, NamedRule],
    classifying: Sequence[RegulationPack],
    risk: RiskClass | None,
) -> bool:
    try:
        if classify_risk(seen.signals, classifying, risk)[0] is not RiskClass.NOT_AI:
            return False
        return not any(
            rules[weighed.rule](seen.signals, seen.inventory, seen.worktree).evidence
            for pack in packs
            for clause in pack.clauses
            if not explain_out_of_scope(clause, RiskClass.NOT_AI, seen)
            for weighed in clause.checker.deterministic
        )
    except Exception:  # noqa: BLE001 - it reads what was not looked for, or fails: the whole tells
        return False


@cache
def _list_read(rule: NamedRule) -> frozenset[str]:
    """The signals that a rule reads where every one shows; none of a rule that then fails."""
    asked = _AskedSignals()
    try:
        rule(Signals(asked), Inventory(()), _NOTHING)
    except Exception:  # noqa: BLE001 - what it reads is then not looked for, and it does not suffice
        return frozenset()
    return frozenset(asked.names)


class _AskedSignals(Mapping[str, Signal]):
    """Every signal there could be, and which of them were asked for."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> Signal:
        self.names.add(name)
        return Signal(name, 1.0)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0
