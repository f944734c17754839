"""What the API returns beside the answer of a review, as the OpenAPI document shows it."""

from __future__ import annotations

import datetime as dt
from typing import Self

from jurat.facts.context import Mode, SubjectKind, Surface
from jurat.findings.evaluation import Conclusion
from jurat.reports.answer import EvaluationAnswer, Milliseconds
from jurat.reports.answer_model import Answer, Count
from jurat.rules.rule import Maturity, Modality, Rule, RuleKind, Severity
from jurat.rules.selection import OmittedRule
from jurat.store.analytics import Period, RuleActivity


class ProblemAnswer(Answer):
    """Every answer whose status is not 200, as RFC 9457 has it."""

    type: str
    """What kind of problem it is, which a program can compare; a page that says more."""
    title: str
    """The kind in words."""
    status: int
    """The HTTP status."""
    detail: str
    """What happened and where, on one line."""
    hint: str
    """What to do about it; empty if there is nothing more to say."""


class OverrideAnswer(Answer):
    """A maintainer's word that one commit passes, whatever the rules say of it."""

    by: str
    why: str
    at: dt.datetime
    until: dt.date
    own: bool
    """Whether that person wrote some of the change."""


class AboutAnswer(Answer):
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
    override: OverrideAnswer | None
    """Who let the commit pass although the conclusion blocks; the check was neutral then."""
    created_at: dt.datetime


class StoredEvaluationAnswer(EvaluationAnswer):
    """An evaluation as it was answered at the time."""

    about: AboutAnswer


class RuleAnswer(Answer):
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


class InapplicableRuleModel(Answer):
    """A rule that is not among those that apply, or not among those that would be judged."""

    rule_id: str
    reason: str

    @classmethod
    def of(cls, item: OmittedRule) -> Self:
        """The rule's id and the reason."""
        return cls(rule_id=item.rule.id, reason=item.reason)


class ApplicableRulesAnswer(Answer):
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


class VerdictCounts(Answer):
    """How often each verdict came out."""

    ALLOW: Count
    DENY: Count
    NEEDS_CONFIRMATION: Count
    NOT_ASSESSED: Count


class LatencyAnswer(Answer):
    """Milliseconds a verdict; one that asked no model takes next to none."""

    mean: Milliseconds
    p95: Milliseconds
    max: Milliseconds


class TokensAnswer(Answer):
    """What was sent to models for these verdicts, and what came back."""

    input: Count
    output: Count


class RuleActivityAnswer(Answer):
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


class AnalyticsAnswer(Answer):
    """What has become of each rule, the latest period first."""

    period: Period
    rows: list[RuleActivityAnswer]
    truncated: bool
    """There is more: ask for fewer days, one repository or one rule."""
