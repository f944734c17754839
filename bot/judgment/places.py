"""From an anchor to what a verdict carries: a Location in its surface's terms, a Remediation."""

from __future__ import annotations

from bot.judgment.anchoring import Anchor, function_at
from bot.judgment.exhibits import Row
from bot.judgment.facts import FactLine
from bot.judgment.replies import ProposedFix
from bot.subjects.kinds import TERMS, Surface
from bot.subjects.new_values import with_value
from bot.subjects.passages import passage_at, split
from bot.subjects.surface_fields import PASSAGE_FIELD, Fields, fact_fields
from bot.verdicts import Location, Remediation


def location(anchor: Anchor, surface: Surface) -> Location:
    """The place as a verdict on `surface` says it: nothing in it is the model's word."""
    lines = [row.line for row in anchor.rows if row.line is not None]
    file = anchor.exhibit.file
    fact = anchor.rows[0].fact
    fields = _of_lines(anchor, surface) if fact is None else _of_fact(anchor, fact, surface)
    allowed = TERMS[surface].location_fields
    return Location(
        surface,
        file.path if file is not None else None,
        min(lines) if lines else None,
        max(lines) if lines else None,
        {name: value for name, value in fields.items() if name in allowed},
    )


def _of_lines(anchor: Anchor, surface: Surface) -> Fields:
    fields: Fields = {
        "snippet": anchor.text,
        "span_text": anchor.text,
        "current_value": anchor.text,
        "context": anchor.text,
        **_offsets(anchor),
    }
    line = anchor.rows[0].line
    if function := function_at(anchor.exhibit, line):
        fields["function_name"] = function
    passage = passage_at(anchor.exhibit.passages, line) if line is not None else None
    if passage is not None and surface in PASSAGE_FIELD:
        fields[PASSAGE_FIELD[surface]] = passage.name
    return fields


def _of_fact(anchor: Anchor, fact: FactLine, surface: Surface) -> Fields:
    """The fact as it is stated; on the surfaces of texts, the words of it that were quoted."""
    value, stated = fact.value, anchor.text
    fields = fact_fields(surface, anchor.exhibit.facts, fact.where, value=value, stated=stated)
    if surface in (Surface.CONTRACT, Surface.DOCUMENT, Surface.MESSAGE):
        fields |= {"span_text": anchor.text, **_offsets(anchor)}
        if surface is not Surface.MESSAGE and (clause := _passage_within(anchor, fact)):
            fields[PASSAGE_FIELD[surface]] = clause
    return fields


def _passage_within(anchor: Anchor, fact: FactLine) -> str | None:
    """What the clause or section is called, of a text that is a fact, which was quoted."""
    kind = anchor.exhibit.kind
    if kind is None or fact.number is None:
        return None
    rows = (row.fact for block in anchor.exhibit.blocks for row in block.rows)
    whole = next(
        (other.value for other in rows if other and other.opens and other.where == fact.where), ""
    )
    passage = passage_at(split(whole, kind), fact.number + 1)
    return passage.name if passage is not None else None


def _offsets(anchor: Anchor) -> Fields:
    """Where the quote begins and ends, in characters (Unicode code points) of the whole text."""
    start, end = _offset(anchor, anchor.rows[0]), _offset(anchor, anchor.rows[-1])
    if start is None or end is None:
        return {}
    before_last = sum(len(row.text) + 1 for row in anchor.rows[:-1])
    return {
        "offset_start": max(0, start + anchor.start),
        "offset_end": max(0, end + anchor.end - before_last),
    }


def _offset(anchor: Anchor, row: Row) -> int | None:
    """Characters of the text before the first one of `row`; None where they cannot be counted."""
    if row.text != row.raw.removesuffix("\r"):
        return None
    if row.fact is not None:
        opening = f'{row.fact.path} = "'
        if row.fact.offset is not None:
            return row.fact.offset
        return -len(opening) if row.fact.text == f'{opening}{row.fact.value}"' else None
    file = anchor.exhibit.file
    if file is None or file.head is None or row.line is None:
        return None
    return sum(len(line) + 1 for line in file.head.split("\n")[: row.line - 1])


_REPLACING = frozenset({"replace", "rename", "text_rewrite", "clause_revision"})
_INSERTING = frozenset({"insert", "add_import"})


def remediation(anchor: Anchor, fix: ProposedFix) -> Remediation | None:
    """The fix over whole lines of the file, or None where it cannot be had without guessing.

    A fix that needs a person, as `block` does, only says what to do. One that changes a fact names
    the old and the new value, and replaces the line of the file where that changes nothing else.
    One that changes text needs a quote that matched exactly. None is ever `auto_applicable`: nobody
    has checked what a model wrote.
    """
    if fix.type not in _REPLACING | _INSERTING | {"delete", "field_change"}:
        return Remediation(fix.type, description=fix.replacement)
    fact = anchor.rows[0].fact
    if fact is not None and fix.type == "field_change":
        return _of_value(anchor, fact, fix)
    if fact is not None or fix.type == "field_change":
        return Remediation(fix.type, original=anchor.text, replacement=fix.replacement)
    return _over_lines(anchor, fix)


def _of_value(anchor: Anchor, fact: FactLine, fix: ProposedFix) -> Remediation:
    named = f"{fact.path} = {fix.replacement}"
    file = anchor.exhibit.file
    lines = with_value(file, fact.where, fix.replacement) if file is not None else None
    if file is None or lines is None:
        return Remediation(
            fix.type, original=fact.value, replacement=fix.replacement, description=named
        )
    return Remediation(
        fix.type, file.path, lines.number, lines.number, lines.old, lines.new, description=named
    )


def _over_lines(anchor: Anchor, fix: ProposedFix) -> Remediation | None:
    file = anchor.exhibit.file
    raws = [row.raw for row in anchor.rows]
    numbers = [row.line for row in anchor.rows if row.line is not None]
    returns = all(raw.endswith("\r") for raw in raws)
    texts = [raw.removesuffix("\r") for raw in raws]
    if file is None or not numbers or not anchor.exact:
        return None
    if texts != [row.text for row in anchor.rows]:
        return None
    original = "\n".join(texts)
    new = fix.replacement.replace("\r\n", "\n")
    if fix.type in _REPLACING:
        replacement = original[: anchor.start] + new + original[anchor.end :]
    elif fix.type == "delete":
        if original[: anchor.start].strip() or original[anchor.end :].strip():
            return None
        replacement = ""
    else:
        replacement = original + "\n" + new.strip("\n")
    if replacement == original:
        return None
    ending = "\r\n" if returns else "\n"
    return Remediation(
        fix.type,
        file.path,
        min(numbers),
        max(numbers),
        "\n".join(raws),
        replacement.replace("\n", ending) + ("\r" if returns and replacement else ""),
    )
