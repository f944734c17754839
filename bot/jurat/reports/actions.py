"""A review as GitHub Actions workflow commands, which the runner turns into annotations.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TextIO

from jurat.findings.evaluation import Evaluation, is_blocking_unassessed
from jurat.findings.finding import Finding, Verdict
from jurat.findings.verdict import RuleVerdict
from jurat.reports.summary import describe_finding, describe_norm, describe_waiver, pluralize
from jurat.source.diff import FileChange
from jurat.source.visible_text import to_visible_text


def write_workflow_commands(
    evaluation: Evaluation, files: Mapping[str, FileChange], stream: TextIO
) -> None:
    """Write a review as workflow commands."""
    stream.write(to_workflow_commands(evaluation))


def to_workflow_commands(evaluation: Evaluation) -> str:
    """One command a line: findings first, then what was not read or not assessed."""
    return "".join(f"{line}\n" for line in _iter_commands(evaluation))


def format_command(level: str, message: str, **properties: str | int | None) -> str:
    """One workflow command. Whatever its text holds, it stays one line and one command."""
    given = ",".join(
        f"{name}={_escape_property(str(value))}"
        for name, value in properties.items()
        if value is not None
    )
    return f"::{level}{' ' if given else ''}{given}::{_escape_data(message)}"


def _iter_commands(evaluation: Evaluation) -> Iterator[str]:
    verdicts = evaluation.by_rule
    for finding in evaluation.findings:
        yield _format_finding(finding, verdicts[finding.rule.id])
    for file in evaluation.coverage.unread:
        yield format_command("warning", file.reason, file=file.path, title="Not read")
    for (level, reason), ids in _group_unassessed(evaluation).items():
        title = f"Not assessed: {pluralize(len(ids), 'rule')}"
        yield format_command(level, f"{', '.join(ids)}: {reason}", title=title)


def _group_unassessed(evaluation: Evaluation) -> Mapping[tuple[str, str], list[str]]:
    """Ids of rules that were not decided, by level and reason.

    GitHub shows ten annotations of a level a step: one that many share must not push others out.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for item in evaluation.list_unwaived(Verdict.NOT_ASSESSED):
        level = "warning" if is_blocking_unassessed(item) else "notice"
        found.setdefault((level, item.reasoning), []).append(item.rule.id)
    for omitted in evaluation.omitted:
        found.setdefault(("notice", omitted.reason), []).append(omitted.rule.id)
    return found


def _format_finding(finding: Finding, verdict: RuleVerdict) -> str:
    if finding.shadow or finding.waiver:
        level = "notice"
    else:
        level = "error" if finding.blocks else "warning"
    parts = [describe_finding(finding), *filter(None, [describe_norm(finding)])]
    if finding.waiver:
        parts.append(f"It does not count: {describe_waiver(finding.waiver)}")
    elif finding.fix and finding.fix.replacement:
        parts.append(f"Replace with:\n{finding.fix.replacement}")
    elif verdict.fix_suggestion:
        parts.append(verdict.fix_suggestion)
    place = finding.location
    return format_command(
        level,
        "\n".join(parts),
        file=place.file_path if place else None,
        line=place.start_line if place else None,
        endLine=place.end_line if place else None,
        title=f"{finding.rule.id} ({finding.rule.severity})",
    )


def _escape_data(text: str) -> str:
    """Escapes a message, the percent sign first (escapeData in actions/toolkit's command.ts)."""
    # The percent sign first, or it would escape the escapes.
    return to_visible_text(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    """Escapes a property's value (escapeProperty in actions/toolkit's command.ts)."""
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
