"""What was decided: one RuleVerdict a rule, and the Evaluation that holds them all."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from jurat.findings.finding import Fix, Location, Waiver
from jurat.rules.rule import Rule


class Verdict(StrEnum):
    """What was decided of one rule. NOT_ASSESSED is a state of its own, never a pass."""

    ALLOW = "ALLOW"
    DENY = "DENY"
    NEEDS_CONFIRMATION = "NEEDS_CONFIRMATION"
    NOT_ASSESSED = "NOT_ASSESSED"


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
    MODEL_FAILED = "model_failed"
    UNREAD = "unread"
    OVERRIDDEN = "overridden"
    CONFLICT = "conflict"
    PREREQUISITE = "prerequisite"

    @property
    def failure(self) -> bool:
        """Whether the rule should have been assessed and could not be."""
        return self in (NotAssessedReason.MODEL_FAILED, NotAssessedReason.UNREAD)


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """The verdict on one rule.

    `verdict` is what counts; `would_block` is True where an experimental rule's DENY was turned
    into NEEDS_CONFIRMATION. `confidence` is in [0, 1]. `issue` says what is wrong in a sentence a
    reviewer reads, `reasoning` why, `note` what the audit or the aggregation changed. A verdict
    NOT_ASSESSED says in `gap` why; None counts as a failure of the model. `audit` explains an audit
    that the reasoning failed. `moot` is True of an ALLOW that may be one because the rule asks
    nothing here, or of a part: it only defines, or a precondition is not met, or not known to be.
    `unreadable` is True if what a model answered could not be used, so that a person decides.

    `waivers` stands beside `locations`, one entry each, None where the finding counts; a verdict
    without locations has one entry at most. It is empty where nothing is waived.
    """

    rule: Rule
    verdict: Verdict
    confidence: float
    reasoning: str
    decided_by: DecidedBy
    issue: str = ""
    fix_suggestion: str = ""
    locations: tuple[Location, ...] = ()
    remediations: tuple[Fix, ...] = ()
    model_id: str | None = None
    would_block: bool = False
    latency_ms: float = 0.0
    note: str = ""
    gap: NotAssessedReason | None = None
    audit: str = ""
    waivers: tuple[Waiver | None, ...] = ()
    further: int = 0
    moot: bool = False
    unreadable: bool = False

    @property
    def shadow(self) -> bool:
        """Whether the rule only observes."""
        return self.rule.shadow

    @property
    def waived(self) -> bool:
        """Whether it does not count, because none of its findings does.

        Nobody set those aside that are counted in `further` alone.
        """
        return bool(self.waivers) and None not in self.waivers and not self.further


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file of the subject that was not read, and why."""

    path: str
    reason: str
