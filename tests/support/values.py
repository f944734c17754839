"""Builders of the core's values, so that a test names only what it is about."""

from __future__ import annotations

from typing import Any

from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.findings.finding import Fix, FixCheck, Location
from jurat.findings.verdict import DecidedBy, RuleVerdict, Verdict
from jurat.rules.rule import Modality, Rule, RuleKind, Severity
from jurat.source.diff import FileChange, FileStatus, Hunk, Line


def a_rule(rule_id: str = "py.no-md5", **fields: Any) -> Rule:
    """A rule that blocks, unless the test says otherwise."""
    values: dict[str, Any] = {
        "id": rule_id,
        "statement": "Digests are made with a strong hash.",
        "kind": RuleKind.COMPUTATIONAL,
        "modality": Modality.MUST_NOT,
        "severity": Severity.HIGH,
    }
    return Rule(**{**values, **fields})


def a_location(
    path: str = "app.py", start: int = 2, end: int | None = None, snippet: str = "md5(data)"
) -> Location:
    """A place in code."""
    return Location(
        file_path=path, start_line=start, end_line=end or start, fields={"snippet": snippet}
    )


def a_fix(
    path: str = "app.py", start: int = 2, end: int | None = None, new: str = "sha256(data)"
) -> Fix:
    """A fix of whole lines."""
    return Fix(
        "replace",
        file_path=path,
        start_line=start,
        end_line=end or start,
        original="md5(data)",
        replacement=new,
        auto_applicable=True,
        proof=FixCheck(rules=1, parsed=True),
    )


def a_verdict(
    rule: Rule | None = None, verdict: Verdict = Verdict.DENY, **fields: Any
) -> RuleVerdict:
    """A verdict decided without a model."""
    values: dict[str, Any] = {
        "confidence": 0.95,
        "reasoning": "The pattern stands in an added line.",
        "decided_by": DecidedBy.PATTERN,
        "issue": "MD5 is broken.",
    }
    return RuleVerdict(rule=rule or a_rule(), verdict=verdict, **{**values, **fields})


def a_file(path: str = "app.py", first: int = 1, added: int = 10, **fields: Any) -> FileChange:
    """A file whose one hunk adds `added` lines from line `first` on."""
    lines = tuple(
        Line("added", None, number, f"line {number}") for number in range(first, first + added)
    )
    hunk = Hunk(first - 1, 0, first, added, "", lines)
    values: dict[str, Any] = {"status": FileStatus.MODIFIED, "language": "python", "hunks": (hunk,)}
    return FileChange(path, **{**values, **fields})


def a_context(*files: FileChange, **fields: Any) -> EvaluationContext:
    """A context of one code change."""
    return EvaluationContext((Subject(SubjectKind.CODE_DIFF, files),), **fields)
