"""Stage 3: rules sorted by kind, and every verdict that needs no model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

from jurat.engine.code_scan import CodeMatches, scan_code
from jurat.engine.compiler import CompiledRule, check_procedure_statement, compile_rule
from jurat.engine.field_paths import MISSING
from jurat.engine.locations import locate_code, locate_fact
from jurat.engine.outcome import (
    Admits,
    CheckedSubject,
    Outcome,
    OutcomeState,
    explain_code,
    explain_failures,
    explain_state,
    explain_unread,
    find_worst_state,
)
from jurat.engine.passing_values import MOST_CHECKED_AGAIN, describe_passing_value
from jurat.engine.thresholds import check_threshold_statement
from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.facts.derived import DERIVED, is_measure
from jurat.facts.places import get_value
from jurat.findings.finding import Problem, Verdict, make_findings
from jurat.findings.relations import skip_dependents
from jurat.findings.verdict import (
    DecidedBy,
    NotAssessedReason,
    RuleVerdict,
    UnreadFile,
    find_other_fixes,
)
from jurat.rules.matching import (
    find_unread_reason,
    fits_file,
    fits_language,
    fits_path,
    fits_subject,
    is_about_code,
)
from jurat.rules.messages import join_messages
from jurat.rules.rule import Rule, RuleKind, RuleSet
from jurat.rules.selection import Selection
from jurat.source.diff import FileChange
from jurat.source.languages import detect_language
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


COMPUTED = 0.95
"""Confidence in what a constraint decides."""

MOST_PLACES = 500
"""Places that one verdict lists; the rest are counted. All of a minified file would be no help."""

READ_FROM_PROSE = 0.8
"""Confidence in what was decided from the words of a statement."""


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


def check_rules(
    context: EvaluationContext,
    selection: Selection,
    rule_set: RuleSet,
    parse_map: ParseMap = parse_in_process,
) -> CheckResult:
    """Decide what can be computed. Each selected rule comes out exactly once.

    A rule whose prerequisite is denied already is not left to a model.
    """
    applicable_rules = [_build_applicable_rule(rule, context, rule_set) for rule in selection.rules]
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
            [*applicable.conditions, *_check_subjects(applicable)], OutcomeState.INDETERMINATE
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


def _build_applicable_rule(
    rule: Rule, context: EvaluationContext, rule_set: RuleSet
) -> ApplicableRule:
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


def _list_files(applicable: ApplicableRule) -> list[FileChange]:
    return [file for subject in applicable.subjects for file in subject.files]


def _decide(applicable: ApplicableRule, found: CodeMatches | None) -> RuleVerdict | None:
    """The verdict, or None if a model must judge."""
    rule = applicable.rule
    if rule.kind is RuleKind.DEFINITIONAL:
        return _build_allow(applicable, "The rule defines a term; there is nothing to break.", 1.0)
    if rule.kind is RuleKind.PRINCIPLE:
        return _build_allow(
            applicable, "A principle is judged through the rules derived from it.", 1.0
        )
    # After the kinds that ask nothing, before everything else: whether a rule applies at all comes
    # before whether it is kept.
    if applicable.unclear:
        unread = _list_unread_in(rule, _filter_stating(applicable.subjects))
        computed = rule.kind is not RuleKind.NORMATIVE
        return _build_not_assessed(rule, unread) if unread and computed else None
    if applicable.conditions and not applicable.subjects:
        # A precondition that is "not met" by a file nobody read is not known to be unmet.
        if unread := _list_unread_behind(rule, applicable.conditions):
            return _build_not_assessed(rule, unread)
        return _build_allow(
            applicable, "The rule does not apply: its preconditions are not met.", COMPUTED
        )
    if rule.kind is RuleKind.NORMATIVE:
        return None
    if not rule.constraints:
        return _from_statement(applicable)
    return _from_constraints(applicable, found)


def _from_constraints(applicable: ApplicableRule, found: CodeMatches | None) -> RuleVerdict | None:
    rule = applicable.rule
    checked = _check_subjects(applicable)
    state = find_worst_state(item.outcome.state for item in checked)
    findings = found or CodeMatches()
    # FAIL first: what was found stands, whatever else could not be read or decided.
    if state is OutcomeState.FAIL or findings.places:
        # Only a model can read the words that may except it; a DENY without them would be a guess.
        if applicable.program.has_worded_condition:
            return None
        return _build_deny(applicable, checked, findings)
    # Then what was not read, before any pass: no blocking rule passes on a file that nobody saw.
    unread = findings.unread or _list_unread_behind(rule, checked)
    if unread:
        return _build_not_assessed(rule, unread)
    # Then what could not be decided: a model may know. Nothing checked at all is no pass either.
    if state is OutcomeState.INDETERMINATE or not (checked or found):
        return None
    reasons = [explain_state(checked, OutcomeState.PASS)] if checked else []
    if found is not None:
        reasons.append(f"Nothing added in {_pluralize(found.files, 'file')} breaks the rule.")
    by = DecidedBy.DETERMINISTIC if found is None else DecidedBy.PATTERN
    return _build_allow(applicable, " ".join(reasons), COMPUTED, by)


def _check_subjects(applicable: ApplicableRule) -> list[CheckedSubject]:
    """All outcomes over facts.

    A rule for every kind of subject is decided on the kinds that say anything about its fields.
    """
    checked = [
        CheckedSubject(
            subject,
            _detach_places(check(subject.facts, admits), subject),
            constraint,
            partial(check, admits=admits),
        )
        for subject in applicable.subjects
        for admits in [_build_admits(applicable.rule, subject)]
        for constraint, check in applicable.program.checks
    ]
    if applicable.rule.subject_kinds:
        return checked
    speaking = {item.subject.kind for item in checked if not _is_silent(item)}
    return [item for item in checked if not speaking or item.subject.kind in speaking]


def _detach_places(outcome: Outcome, subject: Subject) -> Outcome:
    """The outcome without the places that a file names in its own content: they are its words."""
    if not subject.spans:
        return outcome
    return outcome._replace(evidence=tuple(item._replace(place=None) for item in outcome.evidence))


def _list_unread_behind(rule: Rule, checked: Sequence[CheckedSubject]) -> list[UnreadFile]:
    """The unread files of which facts come: what they hold back, no rule may pass on."""
    asked = [item.subject for item in checked if _is_derived(rule, item.outcome)]
    return _list_unread_in(rule, [*asked, *_filter_stating(item.subject for item in checked)])


def _list_unread_in(rule: Rule, subjects: Iterable[Subject]) -> list[UnreadFile]:
    return [
        UnreadFile(file.path, reason)
        for subject in subjects
        for file in subject.files
        if fits_file(rule, file) and (reason := find_unread_reason(rule, file)) is not None
    ]


def _filter_stating(subjects: Iterable[Subject]) -> Iterator[Subject]:
    """The subjects whose facts stand in their files, or are measured there."""
    return (subject for subject in subjects if subject.kind is not SubjectKind.CODE_DIFF)


def _is_derived(rule: Rule, outcome: Outcome) -> bool:
    """Whether facts that follow from the files were asked for. An empty list leaves no evidence."""
    asked = [getattr(item, "field_path", "") for item in (*rule.constraints, *rule.preconditions)]
    return any(path.startswith(f"{DERIVED}.") for path in asked) or _is_about_derived(outcome)


def _is_about_derived(outcome: Outcome) -> bool:
    return any(evidence.path.startswith(f"{DERIVED}.") for evidence in outcome.evidence)


def _is_silent(item: CheckedSubject) -> bool:
    """Whether the facts say nothing at all of what a constraint asks, and hide nothing either."""
    values = [evidence.value for evidence in item.outcome.evidence]
    if not values or not all(value is MISSING for value in values):
        return False
    hidden = any(file.unread is not None for file in item.subject.files)
    return _is_about_derived(item.outcome) or not hidden


def _build_admits(rule: Rule, subject: Subject) -> Admits | None:
    """Passes over list items of files that the rule is not about, and entries that are no news."""
    if subject.spans:
        # By identity: two entries of a list may be equal, and only one of them old.
        known = {id(get_value(subject.facts, where)) for where in subject.unchanged}
        return (lambda item: id(item) not in known) if known else None
    left_alone = any(file.unwritten for file in subject.files)
    if not rule.paths and not rule.languages and not left_alone:
        return None
    files = {file.path: file for file in subject.files}

    @cache  # A change has far more functions than files.
    def admits_path(path: str) -> bool:
        if (file := files.get(path)) is not None:
            return fits_file(rule, file)
        return fits_path(rule, path) and fits_language(rule, detect_language(path))

    def admits(item: Mapping[str, Any]) -> bool:
        path = item.get("path")
        return not isinstance(path, str) or admits_path(path)

    return admits


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
            outcomes.append(CheckedSubject(subject, _detach_places(outcome, subject)))
    unread = _list_unread_behind(rule, outcomes) or _list_unread_in(
        rule, _filter_stating(applicable.subjects)
    )
    if not outcomes:
        return _build_not_assessed(rule, unread) if unread else None
    if find_worst_state(item.outcome.state for item in outcomes) is OutcomeState.FAIL:
        if applicable.program.has_worded_condition:
            return None
        return _build_deny(applicable, outcomes, CodeMatches(), READ_FROM_PROSE)
    if unread:
        return _build_not_assessed(rule, unread)
    return _build_allow(applicable, explain_state(outcomes, OutcomeState.PASS), READ_FROM_PROSE)


def _build_allow(
    applicable: ApplicableRule,
    reasoning: str,
    confidence: float,
    by: DecidedBy = DecidedBy.DETERMINISTIC,
) -> RuleVerdict:
    asks_nothing = applicable.rule.kind in (RuleKind.DEFINITIONAL, RuleKind.PRINCIPLE)
    vacuous = asks_nothing or applicable.doubtful
    return RuleVerdict(applicable.rule, Verdict.ALLOW, confidence, reasoning, by, vacuous=vacuous)


def _build_not_assessed(rule: Rule, unread: Sequence[UnreadFile]) -> RuleVerdict:
    reasoning = explain_unread(unread)
    return RuleVerdict(
        rule, Verdict.NOT_ASSESSED, 0.0, reasoning, DecidedBy.NOBODY, gap=NotAssessedReason.UNREAD
    )


def _build_deny(
    applicable: ApplicableRule,
    checked: Sequence[CheckedSubject],
    findings: CodeMatches,
    confidence: float = COMPUTED,
) -> RuleVerdict:
    rule = applicable.rule
    of_facts = _list_fact_problems(rule, checked)
    found = len(of_facts) + len(findings.places)
    placed = locate_code(findings.limit(MOST_PLACES), applicable.subjects, rule)
    # Cut last, and the rest counted in `further`: what is not listed is not gone.
    problems = (*of_facts, *placed.problems)[:MOST_PLACES]
    reasons = [
        explain_state(checked, OutcomeState.FAIL),
        explain_state(checked, OutcomeState.INDETERMINATE),
    ]
    if places := [item.location for item in placed.problems if item.location]:
        reasons.append(explain_code(places, len(findings.places)))
    if findings.unread:
        reasons.append(explain_unread(findings.unread))
    if rule.exceptions:
        reasons.append(f"The rule allows exceptions: {'; '.join(rule.exceptions)}")
    reasoning = " ".join(reason for reason in reasons if reason)
    issue = explain_state(checked, OutcomeState.FAIL) or join_messages(
        item.message for item in placed.problems
    )
    made = make_findings(rule, Verdict.DENY, problems, placed.remediations)
    return RuleVerdict(
        rule=rule,
        verdict=Verdict.DENY,
        confidence=confidence,
        reasoning=reasoning,
        decided_by=DecidedBy.PATTERN if findings.places else DecidedBy.DETERMINISTIC,
        issue=issue,
        fix_suggestion=rule.fix or "",
        findings=made,
        other_fixes=find_other_fixes(made, placed.remediations),
        note=placed.note,
        unlisted_count=found - len(problems),
    )


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


def _pluralize(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
