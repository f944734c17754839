"""What does not count and why: told in the summary, in a comment, and in plain text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bot.publishing.findings import Finding
from bot.publishing.markdown import code_span, details, plain
from bot.verdicts import Evaluation, JudgedSuppression, Waiver, WaiverKind


def waiver_text(waiver: Waiver) -> str:
    """Why a finding does not count, as plain text that begins in lower case."""
    if waiver.kind is WaiverKind.SUPPRESSED:
        return f"suppressed in {waiver.by} until {waiver.until}: {waiver.why}"
    return f"{waiver.kind} by {waiver.by}{_day(waiver)}: {waiver.why}"


def waiver_markdown(waiver: Waiver) -> str:
    """The same for a comment or a summary; names neither ping nor link."""
    if waiver.kind is WaiverKind.SUPPRESSED:
        return f"suppressed in {code_span(waiver.by)} until {waiver.until}: {plain(waiver.why)}"
    return f"{waiver.kind} by {code_span(waiver.by)}{_day(waiver)}: {plain(waiver.why)}"


def confirmed_lines(findings: Sequence[Finding]) -> list[str]:
    """Who confirmed what this change needed a person for, one line a reason."""
    waivers = [finding.waiver for finding in findings if finding.waiver]
    lines = [
        f"**Confirmed by {code_span(waiver.by)}:** {plain(waiver.why)}"
        for waiver in waivers
        if waiver.kind is WaiverKind.CONFIRMED
    ]
    return list(dict.fromkeys(lines))


def waived_section(findings: Sequence[Finding], places: Sequence[str]) -> str | None:
    """The folded list of findings that do not count, each beside its place; None for none."""
    rows = [
        f"- {code_span(finding.short)} {code_span(place)} {code_span(finding.verdict.rule.id)}: "
        f"{waiver_markdown(finding.waiver)}"
        for finding, place in zip(findings, places, strict=True)
        if finding.waiver
    ]
    if not rows:
        return None
    noun = "finding does" if len(rows) == 1 else "findings do"
    return details(escape(f"Set aside: {len(rows):,} {noun} not count"), "\n".join(rows))


def suppressions_to_look_at(evaluation: Evaluation) -> tuple[JudgedSuppression, ...]:
    """The suppressions of which there is something to say, in order."""
    return tuple(item for item in evaluation.suppressions if item.remark)


def suppressions_section(evaluation: Evaluation) -> str | None:
    """The folded list of suppressions that somebody should look at; None for none."""
    rows = [
        f"- {code_span(f'{item.suppression.path}:{item.suppression.line}')} "
        f"{code_span(item.suppression.rule_id or '?')}: {plain(item.remark)}"
        for item in suppressions_to_look_at(evaluation)
    ]
    if not rows:
        return None
    return details(escape(f"Suppressions to look at: {len(rows):,}"), "\n".join(rows))


def _day(waiver: Waiver) -> str:
    return f" on {waiver.at:%Y-%m-%d}" if waiver.at else ""
