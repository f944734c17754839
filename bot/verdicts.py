"""What was decided: one RuleVerdict a rule, and the Evaluation that holds them all."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.corpus.rule import Rule
from bot.subjects.kinds import Surface
from bot.subjects.suppressions import Suppression


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


class Gap(StrEnum):
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
        return self in (Gap.MODEL_FAILED, Gap.UNREAD)


class Conclusion(StrEnum):
    """What a completed check run says."""

    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    ACTION_REQUIRED = "action_required"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the subject.

    `file_path`, `start_line` and `end_line` (1-based, inclusive, in the head version) say where it
    stands in a pull request, whatever the surface; None where the subject is no file, or where the
    place is the file as a whole. `fields` holds what the surface adds (see `subjects.kinds.TERMS`).
    """

    surface: Surface = Surface.CODE
    file_path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    fields: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of applying a fix in memory to the head version.

    `rules` were run again on the result; `parsed` is whether there is a grammar for it. `problem`
    says why the fix did not hold, or was not tried, and is empty where it held.
    """

    rules: int = 0
    parsed: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Remediation:
    """A fix. For code it replaces whole lines start_line to end_line of `file_path` at head.

    `original` is what stands there now and `replacement` what should, both without the last line's
    newline. `auto_applicable` promises that nothing else needs to change. `proof` is None for a fix
    that nobody has tried yet.
    """

    type: str
    file_path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    original: str = ""
    replacement: str = ""
    auto_applicable: bool = False
    description: str = ""
    proof: Proof | None = None

    @property
    def proven(self) -> bool:
        """Whether it was tried and held: only such a fix is offered as a button."""
        return self.proof is not None and not self.proof.problem


class WaiverKind(StrEnum):
    """Why a finding does not count."""

    DISMISSED = "dismissed"
    CONFIRMED = "confirmed"
    SUPPRESSED = "suppressed"


@dataclass(frozen=True, slots=True)
class Waiver:
    """Why one finding does not count, by whom and for how long.

    `by` is a person's login, or `path:line` of the suppression; `at` is when the person said so, in
    UTC. A waiver without `until` holds for good, but a confirmation only for the head it was given
    for.
    """

    kind: WaiverKind
    by: str
    why: str
    at: dt.datetime | None = None
    until: dt.date | None = None


class SuppressionState(StrEnum):
    """What became of a suppression. Only IDLE and USED ones are in force."""

    USED = "used"
    IDLE = "idle"
    UNUSED = "unused"
    ADDED = "added"
    EXPIRED = "expired"
    UNKNOWN_RULE = "unknown_rule"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class JudgedSuppression:
    """A suppression in a file of the change, and what became of it.

    `remark` tells a reader what is the matter with it; empty where nothing is. UNUSED is one whose
    rule looked at its line and found nothing, IDLE one whose line nobody looked at.
    """

    suppression: Suppression
    state: SuppressionState
    remark: str = ""


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """The verdict on one rule.

    `verdict` is what counts; `would_block` is True where an experimental rule's DENY was turned
    into NEEDS_CONFIRMATION. `confidence` is in [0, 1]. `issue` says what is wrong in a sentence a
    reviewer reads, `reasoning` why, `note` what the audit or the aggregation changed. A verdict
    NOT_ASSESSED says in `gap` why; None counts as a failure of the model. `audit` explains an audit
    that the reasoning failed. `moot` is True of an ALLOW that may be one because the rule asks
    nothing here, or of a part: it only defines, or a precondition is not met, or not known to be.

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
    remediations: tuple[Remediation, ...] = ()
    model_id: str | None = None
    would_block: bool = False
    latency_ms: float = 0.0
    note: str = ""
    gap: Gap | None = None
    audit: str = ""
    waivers: tuple[Waiver | None, ...] = ()
    further: int = 0
    moot: bool = False

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
class ModelUse:
    """What one model was asked for in one review."""

    model_id: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    latency_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class OmittedRule:
    """A rule that was left out before anything was judged, and why."""

    rule: Rule
    reason: str


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file of the subject that was not read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the subject was read, and how the rules were decided."""

    files: int = 0
    unread: tuple[UnreadFile, ...] = ()
    rules_in_force: int = 0

    @property
    def files_read(self) -> int:
        """Files that every rule that applies has seen."""
        return self.files - len(self.unread)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Stage 5's result. `rule_verdicts` holds exactly one verdict for each rule that was selected.

    `overall` is ALLOW, DENY or NEEDS_CONFIRMATION, by the verdicts that count. `omitted` are the
    rules left out by the bound on rules, which is not the same as rules that do not apply.
    `suppressions` are those that stand in the files of the change, in force or not.
    """

    evaluation_id: str
    overall: Verdict
    rule_verdicts: tuple[RuleVerdict, ...]
    coverage: Coverage
    omitted: tuple[OmittedRule, ...] = ()
    models: tuple[ModelUse, ...] = ()
    fix_summary: str = ""
    total_latency_ms: float = 0.0
    notes: tuple[str, ...] = ()
    suppressions: tuple[JudgedSuppression, ...] = ()

    def having(self, verdict: Verdict) -> tuple[RuleVerdict, ...]:
        """The verdicts of one kind that count, in order. A waived one does not."""
        return tuple(
            item for item in self.rule_verdicts if item.verdict is verdict and not item.waived
        )

    @property
    def waived(self) -> tuple[RuleVerdict, ...]:
        """The verdicts that do not count, in order."""
        return tuple(item for item in self.rule_verdicts if item.waived)

    @property
    def remediations(self) -> tuple[Remediation, ...]:
        """All fixes of all verdicts that count."""
        return tuple(
            fix for item in self.rule_verdicts if not item.waived for fix in item.remediations
        )

    @property
    def auto_fixable_count(self) -> int:
        """Fixes that are safe to apply without a person: they were tried, and held."""
        return sum(fix.auto_applicable and fix.proven for fix in self.remediations)
