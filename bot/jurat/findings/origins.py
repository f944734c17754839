"""Since when a safeguard was there that a change takes away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from jurat.findings.finding import Cause, Finding
from jurat.findings.verdict import RuleVerdict
from jurat.source.diff import FileChange

LineHistory = Callable[[str, Sequence[int]], str]
"""The commit, in short, that wrote the last of some lines of a file of the base; "" if unknown."""

_MOST_ASKED = 20
"""Safeguards of one review that are looked up: each is a walk through the history of a file."""


def mark_origins(
    verdicts: Sequence[RuleVerdict], files: Sequence[FileChange], history: LineHistory
) -> tuple[RuleVerdict, ...]:
    """The verdicts, with the commits that wrote what the change took away."""
    paths = {file.path: file.old_path or file.path for file in files}
    causes = (
        (paths.get(finding.path or ""), _get_safeguard(finding))
        for verdict in verdicts
        for finding in verdict.findings
    )
    wanted = dict.fromkeys(
        (path, cause.removed) for path, cause in causes if path is not None and cause is not None
    )
    since = {key: history(*key) for key in islice(wanted, _MOST_ASKED)}
    if not since:
        return tuple(verdicts)
    return tuple(
        replace(
            verdict, findings=tuple(_mark_origin(item, paths, since) for item in verdict.findings)
        )
        for verdict in verdicts
    )


def _get_safeguard(finding: Finding) -> Cause | None:
    cause = finding.location.cause if finding.location else None
    return cause if cause and cause.safeguard else None


def _mark_origin(
    finding: Finding,
    paths: Mapping[str, str],
    since: Mapping[tuple[str, tuple[int, ...]], str],
) -> Finding:
    cause = _get_safeguard(finding)
    if cause is None or finding.location is None:
        return finding
    commit = since.get((paths.get(finding.path or "", ""), cause.removed), "")
    dated = replace(finding.location, cause=replace(cause, since=commit))
    return replace(finding, location=dated)
