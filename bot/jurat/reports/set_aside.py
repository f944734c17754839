"""What does not count and why: told in the summary, in a comment, and in plain text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from jurat.findings.evaluation import Evaluation
from jurat.findings.finding import Finding, SuppressionStatus, Waiver, WaiverKind
from jurat.reports.markdown import escape_markdown, quote_code, render_details


def describe_waiver(waiver: Waiver) -> str:
    """Why a finding does not count, as plain text that begins in lower case."""
    if waiver.kind is WaiverKind.SUPPRESSED:
        return f"suppressed in {waiver.by}{_format_end(waiver)}: {waiver.why}"
    return f"{waiver.kind} by {waiver.by}{format_own(waiver)}{_format_day(waiver)}: {waiver.why}"


def render_waiver(waiver: Waiver) -> str:
    """The same for a comment or a summary; names neither ping nor link."""
    if waiver.kind is WaiverKind.SUPPRESSED:
        why = escape_markdown(waiver.why)
        return f"suppressed in {quote_code(waiver.by)}{_format_end(waiver)}: {why}"
    who = f"{quote_code(waiver.by)}{format_own(waiver)}{_format_day(waiver)}"
    return f"{waiver.kind} by {who}: {escape_markdown(waiver.why)}"


def format_own(waiver: Waiver) -> str:
    """That nobody else looked; "" if somebody did."""
    return " (an author of the change)" if waiver.own else ""


def render_waived(findings: Sequence[Finding], places: Sequence[str]) -> str | None:
    """The folded list of findings that do not count, each beside its place; None for none."""
    rows = [
        f"- {quote_code(finding.short)} {quote_code(place)} {quote_code(finding.rule.id)}: "
        f"{render_waiver(finding.waiver)}"
        for finding, place in zip(findings, places, strict=True)
        if finding.waiver
    ]
    if not rows:
        return None
    noun = "finding does" if len(rows) == 1 else "findings do"
    return render_details(escape(f"Set aside: {len(rows):,} {noun} not count"), "\n".join(rows))


def filter_problem_suppressions(evaluation: Evaluation) -> tuple[SuppressionStatus, ...]:
    """The suppressions of which there is something to say, in order."""
    return tuple(item for item in evaluation.suppressions if item.remark)


def render_suppressions(evaluation: Evaluation) -> str | None:
    """The folded list of suppressions that somebody should look at; None for none."""
    rows = [
        f"- {quote_code(f'{item.suppression.path}:{item.suppression.line}')} "
        f"{quote_code(item.suppression.name)}: {escape_markdown(item.remark)}"
        for item in filter_problem_suppressions(evaluation)
    ]
    if not rows:
        return None
    return render_details(escape(f"Suppressions to look at: {len(rows):,}"), "\n".join(rows))


def _format_end(waiver: Waiver) -> str:
    """Until when it holds; what is said to another tool has no end."""
    return f" until {waiver.until}" if waiver.until else ""


def _format_day(waiver: Waiver) -> str:
    return f" on {waiver.at:%Y-%m-%d}" if waiver.at else ""
