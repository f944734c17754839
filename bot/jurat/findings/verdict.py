"""What was decided: one RuleVerdict a rule, with its findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from jurat.findings.finding import Finding, Fix, Location, Problem, Verdict, make_findings
from jurat.rules.rule import Rule

__all__ = [
    "DecidedBy",
    "NotAssessedReason",
    "RuleVerdict",
    "UnreadFile",
    "Verdict",
    "find_other_fixes",
    "require_confirmation",
]


class DecidedBy(StrEnum):
    """The path on which a verdict came about."""

    DETERMINISTIC = "deterministic"
    PATTERN = "pattern"
    BATCH = "batch"
    SINGLE = "single"
    CONFIRMATION = "confirmation"
    LEDGER = "ledger"
    NOBODY = "nobody"


class NotAssessedReason(StrEnum):
    """Why a rule was not assessed."""

    NO_MODEL = "no_model"
    POSTPONED = "postponed"
    NOT_IN_FORCE = "not_in_force"
    MODEL_FAILED = "model_failed"
    UNREAD = "unread"
    PRIVATE = "private"
    OVERRIDDEN = "overridden"
    CONFLICT = "conflict"
    PREREQUISITE = "prerequisite"

    @property
    def failure(self) -> bool:
        """Whether the rule should have been assessed and could not be."""
        return self in (NotAssessedReason.MODEL_FAILED, NotAssessedReason.UNREAD)

    @property
    def undecided(self) -> bool:
        """Whether the rule asks something here that nobody answered, for whatever reason."""
        waiting = (
            NotAssessedReason.NO_MODEL,
            NotAssessedReason.POSTPONED,
            NotAssessedReason.PRIVATE,
        )
        return self.failure or self in waiting


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """The verdict on one rule.

    `verdict` is what counts; `would_block` is True if an experimental rule's DENY was turned
    into NEEDS_CONFIRMATION. `confidence` is in [0, 1]. `issue` says what is wrong in a sentence a
    reviewer reads, `reasoning` why, `note` what the audit or the aggregation changed. A verdict
    NOT_ASSESSED says in `gap` why; None counts as a failure of the model. One that a person decides
    says there why one of two judges gave no reading. `audit` explains an audit
    that the reasoning failed. `vacuous` is True of an ALLOW that may be one because the rule asks
    nothing here, or of a part: it only defines, or a precondition is not met, or not known to be.
    `unreadable` is True if what a model answered could not be used, so that a person decides.
    `partial` is True if only a part was judged: the rest failed, or an answer was silent about it.

    A DENY or NEEDS_CONFIRMATION has at least one of `findings`, any other verdict none. `further`
    counts those that are not listed. `other_fixes` replace the lines of no finding, such as the
    value of a fact: they are advice.
    """

    rule: Rule
    verdict: Verdict
    confidence: float
    reasoning: str
    decided_by: DecidedBy
    issue: str = ""
    fix_suggestion: str = ""
    findings: tuple[Finding, ...] = ()
    other_fixes: tuple[Fix, ...] = ()
    model_id: str | None = None
    would_block: bool = False
    latency_ms: float = 0.0
    note: str = ""
    gap: NotAssessedReason | None = None
    audit: str = ""
    unlisted_count: int = 0
    vacuous: bool = False
    unreadable: bool = False
    partial: bool = False

    @property
    def passes_over(self) -> bool:
        """Whether files that nobody judged pass, because what was found in others is set aside.

        What is found stands for the rest only as long as it counts for all that the rule may do.
        """
        if not self.partial or self.rule.shadow:
            return False
        if self.rule.blocking:
            return not (self.blocks or self.awaits_confirmation)
        return not any(item.waiver is None and not item.shadow for item in self.findings)

    @property
    def is_computed(self) -> bool:
        """Whether it was decided without a model, by what stands there."""
        return self.decided_by in (DecidedBy.DETERMINISTIC, DecidedBy.PATTERN)

    @property
    def shadow(self) -> bool:
        """Whether the rule only observes, wherever it found anything."""
        if not self.findings or self.unlisted_count:
            return self.rule.shadow
        return all(finding.shadow for finding in self.findings)

    @property
    def blocks(self) -> bool:
        """Whether the check fails because of it: of a finding, or of one that is not listed."""
        unlisted = self.verdict is Verdict.DENY and self.unlisted_count > 0 and self.rule.blocking
        return unlisted or any(finding.blocks for finding in self.findings)

    @property
    def awaits_confirmation(self) -> bool:
        """Whether the check waits because of it until a person has confirmed it."""
        unsure = self.verdict is Verdict.NEEDS_CONFIRMATION
        unlisted = unsure and self.unlisted_count > 0 and self.rule.blocking
        return unlisted or any(finding.awaits_confirmation for finding in self.findings)

    @property
    def waived(self) -> bool:
        """Whether it does not count, because none of its findings does.

        Nobody set those aside that are counted in `further` alone.
        """
        if not self.findings or self.unlisted_count:
            return False
        return all(finding.waiver is not None for finding in self.findings)

    @property
    def locations(self) -> tuple[Location, ...]:
        """The places of its findings, in order; none of a finding about the subject as a whole."""
        return tuple(item.location for item in self.findings if item.location is not None)

    @property
    def remediations(self) -> tuple[Fix, ...]:
        """All of its fixes, each once, in the order of its findings."""
        fixes = (*(item.fix for item in self.findings), *self.other_fixes)
        return tuple(dict.fromkeys(fix for fix in fixes if fix is not None))


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file of the subject that was not read, and why."""

    path: str
    reason: str


def find_other_fixes(findings: Iterable[Finding], fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """Those of `fixes` that none of the findings has, in order."""
    placed = {finding.fix for finding in findings}
    return tuple(fix for fix in fixes if fix not in placed)


def require_confirmation(verdict: RuleVerdict, reasoning: str | None = None) -> RuleVerdict:
    """The same verdict as one that a person must confirm, `reasoning` in place of its own if given.

    Its findings follow it and keep their ids. An ALLOW, which has none, gets one about the subject
    as a whole.
    """
    outcome = Verdict.NEEDS_CONFIRMATION
    reasoning = verdict.reasoning if reasoning is None else reasoning
    message = verdict.issue or reasoning
    findings = verdict.findings or make_findings(verdict.rule, outcome, [Problem(message)])
    return replace(
        verdict,
        verdict=outcome,
        reasoning=reasoning,
        findings=tuple(replace(item, outcome=outcome) for item in findings),
    )


def build_not_assessed(rule: Rule, reason: str, gap: NotAssessedReason) -> RuleVerdict:
    """A rule that nobody judged."""
    return RuleVerdict(rule, Verdict.NOT_ASSESSED, 0.0, reason, DecidedBy.NOBODY, gap=gap)
