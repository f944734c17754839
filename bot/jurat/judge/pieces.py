"""The pieces of a file that a rule is asked about one by one: functions, and paragraphs outside.

A piece is shown with what it rests on: the functions that it calls, and the paragraphs outside of
functions that name what it names, as far as the change shows them. So a push asks about what it
can have changed, and what was said of the rest of the file stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from jurat.judge.excerpts import Excerpt, ExcerptBlock, ExcerptLine, slice_block
from jurat.source.diff import Function
from jurat.source.shared_names import find_words, is_paragraph_start, list_outer_functions

Position = tuple[int, int]
"""A row of an excerpt: the number of its block, and its own in that."""

_IN_PART = " (in part)"
OUTSIDE = "(outside)"
"""What the name of a piece begins with that stands in no function."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows that stand or fall together: a function, or a statement outside of all."""

    name: str
    rows: frozenset[Position]
    words: frozenset[str]
    calls_as: str = ""


def split_excerpt(excerpt: Excerpt) -> tuple[Excerpt, ...]:
    """The pieces of an excerpt: functions first; itself if its file's text is not at hand."""
    file = excerpt.file
    if file is None or file.head is None or excerpt.passages or excerpt.control:
        return (excerpt,)
    functions, statements = _group_rows(excerpt, list_outer_functions(file))
    changed = [
        item
        for item in statements
        if any(_get_row(excerpt, position).mark.strip() for position in item.rows)
    ]
    pieces = [
        replace(
            _take_rows(excerpt, item.name, _find_rested_on(item, functions, statements)),
            own=item.rows,
        )
        for item in (*functions, *changed)
    ]
    return tuple(pieces) or (excerpt,)


def join_pieces(excerpt: Excerpt, pieces: Iterable[Excerpt]) -> Excerpt | None:
    """An excerpt as far as some of its pieces show it; None if none of them is its own."""
    mine = [item for item in pieces if item is excerpt or item.whole is excerpt]
    if not mine:
        return None
    if any(item is excerpt for item in mine):
        return excerpt
    rows = frozenset(row for item in mine for row in item.taken)
    own = frozenset(row for item in mine for row in item.own)
    every = _list_rows(excerpt)
    asks_all = not any(_get_row(excerpt, position).added for position in every - own)
    if asks_all and rows == every:
        return excerpt
    part = replace(_take_rows(excerpt, "", rows), own=own)
    # What is left out can be shorter than the headings that say so.
    if asks_all or part.bytes < excerpt.bytes:
        return part
    return replace(excerpt, whole=excerpt, taken=every, own=own)


def set_others_back(piece: Excerpt, own: frozenset[Position]) -> Excerpt:
    """A piece in which the added lines that are not `own` are shown as lines that were there.

    They only explain what is asked about, and have been judged by themselves.
    """
    if piece.taken <= own:
        return piece
    places = iter(sorted(piece.taken))
    return replace(
        piece,
        blocks=tuple(
            replace(
                block,
                rows=tuple(
                    row if next(places) in own or not row.added else _set_back(row)
                    for row in block.rows
                ),
            )
            for block in piece.blocks
        ),
    )


def _set_back(row: ExcerptLine) -> ExcerptLine:
    return row._replace(mark=" ", added=False)


def subtract_piece(excerpt: Excerpt, piece: Excerpt) -> tuple[Excerpt, ...]:
    """An excerpt as a piece of it and the rest; the piece alone if the rest says nothing."""
    rest = _list_rows(excerpt) - piece.taken
    is_blank = not any(_get_row(excerpt, position).display_text.strip() for position in rest)
    return (piece,) if is_blank else (piece, _take_rows(excerpt, "", rest))


def _list_rows(excerpt: Excerpt) -> frozenset[Position]:
    return frozenset(
        (number, index)
        for number, block in enumerate(excerpt.blocks)
        for index in range(len(block.rows))
    )


def _count_rows(excerpt: Excerpt) -> int:
    return sum(len(block.rows) for block in excerpt.blocks)


def _get_row(excerpt: Excerpt, position: Position) -> ExcerptLine:
    return excerpt.blocks[position[0]].rows[position[1]]


def _group_rows(
    excerpt: Excerpt, functions: Sequence[Function]
) -> tuple[list[_Group], list[_Group]]:
    """The rows of each function that shows any, and those of each statement outside of them."""
    language = excerpt.file.language if excerpt.file else None
    inside: dict[int, list[Position]] = {}
    loose: list[list[Position]] = []
    for number, block in enumerate(excerpt.blocks):
        fresh = True
        for index, owner in enumerate(_find_owners(block, functions)):
            if owner is not None:
                inside.setdefault(owner, []).append((number, index))
            elif fresh or is_paragraph_start(
                block.rows[index].text, block.rows[index - 1].text, language
            ):
                loose.append([(number, index)])
            else:
                loose[-1].append((number, index))
            fresh = owner is not None
    named = [
        _build_group(excerpt, functions[owner].qualified_name, rows, functions[owner].name)
        for owner, rows in inside.items()
    ]
    known: Counter[str] = Counter()
    statements = []
    for rows in loose:
        first = f"{OUTSIDE} {_get_row(excerpt, rows[0]).text[:60]}"
        known[first] += 1
        statements.append(_build_group(excerpt, f"{first} {known[first]}", rows))
    return named, statements


def _find_owners(block: ExcerptBlock, functions: Sequence[Function]) -> list[int | None]:
    """The function of each row, by its number. A removed line goes with what stands before it."""
    owners: list[int | None] = []
    last: int | None = None
    for row in block.rows:
        if row.line is not None:
            line = row.line
            last = next(
                (
                    index
                    for index, item in enumerate(functions)
                    if item.start_line <= line <= item.end_line
                ),
                None,
            )
        owners.append(last)
    return owners


def _build_group(
    excerpt: Excerpt, name: str, rows: Sequence[Position], calls_as: str = ""
) -> _Group:
    text = "\n".join(_get_row(excerpt, position).text for position in rows)
    return _Group(name, frozenset(rows), find_words(text), calls_as)


def _find_rested_on(
    group: _Group, functions: Sequence[_Group], statements: Sequence[_Group]
) -> frozenset[Position]:
    """The rows of a function, of what it calls directly or not, and of what these name outside."""
    reached, words = [group], set(group.words)
    for item in reached:  # grows as it is walked
        for other in functions:
            if other not in reached and other.calls_as in item.words:
                reached.append(other)
                words |= other.words
    named = [item for item in statements if not item.words.isdisjoint(words)]
    return frozenset(position for item in (*reached, *named) for position in item.rows)


def _take_rows(excerpt: Excerpt, name: str, rows: frozenset[Position]) -> Excerpt:
    if len(rows) == _count_rows(excerpt):
        return replace(excerpt, piece=name, whole=excerpt, taken=rows)
    by_block: Mapping[int, list[int]] = {
        number: [index for _, index in found]
        for number, found in groupby(sorted(rows), key=lambda position: position[0])
    }
    blocks = [
        slice_block(excerpt.blocks[number], first, end)
        for number, indices in by_block.items()
        for first, end in _list_runs(indices)
    ]
    taken = excerpt.with_blocks(tuple(blocks), _IN_PART)
    return replace(taken, piece=name, whole=excerpt, taken=rows)


def _list_runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The runs of numbers that follow each other: the first, and the one behind the last."""
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        found = [number for _, number in run]
        yield found[0], found[-1] + 1
