"""Which fixes of a review may be offered as a button: those that were tried and held."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from jurat.engine.fix_trials import FixAttempt, TriedFix, try_fixes
from jurat.engine.fixes import apply_fixes
from jurat.facts.context import EvaluationContext, Facts, Subject, SubjectKind
from jurat.facts.derived import DERIVED, is_measure
from jurat.findings.evaluation import Evaluation
from jurat.findings.finding import Finding, Fix, FixCheck
from jurat.findings.verdict import RuleVerdict, Verdict
from jurat.rules.matching import fits_subject, is_about_code
from jurat.rules.rule import Rule, RuleKind, RuleSet
from jurat.source.diff import FileChange
from jurat.source.parsing import ParseFailure, ParseMap, parse_in_process

MOST_TRIED = 100
"""Fixes that are tried in one review; the rest are advice, and say so."""

MOST_CHARACTERS = 10_000_000
"""Characters that are parsed again for them: about 3 s of one processor."""

_A_JOB = 8
"""Fixes tried by one call of a parser, which has a deadline for all of them."""
_UNTRIED = FixCheck(problem=f"it was not tried: a review tries {MOST_TRIED} fixes")
_TOO_MUCH = FixCheck(problem="it was not tried: the review had parsed as much as it may")
_NO_FILE = FixCheck(problem="it names no lines of a file that is at hand")


class _TriedItem(NamedTuple):
    path: str
    fix: TriedFix


class FixedFile(NamedTuple):
    """What came of applying several fixes of a file together: its new text, or `problem`."""

    path: str
    text: str
    fixes: tuple[Fix, ...]
    rules: int
    problem: str


def verify_fixes(
    context: EvaluationContext,
    rules: Sequence[Rule],
    rule_set: RuleSet,
    verdicts: Iterable[RuleVerdict],
    parse_map: ParseMap = parse_in_process,
) -> tuple[RuleVerdict, ...]:
    """The verdicts, each of their fixes with what came of trying it on the head version.

    `rules` are those in force; the deterministic ones among them are run again, on the file that
    the fix changes. The fixes of rules that count are tried before those of experimental ones.
    """
    verdicts = tuple(verdicts)
    judged = map_judged_files(context)
    wanted = list(_iter_wanted(verdicts, judged))
    affordable = _limit_affordable(wanted, judged)
    # Untried is not proven: beyond the bound a fix is advice, never a button.
    proofs: dict[_TriedItem, FixCheck] = dict.fromkeys(wanted[MOST_TRIED:], _UNTRIED)
    proofs |= {item: _TOO_MUCH for item in wanted[:MOST_TRIED] if item not in affordable}
    trials = list(_build_attempts(affordable, judged, rules, rule_set))
    results = parse_map(try_fixes, [trial for _, trial in trials])
    for (items, _), result in zip(trials, results, strict=True):
        if isinstance(result, ParseFailure):
            proofs |= dict.fromkeys(items, FixCheck(problem=result.reason))
        else:
            proofs |= zip(items, result, strict=True)
    return tuple(_with_proofs(item, proofs) for item in verdicts)


def list_safe_fixes(findings: Iterable[Finding]) -> tuple[Fix, ...]:
    """The fixes that need nobody's look: tried, held, and all there is to do. Each once.

    Those of experimental rules, and of findings that do not count, are left out: nobody asks for
    them.
    """
    wanted = [item for item in findings if not item.shadow and item.waiver is None]
    fixes = [item.fix for item in wanted]
    return tuple(
        dict.fromkeys(fix for fix in fixes if fix and fix.auto_applicable and fix.is_verified)
    )


def apply_safe_fixes(
    context: EvaluationContext,
    evaluation: Evaluation,
    rule_set: RuleSet,
    parse_map: ParseMap = parse_in_process,
) -> tuple[FixedFile, ...]:
    """Every file of a review with all of its fixes that need nobody's look, tried together."""
    verdicts, safe = evaluation.by_rule, set(list_safe_fixes(evaluation.findings))
    return verify_together(
        context,
        [item.rule for item in evaluation.rule_verdicts],
        rule_set,
        [
            (verdicts[finding.rule.id], finding.fix)
            for finding in evaluation.findings
            if finding.fix in safe
        ],
        parse_map,
    )


def verify_together(
    context: EvaluationContext,
    rules: Sequence[Rule],
    rule_set: RuleSet,
    fixes: Iterable[tuple[RuleVerdict, Fix]],
    parse_map: ParseMap = parse_in_process,
) -> tuple[FixedFile, ...]:
    """Every file with all of its `fixes` that need nobody's look, tried together as well.

    A fix stands beside the verdict that asks for it. Of fixes that overlap the first counts.
    """
    judged = map_judged_files(context)
    chosen: dict[str, list[TriedFix]] = {}
    for verdict, fix in fixes:
        item = _to_tried(verdict, fix)
        # Tried alone first: of fixes that only hold together nobody knows which one does it.
        if not (fix.auto_applicable and fix.is_verified and item.path in judged):
            continue
        group = chosen.setdefault(item.path, [])
        if not any(_is_overlapping(item.fix, other) for other in group):
            group.append(item.fix)
    trials = [
        replace(build_attempt(judged[path], rules, rule_set), attempts=(tuple(group),))
        for path, group in chosen.items()
    ]
    return tuple(
        _build_fixed_file(trial, result)
        for trial, result in zip(trials, parse_map(_try_together, trials), strict=True)
    )


def _try_together(trial: FixAttempt) -> tuple[str, FixCheck]:
    (proof,) = try_fixes(trial)
    if proof.problem:
        return "", proof
    (attempt,) = trial.attempts
    return apply_fixes(trial.file.head or "", [fix.remediation for fix in attempt]), proof


def _build_fixed_file(trial: FixAttempt, result: tuple[str, FixCheck] | ParseFailure) -> FixedFile:
    (attempt,) = trial.attempts
    fixes = tuple(fix.remediation for fix in attempt)
    if isinstance(result, ParseFailure):
        return FixedFile(trial.file.path, "", fixes, 0, result.reason)
    text, proof = result
    return FixedFile(trial.file.path, text, fixes, proof.rules, proof.problem)


class JudgedFile(NamedTuple):
    """A file, what it is judged as, and the facts that were given beside it."""

    file: FileChange
    kind: SubjectKind
    facts: Facts


def map_judged_files(context: EvaluationContext) -> Mapping[str, JudgedFile]:
    """Every file by its path. What follows from all files together is left out."""
    return {
        file.path: JudgedFile(file, subject.kind, _strip_derived(subject))
        for subject in context.subjects
        for file in subject.files
        if file.unread is None
    }


def _strip_derived(subject: Subject) -> Facts:
    return {
        key: value
        for key, value in subject.facts.items()
        if key != DERIVED and (key,) not in subject.spans and not is_measure(subject, key)
    }


def _iter_wanted(
    verdicts: Iterable[RuleVerdict], judged: Mapping[str, JudgedFile]
) -> Iterator[_TriedItem]:
    """The fixes of findings in files that are at hand, each once, those that count first."""
    seen = set()
    broken = [
        item for item in verdicts if item.verdict in (Verdict.DENY, Verdict.NEEDS_CONFIRMATION)
    ]
    for item in sorted(broken, key=lambda item: (item.shadow, -item.rule.severity.rank)):
        for fix in item.remediations:
            if fix.file_path is None or fix.file_path not in judged or fix.start_line is None:
                continue
            tried = _to_tried(item, fix)
            if tried not in seen:
                seen.add(tried)
                yield tried


def _to_tried(item: RuleVerdict, fix: Fix) -> _TriedItem:
    return _TriedItem(fix.file_path or "", TriedFix(item.rule.id, fix, item.is_computed))


def _limit_affordable(
    wanted: Sequence[_TriedItem], judged: Mapping[str, JudgedFile]
) -> list[_TriedItem]:
    """As many of the first fixes as the bounds allow."""
    kept, left = [], MOST_CHARACTERS
    for item in wanted[:MOST_TRIED]:
        size = len(judged[item.path].file.head or "")
        if size <= left:
            kept.append(item)
            left -= size
    return kept


def _build_attempts(
    wanted: Sequence[_TriedItem],
    judged: Mapping[str, JudgedFile],
    rules: Sequence[Rule],
    rule_set: RuleSet,
) -> Iterator[tuple[list[_TriedItem], FixAttempt]]:
    by_path: dict[str, list[_TriedItem]] = {}
    for item in wanted:
        by_path.setdefault(item.path, []).append(item)
    for path, items in by_path.items():
        trial = build_attempt(judged[path], rules, rule_set)
        for at in range(0, len(items), _A_JOB):
            some = items[at : at + _A_JOB]
            yield some, replace(trial, attempts=tuple((item.fix,) for item in some))


def build_attempt(judged: JudgedFile, rules: Sequence[Rule], rule_set: RuleSet) -> FixAttempt:
    """A file with those of `rules` that can be run again on it alone, and nothing to try yet."""
    file, kind, facts = judged
    subject = Subject(kind, (file,))
    fitting = {
        rule.id: rule
        for rule in rules
        if fits_subject(rule, subject) and _is_repeatable(rule, kind)
    }
    tables = {key: table for key, table in rule_set.tables.items() if key[0] in fitting}
    return FixAttempt(file, kind, facts, RuleSet(fitting, tables=tables), ())


def _is_repeatable(rule: Rule, kind: SubjectKind) -> bool:
    """Whether the rule is decided without a model, by what stands in this file."""
    if rule.kind in (RuleKind.NORMATIVE, RuleKind.DEFINITIONAL, RuleKind.PRINCIPLE):
        return False
    asked = [getattr(item, "field_path", "") for item in rule.constraints]
    derived = any(path.startswith(f"{DERIVED}.") for path in asked)
    return is_about_code(rule) or derived or kind is not SubjectKind.CODE_DIFF


def _is_overlapping(one: TriedFix, other: TriedFix) -> bool:
    mine, its = one.remediation, other.remediation
    if mine.start_line is None or its.start_line is None:
        return True
    return mine.start_line <= (its.end_line or its.start_line) and its.start_line <= (
        mine.end_line or mine.start_line
    )


def _with_proofs(item: RuleVerdict, proofs: Mapping[_TriedItem, FixCheck]) -> RuleVerdict:
    def proved(fix: Fix) -> Fix:
        return replace(fix, verification=proofs.get(_to_tried(item, fix), _NO_FILE))

    findings = tuple(
        replace(finding, fix=proved(finding.fix)) if finding.fix is not None else finding
        for finding in item.findings
    )
    return replace(item, findings=findings, other_fixes=tuple(map(proved, item.other_fixes)))
