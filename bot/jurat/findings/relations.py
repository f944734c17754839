"""What rules say of each other: one overrides or refines another, two conflict, one needs another.

Where a rule gives way it does so for the files that the stronger rule is about, and for no other:
a rule that overrides another in `src/` says nothing of `lib/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from jurat.facts.context import EvaluationContext
from jurat.findings.verdict import DecidedBy, NotAssessedReason, RuleVerdict, Verdict
from jurat.rules.matching import fits_file
from jurat.rules.rule import Rule


def apply_relations(
    verdicts: Sequence[RuleVerdict], context: EvaluationContext
) -> tuple[RuleVerdict, ...]:
    """The same verdicts, in order, after the relations between their rules were heeded.

    Overridden and refined rules give way first, then the losers of conflicts, then rules whose
    prerequisite is denied. What gives way is NOT_ASSESSED, and says to whom. Only a rule that was
    decided and asks something here can take another's place, and an experimental one never that of
    a rule that counts.
    """
    # In this order: a rule that is overridden here is no party to a conflict, and one that lost
    # either holds no other back.
    settled = _apply_overrides(verdicts, context)
    settled = _apply_conflicts(settled, context)
    decided = [item for item in settled if item.verdict is not Verdict.NOT_ASSESSED]
    held = {
        item.rule.id: item for item in skip_dependents((item.rule for item in decided), settled)
    }
    return tuple(held.get(item.rule.id, item) for item in settled)


def _apply_overrides(
    verdicts: Sequence[RuleVerdict], context: EvaluationContext
) -> tuple[RuleVerdict, ...]:
    settled = []
    overriding = [item for item in verdicts if _list_replaced(item.rule)]
    for item in verdicts:
        stronger = [
            other
            for other in overriding
            if item.rule.id in _list_replaced(other.rule)
            # Two that override each other both stand: neither is the stronger.
            and other.rule.id not in _list_replaced(item.rule)
            and _can_replace(other, item)
        ]
        settled.append(_give_way(item, stronger, NotAssessedReason.OVERRIDDEN, context))
    return tuple(settled)


def _apply_conflicts(
    verdicts: Sequence[RuleVerdict], context: EvaluationContext
) -> tuple[RuleVerdict, ...]:
    """Strongest first: a rule that lost a conflict itself makes no other give way."""
    settled: dict[str, RuleVerdict] = {}
    for item in sorted(verdicts, key=_get_strength_key):
        stronger = [
            other
            for other in settled.values()
            if _is_conflicting(item.rule, other.rule) and _can_replace(other, item)
        ]
        settled[item.rule.id] = _give_way(item, stronger, NotAssessedReason.CONFLICT, context)
    return tuple(settled[item.rule.id] for item in verdicts)


def _list_replaced(rule: Rule) -> frozenset[str]:
    return frozenset((*rule.relations.overrides, *rule.relations.refines))


def _is_conflicting(one: Rule, other: Rule) -> bool:
    return other.id in one.relations.conflicts_with or one.id in other.relations.conflicts_with


def _can_replace(stronger: RuleVerdict, weaker: RuleVerdict) -> bool:
    decided = stronger.verdict is not Verdict.NOT_ASSESSED and not stronger.vacuous
    if weaker.rule.is_required and not stronger.rule.is_required:
        return False
    return decided and (weaker.shadow or not stronger.shadow)


def _get_strength_key(item: RuleVerdict) -> tuple[bool, int, int, int, str]:
    """Sorts the rule that counts most first: by severity, modality, then the narrower scope."""
    rule = item.rule
    narrowness = max((scope.count("/") + 1 for scope in rule.scope), default=0)
    return (rule.shadow, -rule.severity.rank, -rule.modality.rank, -narrowness, rule.id)


def _give_way(
    item: RuleVerdict,
    stronger: Sequence[RuleVerdict],
    gap: NotAssessedReason,
    context: EvaluationContext,
) -> RuleVerdict:
    """`item` without what it says of files that a stronger rule is about."""
    if not stronger or item.verdict is Verdict.NOT_ASSESSED:
        return item
    own = [file for file in context.files if fits_file(item.rule, file)]
    kept = {file.path for file in own if not any(fits_file(other.rule, file) for other in stronger)}
    if not kept:
        return _build_replaced(item, stronger, gap)
    findings = tuple(
        finding for finding in item.findings if finding.location is None or finding.path in kept
    )
    if item.findings and not findings:
        return _build_replaced(item, stronger, gap)
    fixes = tuple(fix for fix in item.other_fixes if fix.file_path in kept)
    return replace(item, findings=findings, other_fixes=fixes)


def _build_replaced(
    item: RuleVerdict, stronger: Iterable[RuleVerdict], gap: NotAssessedReason
) -> RuleVerdict:
    names = ", ".join(sorted(other.rule.id for other in stronger))
    reasons: Mapping[NotAssessedReason, str] = {
        NotAssessedReason.OVERRIDDEN: f"{names} takes its place here.",
        NotAssessedReason.CONFLICT: f"It conflicts with {names}, which counts for more.",
    }
    return RuleVerdict(
        rule=item.rule,
        verdict=Verdict.NOT_ASSESSED,
        confidence=0.0,
        reasoning=reasons[gap],
        decided_by=DecidedBy.NOBODY,
        note=f"It had said {item.verdict}: {item.reasoning}",
        gap=gap,
    )


# Rules that depend on a broken one: what they ask for has no meaning until that is mended.


def skip_dependents(
    rules: Iterable[Rule], verdicts: Iterable[RuleVerdict]
) -> tuple[RuleVerdict, ...]:
    """A verdict NOT_ASSESSED for each of `rules` that depends, directly or not, on a denied one.

    A rule that the denied one depends on in turn is not held back: of a circle, something must
    stand. An experimental rule holds nothing back, whether or not its DENY was turned already.
    """
    known = {item.rule.id: item.rule for item in verdicts}
    rules = tuple(rules)
    known.update({rule.id: rule for rule in rules})
    denied = {item.rule.id for item in verdicts if item.verdict is Verdict.DENY and not item.shadow}
    held = []
    for rule in rules:
        needed = _list_needed(rule.id, known)
        broken = sorted(
            other
            for other in needed & denied - {rule.id}
            if rule.id not in _list_needed(other, known)
        )
        if broken:
            held.append(_build_not_assessed(rule, broken))
    return tuple(held)


def _list_needed(rule_id: str, known: Mapping[str, Rule]) -> set[str]:
    """Everything that a rule depends on, directly or not."""
    found: set[str] = set()
    waiting = [rule_id]
    while waiting:
        rule = known.get(waiting.pop())
        for target in rule.relations.depends_on if rule else ():
            # Relations may run in a circle.
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def _build_not_assessed(rule: Rule, broken: list[str]) -> RuleVerdict:
    return RuleVerdict(
        rule=rule,
        verdict=Verdict.NOT_ASSESSED,
        confidence=0.0,
        reasoning=f"It depends on {', '.join(broken)}, which must be mended first.",
        decided_by=DecidedBy.NOBODY,
        gap=NotAssessedReason.PREREQUISITE,
    )
