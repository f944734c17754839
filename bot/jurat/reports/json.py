"""The response of POST /api/v1/evaluate, which `jurat review --format json` prints as well.

The field names are a contract. The same Evaluation always gives the same response.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TextIO

from jurat.findings.evaluation import Coverage, Evaluation, ModelUsage, is_blocking_unassessed
from jurat.findings.finding import Cause, Finding, Fix, Location, SuppressionStatus, Verdict, Waiver
from jurat.findings.verdict import RuleVerdict
from jurat.source.diff import FileChange

Json = dict[str, Any]


def write_json(evaluation: Evaluation, files: Mapping[str, FileChange], stream: TextIO) -> None:
    """Write a review as JSON text."""
    stream.write(json.dumps(to_json(evaluation), indent=2) + "\n")


def to_json(evaluation: Evaluation) -> Json:
    """`evaluation` as JSON has it: only dicts, lists, strings, numbers, booleans and None.

    `rule_verdicts` holds the rules that were decided; a rule that was not is in `not_assessed`
    alone, so that `rules_evaluated` is the sum of passed, violated, uncertain and waived. A verdict
    that is waived keeps what it says, and counts neither as a violation nor as a warning.
    """
    decided = [item for item in evaluation.rule_verdicts if item.verdict is not _NOT_ASSESSED]
    denied = evaluation.having(Verdict.DENY)
    unsure = evaluation.having(Verdict.NEEDS_CONFIRMATION)
    found: dict[str, list[Finding]] = {}
    for finding in evaluation.findings:
        found.setdefault(finding.rule.id, []).append(finding)
    shown = {item.rule.id: _to_verdict_json(item, found.get(item.rule.id, [])) for item in decided}
    return {
        "evaluation_id": evaluation.evaluation_id,
        "overall_verdict": evaluation.overall.value,
        "rules_evaluated": len(decided),
        "rules_passed": len(evaluation.having(Verdict.ALLOW)),
        "rules_violated": len(denied),
        "rules_uncertain": len(unsure),
        "rules_waived": len(evaluation.waived),
        "rule_verdicts": list(shown.values()),
        "violations": [shown[item.rule.id] for item in denied],
        "warnings": [shown[item.rule.id] for item in unsure],
        "remediations": [
            {"rule_id": item.rule.id, **_to_fix_json(fix)}
            for item in decided
            if not item.waived
            for fix in item.remediations
        ],
        "auto_fixable_count": evaluation.auto_fixable_count,
        "fix_summary": evaluation.fix_summary,
        "not_assessed": _to_not_assessed_json(evaluation),
        "suppressions": [_to_suppression_json(item) for item in evaluation.suppressions],
        "coverage": _to_coverage_json(evaluation.coverage),
        "notes": [*evaluation.notes, *_gate(evaluation)],
        "model_ids_used": [use.model_id for use in evaluation.models],
        "model_usage": [_to_model_json(use) for use in evaluation.models],
        "total_latency_ms": round(evaluation.total_latency_ms, 3),
    }


_NOT_ASSESSED = Verdict.NOT_ASSESSED


def _gate(evaluation: Evaluation) -> list[str]:
    """Why a rating keeps the review from passing: no rule's verdict says so."""
    rating = evaluation.rating
    return [f"{rating.title}."] if rating and rating.title else []


def _to_verdict_json(item: RuleVerdict, findings: list[Finding]) -> Json:
    rule = item.rule
    index = {finding.id: place for place, finding in enumerate(item.findings)}
    return {
        "rule_id": rule.id,
        "statement": rule.statement,
        "kind": rule.kind.value,
        "modality": rule.modality.value,
        "severity": rule.severity.value,
        "maturity": rule.maturity.value,
        "rule_revision": rule.revision,
        "verdict": item.verdict.value,
        "confidence": item.confidence,
        "reasoning": item.reasoning,
        "issue": item.issue,
        "fix_suggestion": item.fix_suggestion,
        "locations": [_to_location_json(place) for place in item.locations],
        "further_locations": item.further,
        "remediations": [_to_fix_json(fix) for fix in item.remediations],
        "decided_by": item.decided_by.value,
        "model_id": item.model_id,
        "would_block": item.would_block,
        "latency_ms": round(item.latency_ms, 3),
        "note": item.note,
        "audit": item.audit,
        "waived": item.waived,
        "findings": [_to_finding_json(finding, index[finding.id]) for finding in findings],
    }


def _to_finding_json(finding: Finding, index: int) -> Json:
    """A finding by name. `location` is its place's index among the verdict's, None without one."""
    return {
        "id": finding.id,
        "code_print": finding.code_id,
        "location": index if finding.location else None,
        "waiver": _to_waiver_json(finding.waiver) if finding.waiver else None,
    }


def _to_waiver_json(waiver: Waiver) -> Json:
    return {
        "kind": waiver.kind.value,
        "by": waiver.by,
        "why": waiver.why,
        "at": waiver.at.isoformat() if waiver.at else None,
        "until": waiver.until.isoformat() if waiver.until else None,
        "own": waiver.own,
    }


def _to_suppression_json(item: SuppressionStatus) -> Json:
    suppression = item.suppression
    return {
        "file_path": suppression.path,
        "line": suppression.line,
        "rule_id": suppression.rule_id,
        "until": suppression.until.isoformat() if suppression.until else None,
        "reason": suppression.reason,
        "state": item.state.value,
        "remark": item.remark,
    }


def _to_location_json(place: Location) -> Json:
    return {
        **place.fields,
        "surface": place.surface.value,
        "file_path": place.file_path,
        "start_line": place.start_line,
        "end_line": place.end_line,
        **({"cause": _to_cause_json(place.cause)} if place.cause else {}),
    }


def _to_cause_json(cause: Cause) -> Json:
    """The change that brought about what stands elsewhere; `removed_lines` are the base's."""
    return {
        "line": cause.line,
        "removed_lines": list(cause.removed),
        "removed_safeguard": cause.safeguard,
        "since": cause.since or None,
    }


def _to_fix_json(fix: Fix) -> Json:
    return {
        "type": fix.type,
        "file_path": fix.file_path,
        "start_line": fix.start_line,
        "end_line": fix.end_line,
        "original": fix.original,
        "replacement": fix.replacement,
        "auto_applicable": fix.auto_applicable,
        "description": fix.description,
        "proven": fix.proven,
        "rules_rerun": fix.proof.rules if fix.proof else 0,
        "problem": fix.proof.problem if fix.proof else "",
    }


def _to_not_assessed_json(evaluation: Evaluation) -> list[Json]:
    """Rules that apply and were not decided: by the judge, or because `max_rules` left them out."""
    unjudged = [
        (
            item.rule,
            item.gap.value if item.gap else None,
            item.reasoning,
            is_blocking_unassessed(item),
        )
        for item in evaluation.having(Verdict.NOT_ASSESSED)
    ]
    omitted = [(item.rule, "max_rules", item.reason, False) for item in evaluation.omitted]
    return [
        {
            "rule_id": rule.id,
            "statement": rule.statement,
            "modality": rule.modality.value,
            "severity": rule.severity.value,
            "gap": gap,
            "reason": reason,
            "blocks": blocks,
        }
        for rule, gap, reason, blocks in (*unjudged, *omitted)
    ]


def _to_coverage_json(coverage: Coverage) -> Json:
    return {
        "files": coverage.files,
        "files_read": coverage.files_read,
        "unread": [{"path": file.path, "reason": file.reason} for file in coverage.unread],
        "rules_in_force": coverage.rules_in_force,
    }


def _to_model_json(use: ModelUsage) -> Json:
    return {
        "model_id": use.model_id,
        "calls": use.calls,
        "input_tokens": use.input_tokens,
        "output_tokens": use.output_tokens,
        "latency_ms": round(use.latency_ms, 3),
    }
