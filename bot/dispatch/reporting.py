"""What people read of a computed verdict: the issue, the reasoning and the places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from bot.dispatch.code import CodeFindings
from bot.dispatch.outcome import Evidence, Outcome, State
from bot.dispatch.regexes import shortened
from bot.dispatch.units import MAX_MAGNITUDE
from bot.subjects.context import Subject
from bot.subjects.kinds import TERMS, Surface
from bot.verdicts import Location, UnreadFile

MAX_QUOTED = 5
"""Values or places that one sentence names before it counts the rest."""


class Checked(NamedTuple):
    """One constraint's outcome on one subject."""

    subject: Subject
    outcome: Outcome


def explain(checked: Sequence[Checked], state: State) -> str:
    """A sentence for each constraint that came to `state`."""
    return " ".join(
        _sentence(item.outcome, state) for item in checked if item.outcome.state is state
    )


def explain_code(findings: CodeFindings) -> str:
    """Where added code breaks the rule."""
    places = [_written(location) for location in findings.locations]
    return f"Added code breaks the rule at {_listed(places)}."


def explain_unread(unread: Sequence[UnreadFile]) -> str:
    """Which files the rule could not be checked on."""
    files = list(dict.fromkeys(f"{file.path} ({file.reason})" for file in unread))
    return f"Not read, so nothing can be said of it: {_listed(files)}."


def fact_locations(checked: Sequence[Checked]) -> tuple[Location, ...]:
    """The places of all values that fail, where the subject says where they stand."""
    return tuple(
        location
        for item in checked
        for evidence in item.outcome.evidence
        if evidence.state is State.FAIL
        and (location := _location(item.subject, evidence)) is not None
    )


def code_locations(findings: CodeFindings, subjects: Sequence[Subject]) -> tuple[Location, ...]:
    """The places that were found, in the terms of the surface that each file is judged on."""
    surfaces = {file.path: subject.surface for subject in subjects for file in subject.files}
    return tuple(
        _on_surface(location, surfaces.get(location.file_path or "", Surface.CODE))
        for location in findings.locations
    )


def _sentence(outcome: Outcome, state: State) -> str:
    evidence = [item for item in outcome.evidence if item.state is state]
    if not evidence:
        return f"Nothing is there that had to be {outcome.expectation}."
    if state is State.INDETERMINATE:
        return f"{_listed([f'{item.path} {item.reason}' for item in evidence])}."
    values = _listed([_stated(item) for item in evidence])
    if state is State.FAIL:
        return f"{values}; the rule asks for {outcome.expectation}."
    return f"{values}, as the rule asks: {outcome.expectation}."


def _stated(evidence: Evidence) -> str:
    if evidence.reason:
        return f"{evidence.path} {evidence.reason}"
    value, place = _shown(evidence.value), evidence.place
    if place is None:
        return f"{evidence.path} is {value}"
    name = place.get("qualified_name") or place.get("name")
    line = f":{place['start_line']}" if isinstance(place.get("start_line"), int) else ""
    where = f"{place['path']}{line}"
    leaf = evidence.path.rpartition(".")[2]
    return f"{leaf} is {value} in {f'{name} ({where})' if name else where}"


def _shown(value: object) -> str:
    if isinstance(value, Mapping) and "value" in value:
        return f"{_shown(value['value'])} {value.get('unit', '')}".strip()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= MAX_MAGNITUDE:
        return f"{value:f}"
    if isinstance(value, (list, tuple)):
        return shortened(", ".join(str(item) for item in value))
    return shortened(str(value))


def _listed(items: Sequence[str]) -> str:
    shown = ", ".join(items[:MAX_QUOTED])
    rest = len(items) - MAX_QUOTED
    return f"{shown} and {rest} more" if rest > 0 else shown


def _written(location: Location) -> str:
    line = f":{location.start_line}" if location.start_line else ""
    return f"{location.file_path}{line}"


def _location(subject: Subject, evidence: Evidence) -> Location | None:
    """Where a value stands: at the file that its mapping names, or in the subject's only file."""
    place = evidence.place or {}
    paths = {file.path for file in subject.files}
    path = place.get("path")
    if path not in paths:
        path = next(iter(paths)) if len(paths) == 1 else None
        place = {}
    fields = _fields(subject.surface, evidence, place)
    if path is None and not fields:
        return None
    start, end = place.get("start_line"), place.get("end_line")
    return Location(
        surface=subject.surface,
        file_path=path,
        start_line=start if isinstance(start, int) else None,
        end_line=end if isinstance(end, int) else None,
        fields=fields,
    )


def _fields(
    surface: Surface, evidence: Evidence, place: Mapping[str, object]
) -> dict[str, str | int]:
    value, leaf = _shown(evidence.value), evidence.path.rpartition(".")[2]
    candidates: dict[str, str | int] = {}
    if surface is Surface.CODE:
        name = place.get("qualified_name") or place.get("name")
        if isinstance(name, str) and "start_line" in place:
            candidates["function_name"] = name
    elif surface is Surface.HUMAN_ACTION:
        candidates |= {"field": evidence.path, "context": f"{evidence.path} is {value}"}
        if evidence.reason:
            candidates["step"] = value
    elif surface in (Surface.TRANSACTION, Surface.GENERIC):
        candidates |= {
            "json_path": f"$.{evidence.path}",
            "field_name": leaf,
            "current_value": value,
        }
    else:
        candidates["span_text"] = value
    return {key: text for key, text in candidates.items() if key in TERMS[surface].location_fields}


_QUOTING_FIELD = {
    Surface.CONTRACT: "span_text",
    Surface.DOCUMENT: "span_text",
    Surface.MESSAGE: "span_text",
    Surface.TRANSACTION: "current_value",
    Surface.HUMAN_ACTION: "context",
}


def _on_surface(location: Location, surface: Surface) -> Location:
    if surface is Surface.CODE:
        return location
    field = _QUOTING_FIELD.get(surface)
    fields = {field: location.fields["snippet"]} if field else location.fields
    return replace(location, surface=surface, fields=fields)
