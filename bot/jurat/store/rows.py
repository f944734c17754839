"""How an Evaluation is written down: plain rows, from values."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from jurat.facts.context import EvaluationContext, Mode, Surface
from jurat.findings.evaluation import Conclusion, Evaluation, Override
from jurat.findings.finding import Location
from jurat.findings.model_usage import CallPurpose, ModelUsage
from jurat.findings.verdict import DecidedBy, RuleVerdict, Verdict
from jurat.reports.answer import EvaluationAnswer

_ASKED_A_MODEL = frozenset({DecidedBy.BATCH, DecidedBy.SINGLE, DecidedBy.CONFIRMATION})


@dataclass(frozen=True, slots=True)
class About:
    """What an Evaluation does not say of itself.

    `asked_by` is whoever wanted the review ("github:octocat", "api"), `subject_digest` the digest
    of what was judged, and `subject` all of it (see `dump_subject`) or None if it is not kept.
    `repository` is "owner/name", `repository_id` GitHub's; without it that is only what somebody
    called it. `assessed` is what it leaves to reviews of later pushes (see `AssessedPush`).
    """

    asked_by: str
    subject_digest: str
    repository: str | None = None
    number: int | None = None
    head_sha: str | None = None
    mode: Mode = Mode.PREFLIGHT
    surface: Surface = Surface.CODE
    subject: Mapping[str, Any] | None = None
    base_sha: str | None = None
    repository_id: int | None = None
    assessed: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class StoredReview:
    """A review as the store remembers it: what was answered, and the rest as `About` has it.

    `repository` is what that is called now, None if another one has the name by now.
    `published` is whether it was shown. `override` holds the fields of an `Override` as JSON, None
    if the commit was not let pass.
    """

    answer: EvaluationAnswer
    created_at: dt.datetime
    repository: str | None = None
    number: int | None = None
    head_sha: str | None = None
    asked_by: str | None = None
    subject_digest: str = ""
    mode: Mode = Mode.PREFLIGHT
    surface: Surface = Surface.CODE
    subject: Mapping[str, Any] | None = None
    base_sha: str | None = None
    published: bool = True
    override: Mapping[str, Any] | None = None

    @property
    def evaluation_id(self) -> str:
        """The id of the evaluation."""
        return self.answer.evaluation_id

    @property
    def conclusion(self) -> Conclusion:
        """What the rules came to; the check was neutral if there is an `override`."""
        return self.answer.conclusion

    @property
    def overall(self) -> Verdict:
        """The verdict on the whole."""
        return Verdict(self.answer.overall_verdict)


@dataclass(frozen=True, slots=True)
class PastReview:
    """What was reviewed once: the change of a pull request from `base_sha` to `head_sha`.

    `base_sha` is None if an earlier release did not keep it.
    """

    number: int
    head_sha: str
    base_sha: str | None


def dump_subject(context: EvaluationContext) -> dict[str, Any]:
    """What is judged, as JSON: the intent, and of each subject its facts and its files' hunks."""
    kept = {
        "intent": context.intent,
        "subjects": [
            {
                "kind": subject.kind,
                "facts": subject.facts,
                "files": [
                    {
                        "path": file.path,
                        "old_path": file.old_path,
                        "status": file.status,
                        "hunks": [
                            {
                                "old_start": hunk.old_start,
                                "new_start": hunk.new_start,
                                "lines": [[line.kind, line.text] for line in hunk.lines],
                            }
                            for hunk in file.hunks
                        ],
                    }
                    for file in subject.files
                ],
            }
            for subject in context.subjects
        ],
    }
    # There and back: facts hold Decimals and dates, which no JSON column takes.
    return cast("dict[str, Any]", json.loads(json.dumps(kept, default=str)))


def build_review_row(evaluation: Evaluation, about: About, at: dt.datetime) -> dict[str, Any]:
    """The row of `reviews`."""
    return {
        "evaluation_id": evaluation.evaluation_id,
        "repository_id": about.repository_id,
        "number": about.number,
        "head_sha": about.head_sha,
        "overall": evaluation.overall.value,
        "conclusion": evaluation.conclusion.value,
        "mode": about.mode.value,
        "surface": about.surface.value,
        "subject_digest": about.subject_digest,
        "subject": about.subject,
        "answer": EvaluationAnswer.build(evaluation).to_json(),
        "latency_ms": evaluation.total_latency_ms,
        "assessed": about.assessed,
        "created_at": at,
        "base_sha": about.base_sha,
        "override": evaluation.override and _to_override_json(evaluation.override),
    }


def _to_override_json(override: Override) -> dict[str, Any]:
    return {
        "by": override.by,
        "why": override.why,
        "at": override.at.isoformat(),
        "until": override.until.isoformat(),
        "own": override.own,
    }


def build_verdict_rows(
    evaluation: Evaluation, about: About, at: dt.datetime
) -> list[dict[str, Any]]:
    """The rows of `evaluations`, one a verdict.

    Tokens are counted by call, not by rule: each verdict that a model gave carries an even share of
    what that model was sent and sent back, so that the rows of a review add up.
    """
    shares = _split_tokens(evaluation.rule_verdicts, evaluation.models)
    return [
        {
            "evaluation_id": evaluation.evaluation_id,
            "rule_id": item.rule.id,
            "revision": item.rule.revision,
            "severity": item.rule.severity.value,
            "maturity": item.rule.maturity.value,
            "verdict": item.verdict.value,
            "would_block": item.would_block,
            "confidence": item.confidence,
            "decided_by": item.decided_by.value,
            "model_id": item.model_id,
            "input_tokens": sent,
            "output_tokens": received,
            "latency_ms": item.latency_ms,
            "evidence": [_to_evidence_json(location) for location in item.locations],
            "surface": _get_surface(item, about).value,
            "mode": about.mode.value,
            "repository_id": about.repository_id,
            "number": about.number,
            "head_sha": about.head_sha,
            "created_at": at,
            "waived": item.waived,
        }
        for item, (sent, received) in zip(evaluation.rule_verdicts, shares, strict=True)
    ]


def audit_row(evaluation: Evaluation, about: About, at: dt.datetime) -> dict[str, Any]:
    """The row of `audit_log`: who asked, what by digest, which rules and models, what came out."""
    return {
        "at": at,
        "asked_by": about.asked_by,
        "action": "review",
        "evaluation_id": evaluation.evaluation_id,
        "subject_digest": about.subject_digest,
        "rules": {item.rule.id: item.rule.revision for item in evaluation.rule_verdicts},
        "models": list(dict.fromkeys(use.model_id for use in evaluation.models)),
        "result": {
            "overall": evaluation.overall.value,
            "conclusion": evaluation.conclusion.value,
            "verdicts": {item.rule.id: item.verdict.value for item in evaluation.rule_verdicts},
            "waived": [item.rule.id for item in evaluation.waived],
            **_describe_calls(evaluation.models),
        },
        "repository_id": about.repository_id,
    }


def build_calls_row(
    models: Sequence[ModelUsage], asked_by: str, at: dt.datetime, repository_id: int | None
) -> dict[str, Any]:
    """The row of `audit_log` of what models were asked if no review was kept."""
    return {
        "at": at,
        "asked_by": asked_by,
        "action": "model_calls",
        "evaluation_id": None,
        "subject_digest": "",
        "rules": {},
        "models": list(dict.fromkeys(use.model_id for use in models)),
        "result": _describe_calls(models),
        "repository_id": repository_id,
    }


def _describe_calls(models: Sequence[ModelUsage]) -> dict[str, Any]:
    """What was spent, and each text that was sent, by digest and size."""
    return {
        "tokens": sum(use.input_tokens + use.output_tokens for use in models),
        "sent": [
            {
                "model": use.model_id,
                "purpose": use.purpose.value,
                "digest": prompt.digest,
                "size": prompt.size,
            }
            for use in models
            for prompt in use.sent
        ],
    }


def _get_surface(item: RuleVerdict, about: About) -> Surface:
    return item.locations[0].surface if item.locations else about.surface


def _split_tokens(
    verdicts: Sequence[RuleVerdict], models: Sequence[ModelUsage]
) -> list[tuple[int, int]]:
    """Input and output tokens of each verdict. A remainder goes to a model's first verdicts."""
    shares = [(0, 0)] * len(verdicts)
    for use in models:
        if use.purpose is not CallPurpose.VERDICTS:
            continue
        given = [
            place
            for place, item in enumerate(verdicts)
            if item.model_id == use.model_id and item.decided_by in _ASKED_A_MODEL
        ]
        sent = _split_evenly(use.input_tokens, len(given))
        received = _split_evenly(use.output_tokens, len(given))
        for place, share in zip(given, zip(sent, received, strict=True), strict=True):
            shares[place] = share
    return shares


def _split_evenly(total: int, parts: int) -> list[int]:
    # The remainder is handed out: rounded shares would not add up to what was billed.
    return [total // parts + (place < total % parts) for place in range(parts)]


def _to_evidence_json(location: Location) -> dict[str, Any]:
    return {
        "file_path": location.file_path,
        "start_line": location.start_line,
        "end_line": location.end_line,
        **location.fields,
    }
