"""What a model may reply, and how a reply is read: strictly, one verdict at a time."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from jurat.facts.context import TERMS, Surface
from jurat.findings.verdict import Verdict

_ASKED_FIELDS: Mapping[Surface, Mapping[str, str]] = {
    Surface.CODE: {"file_path": "string", "function_name": "string", "start_line": "integer"},
    Surface.CONTRACT: {"source": "string", "clause_ref": "string"},
    Surface.TRANSACTION: {"source": "string", "json_path": "string"},
    Surface.DOCUMENT: {"source": "string", "section": "string"},
    Surface.MESSAGE: {"source": "string", "segment": "string"},
    Surface.HUMAN_ACTION: {"source": "string", "step": "string", "field": "string"},
    Surface.GENERIC: {"source": "string", "section": "string", "json_path": "string"},
}
"""What a finding is asked for besides its quote; the first names the excerpt and is required."""

_MAX_FINDINGS = 20
"""Findings of one verdict beyond which a reply is no review but a listing."""


_MAX_QUOTE = 4_000
"""Characters of a quote beyond which it points at nothing any more."""


class UnparsableReplyError(Exception):
    """A reply is no JSON of the shape asked for, so nothing in it may be used."""


@dataclass(frozen=True, slots=True)
class ProposedFix:
    """A remediation as the model gave it: for texts `replacement` stands in place of the quote."""

    type: str
    replacement: str


@dataclass(frozen=True, slots=True)
class QuotedFinding:
    """A place as the model gave it. `source` is the excerpt's label, "" if it named none.

    `hints` holds the other location fields; they serve to tell equal quotes apart, never more.
    `why` says which part of the rule the place breaks, and how.
    """

    quote: str
    source: str = ""
    hints: Mapping[str, str | int] | None = None
    fix: ProposedFix | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class ReplyVerdict:
    """One verdict of a reply. `notes` says what was left out of it, and why.

    `checked` are the places that were looked at, None if the reply does not say.
    """

    verdict: Verdict
    confidence: float
    reasoning: str
    issue: str = ""
    fix_suggestion: str = ""
    findings: tuple[QuotedFinding, ...] = ()
    notes: tuple[str, ...] = ()
    checked: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class UnreadableAnswer:
    """A rule's part of a reply that cannot be used, and why."""

    reason: str


class _Fix(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    type: str
    replacement: str


class _Finding(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")

    quote: Annotated[str, Field(max_length=_MAX_QUOTE)]
    why: str = ""
    remediation: _Fix | None = None


class _Verdict(BaseModel):
    # Strictness would ask for the enum's members, which JSON does not have.
    model_config = ConfigDict(strict=True, extra="ignore")

    rule: str
    reasoning: Annotated[str, Field(min_length=1)]
    findings: Annotated[tuple[_Finding, ...], Field(max_length=_MAX_FINDINGS, strict=False)] = ()
    checked: Annotated[tuple[str, ...], Field(strict=False)] | None = None
    verdict: Literal["ALLOW", "DENY", "NEEDS_CONFIRMATION"]
    confidence: float
    issue: str = ""
    fix_suggestion: str = ""

    @field_validator("confidence")
    @classmethod
    def _check_share(cls, value: float) -> float:
        if not math.isfinite(value) or not 0 <= value <= 1:
            problem = "must be between 0 and 1"
            raise ValueError(problem)
        return value


@cache
def build_schema(surface: Surface) -> Mapping[str, Any]:
    """The JSON schema of a reply. Gemini writes required properties in the order of `required`.

    So the evidence comes before the verdict that rests on it.
    """
    asked = _ASKED_FIELDS[surface]
    fix = {
        "type": "object",
        "required": ["type", "replacement"],
        "properties": {
            "type": {"type": "string", "enum": sorted(TERMS[surface].remediation_types)},
            "replacement": {"type": "string"},
        },
    }
    finding = {
        "type": "object",
        "required": [next(iter(asked)), "quote", "why"],
        "properties": {
            **{name: {"type": kind} for name, kind in asked.items()},
            "quote": {"type": "string"},
            "why": {"type": "string"},
            "remediation": fix,
        },
    }
    verdict = {
        "type": "object",
        "required": ["rule", "reasoning", "findings", "checked", "verdict", "confidence"],
        "properties": {
            "rule": {"type": "string"},
            "reasoning": {"type": "string"},
            "findings": {"type": "array", "items": finding},
            "checked": {"type": "array", "items": {"type": "string"}},
            "verdict": {"type": "string", "enum": ["ALLOW", "DENY", "NEEDS_CONFIRMATION"]},
            "confidence": {"type": "number"},
            "issue": {"type": "string"},
            "fix_suggestion": {"type": "string"},
        },
    }
    return {
        "type": "object",
        "required": ["verdicts"],
        "properties": {"verdicts": {"type": "array", "items": verdict}},
    }


def read_reply(text: str, surface: Surface) -> dict[str, ReplyVerdict | UnreadableAnswer]:
    """The reply's verdicts by the rule ids that stand in it, known or not.

    An id that stands twice is unreadable, and so is an entry of a wrong shape; an entry without an
    id belongs to no rule and is left out. Raises UnparsableReplyError if there is no list.
    """
    try:
        document = json.loads(text)
    # RecursionError: a reply may be brackets without end.
    except (ValueError, RecursionError) as error:
        raise UnparsableReplyError("the reply is no JSON") from error
    entries = document.get("verdicts") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise UnparsableReplyError("the reply holds no list of verdicts")
    answers: dict[str, ReplyVerdict | UnreadableAnswer] = {}
    for entry in entries:
        rule = entry.get("rule") if isinstance(entry, dict) else None
        if not isinstance(rule, str):
            continue
        answers[rule] = (
            # Neither counts: to take the first or the last would be to choose a verdict.
            UnreadableAnswer("the model answered twice")
            if rule in answers
            else _parse_answer(entry, surface)
        )
    return answers


def _parse_answer(entry: Mapping[str, Any], surface: Surface) -> ReplyVerdict | UnreadableAnswer:
    try:
        given = _Verdict.model_validate(entry)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return UnreadableAnswer(f"the model's answer has a wrong {where or 'shape'}")
    notes: list[str] = []
    findings = tuple(_parse_finding(item, surface, notes) for item in given.findings)
    return ReplyVerdict(
        Verdict(given.verdict),
        given.confidence,
        given.reasoning.strip(),
        given.issue.strip(),
        given.fix_suggestion.strip(),
        findings,
        tuple(dict.fromkeys(notes)),
        given.checked,
    )


def _parse_finding(given: _Finding, surface: Surface, notes: list[str]) -> QuotedFinding:
    terms = TERMS[surface]
    source = ""
    hints: dict[str, str | int] = {}
    for name, value in (given.model_extra or {}).items():
        if name == next(iter(_ASKED_FIELDS[surface])) and isinstance(value, str):
            source = value
        elif name not in terms.location_fields:
            notes.append(f"The location field {name[:40]!r} is not of the {surface} surface.")
        # bool is an int to Python, and True would be line 1.
        elif isinstance(value, str | int) and not isinstance(value, bool):
            hints[name] = value
    fix = given.remediation
    if fix is not None and fix.type not in terms.remediation_types:
        notes.append(f"The remediation type {fix.type[:40]!r} is not of the {surface} surface.")
        fix = None
    proposed = ProposedFix(fix.type, fix.replacement) if fix is not None else None
    return QuotedFinding(given.quote, source, hints, proposed, given.why.strip())


@cache
def _get_answer_adapter() -> TypeAdapter[ReplyVerdict]:
    return TypeAdapter(ReplyVerdict)


def to_json(answer: ReplyVerdict) -> Any:
    """An answer as JSON has it, for the ledger."""
    return _get_answer_adapter().dump_python(answer, mode="json")


def from_json(value: object) -> ReplyVerdict:
    """The answer that `to_json` gave. Raises ValueError on anything else."""
    return _get_answer_adapter().validate_python(value)
