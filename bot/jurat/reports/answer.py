"""The answer of a review: one document, which is stored, printed by `--format json` and returned.

The names of its fields are a contract, its models are the schema that the OpenAPI document shows,
and the same Evaluation always gives the same answer. A stored answer is read by later releases: a
field that one of them adds needs a default.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import Annotated, Literal, Self, TextIO, cast

from pydantic import BeforeValidator, Field

from jurat.findings.evaluation import Conclusion, Evaluation, is_blocking_unassessed
from jurat.findings.finding import (
    Finding,
    SuppressionState,
    SuppressionStatus,
)
from jurat.findings.model_usage import CallPurpose
from jurat.findings.verdict import DecidedBy, NotAssessedReason, RuleVerdict, Verdict
from jurat.reports.answer_model import Answer, Count
from jurat.reports.finding_answer import (
    FindingAnswer,
    LocationAnswer,
    RemediationAnswer,
    RuleRemediationAnswer,
)
from jurat.reports.formats import ReviewReport
from jurat.rules.merit import Merit
from jurat.rules.rule import Maturity, Modality, Rule, RuleKind, Severity
from jurat.source.visible_text import escape_json

Milliseconds = Annotated[float, Field(ge=0)]
DecidedVerdict = Literal["ALLOW", "DENY", "NEEDS_CONFIRMATION"]


def write_json(report: ReviewReport, stream: TextIO) -> None:
    """Write a review as JSON text."""
    answer = EvaluationAnswer.build(report.evaluation).to_json()
    stream.write(escape_json(json.dumps(answer, indent=2)) + "\n")


class MeritAnswer(Answer):
    """What the firings of a shipped rule in real code have earned it."""

    may_block: bool
    right: Count
    """Of `firings`, those that a person found right."""
    firings: Count
    bound: Annotated[float, Field(ge=0, le=1)]
    """The lower end of the 95% interval of the share that is right; 0.9 earns blocking."""
    family: str
    """Whose firings these are, if the rule's own are fewer than 35; empty if they are its own."""
    says: str

    @classmethod
    def build(cls, merit: Merit) -> Self:
        """The same, as an answer."""
        return cls(
            may_block=merit.may_block,
            right=merit.counted.right,
            firings=merit.counted.cases,
            bound=round(merit.bound, 4),
            family=merit.family,
            says=str(merit),
        )


class RuleVerdictAnswer(Answer):
    """What was decided of one rule, and why."""

    rule_id: str
    statement: str
    kind: RuleKind
    modality: Modality
    severity: Severity
    maturity: Maturity
    rule_revision: str
    verdict: DecidedVerdict
    confidence: Annotated[float, Field(ge=0, le=1)]
    reasoning: str
    issue: str
    fix_suggestion: str
    locations: tuple[LocationAnswer, ...]
    further_locations: Count
    """Places that are not listed: a verdict lists the first 500."""
    remediations: tuple[RemediationAnswer, ...]
    decided_by: DecidedBy
    model_id: str | None
    would_block: bool
    """A rule that would have denied, but only observes."""
    latency_ms: Milliseconds
    note: str
    audit: str
    """The explanation of an audit that the model's reasoning failed; empty if it passed."""
    waived: bool
    """None of its findings counts, and so neither does the verdict."""
    level_reason: str
    """What decided the level of its findings, as the end of "it blocks: …"."""
    merit: MeritAnswer | None
    """None for a rule that did not come with Jurat."""
    findings: tuple[FindingAnswer, ...]

    @classmethod
    def build(cls, item: RuleVerdict, findings: tuple[Finding, ...]) -> Self:
        """A rule that was decided; `findings` are those of the verdict in a reader's order."""
        rule = item.rule
        index = {finding.id: place for place, finding in enumerate(item.findings)}
        return cls(
            rule_id=rule.id,
            statement=rule.statement,
            kind=rule.kind,
            modality=rule.modality,
            severity=rule.severity,
            maturity=rule.maturity,
            rule_revision=rule.revision,
            verdict=cast("DecidedVerdict", item.verdict.value),
            confidence=item.confidence,
            reasoning=item.reasoning,
            issue=item.issue,
            fix_suggestion=item.fix_suggestion,
            locations=tuple(map(LocationAnswer.build, item.locations)),
            further_locations=item.unlisted_count,
            remediations=tuple(map(RemediationAnswer.build, item.remediations)),
            decided_by=item.decided_by,
            model_id=item.model_id,
            would_block=item.would_block,
            latency_ms=round(item.latency_ms, 3),
            note=item.note,
            audit=item.audit,
            waived=item.waived,
            level_reason=rule.enforcement.reason,
            merit=MeritAnswer.build(rule.merit) if rule.merit else None,
            findings=tuple(FindingAnswer.build(found, index[found.id]) for found in findings),
        )


class NotAssessedAnswer(Answer):
    """A rule that applies and was not decided. It is no pass."""

    rule_id: str
    statement: str
    modality: Modality
    severity: Severity
    gap: NotAssessedReason | Literal["max_rules"] | None
    reason: str
    blocks: bool
    """The rule blocks and should have been assessed: without it the whole cannot pass."""

    @classmethod
    def build(
        cls,
        rule: Rule,
        gap: NotAssessedReason | Literal["max_rules"] | None,
        why: str,
        *,
        blocks: bool,
    ) -> Self:
        """A rule that nobody decided."""
        return cls(
            rule_id=rule.id,
            statement=rule.statement,
            modality=rule.modality,
            severity=rule.severity,
            gap=gap,
            reason=why,
            blocks=blocks,
        )


class SuppressionAnswer(Answer):
    """A suppression in a file of the change; only used and idle ones are in force."""

    file_path: str
    line: int
    rule_id: str
    twins: tuple[str, ...] = ()
    """What it names of another tool's, as `tool:id`; then it is about rules that are known so."""
    until: dt.date | None
    reason: str
    state: SuppressionState
    remark: str

    @classmethod
    def build(cls, item: SuppressionStatus) -> Self:
        """A suppression, and what became of it."""
        suppression = item.suppression
        return cls(
            file_path=suppression.path,
            line=suppression.line,
            rule_id=suppression.rule_id,
            twins=tuple(sorted(suppression.twins)),
            until=suppression.until,
            reason=suppression.reason,
            state=item.state,
            remark=item.remark,
        )


class UnreadAnswer(Answer):
    """A file that was not read."""

    path: str
    reason: str


class CoverageAnswer(Answer):
    """How much of the subject was read, and how many rules are in force."""

    files: Count
    files_read: Count
    unread: tuple[UnreadAnswer, ...]
    rules_in_force: Count
    unwritten: tuple[UnreadAnswer, ...] = ()
    """Files that nobody writes by hand: rules about code left them alone."""
    private: tuple[str, ...] = ()
    """Paths that no model may see: what a model judges of them is not assessed."""
    ungrammared: tuple[UnreadAnswer, ...] = ()
    """Files that hold a program that no grammar reads: rules about code have not seen them."""


class SentAnswer(Answer):
    """A prompt that was sent."""

    digest: str
    """SHA-256 of the texts, a zero byte between them: a prompt's instruction and message, or all
    that is embedded at once."""
    size: Count
    """The bytes of the texts, in UTF-8."""


class ModelUseAnswer(Answer):
    """What one model was asked, for one purpose."""

    model_id: str
    purpose: CallPurpose = CallPurpose.VERDICTS
    """`verdicts`, `relevance` for rules that are ranked by meaning, or `rating`."""
    calls: Count
    input_tokens: Count
    output_tokens: Count
    latency_ms: Annotated[Milliseconds, BeforeValidator(lambda value: round(value, 3))]
    cost: float | None = None
    """By the prices that the operator states, in their currency; null without one."""
    sent: tuple[SentAnswer, ...] = ()
    """Each call, answered or not."""


class BasisAnswer(Answer):
    """What the conclusion traces back to."""

    digest: str
    """SHA-256 of the rules and the configuration, as they counted."""
    commit: str | None
    """The commit of which the repository's own were read."""
    version: str
    """Jurat's."""


class EvaluationAnswer(Answer):
    """The verdict on the whole, and on each rule."""

    evaluation_id: str
    overall_verdict: DecidedVerdict
    conclusion: Conclusion
    """What the check says, by the rules that block."""
    rules_evaluated: Count
    """Those that were decided: the sum of passed, violated, uncertain and waived."""
    rules_passed: Count
    rules_violated: Count
    rules_uncertain: Count
    rules_waived: Count
    rule_verdicts: tuple[RuleVerdictAnswer, ...]
    """The rules that were decided. One that is waived keeps what it says."""
    violations: tuple[RuleVerdictAnswer, ...]
    """Those of `rule_verdicts` that deny and count."""
    warnings: tuple[RuleVerdictAnswer, ...]
    """Those of `rule_verdicts` that need confirmation and count."""
    remediations: tuple[RuleRemediationAnswer, ...]
    auto_fixable_count: Count
    fix_summary: str
    not_assessed: tuple[NotAssessedAnswer, ...]
    suppressions: tuple[SuppressionAnswer, ...]
    coverage: CoverageAnswer
    notes: tuple[str, ...]
    model_ids_used: tuple[str, ...]
    model_usage: tuple[ModelUseAnswer, ...]
    total_latency_ms: Milliseconds
    basis: BasisAnswer | None

    @classmethod
    def build(cls, evaluation: Evaluation) -> Self:
        """What a review comes to."""
        found: dict[str, list[Finding]] = {}
        for finding in evaluation.findings:
            found.setdefault(finding.rule.id, []).append(finding)
        answered = {
            item.rule.id: RuleVerdictAnswer.build(item, tuple(found.get(item.rule.id, ())))
            for item in evaluation.rule_verdicts
            if item.verdict is not Verdict.NOT_ASSESSED
        }
        denied = evaluation.list_unwaived(Verdict.DENY)
        unsure = evaluation.list_unwaived(Verdict.NEEDS_CONFIRMATION)
        return cls(
            evaluation_id=evaluation.evaluation_id,
            overall_verdict=cast("DecidedVerdict", evaluation.overall.value),
            conclusion=evaluation.conclusion,
            rules_evaluated=len(answered),
            rules_passed=len(evaluation.list_unwaived(Verdict.ALLOW)),
            rules_violated=len(denied),
            rules_uncertain=len(unsure),
            rules_waived=len(evaluation.waived),
            rule_verdicts=tuple(answered.values()),
            violations=tuple(answered[item.rule.id] for item in denied),
            warnings=tuple(answered[item.rule.id] for item in unsure),
            remediations=tuple(
                RuleRemediationAnswer.build(fix, rule_id=item.rule.id)
                for item in evaluation.rule_verdicts
                if item.rule.id in answered and not item.waived
                for fix in item.remediations
            ),
            auto_fixable_count=evaluation.auto_fixable_count,
            fix_summary=evaluation.fix_summary,
            not_assessed=(
                *(
                    NotAssessedAnswer.build(
                        item.rule, item.gap, item.reasoning, blocks=is_blocking_unassessed(item)
                    )
                    for item in evaluation.list_unwaived(Verdict.NOT_ASSESSED)
                ),
                *(
                    NotAssessedAnswer.build(item.rule, "max_rules", item.reason, blocks=False)
                    for item in evaluation.omitted
                ),
            ),
            suppressions=tuple(map(SuppressionAnswer.build, evaluation.suppressions)),
            coverage=CoverageAnswer.model_validate(evaluation.coverage),
            notes=(*evaluation.notes, *_explain_gate(evaluation)),
            model_ids_used=tuple(dict.fromkeys(use.model_id for use in evaluation.models)),
            model_usage=tuple(map(ModelUseAnswer.model_validate, evaluation.models)),
            total_latency_ms=round(evaluation.total_latency_ms, 3),
            basis=BasisAnswer.model_validate(evaluation.basis) if evaluation.basis else None,
        )


def _explain_gate(evaluation: Evaluation) -> list[str]:
    """Why a rating keeps the review from passing: no rule's verdict says so."""
    rating = evaluation.rating
    return [f"{rating.title}."] if rating and rating.title else []
