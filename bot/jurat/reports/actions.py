"""A review as GitHub Actions workflow commands, which the runner turns into annotations.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TextIO

from jurat.findings.evaluation import Evaluation, is_blocking_unassessed
from jurat.findings.finding import Finding, Verdict
from jurat.findings.verdict import RuleVerdict
from jurat.reports.counts import pluralize
from jurat.reports.formats import ReviewReport
from jurat.reports.set_aside import describe_waiver
from jurat.reports.summary import describe_finding, describe_norm
from jurat.source.visible_text import to_visible_text


def write_workflow_commands(report: ReviewReport, stream: TextIO) -> None:
    """Write a review as workflow commands."""
    stream.write(to_workflow_commands(report.evaluation))


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


SHOWN = 10
"""Annotations of a level that GitHub shows of one step; the others stand in its log alone.
https://github.com/actions/toolkit/blob/main/docs/problem-matchers.md
"""


def _iter_commands(evaluation: Evaluation) -> Iterator[str]:
    verdicts = evaluation.by_rule
    levels: Counter[str] = Counter()
    # What blocks first: of each level the first ten are shown.
    for finding in sorted(evaluation.findings, key=lambda item: not item.blocks):
        level = _get_level(finding)
        levels[level] += 1
        yield _format_finding(finding, verdicts[finding.rule.id], level)
    for file in evaluation.coverage.unread:
        levels["warning"] += 1
        yield format_command("warning", file.reason, file=file.path, title="Not read")
    for (level, reason), ids in _group_unassessed(evaluation).items():
        levels[level] += 1
        title = f"Not assessed: {pluralize(len(ids), 'rule')}"
        yield format_command(level, f"{', '.join(ids)}: {reason}", title=title)
    for level, count in levels.items():
        if count > SHOWN:
            # No command, and so no annotation: a line of the log.
            yield f"Jurat: GitHub shows {SHOWN} of these {count:,} {level}s; this log has them all."


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


def _get_level(finding: Finding) -> str:
    if finding.shadow or finding.waiver:
        return "notice"
    return "error" if finding.blocks else "warning"


def _format_finding(finding: Finding, verdict: RuleVerdict, level: str) -> str:
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
