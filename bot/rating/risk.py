"""Which class of risk a repository is of, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.rating.evidence import Evidence, Signals
from bot.rating.packs import RegulationPack, RiskClass, RiskTriggers, Trigger


def classify(
    signals: Signals, packs: Iterable[RegulationPack], override: RiskClass | None = None
) -> tuple[RiskClass, str]:
    """The class that the triggers of `packs` give, or the one that the configuration sets.

    The reason names what held and, of each, one place; an override says what it stands in for.
    """
    found, reason = _derived(signals, [pack.risk_triggers for pack in packs])
    if override is None:
        return found, reason
    return override, f"Set in the configuration; the code would give {found.value}: {reason}"


def _derived(signals: Signals, triggers: Sequence[RiskTriggers]) -> tuple[RiskClass, str]:
    system = _held(signals, (trigger for group in triggers for trigger in group.ai_system))
    if not system:
        return RiskClass.NOT_AI, "No AI system: the code uses no model and no agent framework."
    if high := _held(signals, (trigger for group in triggers for trigger in group.high)):
        return RiskClass.HIGH, _told(signals, high)
    if limited := _held(signals, (trigger for group in triggers for trigger in group.limited)):
        return RiskClass.LIMITED, _told(signals, limited)
    return (
        RiskClass.MINIMAL,
        f"{_told(signals, system)} Nothing shows a use of limited or high risk.",
    )


def _held(signals: Signals, triggers: Iterable[Trigger]) -> list[Trigger]:
    return [
        trigger
        for trigger in triggers
        if all(signals[name].strength >= trigger.at_least for name in trigger.signals)
    ]


def _told(signals: Signals, triggers: Sequence[Trigger]) -> str:
    parts = []
    for trigger in triggers:
        evidence = next((item for name in trigger.signals for item in signals[name].evidence), None)
        parts.append(f"{trigger.reason}{_place(evidence)}")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _place(evidence: Evidence | None) -> str:
    return "" if evidence is None else f", as in {evidence.path}:{evidence.line}"
