"""From a quote to the lines it stands on. A place that the model names only tells quotes apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from jurat.facts.context import TERMS, Surface, find_passage, split_passages
from jurat.facts.places import PASSAGE_FIELD, Fields, build_fact_fields, replace_value
from jurat.findings.finding import Fix, Location
from jurat.judge.excerpts import Excerpt, ExcerptBlock, ExcerptLine, FactLine
from jurat.judge.replies import ProposedFix, QuotedFinding
from jurat.source.diff import FunctionChange
from jurat.source.disguises import read_plainly

_MIN_QUOTE = 3
"""Characters below which a quote must be a whole line: shorter ones stand anywhere."""

_MAX_MATCHES = 100
"""Places of one quote in one block that are looked at: one that stands oftener tells nothing."""


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """Where a quote stands: `rows` of one block, consecutive after the change.

    `start` and `end` bound the quote inside the rows' texts joined by newlines. `exact` is False
    if only the amount of white space differed.
    """

    excerpt: Excerpt
    rows: tuple[ExcerptLine, ...]
    start: int
    end: int
    exact: bool

    @property
    def text(self) -> str:
        """What stands there, as the model saw it."""
        return "\n".join(row.text for row in self.rows)[self.start : self.end]


def find_quote(finding: QuotedFinding, excerpts: Sequence[Excerpt]) -> QuoteMatch | None:
    """The place of a finding's quote, or None if it does not stand after the change.

    A quote must stand in the excerpt that the finding names. An exact match comes before one that
    differs in white space, and that before one that reads the same. Of several, hints decide if
    they fit one: the function or the passage, then the line; then a match that touches an added
    line; then the first.
    """
    named = [item for item in excerpts if finding.source in (item.label, item.name)]
    # Not searched elsewhere: a quote that stands in another file would accuse that one.
    if finding.source and not named:
        return None
    searched = named or excerpts
    if not finding.quote.strip():
        return None
    # Loosely only if nothing fits exactly: models reflow white space, but a fix needs the exact
    # text. As it reads comes last: they leave marks out, and put right what is written oddly.
    for search in (_find_exactly, _find_loosely, _find_as_read):
        found = [
            anchor
            for excerpt in searched
            for block in excerpt.blocks
            for anchor in search(finding.quote, excerpt, block)
        ]
        if found:
            return _choose_match(found, finding.hints or {})
    return None


def _find_exactly(quote: str, excerpt: Excerpt, block: ExcerptBlock) -> Iterator[QuoteMatch]:
    return _find_matches(re.escape(quote.strip("\n")), quote, excerpt, block, exact=True)


def _find_loosely(quote: str, excerpt: Excerpt, block: ExcerptBlock) -> Iterator[QuoteMatch]:
    pattern = r"\s+".join(re.escape(word) for word in quote.split())
    return _find_matches(pattern, quote, excerpt, block, exact=False)


def _find_as_read(quote: str, excerpt: Excerpt, block: ExcerptBlock) -> Iterator[QuoteMatch]:
    """The lines on which a quote stands but for marks, what these mark, and white space."""
    said = read_plainly(quote)
    plain = replace(block, rows=tuple(_read_row_plainly(row) for row in block.rows))
    if not said.strip() or (said == quote and plain.rows == block.rows):
        return
    originals = {id(row): own for row, own in zip(plain.rows, block.rows, strict=True)}
    for match in _find_loosely(said, excerpt, plain):
        rows = tuple(originals[id(row)] for row in match.rows)
        yield replace(match, rows=rows, start=0, end=sum(len(row.text) + 1 for row in rows) - 1)


def _read_row_plainly(row: ExcerptLine) -> ExcerptLine:
    text = read_plainly(row.text)
    return row if text == row.text else row._replace(text=text)


def _find_matches(
    pattern: str, quote: str, excerpt: Excerpt, block: ExcerptBlock, *, exact: bool
) -> Iterator[QuoteMatch]:
    # A cheap look first: a regular expression over every block of a large change takes seconds.
    if quote.split(maxsplit=1)[0] not in block.text:
        return
    # Removed lines are shown to the model and cannot be quoted: nobody can fix what is gone.
    rows = [row for row in block.rows if row.head]
    text = "\n".join(row.text for row in rows)
    for match in islice(re.finditer(pattern, text), _MAX_MATCHES):
        anchor = _build_match(excerpt, rows, text, *match.span(), exact=exact)
        if len(match.group()) >= _MIN_QUOTE or match.group() == anchor.rows[0].text.strip():
            yield anchor


def _build_match(
    excerpt: Excerpt, rows: Sequence[ExcerptLine], text: str, start: int, end: int, *, exact: bool
) -> QuoteMatch:
    first = text.count("\n", 0, start)
    last = first + text.count("\n", start, end)
    opening = text.rfind("\n", 0, start) + 1
    return QuoteMatch(excerpt, tuple(rows[first : last + 1]), start - opening, end - opening, exact)


def _choose_match(found: Sequence[QuoteMatch], hints: Mapping[str, str | int]) -> QuoteMatch:
    """The match that the hints point at. A hint that fits none is passed over."""
    left = list(found)
    function = hints.get("function_name")
    path = hints.get("json_path")
    line = hints.get("start_line")
    passage = next((hints[name] for name in PASSAGE_FIELD.values() if name in hints), None)
    for fit in (
        [item for item in left if function and _is_function_named(item, str(function))],
        [item for item in left if passage and _is_passage_named(item, str(passage))],
        [item for item in left if path and any(_is_at(row, str(path)) for row in item.rows)],
        [item for item in left if line is not None and item.rows[0].line == line],
        [item for item in left if any(row.added for row in item.rows)],
    ):
        # A hint narrows and never empties: it is the model's word, and the quote alone is proof.
        both = [item for item in left if item in fit]
        left = both or left
    return left[0]


def _is_passage_named(anchor: QuoteMatch, name: str) -> bool:
    line = anchor.rows[0].line
    own = find_passage(anchor.excerpt.passages, line) if line is not None else None
    return own is not None and own.name == name


def _is_at(row: ExcerptLine, path: str) -> bool:
    return row.fact is not None and row.fact.path == path.removeprefix("$").removeprefix(".")


def _is_function_named(anchor: QuoteMatch, name: str) -> bool:
    own = find_function_at(anchor.excerpt, anchor.rows[0].line)
    if own is not None:
        return name in (own, own.rpartition(".")[2])
    return any(
        anchor.rows[0] in block.rows and name in block.section for block in anchor.excerpt.blocks
    )


def find_function_at(excerpt: Excerpt, line: int | None) -> str | None:
    """The qualified name of the innermost function around a line of the head version."""
    if excerpt.file is None or line is None:
        return None
    around = [
        function
        for function in excerpt.file.functions
        if function.change is not FunctionChange.REMOVED
        and function.start_line <= line <= function.end_line
    ]
    return min(around, key=lambda function: function.length).qualified_name if around else None


# From an anchor to what a verdict carries: a Location in its surface's terms, a Remediation.


def build_location(anchor: QuoteMatch, surface: Surface) -> Location:
    """The place as a verdict on `surface` says it: nothing in it is the model's word."""
    lines = [row.line for row in anchor.rows if row.line is not None]
    file = anchor.excerpt.file
    fact = anchor.rows[0].fact
    fields = (
        _build_line_fields(anchor, surface)
        if fact is None
        else _build_fact_fields(anchor, fact, surface)
    )
    allowed = TERMS[surface].location_fields
    return Location(
        surface,
        file.path if file is not None else None,
        min(lines) if lines else None,
        max(lines) if lines else None,
        {name: value for name, value in fields.items() if name in allowed},
    )


def _build_line_fields(anchor: QuoteMatch, surface: Surface) -> Fields:
    fields: Fields = {
        "snippet": anchor.text,
        "span_text": anchor.text,
        "current_value": anchor.text,
        "context": anchor.text,
        **_compute_offsets(anchor),
    }
    line = anchor.rows[0].line
    if function := find_function_at(anchor.excerpt, line):
        fields["function_name"] = function
    passage = find_passage(anchor.excerpt.passages, line) if line is not None else None
    if passage is not None and surface in PASSAGE_FIELD:
        fields[PASSAGE_FIELD[surface]] = passage.name
    return fields


def _build_fact_fields(anchor: QuoteMatch, fact: FactLine, surface: Surface) -> Fields:
    """The fact as it is stated; on the surfaces of texts, the words of it that were quoted."""
    value, stated = fact.value, anchor.text
    fields = build_fact_fields(
        surface, anchor.excerpt.facts, fact.where, value=value, stated=stated
    )
    if surface in (Surface.CONTRACT, Surface.DOCUMENT, Surface.MESSAGE):
        fields |= {"span_text": anchor.text, **_compute_offsets(anchor)}
        if surface is not Surface.MESSAGE and (clause := _find_passage_name(anchor, fact)):
            fields[PASSAGE_FIELD[surface]] = clause
    return fields


def _find_passage_name(anchor: QuoteMatch, fact: FactLine) -> str | None:
    """What the clause or section is called, of a text that is a fact, which was quoted."""
    kind = anchor.excerpt.kind
    if kind is None or fact.number is None:
        return None
    rows = (row.fact for block in anchor.excerpt.blocks for row in block.rows)
    whole = next(
        (other.value for other in rows if other and other.opens and other.where == fact.where), ""
    )
    passage = find_passage(split_passages(whole, kind), fact.number + 1)
    return passage.name if passage is not None else None


def _compute_offsets(anchor: QuoteMatch) -> Fields:
    """Where the quote begins and ends, in characters (Unicode code points) of the whole text."""
    start, end = _compute_offset(anchor, anchor.rows[0]), _compute_offset(anchor, anchor.rows[-1])
    if start is None or end is None:
        return {}
    before_last = sum(len(row.text) + 1 for row in anchor.rows[:-1])
    return {
        "offset_start": max(0, start + anchor.start),
        "offset_end": max(0, end + anchor.end - before_last),
    }


def _compute_offset(anchor: QuoteMatch, row: ExcerptLine) -> int | None:
    """Characters of the text before the first one of `row`; None if they cannot be counted."""
    # What is shown differs if hidden characters were made visible: counting would be off.
    if row.text != row.raw.removesuffix("\r"):
        return None
    if row.fact is not None:
        opening = f'{row.fact.path} = "'
        if row.fact.offset is not None:
            return row.fact.offset
        return -len(opening) if row.fact.text == f'{opening}{row.fact.value}"' else None
    file = anchor.excerpt.file
    if file is None or file.head is None or row.line is None:
        return None
    return sum(len(line) + 1 for line in file.head.split("\n")[: row.line - 1])


_REPLACING = frozenset({"replace", "rename", "text_rewrite", "clause_revision"})
_INSERTING = frozenset({"insert", "add_import"})


def build_fix(anchor: QuoteMatch, fix: ProposedFix) -> Fix | None:
    """The fix over whole lines of the file, or None if it cannot be had without guessing.

    A fix that needs a person, as `block` does, only says what to do. One that changes a fact names
    the old and the new value, and replaces the line of the file if that changes nothing else.
    One that changes text needs a quote that matched exactly. None is ever `auto_applicable`: nobody
    has checked what a model wrote.
    """
    if fix.type not in _REPLACING | _INSERTING | {"delete", "field_change"}:
        return Fix(fix.type, description=fix.replacement)
    fact = anchor.rows[0].fact
    if fact is not None and fix.type == "field_change":
        return _build_value_fix(anchor, fact, fix)
    if fact is not None or fix.type == "field_change":
        return Fix(fix.type, original=anchor.text, replacement=fix.replacement)
    return _build_lines_fix(anchor, fix)


def _build_value_fix(anchor: QuoteMatch, fact: FactLine, fix: ProposedFix) -> Fix:
    named = f"{fact.path} = {fix.replacement}"
    file = anchor.excerpt.file
    lines = replace_value(file, fact.where, fix.replacement) if file is not None else None
    if file is None or lines is None:
        return Fix(fix.type, original=fact.value, replacement=fix.replacement, description=named)
    return Fix(
        fix.type, file.path, lines.number, lines.number, lines.old, lines.new, description=named
    )


def _build_lines_fix(anchor: QuoteMatch, fix: ProposedFix) -> Fix | None:
    file = anchor.excerpt.file
    raws = [row.raw for row in anchor.rows]
    numbers = [row.line for row in anchor.rows if row.line is not None]
    returns = all(raw.endswith("\r") for raw in raws)
    texts = [raw.removesuffix("\r") for raw in raws]
    if file is None or not numbers or not anchor.exact:
        return None
    # A line with hidden characters: what the model saw is not what would be replaced.
    if texts != [row.text for row in anchor.rows]:
        return None
    original = "\n".join(texts)
    new = fix.replacement.replace("\r\n", "\n")
    if fix.type in _REPLACING:
        replacement = original[: anchor.start] + new + original[anchor.end :]
    elif fix.type == "delete":
        # Whole lines are replaced: deleting a part of one would take code that nobody quoted.
        if original[: anchor.start].strip() or original[anchor.end :].strip():
            return None
        replacement = ""
    else:
        replacement = original + "\n" + new.strip("\n")
    if replacement == original:
        return None
    # A file with CRLF keeps it, or the fix would show as a change of every line.
    ending = "\r\n" if returns else "\n"
    return Fix(
        fix.type,
        file.path,
        min(numbers),
        max(numbers),
        "\n".join(raws),
        replacement.replace("\n", ending) + ("\r" if returns and replacement else ""),
    )
