"""From an Evaluation to what the check run says, and to whether a person must act."""

from __future__ import annotations

from bot.aggregation.aggregate import unearned
from bot.corpus.configuration import ReviewOptions
from bot.verdicts import Conclusion, Evaluation, Verdict, WaiverKind


def conclude(evaluation: Evaluation, options: ReviewOptions) -> Conclusion:
    """The check's conclusion, as design.md's table has it.

    Shadow findings alone are neutral, and so is a change to which no rule applies: neither blocks,
    and neither claims that something was checked and passed. What a person has confirmed passes.
    """
    if evaluation.having(Verdict.DENY):
        return Conclusion.FAILURE
    if any(unearned(item) for item in evaluation.rule_verdicts):
        return Conclusion(options.unassessed)
    if any(not item.shadow for item in evaluation.having(Verdict.NEEDS_CONFIRMATION)):
        return Conclusion(options.needs_confirmation)
    if any(
        waiver is not None and waiver.kind is WaiverKind.CONFIRMED
        for item in evaluation.rule_verdicts
        for waiver in item.waivers
    ):
        return Conclusion.SUCCESS
    if evaluation.having(Verdict.NEEDS_CONFIRMATION) or not evaluation.rule_verdicts:
        return Conclusion.NEUTRAL
    return Conclusion.SUCCESS
