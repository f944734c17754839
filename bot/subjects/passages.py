"""The parts of a text that a verdict can name: clauses, sections, segments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from bot.subjects.change import FileChange
from bot.subjects.clauses import Opening, openings
from bot.subjects.kinds import SubjectKind
from bot.subjects.markdown import Structure, structure

_LETTER_HEAD = re.compile(
    r"(?P<name>Subject|Title|Headline|From|To|Cc|Bcc|Date|Betreff|Von|An|Objet|Asunto):[ \t]"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of whole lines of a text, under the name that people give it.

    Of a contract it is a clause, by its number (`4.2(a)`); of a message a segment (`subject`,
    `Prices, paragraph 2`); of any other text a section, by its heading. Lines are 1-based and
    inclusive, in the head version. `start` and `end` bound it in characters (Unicode code points)
    of the head text, `end` exclusive; None where only the lines of the diff are at hand.
    """

    name: str
    first_line: int
    last_line: int
    start: int | None = None
    end: int | None = None


def split(text: str, kind: SubjectKind) -> tuple[Passage, ...]:
    """The passages of a whole text, in order and apart. What comes before the first is none."""
    lines = text.split("\n")
    blocks = structure(text)
    match kind:
        case SubjectKind.CLAUSE_SET:
            found = list(_up_to_the_next(openings(lines, blocks), lines))
        case SubjectKind.CREATIVE:
            found = list(_segments(lines, blocks))
        case _:
            headings = [
                Opening(block.first, block.name)
                for block in blocks.blocks
                if block.kind == "heading" and block.name
            ]
            found = list(_up_to_the_next(headings, lines))
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    return tuple(
        replace(
            passage,
            start=starts[passage.first_line - 1],
            end=starts[passage.last_line] - 1,
        )
        for passage in found
    )


def passages_of(file: FileChange, kind: SubjectKind) -> tuple[Passage, ...]:
    """The passages of a file's head version, or of what its hunks show of it."""
    if file.head is not None:
        return split(file.head, kind)
    return tuple(
        replace(
            passage,
            first_line=passage.first_line + fragment.first_line - 1,
            last_line=passage.last_line + fragment.first_line - 1,
            start=None,
            end=None,
        )
        for fragment in file.fragments("head")
        for passage in split(fragment.text, kind)
    )


def passage_at(passages: Sequence[Passage], line: int) -> Passage | None:
    """The passage that a line belongs to: the last that begins at or above it."""
    place = bisect_right(passages, line, key=lambda passage: passage.first_line)
    return passages[place - 1] if place else None


def _up_to_the_next(found: Sequence[Opening], lines: Sequence[str]) -> Iterator[Passage]:
    """Each passage from its first line to the last one with words before the next passage."""
    for opening, following in pairwise([*found, Opening(len(lines), "")]):
        last = following.line
        while last > opening.line + 1 and not lines[last - 1].strip():
            last -= 1
        yield Passage(opening.name, opening.line + 1, last)


def _segments(lines: Sequence[str], text: Structure) -> Iterator[Passage]:
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
