"""All verdicts of one review as one Evaluation, its findings, and what it concludes in."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from jurat.errors import IncompleteError
from jurat.facts.context import EvaluationContext
from jurat.findings.finding import Finding, Fix, SuppressionStatus, Verdict, WaiverKind
from jurat.findings.model_usage import ModelUsage
from jurat.findings.relations import apply_relations
from jurat.findings.unread_code import list_unread_code
from jurat.findings.verdict import (
    NotAssessedReason,
    RuleVerdict,
    UnreadFile,
    require_confirmation,
)
from jurat.rules.config import ReviewConfig
from jurat.rules.level import Level
from jurat.rules.rule import Rule
from jurat.rules.selection import OmittedRule, Selection

_NOT_ASSESSED = Verdict.NOT_ASSESSED
SHADOW_PREFIX = "[SHADOW] "
NO_RULE_APPLIES = "No rule applies to this change."


def aggregate(
    context: EvaluationContext,
    selection: Selection,
    verdicts: Iterable[RuleVerdict],
    *,
    evaluation_id: str = "",
    models: Sequence[ModelUsage] = (),
    unread: Iterable[UnreadFile] = (),
    latency_ms: float = 0.0,
    notes: Sequence[str] = (),
) -> Evaluation:
    """A draft Evaluation of `context`: a verdict for each selected rule, in the selection's order.

    Nothing is waived in it yet, and nothing concluded (see `jurat.review.evaluate`). `unread` names
    what a judge could not be shown, besides the files that could not be parsed, and `notes` what a
    reader must know of how the rules were selected. Raises IncompleteError if a selected rule
    has no verdict or two, or a verdict has no rule: verdicts received are compared with rules sent,
    and a missing one is never a pass.
    """
    ordered = apply_relations(
        tuple(map(_apply_level, _pick_one_per_rule(selection, verdicts))), context
    )
    return Evaluation(
        evaluation_id=evaluation_id,
        overall=find_worst_outcome(ordered),
        rule_verdicts=ordered,
        coverage=_build_coverage(context, selection, unread),
        omitted=selection.omitted,
        models=tuple(models),
        total_latency_ms=latency_ms,
        notes=(*notes, *(() if ordered else (NO_RULE_APPLIES,))),
    )


def _pick_one_per_rule(selection: Selection, verdicts: Iterable[RuleVerdict]) -> list[RuleVerdict]:
    """The verdicts in the selection's order."""
    by_rule: dict[str, RuleVerdict] = {}
    for verdict in verdicts:
        if verdict.rule.id in by_rule:
            raise IncompleteError(f"Rule {verdict.rule.id} was decided twice in one review.")
        by_rule[verdict.rule.id] = verdict
    selected = [rule.id for rule in selection.rules]
    # An error, not a gap: a rule that fell out between two stages is a bug, and must not pass.
    if missing := [rule_id for rule_id in selected if rule_id not in by_rule]:
        raise IncompleteError(f"No verdict came back for {', '.join(missing)}.")
    if stray := by_rule.keys() - set(selected):
        raise IncompleteError(f"A verdict came back for {', '.join(sorted(stray))}, never asked.")
    return [by_rule[rule_id] for rule_id in selected]


def find_worst_outcome(
    verdicts: Iterable[RuleVerdict], rating: RatingOutcome | None = None
) -> Verdict:
    """Any DENY denies; else any NEEDS_CONFIRMATION needs it; else ALLOW (seed, stage 4).

    A waived verdict does not count. A rule that binds and that nobody decided needs confirmation,
    and so does a review of which no rule was decided: neither was kept as far as anybody knows. A
    rating below its gate denies, one that is missing there needs confirmation.
    """
    verdicts = tuple(item for item in verdicts if not item.waived)
    gate = rating.gate if rating else Gate.OPEN
    if gate is Gate.BELOW or any(item.verdict is Verdict.DENY for item in verdicts):
        return Verdict.DENY
    if gate is Gate.UNRATED or any(
        item.verdict is Verdict.NEEDS_CONFIRMATION or is_binding_undecided(item)
        for item in verdicts
    ):
        return Verdict.NEEDS_CONFIRMATION
    if verdicts and all(item.verdict is _NOT_ASSESSED for item in verdicts):
        return Verdict.NEEDS_CONFIRMATION
    return Verdict.ALLOW


def is_binding_undecided(verdict: RuleVerdict) -> bool:
    """Whether a MUST or MUST_NOT that counts was left open: as far as anybody knows, it is broken.

    Nothing is left open of a rule that another one took the place of, or that is not in force.
    """
    return (
        verdict.verdict is _NOT_ASSESSED
        and (verdict.gap is None or verdict.gap.undecided)
        and verdict.rule.modality.binding
        and not verdict.shadow
    )


def is_blocking_unassessed(verdict: RuleVerdict) -> bool:
    """Whether letting this verdict pass would be a pass that was not earned."""
    return (
        verdict.verdict is _NOT_ASSESSED
        and (verdict.gap is None or verdict.gap.undecided)
        and verdict.rule.blocking
    )


def is_incomplete(evaluation: Evaluation) -> bool:
    """Whether the review is not the one that was asked for.

    So it is if a model that was configured failed on any rule that counts, or a blocking rule was
    not assessed. If no model was asked for and something blocks all the same, that is the
    outcome. Whoever only observes keeps nothing from being complete.
    """
    failed = evaluation.conclusion is Conclusion.FAILURE
    unasked = (NotAssessedReason.NO_MODEL, NotAssessedReason.POSTPONED)
    return any(
        (is_blocking_unassessed(item) and not (failed and item.gap in unasked))
        or (item.gap is NotAssessedReason.MODEL_FAILED and not item.shadow)
        for item in evaluation.rule_verdicts
    )


def _apply_level(verdict: RuleVerdict) -> RuleVerdict:
    """The verdict by the level that its rule has at each place.

    What is found if the rule is switched off is no finding; what only observes denies nothing.
    """
    kept = tuple(finding for finding in verdict.findings if finding.level is not Level.OFF)
    if len(kept) < len(verdict.findings):
        verdict = replace(verdict, findings=kept)
        if not kept and not verdict.unlisted_count:
            return _build_switched_off(verdict)
    if verdict.verdict is not Verdict.DENY:
        return verdict
    if verdict.shadow:
        observed = require_confirmation(verdict, SHADOW_PREFIX + verdict.reasoning)
        return replace(observed, would_block=True)
    unsure = Verdict.NEEDS_CONFIRMATION
    findings = tuple(replace(item, outcome=unsure) if item.shadow else item for item in kept)
    return replace(verdict, findings=findings)


def _build_switched_off(verdict: RuleVerdict) -> RuleVerdict:
    """An ALLOW that claims nothing: the rule asks nothing if it found something."""
    return replace(
        verdict,
        verdict=Verdict.ALLOW,
        reasoning=f"It is switched off there: {verdict.rule.enforcement.reason}.",
        issue="",
        fix_suggestion="",
        other_fixes=(),
        vacuous=True,
    )


def _build_coverage(
    context: EvaluationContext, selection: Selection, unread: Iterable[UnreadFile]
) -> Coverage:
    reasons = {file.path: file.unread or "" for file in context.unread}
    for item in unread:
        reasons.setdefault(item.path, item.reason)
    left_out = (item.rule for item in (*selection.omitted, *selection.inapplicable))
    rules = [*selection.rules, *left_out]
    return Coverage(
        files=len(context.files),
        unread=tuple(UnreadFile(path, reason) for path, reason in reasons.items()),
        rules_in_force=len(rules),
        unwritten=tuple(
            UnreadFile(file.path, file.unwritten) for file in context.files if file.unwritten
        ),
        private=tuple(file.path for file in context.files if file.private),
        ungrammared=list_unread_code(context.files, rules, reasons),
    )


# From an Evaluation to what the check run says, and to whether a person must act.


class Gate(StrEnum):
    """How a rating stands to the least that is accepted. OPEN too if nothing least is asked."""

    OPEN = "open"
    BELOW = "below"
    UNRATED = "unrated"


@dataclass(frozen=True, slots=True)
class RatingOutcome:
    """What the rating of a pull request's base and head adds to its review.

    `section` is Markdown for the check's summary; it says as well why a rating could not be
    completed, which is a value and no error: the review stands without it. `title` says why the
    gate is not open; empty if it is.
    """

    section: str
    gate: Gate = Gate.OPEN
    title: str = ""


def conclude(evaluation: Evaluation, options: ReviewConfig) -> Conclusion:
    """The check's conclusion, made from the rules that block. Only `jurat.review.evaluate` asks.

    What nobody decided counts as what it might have found. Of a rule that blocks it is
    action_required: GitHub lets a required check pass that is neutral or skipped
    (https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches),
    so nothing milder would protect the branch. Of any other rule that binds it is neutral, as
    advice and shadow findings alone are, and as a change is of which no rule was decided: neither
    blocks, and neither claims that something was checked and passed. What a person has confirmed
    passes. A rating may make a check fail or wait for a person; it never makes one pass.
    """
    # From the gravest down: the first that holds is what the check says.
    gate = evaluation.rating.gate if evaluation.rating else Gate.OPEN
    if gate is Gate.BELOW or evaluation.blocking:
        return Conclusion.FAILURE
    if gate is Gate.UNRATED:
        return Conclusion.ACTION_REQUIRED
    # Before confirmations: a person can confirm what was found, not what nobody looked at.
    if any(is_blocking_unassessed(item) for item in evaluation.rule_verdicts):
        return Conclusion(options.unassessed)
    if evaluation.awaiting:
        return Conclusion(options.needs_confirmation)
    if not evaluation.decided or evaluation.unsettled:
        return Conclusion.NEUTRAL
    waivers = [finding.waiver for finding in evaluation.findings]
    if any(waiver is not None and waiver.kind is WaiverKind.CONFIRMED for waiver in waivers):
        return Conclusion.SUCCESS
    if evaluation.broken:
        return Conclusion.NEUTRAL
    return Conclusion.SUCCESS


@dataclass(frozen=True, slots=True)
class Override:
    """A maintainer's word that one commit passes, whatever the rules say of it.

    `by` is a login, `at` in UTC; it holds until the end of the day `until` in UTC. `own` says that
    this person wrote some of the change.
    """

    by: str
    why: str
    at: dt.datetime
    until: dt.date
    own: bool = False


class Conclusion(StrEnum):
    """What a completed check run says."""

    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    ACTION_REQUIRED = "action_required"
    CANCELLED = "cancelled"

    @property
    def blocks(self) -> bool:
        """Whether a required check that says so keeps the change from being merged."""
        return self in (Conclusion.FAILURE, Conclusion.ACTION_REQUIRED)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the subject was read, and how the rules were decided.

    `unwritten` are the files that nobody writes by hand, with why: rules about code left them
    alone. `private` are the paths that no model was shown, `ungrammared` the files that hold a
    program in a language that no grammar reads: rules about code passed without having seen them.
    """

    files: int = 0
    unread: tuple[UnreadFile, ...] = ()
    rules_in_force: int = 0
    unwritten: tuple[UnreadFile, ...] = ()
    private: tuple[str, ...] = ()
    ungrammared: tuple[UnreadFile, ...] = ()

    @property
    def files_read(self) -> int:
        """Files that every rule that applies has seen."""
        return self.files - len(self.unread)


@dataclass(frozen=True, slots=True)
class Basis:
    """What a conclusion traces back to.

    `digest` is the SHA-256 of the rules and the configuration as they counted, `commit` that of
    which the repository's own were read, None if they were read of none, and `version` Jurat's.
    `unseen` is a repository of the owner's that may require more and cannot be seen.
    """

    digest: str
    commit: str | None
    version: str
    unseen: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Stage 5's result. `rule_verdicts` holds exactly one verdict for each rule that was selected.

    `overall` is ALLOW, DENY or NEEDS_CONFIRMATION, by the verdicts that count. `omitted` are the
    rules left out by the bound on rules, which is not the same as rules that do not apply.
    `suppressions` are those that stand in the files of the change, in force or not. `rating` is
    None if the configuration names no regulation. `conclusion` is what the rules come to; the
    stored row, the check and the API's answer all take it from here. A draft's passes nothing.
    `override` lets a conclusion pass that blocks, and is None for one that does not, `basis` in
    a draft alone.
    """

    evaluation_id: str
    overall: Verdict
    rule_verdicts: tuple[RuleVerdict, ...]
    coverage: Coverage
    omitted: tuple[OmittedRule, ...] = ()
    models: tuple[ModelUsage, ...] = ()
    total_latency_ms: float = 0.0
    notes: tuple[str, ...] = ()
    suppressions: tuple[SuppressionStatus, ...] = ()
    rating: RatingOutcome | None = None
    conclusion: Conclusion = Conclusion.ACTION_REQUIRED
    basis: Basis | None = None
    override: Override | None = None

    @property
    def published_conclusion(self) -> Conclusion:
        """What the check says: neutral if somebody lets this commit pass, and never success."""
        return Conclusion.NEUTRAL if self.override else self.conclusion

    def list_unwaived(self, verdict: Verdict) -> tuple[RuleVerdict, ...]:
        """The verdicts of one kind that count, in order. A waived one does not."""
        return tuple(
            item for item in self.rule_verdicts if item.verdict is verdict and not item.waived
        )

    @property
    def blocking(self) -> tuple[RuleVerdict, ...]:
        """The verdicts for which the check fails."""
        return tuple(item for item in self.rule_verdicts if item.blocks)

    @property
    def awaiting(self) -> tuple[RuleVerdict, ...]:
        """The verdicts for which the check waits until a person has confirmed them."""
        return tuple(
            item for item in self.rule_verdicts if item.awaits_confirmation and not item.blocks
        )

    @property
    def advising(self) -> tuple[RuleVerdict, ...]:
        """The verdicts that found something, count, and keep nothing from passing."""
        return tuple(
            item
            for item in self.broken
            if not (item.blocks or item.awaits_confirmation or item.shadow)
        )

    @property
    def broken(self) -> tuple[RuleVerdict, ...]:
        """The verdicts that found something and count, whatever their rules may do."""
        denied = self.list_unwaived(Verdict.DENY)
        return (*denied, *self.list_unwaived(Verdict.NEEDS_CONFIRMATION))

    @property
    def has_model_failure(self) -> bool:
        """Whether a model was asked about a rule and gave no verdict on it."""
        return any(item.gap is NotAssessedReason.MODEL_FAILED for item in self.rule_verdicts)

    @property
    def passing_over(self) -> tuple[Rule, ...]:
        """The rules of which files pass that nobody judged (see `RuleVerdict.passes_over`)."""
        return tuple(item.rule for item in self.rule_verdicts if item.passes_over)

    @property
    def decided(self) -> tuple[RuleVerdict, ...]:
        """The verdicts of rules that were decided, whether they count or not."""
        return tuple(item for item in self.rule_verdicts if item.verdict is not _NOT_ASSESSED)

    @property
    def undecided(self) -> frozenset[str]:
        """The ids of rules whose findings of an earlier review may still stand, though unlisted.

        They were not decided, or left out; or they have more places than a verdict lists, and
        nobody knows which of them are gone.
        """
        open_ended = {
            item.rule.id
            for item in self.rule_verdicts
            if item.unlisted_count or (item.verdict is Verdict.NOT_ASSESSED and not item.waived)
        }
        return frozenset(open_ended | {item.rule.id for item in self.omitted})

    @property
    def unsettled(self) -> tuple[RuleVerdict, ...]:
        """The verdicts left open of rules that bind: none of them lets the check be a success."""
        return tuple(item for item in self.rule_verdicts if is_binding_undecided(item))

    @property
    def waived(self) -> tuple[RuleVerdict, ...]:
        """The verdicts that do not count, in order."""
        return tuple(item for item in self.rule_verdicts if item.waived)

    @property
    def by_rule(self) -> Mapping[str, RuleVerdict]:
        """The verdicts by the ids of their rules, in order."""
        return {item.rule.id: item for item in self.rule_verdicts}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding, waived or not: the worst rules first, then by file and line."""
        found = (finding for item in self.rule_verdicts for finding in item.findings)
        return tuple(sorted(found, key=_get_sort_key))

    @property
    def fix_summary(self) -> str:
        """How to fix each rule that is broken and counts, one line each; empty for none."""
        # Read off the verdicts as they stand, so that what a waiver sets aside is never told.
        return "\n".join(
            f"{item.rule.id}: {item.fix_suggestion}"
            for item in self.rule_verdicts
            if item.fix_suggestion
            and item.verdict in (Verdict.DENY, Verdict.NEEDS_CONFIRMATION)
            and not item.waived
        )

    @property
    def remediations(self) -> tuple[Fix, ...]:
        """All fixes of all verdicts that count."""
        return tuple(
            fix for item in self.rule_verdicts if not item.waived for fix in item.remediations
        )

    @property
    def auto_fixable_count(self) -> int:
        """Fixes that are safe to apply without a person: they were tried, and held."""
        return sum(fix.auto_applicable and fix.is_verified for fix in self.remediations)


def _get_sort_key(finding: Finding) -> tuple[int, bool, int, str, int]:
    location = finding.location
    return (
        -finding.level.rank,
        finding.outcome is not Verdict.DENY,
        -finding.rule.severity.rank,
        finding.path or "",
        (location.start_line or 0) if location else 0,
    )
