"""All verdicts of one review, brought together into one Evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.aggregation.relations import related
from bot.errors import IncompleteError
from bot.selection.selection import Selection
from bot.subjects.context import EvaluationContext
from bot.verdicts import (
    Coverage,
    Evaluation,
    Gap,
    ModelUse,
    RuleVerdict,
    UnreadFile,
    Verdict,
)

SHADOW_PREFIX = "[SHADOW] "
NO_RULE_APPLIES = "No rule applies to this change."


def aggregate(
    context: EvaluationContext,
    selection: Selection,
    verdicts: Iterable[RuleVerdict],
    *,
    evaluation_id: str,
    models: Sequence[ModelUse] = (),
    unread: Iterable[UnreadFile] = (),
    latency_ms: float = 0.0,
    notes: Sequence[str] = (),
) -> Evaluation:
    """The Evaluation of `context`: one verdict for each selected rule, in the selection's order.

    `unread` names what a judge could not be shown, besides the files that could not be parsed, and
    `notes` what a reader must know of how the rules were selected. Raises IncompleteError where a
    selected rule has no verdict or two, or a verdict has no rule: verdicts received are compared
    with rules sent, and a missing one is never a pass.
    """
    ordered = related(tuple(map(_shadowed, _one_a_rule(selection, verdicts))), context)
    return Evaluation(
        evaluation_id=evaluation_id,
        overall=overall(ordered),
        rule_verdicts=ordered,
        coverage=_coverage(context, selection, unread),
        omitted=selection.omitted,
        models=tuple(models),
        fix_summary=_fix_summary(ordered),
        total_latency_ms=latency_ms,
        notes=(*notes, *(() if ordered else (NO_RULE_APPLIES,))),
    )


def _one_a_rule(selection: Selection, verdicts: Iterable[RuleVerdict]) -> list[RuleVerdict]:
    """The verdicts in the selection's order."""
    by_rule: dict[str, RuleVerdict] = {}
    for verdict in verdicts:
        if verdict.rule.id in by_rule:
            raise IncompleteError(f"Rule {verdict.rule.id} was decided twice in one review.")
        by_rule[verdict.rule.id] = verdict
    selected = [rule.id for rule in selection.rules]
    if missing := [rule_id for rule_id in selected if rule_id not in by_rule]:
        raise IncompleteError(f"No verdict came back for {', '.join(missing)}.")
    if stray := by_rule.keys() - set(selected):
        raise IncompleteError(f"A verdict came back for {', '.join(sorted(stray))}, never asked.")
    return [by_rule[rule_id] for rule_id in selected]


def overall(verdicts: Iterable[RuleVerdict]) -> Verdict:
    """Any DENY denies; else any NEEDS_CONFIRMATION needs it; else ALLOW (seed, stage 4).

    A waived verdict does not count. A blocking rule that should have been assessed and could not be
    needs confirmation. Where no model is configured at all, the review stands on the rules that
    could be decided, and says so.
    """
    verdicts = tuple(item for item in verdicts if not item.waived)
    if any(item.verdict is Verdict.DENY for item in verdicts):
        return Verdict.DENY
    if any(item.verdict is Verdict.NEEDS_CONFIRMATION or unearned(item) for item in verdicts):
        return Verdict.NEEDS_CONFIRMATION
    return Verdict.ALLOW


def unearned(verdict: RuleVerdict) -> bool:
    """Whether letting this verdict pass would be a pass that was not earned."""
    return (
        verdict.verdict is Verdict.NOT_ASSESSED
        and (verdict.gap is None or verdict.gap.failure)
        and verdict.rule.blocking
    )


def incomplete(evaluation: Evaluation) -> bool:
    """Whether the review is not the one that was asked for.

    So it is if a pass would not be earned, and if a model that was configured failed on any rule
    that counts, blocking or not. Whoever only observes keeps nothing from being complete.
    """
    return any(
        unearned(item) or (item.gap is Gap.MODEL_FAILED and not item.shadow)
        for item in evaluation.rule_verdicts
    )


def _shadowed(verdict: RuleVerdict) -> RuleVerdict:
    if not verdict.shadow or verdict.verdict is not Verdict.DENY:
        return verdict
    return replace(
        verdict,
        verdict=Verdict.NEEDS_CONFIRMATION,
        would_block=True,
        reasoning=SHADOW_PREFIX + verdict.reasoning,
    )


def _coverage(
    context: EvaluationContext, selection: Selection, unread: Iterable[UnreadFile]
) -> Coverage:
    reasons = {file.path: file.unread or "" for file in context.unread}
    for item in unread:
        reasons.setdefault(item.path, item.reason)
    return Coverage(
        files=len(context.files),
        unread=tuple(UnreadFile(path, reason) for path, reason in reasons.items()),
        rules_in_force=len(selection.rules) + len(selection.omitted) + len(selection.inapplicable),
    )


def _fix_summary(verdicts: Sequence[RuleVerdict]) -> str:
    """One line a rule that says how to fix it; empty where nothing is to be fixed."""
    lines = [
        f"{item.rule.id}: {item.fix_suggestion}"
        for item in verdicts
        if item.fix_suggestion and item.verdict in (Verdict.DENY, Verdict.NEEDS_CONFIRMATION)
    ]
    return "\n".join(lines)
