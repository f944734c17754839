"""Which class of risk a repository is of, and which uses put it there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from jurat.rating.pack import RegulationPack, RiskClass, RiskTriggers, Trigger
from jurat.rating.signals.evidence import SignalEvidence, Signals


def classify_risk(
    signals: Signals, packs: Iterable[RegulationPack], override: RiskClass | None = None
) -> tuple[RiskClass, str]:
    """The class that the triggers of `packs` give, or the one that the configuration sets.

    The reason names what held and, of each, one place; an override says what it stands in for.
    """
    found, reason = _derive_class(signals, [pack.risk_triggers for pack in packs])
    if override is None:
        return found, reason
    return override, f"Set in the configuration; the code would give {found.value}: {reason}"


def _derive_class(signals: Signals, triggers: Sequence[RiskTriggers]) -> tuple[RiskClass, str]:
    system = _list_held_triggers(
        signals, (trigger for group in triggers for trigger in group.ai_system)
    )
    if not system:
        return RiskClass.NOT_AI, "No AI system: the code uses no model and no agent framework."
    if high := _list_held_triggers(
        signals, (trigger for group in triggers for trigger in group.high)
    ):
        return RiskClass.HIGH, _describe_triggers(signals, high)
    if limited := _list_held_triggers(
        signals, (trigger for group in triggers for trigger in group.limited)
    ):
        return RiskClass.LIMITED, _describe_triggers(signals, limited)
    return (
        RiskClass.MINIMAL,
        f"{_describe_triggers(signals, system)} Nothing shows a use of limited or high risk.",
    )


def list_held_categories(signals: Signals, packs: Sequence[RegulationPack]) -> frozenset[str]:
    """The categories of the uses of high risk that the signals show."""
    triggers = chain.from_iterable(pack.risk_triggers.high for pack in packs)
    held = _list_held_triggers(signals, triggers)
    return frozenset(item.category for item in held if item.category is not None)


def _list_held_triggers(signals: Signals, triggers: Iterable[Trigger]) -> list[Trigger]:
    return [
        trigger
        for trigger in triggers
        if all(signals[name].strength >= trigger.at_least for name in trigger.signals)
    ]


def _describe_triggers(signals: Signals, triggers: Sequence[Trigger]) -> str:
    parts = []
    for trigger in triggers:
        evidence = next((item for name in trigger.signals for item in signals[name].evidence), None)
        parts.append(f"{trigger.reason}{_format_place(evidence)}")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _format_place(evidence: SignalEvidence | None) -> str:
    return "" if evidence is None else f", as in {evidence.path}:{evidence.line}"
