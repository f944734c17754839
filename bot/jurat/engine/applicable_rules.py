"""Which subjects a rule applies to: those that it fits and that do not fail its preconditions."""

from __future__ import annotations

from dataclasses import dataclass

from jurat.engine.compiler import CompiledRule, compile_rule
from jurat.engine.outcome import CheckedSubject, OutcomeState
from jurat.facts.context import EvaluationContext, Subject
from jurat.rules.matching import fits_subject
from jurat.rules.rule import Rule, RuleSet


@dataclass(frozen=True, slots=True)
class ApplicableRule:
    """A rule with the subjects it applies to, and what its preconditions came to on all of them."""

    rule: Rule
    program: CompiledRule
    subjects: tuple[Subject, ...]
    conditions: tuple[CheckedSubject, ...]

    @property
    def doubtful(self) -> bool:
        """Whether the rule asks nothing of some subject that it fits, for all that is known."""
        met = all(item.outcome.state is OutcomeState.PASS for item in self.conditions)
        return not met or self.program.has_worded_condition

    @property
    def unclear(self) -> bool:
        """Whether a precondition cannot be decided."""
        return any(item.outcome.state is OutcomeState.INDETERMINATE for item in self.conditions)


def build_applicable_rule(
    rule: Rule, context: EvaluationContext, rule_set: RuleSet
) -> ApplicableRule:
    """A rule of a set, with the subjects of a change that it applies to."""
    program = compile_rule(rule, rule_set)
    fitting = [subject for subject in context.subjects if fits_subject(rule, subject)]
    conditions = [
        CheckedSubject(subject, check(subject.facts))
        for subject in fitting
        for check in program.conditions
    ]
    applying = [
        subject
        for subject in fitting
        if not any(
            item.outcome.state is OutcomeState.FAIL
            for item in conditions
            if item.subject is subject
        )
    ]
    return ApplicableRule(rule, program, tuple(applying), tuple(conditions))
