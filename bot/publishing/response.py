"""The response of POST /api/v1/evaluate, which `bylaw review --format json` prints as well.

The field names are a contract. The same Evaluation always gives the same response.
"""

from __future__ import annotations

from typing import Any

from bot.verdicts import Coverage, Evaluation, Location, ModelUse, Remediation, RuleVerdict, Verdict

Json = dict[str, Any]


def response(evaluation: Evaluation) -> Json:
    """`evaluation` as JSON has it: only dicts, lists, strings, numbers, booleans and None.

    `rule_verdicts` holds the rules that were decided; a rule that was not is in `not_assessed`
    alone, so that `rules_evaluated` is the sum of passed, violated and uncertain.
    """
    decided = [item for item in evaluation.rule_verdicts if item.verdict is not _NOT_ASSESSED]
    denied = evaluation.having(Verdict.DENY)
    unsure = evaluation.having(Verdict.NEEDS_CONFIRMATION)
    return {
        "evaluation_id": evaluation.evaluation_id,
        "overall_verdict": evaluation.overall.value,
        "rules_evaluated": len(decided),
        "rules_passed": len(evaluation.having(Verdict.ALLOW)),
        "rules_violated": len(denied),
        "rules_uncertain": len(unsure),
        "rule_verdicts": [_verdict(item) for item in decided],
        "violations": [_verdict(item) for item in denied],
        "warnings": [_verdict(item) for item in unsure],
        "remediations": [
            {"rule_id": item.rule.id, **_remediation(fix)}
            for item in decided
            for fix in item.remediations
        ],
        "auto_fixable_count": evaluation.auto_fixable_count,
        "fix_summary": evaluation.fix_summary,
        "not_assessed": _not_assessed(evaluation),
        "coverage": _coverage(evaluation.coverage),
        "notes": list(evaluation.notes),
        "model_ids_used": [use.model_id for use in evaluation.models],
        "model_usage": [_model(use) for use in evaluation.models],
        "total_latency_ms": round(evaluation.total_latency_ms, 3),
    }


_NOT_ASSESSED = Verdict.NOT_ASSESSED


def _verdict(item: RuleVerdict) -> Json:
    rule = item.rule
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
        "locations": [_location(place) for place in item.locations],
        "further_locations": item.further,
        "remediations": [_remediation(fix) for fix in item.remediations],
        "decided_by": item.decided_by.value,
        "model_id": item.model_id,
        "would_block": item.would_block,
        "latency_ms": round(item.latency_ms, 3),
        "note": item.note,
        "audit": item.audit,
    }


def _location(place: Location) -> Json:
    return {
        **place.fields,
        "surface": place.surface.value,
        "file_path": place.file_path,
        "start_line": place.start_line,
        "end_line": place.end_line,
    }


def _remediation(fix: Remediation) -> Json:
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


def _not_assessed(evaluation: Evaluation) -> list[Json]:
    """Rules that apply and were not decided: by the judge, or because `max_rules` left them out."""
    unjudged = [
        (item.rule, item.gap.value if item.gap else None, item.reasoning)
        for item in evaluation.having(Verdict.NOT_ASSESSED)
    ]
    omitted = [(item.rule, "max_rules", item.reason) for item in evaluation.omitted]
    return [
        {
            "rule_id": rule.id,
            "statement": rule.statement,
            "modality": rule.modality.value,
            "severity": rule.severity.value,
            "gap": gap,
            "reason": reason,
        }
        for rule, gap, reason in (*unjudged, *omitted)
    ]


def _coverage(coverage: Coverage) -> Json:
    return {
        "files": coverage.files,
        "files_read": coverage.files_read,
        "unread": [{"path": file.path, "reason": file.reason} for file in coverage.unread],
        "rules_in_force": coverage.rules_in_force,
    }


def _model(use: ModelUse) -> Json:
    return {
        "model_id": use.model_id,
        "calls": use.calls,
        "input_tokens": use.input_tokens,
        "output_tokens": use.output_tokens,
        "latency_ms": round(use.latency_ms, 3),
    }
