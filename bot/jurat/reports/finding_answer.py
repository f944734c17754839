"""A finding as it is answered: its place, the fix for it, and why it does not count."""

from __future__ import annotations

import datetime as dt
from typing import Self

from jurat.facts.context import Surface
from jurat.findings.finding import Cause, Finding, Fix, Location, Step, WaiverKind
from jurat.reports.answer_model import Answer, Count
from jurat.reports.summary import describe_finding
from jurat.rules.level import Level


class CauseAnswer(Answer):
    """The change that brought about what stands elsewhere."""

    line: int
    """The head's line at which the change is."""
    removed_lines: tuple[int, ...]
    """The base's lines that it took away."""
    removed_safeguard: bool
    """Whether it only took something away, without which the rule no longer holds."""
    since: str = ""
    """The commit that wrote the last of those lines, in short."""


class StepAnswer(Answer):
    """A line that a value passes on its way to a place."""

    line: int
    text: str
    """What stands there."""
    file_path: str = ""
    """The file that it stands in, if that is another than the place's."""


class LocationAnswer(Answer):
    """A place in the subject. Which fields there are depends on the surface."""

    surface: Surface
    file_path: str | None
    start_line: int | None
    end_line: int | None
    function_name: str = ""
    snippet: str = ""
    clause_ref: str = ""
    section: str = ""
    segment: str = ""
    offset_start: int = 0
    offset_end: int = 0
    span_text: str = ""
    json_path: str = ""
    field_name: str = ""
    current_value: str | int = ""
    step: str | int = ""
    field: str = ""
    context: str = ""
    cause: CauseAnswer | None = None
    """What brought the finding about, if not the place itself."""
    steps: tuple[StepAnswer, ...] = ()
    """The way of a value to this place, from where it comes in."""

    @classmethod
    def build(cls, place: Location) -> Self:
        """A place, with what its surface says of it."""
        return cls.model_validate(
            {
                **place.fields,
                "surface": place.surface,
                "file_path": place.file_path,
                "start_line": place.start_line,
                "end_line": place.end_line,
                **({"cause": _build_cause(place.cause)} if place.cause else {}),
                **({"steps": [_build_step(step) for step in place.steps]} if place.steps else {}),
            }
        )


def _build_step(step: Step) -> StepAnswer:
    other = {"file_path": step.path} if step.path else {}
    return StepAnswer(line=step.line, text=step.text, **other)


def _build_cause(cause: Cause) -> CauseAnswer:
    return CauseAnswer(
        line=cause.line,
        removed_lines=cause.removed,
        removed_safeguard=cause.safeguard,
        since=cause.since,
    )


class RemediationAnswer(Answer):
    """A fix that a program can apply: `original` stands there now, `replacement` should."""

    type: str
    file_path: str | None
    start_line: int | None
    end_line: int | None
    original: str
    replacement: str
    auto_applicable: bool
    description: str
    proven: bool
    """Applied in memory, the file parses, the finding is gone and no rule finds anything new."""
    rules_rerun: Count
    problem: str
    """Why the fix did not hold or was not tried; empty if it held."""

    @classmethod
    def build(cls, fix: Fix, **more: str) -> Self:
        """A fix, and what came of trying it."""
        return cls(
            type=fix.type,
            file_path=fix.file_path,
            start_line=fix.start_line,
            end_line=fix.end_line,
            original=fix.original,
            replacement=fix.replacement,
            auto_applicable=fix.auto_applicable,
            description=fix.description,
            proven=fix.is_verified,
            rules_rerun=fix.verification.rules if fix.verification else 0,
            problem=fix.verification.problem if fix.verification else "",
            **more,
        )


class RuleRemediationAnswer(RemediationAnswer):
    """A fix, and the rule that asks for it."""

    rule_id: str


class WaiverAnswer(Answer):
    """Why a finding does not count."""

    kind: WaiverKind
    by: str
    """A person's login, or the file and line of a suppression."""
    why: str
    at: dt.datetime | None
    until: dt.date | None
    own: bool
    """Whether that person wrote some of the change."""


class FindingAnswer(Answer):
    """One thing that was found, by a name that survives pushes and rebases."""

    id: str
    code_print: str
    """The same for the same code in whichever file."""
    location: Count | None
    """The index of its place in `locations`."""
    level: Level
    """What its rule may do at its place."""
    blocks: bool
    """The check fails because of it alone."""
    message: str = ""
    """What is wrong at its place; code stands between backticks."""
    smallest_edit: str = ""
    """Completes "It would pass …" with the smallest edit that was tried and held; "" if none."""
    late: bool = False
    """An earlier push held its text, and the rule found nothing there: if judged, it advises."""
    cwe: tuple[str, ...] = ()
    """The weaknesses that it is, such as `CWE-89`."""
    waiver: WaiverAnswer | None

    @classmethod
    def build(cls, finding: Finding, place: int) -> Self:
        """A finding whose location, if it has one, is the verdict's `place`th."""
        return cls(
            id=finding.id,
            code_print=finding.code_id,
            location=place if finding.location else None,
            level=finding.level,
            blocks=finding.blocks,
            message=describe_finding(finding),
            smallest_edit=finding.smallest_edit,
            late=finding.late,
            cwe=finding.rule.weaknesses,
            waiver=WaiverAnswer.model_validate(finding.waiver) if finding.waiver else None,
        )
