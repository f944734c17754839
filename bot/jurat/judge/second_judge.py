"""A second judge for rules that block: two readings of a question, each unaware of the other.

If both say the same it stands. If they differ, or one of them gave no reading, a person
decides or the rule is not assessed: two judges never pass what one of them would not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from jurat.facts.context import EvaluationContext
from jurat.findings.model_usage import ModelUsage
from jurat.findings.verdict import (
    DecidedBy,
    NotAssessedReason,
    RuleVerdict,
    Verdict,
    require_confirmation,
)
from jurat.judge.answer_desk import UnitAnswer
from jurat.judge.call_record import CallRecord
from jurat.judge.flights import Flights
from jurat.judge.judge import ask_judge
from jurat.judge.protocol import AnswerCache, Judge, JudgmentOptions
from jurat.judge.unasked import JudgeResult
from jurat.rules.rule import Rule

SEAT = "second "
"""What the second judge's answers are known under: those of the first are no answers of its own,
even if both are served by one model."""

_GRAVITY = {
    Verdict.DENY: 0,
    Verdict.NEEDS_CONFIRMATION: 1,
    Verdict.ALLOW: 2,
    Verdict.NOT_ASSESSED: 3,
}


async def ask_judges(
    context: EvaluationContext,
    rules: Sequence[Rule],
    first: Judge | None,
    second: Judge | None,
    *,
    ledger: AnswerCache,
    options: JudgmentOptions,
    flights: Flights[UnitAnswer],
    record: CallRecord,
    each_file: bool = False,
) -> JudgeResult:
    """What `first` says of all `rules`, held against what `second` says of those that block.

    Both are asked at once, as `ask_judge` asks one, on one record and within one budget.
    """

    async def ask(judge: Judge | None, about: Sequence[Rule], seat: str) -> JudgeResult:
        return await ask_judge(
            context,
            about,
            judge,
            ledger,
            options,
            flights=flights,
            record=record,
            each_file=each_file,
            seat=seat,
        )

    doubled = [rule for rule in rules if rule.blocking]
    if first is None or second is None or not doubled:
        return await ask(first, rules, "")
    one, other = await asyncio.gather(ask(first, rules, ""), ask(second, doubled, SEAT))
    readings = {item.rule.id: item for item in other.verdicts}
    names = (first.model_id(options.batch.tier), second.model_id(options.batch.tier))
    verdicts = tuple(
        combine_readings(item, readings[item.rule.id], names) if item.rule.id in readings else item
        for item in one.verdicts
    )
    unread = {item.path: item for item in (*one.unread, *other.unread)}
    models: tuple[ModelUsage, ...] = record.models
    return JudgeResult(verdicts, models, tuple(unread.values()))


def combine_readings(
    first: RuleVerdict, second: RuleVerdict, names: tuple[str, str]
) -> RuleVerdict:
    """One verdict of two on the same rule; `names` are the judges' models.

    The places are those of the graver reading, the first one's if both are as grave.
    """
    if first.verdict is second.verdict:
        return first if _is_unread(first) else _confirm_reading(first, second, names[1])
    said = f"{_describe_reading(first, names[0])} {_describe_reading(second, names[1])}"
    graver = min(first, second, key=lambda item: _GRAVITY[item.verdict])
    silent = next((item for item in (first, second) if item.verdict is Verdict.NOT_ASSESSED), None)
    gap = None if silent is None else silent.gap or NotAssessedReason.MODEL_FAILED
    if silent is not None and graver.verdict is Verdict.ALLOW:
        said = f"Two judges are to agree before it passes. {said}"
        return replace(silent, reasoning=said, gap=gap)
    said = f"{'Two judges disagree' if silent is None else 'One judge alone'}. {said}"
    return replace(
        require_confirmation(graver, said),
        # Two that disagree are no surer than the less sure.
        confidence=min(first.confidence, second.confidence),
        decided_by=DecidedBy.CONFIRMATION,
        partial=first.partial or second.partial or silent is not None,
        # What one of them left open is asked again when it is back, as what both left open is.
        gap=gap,
    )


def _is_unread(verdict: RuleVerdict) -> bool:
    """Whether neither judge was asked, or neither answered."""
    return verdict.verdict is Verdict.NOT_ASSESSED or verdict.vacuous


def _confirm_reading(first: RuleVerdict, second: RuleVerdict, name: str) -> RuleVerdict:
    return replace(
        first,
        # Two that agree are surer than one.
        confidence=max(first.confidence, second.confidence),
        note=f"{first.note} {second.model_id or name} says the same.".strip(),
        partial=first.partial or second.partial,
    )


def _describe_reading(verdict: RuleVerdict, name: str) -> str:
    """Who says what and why; `name` is the model of a judge that has not answered."""
    if verdict.verdict is Verdict.NOT_ASSESSED:
        return f"{name} gave no reading: {verdict.reasoning}"
    return f"{verdict.model_id or name} answers {verdict.verdict.value}: {verdict.reasoning}"
