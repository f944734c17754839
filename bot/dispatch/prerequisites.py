"""Rules that depend on a broken one: what they ask for has no meaning until that is mended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.corpus.rule import Rule
from bot.verdicts import DecidedBy, Gap, RuleVerdict, Verdict


def held_back(rules: Iterable[Rule], verdicts: Iterable[RuleVerdict]) -> tuple[RuleVerdict, ...]:
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
        needed = _needed(rule.id, known)
        broken = sorted(
            other for other in needed & denied - {rule.id} if rule.id not in _needed(other, known)
        )
        if broken:
            held.append(_not_assessed(rule, broken))
    return tuple(held)


def _needed(rule_id: str, known: Mapping[str, Rule]) -> set[str]:
    """Everything that a rule depends on, directly or not."""
    found: set[str] = set()
    waiting = [rule_id]
    while waiting:
        rule = known.get(waiting.pop())
        for target in rule.relations.depends_on if rule else ():
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def _not_assessed(rule: Rule, broken: list[str]) -> RuleVerdict:
    return RuleVerdict(
        rule=rule,
        verdict=Verdict.NOT_ASSESSED,
        confidence=0.0,
        reasoning=f"It depends on {', '.join(broken)}, which must be mended first.",
        decided_by=DecidedBy.NOBODY,
        gap=Gap.PREREQUISITE,
    )
