"""Builders of the core's values, so that a test names only what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.findings.finding import Fix, FixCheck, Location, Problem, Waiver, make_findings
from jurat.findings.verdict import DecidedBy, RuleVerdict, Verdict, find_other_fixes
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
        verification=FixCheck(rules=1, parsed=True),
    )


def a_verdict(
    rule: Rule | None = None, verdict: Verdict = Verdict.DENY, **fields: Any
) -> RuleVerdict:
    """A verdict decided without a model; `locations`, `remediations`, `waivers`: its findings."""
    of_findings = {
        name: fields.pop(name)
        for name in ("locations", "remediations", "waivers")
        if name in fields
    }
    values: dict[str, Any] = {
        "confidence": 0.95,
        "reasoning": "The pattern stands in an added line.",
        "decided_by": DecidedBy.PATTERN,
        "issue": "MD5 is broken.",
    }
    given = RuleVerdict(rule=rule or a_rule(), verdict=verdict, **{**values, **fields})
    return with_findings(given, **of_findings)


def with_findings(
    verdict: RuleVerdict,
    locations: Sequence[Location] = (),
    remediations: Sequence[Fix] = (),
    waivers: Sequence[Waiver | None] = (),
) -> RuleVerdict:
    """The verdict with findings at these places instead of its own, if it can have any."""
    if verdict.verdict not in (Verdict.DENY, Verdict.NEEDS_CONFIRMATION):
        return verdict
    message = verdict.issue or verdict.reasoning
    problems = [Problem(message, place) for place in locations or (None,)]
    made = make_findings(verdict.rule, verdict.verdict, problems, remediations)
    return replace(
        verdict,
        findings=tuple(replace(one, waiver=two) for one, two in zip_longest(made, waivers)),
        other_fixes=find_other_fixes(made, remediations),
    )


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
