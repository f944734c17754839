"""One file's fixes tried on it. Works on plain, picklable values, so that a pool can run it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from jurat.engine.check import check_rules
from jurat.engine.fixes import apply_to_file
from jurat.engine.tree_comparison import has_changed_around
from jurat.facts.assembly import RoutedFile, build_file_subject
from jurat.facts.context import EvaluationContext, Facts, Subject, SubjectKind
from jurat.facts.derived import build_change_facts
from jurat.findings.finding import Fix, FixCheck, Location
from jurat.findings.verdict import Verdict
from jurat.rules.rule import RuleSet
from jurat.rules.selection import Selection
from jurat.source.diff import FileChange
from jurat.source.embedded import read_code
from jurat.source.functions import find_touched_functions
from jurat.source.notebooks import explain_unreadable_notebook, is_notebook
from jurat.source.parsing import SIZE_CAP
from jurat.source.syntax import TooDeeplyNestedError, find_syntax_errors

_UNDECODABLE = "\ufffd"


class TriedFix(NamedTuple):
    """A fix and the rule that asks for it. `computed` is whether that rule can be run again."""

    rule_id: str
    remediation: Fix
    computed: bool


@dataclass(frozen=True, slots=True)
class FixAttempt:
    """A file, what it is judged as, and what is to be tried on it.

    `rule_set` holds the rules that can be run again on this file alone, `facts` what else they may
    ask of. Each entry of `attempts` is tried by itself; the fixes in it, which do not overlap, are
    applied together.
    """

    file: FileChange
    kind: SubjectKind
    facts: Facts
    rule_set: RuleSet
    attempts: tuple[tuple[TriedFix, ...], ...]


class VersionFindings(NamedTuple):
    """What the rules find in one version of a file: by rule and code, and which were decided.

    `counts` is by rule alone: of many places a verdict lists only the first.
    """

    findings: Counter[tuple[str, str]]
    counts: Counter[str]
    places: Sequence[tuple[str, Location]]
    undecided: frozenset[str]
    rules: int


def try_fixes(trial: FixAttempt) -> tuple[FixCheck, ...]:
    """What came of each attempt: it holds if the file parses no worse, the findings that it is
    for are gone, and no rule finds anything that it did not find before.
    """
    try:
        # The file in the same form as its fixed version: in another one, rules would count
        # otherwise.
        before = compute_findings(trial, apply_to_file(trial.file, ()))
    except ValueError as error:
        return tuple(FixCheck(problem=str(error)) for _ in trial.attempts)
    return tuple(try_attempt(trial, attempt, before)[0] for attempt in trial.attempts)


def try_attempt(
    trial: FixAttempt, attempt: Sequence[TriedFix], before: VersionFindings
) -> tuple[FixCheck, VersionFindings | None]:
    """What came of one attempt, and what is found then; None of a file that is not fit to look."""
    try:
        fixed = apply_to_file(trial.file, [fix.remediation for fix in attempt])
    except ValueError as error:
        return FixCheck(problem=str(error)), None
    # Before the rules are run: a file that does not parse shows no findings, which is no fix.
    if problem := _find_unfit_reason(trial.file, fixed):
        return FixCheck(problem=problem), None
    after = compute_findings(trial, fixed)
    problem = _describe_unresolved(attempt, before, after) or _describe_gained(before, after)
    if not problem and _has_moved_others(trial.file, attempt):
        problem = "what stands around it would mean something else"
    parsed = fixed.language is not None
    return FixCheck(after.rules, parsed, problem), after


def _find_unfit_reason(file: FileChange, fixed: FileChange) -> str:
    """Why the fixed file is no file to go on with; empty if it is."""
    if file.head is None or fixed.head is None or fixed.head == file.head:
        return "it changes nothing"
    if _UNDECODABLE in fixed.head:
        return "the file is not all UTF-8, so it cannot be written back as it was"
    if is_notebook(file.path) and explain_unreadable_notebook(fixed.head):
        return "the file would no longer be read"
    if len(read_code(file.path, fixed.head)) > SIZE_CAP:
        return "the file would be too large to parse"
    language = fixed.language
    try:
        # More, not any: a file that never parsed cleanly can still be fixed.
        before, after = (read_code(file.path, one) for one in (file.head, fixed.head))
        if language is not None and find_syntax_errors(after, language) > find_syntax_errors(
            before, language
        ):
            return "the file would no longer parse"
    except TooDeeplyNestedError:
        return "the file would be nested too deeply to be parsed"
    return ""


def _has_moved_others(file: FileChange, attempt: Sequence[TriedFix]) -> bool:
    """Whether a fix that needs nobody's look does more than its own: one after the other, from the
    last, so that each is seen alone.
    """
    fixes = [fix.remediation for fix in attempt if fix.remediation.auto_applicable]
    before = file
    for fix in sorted(fixes, key=lambda one: one.start_line or 0, reverse=True):
        after = apply_to_file(before, [fix])
        was, now = (read_code(file.path, one.head or "") for one in (before, after))
        if file.language and has_changed_around(was, now, file.language):
            return True
        before = after
    return False


def compute_findings(trial: FixAttempt, file: FileChange) -> VersionFindings:
    """What the rules of a trial find in a version of its file."""
    if trial.kind is SubjectKind.CODE_DIFF:
        file = replace(file, functions=find_touched_functions(file))
        subject = Subject(trial.kind, (file,), {**trial.facts, **build_change_facts((file,))})
    else:
        subject = build_file_subject(RoutedFile(file, trial.kind))
        subject = replace(subject, facts={**trial.facts, **subject.facts})
    rules = tuple(trial.rule_set.rules.values())
    decided = check_rules(EvaluationContext((subject,)), Selection(rules), trial.rule_set)
    findings: Counter[tuple[str, str]] = Counter()
    counts: Counter[str] = Counter()
    places = []
    undecided = {rule.id for rule in decided.undecided}
    for verdict in decided.verdicts:
        if verdict.verdict is Verdict.NOT_ASSESSED:
            undecided.add(verdict.rule.id)
        elif verdict.verdict is Verdict.DENY:
            places += [(verdict.rule.id, place) for place in verdict.locations]
            counts[verdict.rule.id] = len(verdict.findings) + verdict.unlisted_count
            if not verdict.unlisted_count:
                findings.update((verdict.rule.id, item.code) for item in verdict.findings)
    return VersionFindings(
        findings, counts, places, frozenset(undecided), len(rules) - len(undecided)
    )


def _describe_unresolved(
    attempt: Sequence[TriedFix], before: VersionFindings, after: VersionFindings
) -> str:
    """Whether a finding that a fix is for still stands. A model's rule is not asked again."""
    for rule_id in dict.fromkeys(fix.rule_id for fix in attempt if fix.computed):
        mine = [fix.remediation for fix in attempt if fix.rule_id == rule_id]
        covered = sum(
            any(_is_covering(fix, place) for fix in mine)
            for its_rule, place in before.places
            if its_rule == rule_id
        )
        # Counted, not looked for by line: the fix moves what stands below it.
        if before.counts[rule_id] - after.counts[rule_id] < max(covered, 1):
            return "the finding would still stand"
    return ""


def _describe_gained(before: VersionFindings, after: VersionFindings) -> str:
    """What is found, or can no longer be decided, only after the fix."""
    listed = {rule_id for rule_id, _ in before.findings} | (after.counts.keys() - before.counts)
    gained = {rule_id for rule_id, _ in after.findings - before.findings if rule_id in listed}
    gained |= {rule_id for rule_id, _ in (after.counts - before.counts).items()}
    for rule_id in sorted(gained):
        return f"it would break {rule_id}"
    # A rule that no longer knows is no rule that passes.
    for rule_id in sorted(after.undecided - before.undecided):
        return f"{rule_id} could no longer be decided"
    return ""


def _is_covering(fix: Fix, place: Location) -> bool:
    if fix.start_line is None or fix.end_line is None or place.start_line is None:
        return False
    end = place.end_line or place.start_line
    return fix.start_line <= place.start_line and end <= fix.end_line
