"""The EvaluationContext: the only thing that the later stages know of what is judged."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Any, assert_never

from jurat.facts.clauses import Opening, find_openings
from jurat.source.diff import FileChange
from jurat.source.markdown import Structure, parse_structure
from jurat.source.strict_json import KeyPath, LineRange

# The eight subject kinds, the seven surfaces, and what each surface may say about a place.


class SubjectKind(StrEnum):
    """What is judged."""

    CODE_DIFF = "code_diff"
    CLAUSE_SET = "clause_set"
    TRANSACTION = "transaction"
    DOCUMENT = "document"
    CREATIVE = "creative"
    EVENT = "event"
    DECISION = "decision"
    IDENTITY = "identity"


class Surface(StrEnum):
    """How a subject is shown to a judge, and which prompt template is used."""

    CODE = "code"
    CONTRACT = "contract"
    TRANSACTION = "transaction"
    DOCUMENT = "document"
    MESSAGE = "message"
    HUMAN_ACTION = "human_action"
    GENERIC = "generic"


@dataclass(frozen=True, slots=True)
class SurfaceTerms:
    """The location fields and remediation types that a verdict on one surface may carry.

    `passage_field` is the location field that names a passage of a text; code and transactions have
    none. `rewriting` is what the replacement of lines is called; a human action is not rewritten.
    """

    location_fields: frozenset[str]
    remediation_types: frozenset[str]
    passage_field: str | None = None
    rewriting: str | None = None


_TERMS = {
    Surface.CODE: SurfaceTerms(
        frozenset({"file_path", "start_line", "end_line", "function_name", "snippet"}),
        frozenset({"replace", "insert", "delete", "add_import", "rename"}),
        rewriting="replace",
    ),
    Surface.CONTRACT: SurfaceTerms(
        frozenset({"clause_ref", "offset_start", "offset_end", "span_text"}),
        frozenset({"text_rewrite", "clause_revision", "block", "clarification"}),
        passage_field="clause_ref",
        rewriting="text_rewrite",
    ),
    Surface.TRANSACTION: SurfaceTerms(
        frozenset({"json_path", "field_name", "current_value"}),
        frozenset({"field_change", "approval_add", "process_reroute", "block"}),
        rewriting="field_change",
    ),
    Surface.DOCUMENT: SurfaceTerms(
        frozenset({"section", "offset_start", "offset_end", "span_text"}),
        frozenset({"text_rewrite", "block", "clarification"}),
        passage_field="section",
        rewriting="text_rewrite",
    ),
    Surface.MESSAGE: SurfaceTerms(
        frozenset({"segment", "offset_start", "offset_end", "span_text"}),
        frozenset({"text_rewrite", "block", "clarification"}),
        passage_field="segment",
        rewriting="text_rewrite",
    ),
    Surface.HUMAN_ACTION: SurfaceTerms(
        frozenset({"step", "field", "context"}),
        frozenset({"process_reroute", "approval_add", "block", "clarification"}),
        passage_field="step",
    ),
}
_TERMS[Surface.GENERIC] = SurfaceTerms(
    frozenset().union(*(terms.location_fields for terms in _TERMS.values())),
    frozenset().union(*(terms.remediation_types for terms in _TERMS.values())),
    passage_field="section",
    rewriting="replace",
)

TERMS: Mapping[Surface, SurfaceTerms] = MappingProxyType(_TERMS)
"""All that differs from surface to surface. A new one is a member of Surface and an entry here."""

SURFACE_OF: Mapping[SubjectKind, Surface] = MappingProxyType(
    {
        SubjectKind.CODE_DIFF: Surface.CODE,
        SubjectKind.CLAUSE_SET: Surface.CONTRACT,
        SubjectKind.TRANSACTION: Surface.TRANSACTION,
        SubjectKind.DOCUMENT: Surface.DOCUMENT,
        SubjectKind.CREATIVE: Surface.MESSAGE,
        SubjectKind.EVENT: Surface.HUMAN_ACTION,
        SubjectKind.DECISION: Surface.GENERIC,
        SubjectKind.IDENTITY: Surface.GENERIC,
    }
)


# The parts of a text that a verdict can name: clauses, sections, segments.

_LETTER_HEAD = re.compile(
    r"(?P<name>Subject|Title|Headline|From|To|Cc|Bcc|Date|Betreff|Von|An|Objet|Asunto):[ \t]"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of whole lines of a text, under the name that people give it.

    Of a contract it is a clause, by its number (`4.2(a)`); of a message a segment (`subject`,
    `Prices, paragraph 2`); of any other text a section, by its heading. Lines are 1-based and
    inclusive, in the head version. `start` and `end` bound it in characters (Unicode code points)
    of the head text, `end` exclusive; None if only the lines of the diff are at hand.
    """

    name: str
    first_line: int
    last_line: int
    start: int | None = None
    end: int | None = None


def split_passages(text: str, kind: SubjectKind) -> tuple[Passage, ...]:
    """The passages of a whole text, in order and apart. What comes before the first is none."""
    lines = text.split("\n")
    blocks = parse_structure(text)
    match kind:
        case SubjectKind.CLAUSE_SET:
            found = list(_close_passages(find_openings(lines, blocks), lines))
        case SubjectKind.CREATIVE:
            found = list(_split_segments(lines, blocks))
        case (
            SubjectKind.CODE_DIFF
            | SubjectKind.TRANSACTION
            | SubjectKind.DOCUMENT
            | SubjectKind.EVENT
            | SubjectKind.DECISION
            | SubjectKind.IDENTITY
        ):
            headings = [
                Opening(block.first, block.name)
                for block in blocks.blocks
                if block.kind == "heading" and block.name
            ]
            found = list(_close_passages(headings, lines))
        case _:
            assert_never(kind)
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    return tuple(
        replace(
            passage,
            start=starts[passage.first_line - 1],
            end=starts[passage.last_line] - 1,
        )
        for passage in found
    )


def split_file(file: FileChange, kind: SubjectKind) -> tuple[Passage, ...]:
    """The passages of a file's head version, or of what its hunks show of it."""
    if file.head is not None:
        return split_passages(file.head, kind)
    return tuple(
        replace(
            passage,
            first_line=passage.first_line + fragment.first_line - 1,
            last_line=passage.last_line + fragment.first_line - 1,
            start=None,
            end=None,
        )
        for fragment in file.list_fragments("head")
        for passage in split_passages(fragment.text, kind)
    )


def find_passage(passages: Sequence[Passage], line: int) -> Passage | None:
    """The passage that a line belongs to: the last that begins at or above it."""
    place = bisect_right(passages, line, key=lambda passage: passage.first_line)
    return passages[place - 1] if place else None


def _close_passages(found: Sequence[Opening], lines: Sequence[str]) -> Iterator[Passage]:
    """Each passage from its first line to the last one with words before the next passage."""
    for opening, following in pairwise([*found, Opening(len(lines), "")]):
        last = following.line
        while last > opening.line + 1 and not lines[last - 1].strip():
            last -= 1
        yield Passage(opening.name, opening.line + 1, last)


def _split_segments(lines: Sequence[str], text: Structure) -> Iterator[Passage]:
    """The lines of a letter's head, then each heading, and each block under it by its number."""
    under = ""
    count = 0
    for position, block in enumerate(text.blocks):
        first, end = block.first, block.end
        while end > first + 1 and not lines[end - 1].strip():
            end -= 1
        while position == 0 and first < end and (head := _LETTER_HEAD.match(lines[first])):
            first += 1
            yield Passage(head["name"].lower(), first, first)
        if block.kind == "heading":
            under, count = block.name, 0
            yield Passage(under or "heading", first + 1, end)
        elif first < end and block.kind != "hr":
            count += 1
            name = f"paragraph {count}"
            yield Passage(f"{under}, {name}" if under else name, first + 1, end)


Facts = Mapping[str, Any]
"""Nested key-value pairs as JSON has them; numbers are int, float or Decimal."""


class Mode(StrEnum):
    """Whether the action is about to happen, or has happened."""

    PREFLIGHT = "preflight"
    POSTHOC = "posthoc"


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing to judge: its kind, the files that belong to it, and the facts known of it.

    A subject of another kind than a code diff has one file, or none. `passages` are the clauses,
    sections or segments of that file if it is a text. If it states facts, `spans` says where
    each of them stands in it, and `unchanged` which entries of its lists are no news; a fact
    without a span was given by the caller. Facts that are of several kinds at once name the others
    in `other_kinds`.
    """

    kind: SubjectKind
    files: tuple[FileChange, ...] = ()
    facts: Facts = field(default_factory=dict)
    passages: tuple[Passage, ...] = ()
    spans: Mapping[KeyPath, LineRange] = field(default_factory=dict)
    unchanged: frozenset[KeyPath] = frozenset()
    other_kinds: frozenset[SubjectKind] = frozenset()

    @property
    def kinds(self) -> frozenset[SubjectKind]:
        """Every kind that it is of: rules about any of them are about it."""
        return self.other_kinds | {self.kind}

    @property
    def surface(self) -> Surface:
        """The surface on which this kind is judged."""
        return SURFACE_OF[self.kind]


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """Stage 1's result. `intent` is what the author says the change is for: data, never orders.

    `scope` narrows the rules ("domain/area"), `repository` is "owner/name" if it is known.
    `ignored` are the paths that the configuration keeps out of the review.
    """

    subjects: tuple[Subject, ...]
    intent: str = ""
    scope: str | None = None
    repository: str | None = None
    mode: Mode = Mode.PREFLIGHT
    ignored: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[FileChange, ...]:
        """All files of all subjects."""
        return tuple(file for subject in self.subjects for file in subject.files)

    @property
    def unread(self) -> tuple[FileChange, ...]:
        """The files that could not be read, each with its reason."""
        return tuple(file for file in self.files if file.unread is not None)
