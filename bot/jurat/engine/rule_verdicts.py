"""Verdicts without a model: allowed, denied with its findings, or not assessed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jurat.engine.applicable_rules import ApplicableRule
from jurat.engine.code_matches import CodeMatches
from jurat.engine.locations import locate_code, locate_fact
from jurat.engine.outcome import (
    CheckedSubject,
    OutcomeState,
    explain_code,
    explain_failures,
    explain_state,
    explain_unread,
)
from jurat.engine.passing_values import MOST_CHECKED_AGAIN, describe_passing_value
from jurat.findings.finding import Problem, Verdict, make_findings
from jurat.findings.verdict import (
    DecidedBy,
    NotAssessedReason,
    RuleVerdict,
    UnreadFile,
    find_other_fixes,
)
from jurat.rules.messages import join_messages
from jurat.rules.rule import Rule, RuleKind

COMPUTED = 0.95
"""Confidence in what a constraint decides."""

MOST_PLACES = 500
"""Places that one verdict lists; the rest are counted. All of a minified file would be no help."""

READ_FROM_PROSE = 0.8
"""Confidence in what was decided from the words of a statement."""


def build_allow(
    applicable: ApplicableRule,
    reasoning: str,
    confidence: float,
    by: DecidedBy = DecidedBy.DETERMINISTIC,
) -> RuleVerdict:
    """A rule that nothing breaks; vacuous if it asks nothing, or perhaps nothing."""
    asks_nothing = applicable.rule.kind in (RuleKind.DEFINITIONAL, RuleKind.PRINCIPLE)
    vacuous = asks_nothing or applicable.doubtful
    return RuleVerdict(applicable.rule, Verdict.ALLOW, confidence, reasoning, by, vacuous=vacuous)


def build_not_assessed(rule: Rule, unread: Sequence[UnreadFile]) -> RuleVerdict:
    """A rule of which nothing is known, as files were not read."""
    reasoning = explain_unread(unread)
    return RuleVerdict(
        rule, Verdict.NOT_ASSESSED, 0.0, reasoning, DecidedBy.NOBODY, gap=NotAssessedReason.UNREAD
    )


def build_deny(
    applicable: ApplicableRule,
    checked: Sequence[CheckedSubject],
    findings: CodeMatches,
    confidence: float = COMPUTED,
) -> RuleVerdict:
    """A rule that facts or code break: each place with its finding, at most MOST_PLACES of them."""
    rule = applicable.rule
    of_facts = _list_fact_problems(rule, checked)
    found = len(of_facts) + len(findings.places)
    placed = locate_code(findings.limit(MOST_PLACES), applicable.subjects, rule)
    # Cut last, and the rest counted in `unlisted_count`: what is not listed is not gone.
    problems = (*of_facts, *placed.problems)[:MOST_PLACES]
    issue = explain_state(checked, OutcomeState.FAIL) or join_messages(
        item.message for item in placed.problems
    )
    made = make_findings(rule, Verdict.DENY, problems, placed.remediations)
    return RuleVerdict(
        rule=rule,
        verdict=Verdict.DENY,
        confidence=confidence,
        reasoning=_explain_deny(rule, checked, findings, placed.problems),
        decided_by=DecidedBy.PATTERN if findings.places else DecidedBy.DETERMINISTIC,
        issue=issue,
        fix_suggestion=rule.fix or "",
        findings=made,
        other_fixes=find_other_fixes(made, placed.remediations),
        note=placed.note,
        unlisted_count=found - len(problems),
    )


def _explain_deny(
    rule: Rule,
    checked: Sequence[CheckedSubject],
    findings: CodeMatches,
    placed: Iterable[Problem],
) -> str:
    """What facts and code break of a rule, what is not known beside it, and what may except it."""
    reasons = [
        explain_state(checked, OutcomeState.FAIL),
        explain_state(checked, OutcomeState.INDETERMINATE),
    ]
    if places := [item.location for item in placed if item.location]:
        reasons.append(explain_code(places, len(findings.places)))
    if findings.unread:
        reasons.append(explain_unread(findings.unread))
    if rule.exceptions:
        reasons.append(f"The rule allows exceptions: {'; '.join(rule.exceptions)}")
    return " ".join(reason for reason in reasons if reason)


def _list_fact_problems(rule: Rule, checked: Sequence[CheckedSubject]) -> list[Problem]:
    """What is wrong with each value that fails, at its place; all without a place together."""
    placed, elsewhere = list[Problem](), list[Problem]()
    for item in checked:
        if item.outcome.state is not OutcomeState.FAIL:
            continue
        failures = [one for one in item.outcome.evidence if one.state is OutcomeState.FAIL]
        located = [(one, locate_fact(item.subject, one)) for one in failures]
        placed += [
            Problem(
                explain_failures(rule, item, [one]),
                place,
                describe_passing_value(item, one) if index < MOST_CHECKED_AGAIN else "",
            )
            for index, (one, place) in enumerate(located)
            if place
        ]
        homeless = [one for one, place in located if place is None]
        if homeless or not failures:
            edit = describe_passing_value(item, homeless[0]) if len(homeless) == 1 else ""
            elsewhere.append(Problem(explain_failures(rule, item, homeless), None, edit))
    if len(elsewhere) > 1:
        elsewhere = [Problem(join_messages(one.message for one in elsewhere))]
    return [*placed, *elsewhere]
