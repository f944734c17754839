"""What the API returns, as the OpenAPI document shows it.

`EvaluationAnswer` describes what `jurat.reports.json` makes; a test holds the two together.
"""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from jurat.facts.context import Mode, SubjectKind, Surface
from jurat.findings.evaluation import Conclusion
from jurat.findings.finding import SuppressionState, WaiverKind
from jurat.findings.verdict import DecidedBy, NotAssessedReason
from jurat.rules.rule import Maturity, Modality, Rule, RuleKind, Severity
from jurat.rules.selection import OmittedRule
from jurat.store.analytics import Period, RuleActivity

Count = Annotated[int, Field(ge=0)]
Milliseconds = Annotated[float, Field(ge=0)]
Decision = Literal["ALLOW", "DENY", "NEEDS_CONFIRMATION"]


class ApiModel(BaseModel):
    """Whatever is returned."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class RefusalDetail(ApiModel):
    """What was wrong."""

    code: str
    """One word that a program can compare."""
    message: str
    """What happened and where, on one line."""
    hint: str
    """What to do about it; empty where there is nothing more to say."""


class Refusal(ApiModel):
    """Every answer whose status is not 200."""

    error: RefusalDetail


class LocationAnswer(ApiModel):
    """A place in the subject. Which fields there are depends on the surface."""

    surface: Surface
    file_path: str | None
    start_line: int | None
    end_line: int | None
    function_name: str = ""
    snippet: str = ""
    clause_ref: str = ""
    section: str = ""
    segment: str = ""
    offset_start: int = 0
    offset_end: int = 0
    span_text: str = ""
    json_path: str = ""
    field_name: str = ""
    current_value: str | int = ""
    step: str | int = ""
    field: str = ""
    context: str = ""


class RemediationAnswer(ApiModel):
    """A fix that a program can apply: `original` stands there now, `replacement` should."""

    type: str
    file_path: str | None
    start_line: int | None
    end_line: int | None
    original: str
    replacement: str
    auto_applicable: bool
    description: str
    proven: bool
    """Applied in memory, the file parses, the finding is gone and no rule finds anything new."""
    rules_rerun: Count
    problem: str
    """Why the fix did not hold or was not tried; empty where it held."""


class RuleRemediationAnswer(RemediationAnswer):
    """A fix, and the rule that asks for it."""

    rule_id: str


class RuleVerdictAnswer(ApiModel):
    """What was decided of one rule, and why."""

    rule_id: str
    statement: str
    kind: RuleKind
    modality: Modality
    severity: Severity
    maturity: Maturity
    rule_revision: str
    verdict: Decision
    confidence: Annotated[float, Field(ge=0, le=1)]
    reasoning: str
    issue: str
    fix_suggestion: str
    locations: list[LocationAnswer]
    further_locations: Count
    """Places that are not listed: a verdict lists the first 500."""
    remediations: list[RemediationAnswer]
    decided_by: DecidedBy
    model_id: str | None
    would_block: bool
    """An experimental rule that would have denied; it never blocks."""
    latency_ms: Milliseconds
    note: str
    audit: str
    """The explanation of an audit that the model's reasoning failed; empty where it passed."""
    waived: bool
    """None of its findings counts, and so neither does the verdict."""
    findings: list[FindingAnswer]


class WaiverAnswer(ApiModel):
    """Why a finding does not count."""

    kind: WaiverKind
    by: str
    """A person's login, or the file and line of a suppression."""
    why: str
    at: dt.datetime | None
    until: dt.date | None
    own: bool
    """Whether that person wrote some of the change."""


class FindingAnswer(ApiModel):
    """One thing that was found, by a name that survives pushes and rebases."""

    id: str
    code_print: str
    """The same for the same code in whichever file."""
    location: Count | None
    """The index of its place in `locations`."""
    waiver: WaiverAnswer | None


class SuppressionAnswer(ApiModel):
    """A suppression in a file of the change; only used and idle ones are in force."""

    file_path: str
    line: int
    rule_id: str
    until: dt.date | None
    reason: str
    state: SuppressionState
    remark: str


class NotAssessedAnswer(ApiModel):
    """A rule that applies and was not decided. It is no pass."""

    rule_id: str
    statement: str
    modality: Modality
    severity: Severity
    gap: NotAssessedReason | Literal["max_rules"] | None
    reason: str
    blocks: bool
    """The rule blocks and should have been assessed: without it the whole cannot pass."""


class UnreadAnswer(ApiModel):
    """A file that was not read."""

    path: str
    reason: str


class CoverageAnswer(ApiModel):
    """How much of the subject was read, and how many rules are in force."""

    files: Count
    files_read: Count
    unread: list[UnreadAnswer]
    rules_in_force: Count


class ModelUseAnswer(ApiModel):
    """What one model was asked for."""

    model_id: str
    calls: Count
    input_tokens: Count
    output_tokens: Count
    latency_ms: Milliseconds


class EvaluationAnswer(ApiModel):
    """The verdict on the whole, and on each rule."""

    evaluation_id: str
    overall_verdict: Decision
    rules_evaluated: Count
    rules_passed: Count
    rules_violated: Count
    rules_uncertain: Count
    rules_waived: Count
    rule_verdicts: list[RuleVerdictAnswer]
    violations: list[RuleVerdictAnswer]
    """Those of `rule_verdicts` that deny and count."""
    warnings: list[RuleVerdictAnswer]
    """Those of `rule_verdicts` that need confirmation and count."""
    remediations: list[RuleRemediationAnswer]
    auto_fixable_count: Count
    fix_summary: str
    not_assessed: list[NotAssessedAnswer]
    suppressions: list[SuppressionAnswer]
    coverage: CoverageAnswer
    notes: list[str]
    model_ids_used: list[str]
    model_usage: list[ModelUseAnswer]
    total_latency_ms: Milliseconds


class AboutAnswer(ApiModel):
    """Who asked for an evaluation, and of what."""

    asked_by: str | None
    subject_digest: str
    """SHA-256 of what was judged, which itself is not kept."""
    mode: Mode
    surface: Surface
    repository: str | None
    number: int | None
    head_sha: str | None
    conclusion: Conclusion | None
    created_at: dt.datetime


class StoredEvaluationAnswer(EvaluationAnswer):
    """An evaluation as it was answered at the time."""

    about: AboutAnswer


class RuleAnswer(ApiModel):
    """A rule that applies."""

    rule_id: str
    statement: str
    kind: RuleKind
    modality: Modality
    severity: Severity
    maturity: Maturity
    scope: list[str]
    paths: list[str]
    languages: list[str]
    subject_kinds: list[SubjectKind]
    tags: list[str]
    origin: str
    """The file and line of the rule."""

    @classmethod
    def of(cls, rule: Rule) -> Self:
        """What is told of a rule."""
        return cls(
            rule_id=rule.id,
            statement=rule.statement,
            kind=rule.kind,
            modality=rule.modality,
            severity=rule.severity,
            maturity=rule.maturity,
            scope=list(rule.scope),
            paths=list(rule.paths),
            languages=list(rule.languages),
            subject_kinds=list(rule.subject_kinds),
            tags=list(rule.tags),
            origin=rule.origin,
        )


class InapplicableRuleModel(ApiModel):
    """A rule that is not among those that apply, or not among those that would be judged."""

    rule_id: str
    reason: str

    @classmethod
    def of(cls, item: OmittedRule) -> Self:
        """The rule's id and the reason."""
        return cls(rule_id=item.rule.id, reason=item.reason)


class ApplicableRulesAnswer(ApiModel):
    """Which rules there are for some files. Nothing was evaluated."""

    rules: list[RuleAnswer]
    omitted: list[InapplicableRuleModel]
    """Rules that apply, and that `max_rules` leaves out of an evaluation."""
    inapplicable: list[InapplicableRuleModel]
    """Rules that do not apply; of many, the first."""
    inapplicable_count: Count
    """How many do not apply in all."""
    rules_in_force: Count
    notes: list[str]
    """What to know of how they were chosen."""


class VerdictCounts(ApiModel):
    """How often each verdict came out."""

    ALLOW: Count
    DENY: Count
    NEEDS_CONFIRMATION: Count
    NOT_ASSESSED: Count


class LatencyAnswer(ApiModel):
    """Milliseconds a verdict; one that asked no model takes next to none."""

    mean: Milliseconds
    p95: Milliseconds
    max: Milliseconds


class TokensAnswer(ApiModel):
    """What was sent to models for these verdicts, and what came back."""

    input: Count
    output: Count


class RuleActivityAnswer(ApiModel):
    """One rule in one repository during one period."""

    rule_id: str
    repository: str | None
    start: dt.date
    """The first day of the period."""
    evaluations: Count
    verdicts: VerdictCounts
    would_block: Count
    """Verdicts of an experimental rule that would have denied."""
    latency_ms: LatencyAnswer
    tokens: TokensAnswer

    @classmethod
    def of(cls, row: RuleActivity) -> Self:
        """A row of the store."""
        return cls(
            rule_id=row.rule_id,
            repository=row.repository,
            start=row.start,
            evaluations=row.evaluations,
            verdicts=VerdictCounts(
                ALLOW=row.allowed,
                DENY=row.denied,
                NEEDS_CONFIRMATION=row.needs_confirmation,
                NOT_ASSESSED=row.not_assessed,
            ),
            would_block=row.would_block,
            latency_ms=LatencyAnswer(
                mean=row.latency_mean, p95=row.latency_p95, max=row.latency_max
            ),
            tokens=TokensAnswer(input=row.input_tokens, output=row.output_tokens),
        )


class AnalyticsAnswer(ApiModel):
    """What has become of each rule, the latest period first."""

    period: Period
    rows: list[RuleActivityAnswer]
    truncated: bool
    """There is more: ask for fewer days, one repository or one rule."""
