"""Stage 3: rules sorted by kind, and every verdict that needs no model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from jurat.engine.applicable_rules import ApplicableRule, build_applicable_rule
from jurat.engine.code_matches import CodeMatches
from jurat.engine.code_scan import scan_code
from jurat.engine.compiler import check_procedure_statement
from jurat.engine.fact_checks import (
    check_subjects,
    detach_places,
    filter_stating,
    list_unread_behind,
    list_unread_in,
)
from jurat.engine.outcome import (
    CheckedSubject,
    Outcome,
    OutcomeState,
    explain_state,
    find_worst_state,
)
from jurat.engine.rule_verdicts import (
    COMPUTED,
    READ_FROM_PROSE,
    build_allow,
    build_deny,
    build_not_assessed,
)
from jurat.engine.thresholds import check_threshold_statement
from jurat.facts.context import EvaluationContext
from jurat.facts.derived import is_measure
from jurat.findings.finding import Verdict
from jurat.findings.relations import skip_dependents
from jurat.findings.verdict import DecidedBy, RuleVerdict, UnreadFile
from jurat.rules.matching import SubjectFiles, is_about_code
from jurat.rules.rule import Rule, RuleKind, RuleSet
from jurat.rules.selection import Selection
from jurat.source.diff import FileChange
from jurat.source.parsing import ParseMap, parse_in_process


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The verdicts reached without a model, and the rules that one must judge, in order.

    `unknown` says of those that were to be computed, by id, what it was that could not be.
    `doubtful` are the ids of those whose preconditions are not all known to be met. `unread` are
    files that some rule about code could not read, though they parse as far as anybody needs.
    """

    verdicts: tuple[RuleVerdict, ...]
    undecided: tuple[Rule, ...]
    unknown: Mapping[str, str] = field(default_factory=dict)
    doubtful: frozenset[str] = frozenset()
    unread: tuple[UnreadFile, ...] = ()

    def with_judged(self, judged: Iterable[RuleVerdict]) -> tuple[RuleVerdict, ...]:
        """All verdicts. One that a model could not give says why it was needed."""
        return (*self.verdicts, *(self._complete(verdict) for verdict in judged))

    def _complete(self, verdict: RuleVerdict) -> RuleVerdict:
        if verdict.verdict is Verdict.ALLOW and verdict.rule.id in self.doubtful:
            return replace(verdict, vacuous=True)
        unknown = self.unknown.get(verdict.rule.id)
        if unknown is None or verdict.verdict is not Verdict.NOT_ASSESSED:
            return verdict
        return replace(verdict, reasoning=f"{unknown} {verdict.reasoning}")


def check_rules(
    context: EvaluationContext,
    selection: Selection,
    rule_set: RuleSet,
    parse_map: ParseMap = parse_in_process,
) -> CheckResult:
    """Decide what can be computed. Each selected rule comes out exactly once.

    A rule whose prerequisite is denied already is not left to a model.
    """
    subjects = [(subject, SubjectFiles(subject.files)) for subject in context.subjects]
    applicable_rules = [build_applicable_rule(rule, subjects, rule_set) for rule in selection.rules]
    # All rules in one scan: each file is parsed once, whatever the number of rules.
    to_scan = [
        applicable
        for applicable in applicable_rules
        if is_about_code(applicable.rule) and not applicable.unclear
    ]
    scanned = scan_code(
        [(applicable.rule, _list_files(applicable)) for applicable in to_scan],
        parse_map,
    )
    findings = {
        applicable.rule.id: found for applicable, found in zip(to_scan, scanned, strict=True)
    }
    verdicts: list[RuleVerdict] = []
    undecided: list[Rule] = []
    unknown: dict[str, str] = {}
    doubtful: set[str] = set()
    for applicable in applicable_rules:
        verdict = _decide(applicable, findings.get(applicable.rule.id))
        if verdict is not None:
            verdicts.append(verdict)
            continue
        undecided.append(applicable.rule)
        if applicable.doubtful:
            doubtful.add(applicable.rule.id)
        if missing := explain_state(
            [*applicable.conditions, *check_subjects(applicable)], OutcomeState.INDETERMINATE
        ):
            unknown[applicable.rule.id] = missing
    # Before a model is asked: a rule whose prerequisite is broken would cost a question for
    # nothing.
    held = skip_dependents(undecided, verdicts)
    waiting = {item.rule.id for item in held}
    return CheckResult(
        (*verdicts, *held),
        tuple(rule for rule in undecided if rule.id not in waiting),
        unknown,
        frozenset(doubtful),
        tuple({file.path: file for found in scanned for file in found.unread}.values()),
    )


def _list_files(applicable: ApplicableRule) -> list[FileChange]:
    return [file for subject in applicable.subjects for file in subject.files]


def _decide(applicable: ApplicableRule, found: CodeMatches | None) -> RuleVerdict | None:
    """The verdict, or None if a model must judge."""
    rule = applicable.rule
    if rule.kind is RuleKind.DEFINITIONAL:
        return build_allow(applicable, "The rule defines a term; there is nothing to break.", 1.0)
    if rule.kind is RuleKind.PRINCIPLE:
        return build_allow(
            applicable, "A principle is judged through the rules derived from it.", 1.0
        )
    # After the kinds that ask nothing, before everything else: whether a rule applies at all comes
    # before whether it is kept.
    if applicable.unclear:
        unread = list_unread_in(rule, filter_stating(applicable.subjects))
        computed = rule.kind is not RuleKind.NORMATIVE
        return build_not_assessed(rule, unread) if unread and computed else None
    if applicable.conditions and not applicable.subjects:
        # A precondition that is "not met" by a file nobody read is not known to be unmet.
        if unread := list_unread_behind(rule, applicable.conditions):
            return build_not_assessed(rule, unread)
        return build_allow(
            applicable, "The rule does not apply: its preconditions are not met.", COMPUTED
        )
    if rule.kind is RuleKind.NORMATIVE:
        return None
    if not rule.constraints:
        return _from_statement(applicable)
    return _from_constraints(applicable, found)


def _from_constraints(applicable: ApplicableRule, found: CodeMatches | None) -> RuleVerdict | None:
    rule = applicable.rule
    checked = check_subjects(applicable)
    state = find_worst_state(item.outcome.state for item in checked)
    findings = found or CodeMatches()
    # FAIL first: what was found stands, whatever else could not be read or decided.
    if state is OutcomeState.FAIL or findings.places:
        # Only a model can read the words that may except it; a DENY without them would be a guess.
        if applicable.program.has_worded_condition:
            return None
        return build_deny(applicable, checked, findings)
    # Then what was not read, before any pass: no blocking rule passes on a file that nobody saw.
    unread = findings.unread or list_unread_behind(rule, checked)
    if unread:
        return build_not_assessed(rule, unread)
    # Then what could not be decided: a model may know. Nothing checked at all is no pass either.
    if state is OutcomeState.INDETERMINATE or not (checked or found):
        return None
    reasons = [explain_state(checked, OutcomeState.PASS)] if checked else []
    if found is not None:
        reasons.append(f"Nothing added in {_pluralize(found.files, 'file')} breaks the rule.")
    by = DecidedBy.DETERMINISTIC if found is None else DecidedBy.PATTERN
    return build_allow(applicable, " ".join(reasons), COMPUTED, by)


def _from_statement(applicable: ApplicableRule) -> RuleVerdict | None:
    """A rule without constraints: its statement's threshold, or the order that it states."""
    rule = applicable.rule
    outcomes: list[CheckedSubject] = []
    for subject in applicable.subjects:
        outcome: Outcome | None
        if rule.kind is RuleKind.PROCEDURAL:
            outcome = check_procedure_statement(rule.statement, subject.facts)
        else:
            stated = {
                key: value for key, value in subject.facts.items() if not is_measure(subject, key)
            }
            outcome = check_threshold_statement(rule, stated)
        if outcome is not None:
            outcomes.append(CheckedSubject(subject, detach_places(outcome, subject)))
    unread = list_unread_behind(rule, outcomes) or list_unread_in(
        rule, filter_stating(applicable.subjects)
    )
    if not outcomes:
        return build_not_assessed(rule, unread) if unread else None
    if find_worst_state(item.outcome.state for item in outcomes) is OutcomeState.FAIL:
        if applicable.program.has_worded_condition:
            return None
        return build_deny(applicable, outcomes, CodeMatches(), READ_FROM_PROSE)
    if unread:
        return build_not_assessed(rule, unread)
    return build_allow(applicable, explain_state(outcomes, OutcomeState.PASS), READ_FROM_PROSE)


def _pluralize(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
