"""Where a computed verdict lands: each place in the terms of its surface, on lines of its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from jurat.engine.code_matches import CodeMatches
from jurat.engine.field_paths import compile_path
from jurat.engine.outcome import Evidence, format_value
from jurat.engine.regexes import match_line
from jurat.facts.context import TERMS, Subject, Surface, find_passage
from jurat.facts.derived import is_measure
from jurat.facts.places import (
    PASSAGE_FIELD,
    SPAN_LIMIT,
    Fields,
    build_fact_fields,
    build_value_finder,
    find_nearest_value,
    get_value,
)
from jurat.findings.finding import Fix, Location, Problem
from jurat.rules.constraints import RegexConstraint
from jurat.rules.rule import Rule
from jurat.source.diff import FileChange
from jurat.source.strict_json import KeyPath, format_key_path


class LocatedCode(NamedTuple):
    """What a rule's code constraints found, on the surfaces of its files.

    `note` says which fixes were left out, because their surface does not know them.
    """

    problems: tuple[Problem, ...]
    remediations: tuple[Fix, ...]
    note: str


def locate_fact(subject: Subject, evidence: Evidence) -> Location | None:
    """The place of a value that fails, None if the subject does not say where it stands."""
    where = compile_path(evidence.path)
    if subject.surface is Surface.CODE and subject.files:
        return _locate_file(subject, evidence)
    if is_measure(subject, where[0]):
        return _locate_measure(subject, evidence)
    value = format_value(evidence.value)
    stated = (
        f"{evidence.path} {evidence.reason}" if evidence.reason else f"{evidence.path} = {value}"
    )
    fields = build_fact_fields(subject.surface, subject.facts, where, value=value, stated=stated)
    span = find_nearest_value(subject.spans, where)
    if span is None:
        return Location(subject.surface, fields=fields)
    return Location(subject.surface, subject.files[0].path, span.first_line, span.last_line, fields)


def locate_code(findings: CodeMatches, subjects: Sequence[Subject], rule: Rule) -> LocatedCode:
    """The places and fixes that were found, in the terms of the surface of each file."""
    pages = {
        file.path: _Page(subject, file)
        for subject in subjects
        for file in subject.files
        if subject.surface is not Surface.CODE
    }
    regexes = [item for item in rule.constraints if isinstance(item, RegexConstraint)]
    problems = tuple(
        Problem(
            found.message,
            pages[place.file_path].place(place, regexes) if place.file_path in pages else place,
        )
        for found in findings.places
        for place in [found.location]
    )
    fixes = []
    left_out: dict[str, None] = {}
    for fix in findings.remediations:
        surface = pages[fix.file_path].subject.surface if fix.file_path in pages else Surface.CODE
        own = _adapt_to_surface(fix, surface)
        if own is None:
            left_out[
                f"A fix of type {fix.type!r} was left out: it is not of the {surface} surface."
            ] = None
        else:
            fixes.append(own)
    return LocatedCode(problems, tuple(fixes), " ".join(left_out))


def _adapt_to_surface(fix: Fix, surface: Surface) -> Fix | None:
    if fix.type in TERMS[surface].remediation_types:
        return fix
    own = TERMS[surface].rewriting if fix.type == "replace" else None
    return replace(fix, type=own) if own else None


def _locate_file(subject: Subject, evidence: Evidence) -> Location | None:
    """The file that the value's mapping names, None for the change as a whole."""
    place = evidence.place or {}
    paths = {file.path for file in subject.files}
    path = place.get("path")
    if path not in paths:
        # What is true of the change as a whole stands at the pull request, not at a file of it.
        return None
    start, end = place.get("start_line"), place.get("end_line")
    name = place.get("qualified_name") or place.get("name")
    named = isinstance(name, str) and start is not None
    return Location(
        file_path=path,
        start_line=start if isinstance(start, int) else None,
        end_line=end if isinstance(end, int) else None,
        fields={"function_name": str(name)} if named else {},
    )


def _locate_measure(subject: Subject, evidence: Evidence) -> Location:
    """The passage that was measured, or the text as a whole."""
    (file,) = subject.files
    line = (evidence.place or {}).get("start_line")
    passage = find_passage(subject.passages, line) if isinstance(line, int) else None
    if passage is None:
        return Location(subject.surface, file.path)
    fields: Fields = {PASSAGE_FIELD[subject.surface]: passage.name}
    if passage.start is not None and passage.end is not None:
        fields |= {"offset_start": passage.start, "offset_end": passage.end}
    return Location(subject.surface, file.path, passage.first_line, passage.last_line, fields)


@dataclass
class _Page:
    """A file on another surface than code, for the places found on lines of it."""

    subject: Subject
    file: FileChange

    def place(self, location: Location, regexes: Sequence[RegexConstraint]) -> Location:
        """A place in lines as one in the terms of the surface."""
        first = location.start_line or 1
        last = location.end_line or first
        where = self._value_on(first)
        fields = (
            self._locate_value(where)
            if where is not None
            else self._locate_text(first, last, regexes if first == last else ())
        )
        allowed = TERMS[self.subject.surface].location_fields
        return replace(
            location,
            surface=self.subject.surface,
            fields={name: value for name, value in fields.items() if name in allowed},
        )

    def _locate_value(self, where: KeyPath) -> Fields:
        subject = self.subject
        value = format_value(get_value(subject.facts, where))
        stated = f"{format_key_path(where)} = {value}"
        return build_fact_fields(subject.surface, subject.facts, where, value=value, stated=stated)

    def _locate_text(self, first: int, last: int, regexes: Sequence[RegexConstraint]) -> Fields:
        """The words that were found, or the lines without their margins; at most SPAN_LIMIT."""
        text = "\n".join(self._lines.get(number, "") for number in range(first, last + 1))
        whole = (len(text) - len(text.lstrip()), len(text.rstrip()))
        start, end = match_line(text, regexes) or whole
        end = min(end, start + SPAN_LIMIT)
        quoted = text[start:end]
        fields: Fields = {
            "span_text": quoted,
            "snippet": quoted,
            "current_value": quoted,
            "context": quoted,
        }
        passage = find_passage(self.subject.passages, first)
        if passage is not None and self.subject.surface in PASSAGE_FIELD:
            fields[PASSAGE_FIELD[self.subject.surface]] = passage.name
        if self.file.head is not None:
            before = self._starts[first - 1]
            fields |= {"offset_start": before + start, "offset_end": before + end}
        return fields

    @cached_property
    def _value_on(self) -> Callable[[int], KeyPath | None]:
        return build_value_finder(self.subject.spans)

    @cached_property
    def _lines(self) -> Mapping[int, str]:
        """What is at hand of the head version, by line, without the ends of lines."""
        return {
            number: text.removesuffix("\r")
            for fragment in self.file.list_fragments("head")
            for number, text in enumerate(fragment.text.split("\n"), fragment.first_line)
        }

    @cached_property
    def _starts(self) -> Sequence[int]:
        """The index of the first character of each line of the head version."""
        lines = (self.file.head or "").split("\n")
        return [0, *accumulate(len(line) + 1 for line in lines)]
