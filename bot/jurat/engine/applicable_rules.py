"""Which subjects a rule applies to: those that it fits and that do not fail its preconditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jurat.engine.compiler import CompiledRule, compile_rule
from jurat.engine.outcome import CheckedSubject, OutcomeState
from jurat.facts.context import Subject
from jurat.rules.matching import SubjectFiles, fits_subject
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
    rule: Rule, subjects: Sequence[tuple[Subject, SubjectFiles]], rule_set: RuleSet
) -> ApplicableRule:
    """A rule of a set, with those of a change's subjects, each with its files, it applies to."""
    program = compile_rule(rule, rule_set)
    fitting = [one for one, files in subjects if fits_subject(rule, one, files.has_match)]
    # Most rules ask nothing first.
    if not program.conditions:
        return ApplicableRule(rule, program, tuple(fitting), ())
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
