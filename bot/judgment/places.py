"""From an anchor to what a verdict carries: a Location in its surface's terms, a Remediation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from bot.judgment.anchoring import Anchor, function_at
from bot.judgment.exhibits import Row
from bot.judgment.facts import FactLine
from bot.judgment.replies import ProposedFix
from bot.subjects.kinds import Surface
from bot.verdicts import Location, Remediation

Fields = dict[str, str | int]

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?P<name>.*?)\s*#*\s*$")
_CLAUSE = re.compile(
    r"\s*(?:[-*>]\s+|#{1,6}\s+)?\**(?:(?:Clause|Section|Article|Art\.?|§)\s*)?"
    r"(?P<name>\d+(?:\.\d+)*(?:\([a-z0-9]{1,4}\))*)(?=[.):*]*\s|[.):*]*$)"
)
_NAMES = ("ref", "id", "number", "name", "step", "segment", "heading", "title")
"""Keys by which an element of a list is called, the first that it has."""


def location(anchor: Anchor, surface: Surface) -> Location:
    """The place as a verdict on `surface` says it."""
    lines = [row.line for row in anchor.rows if row.line is not None]
    file = anchor.exhibit.file
    return Location(
        surface,
        file.path if file is not None else None,
        min(lines) if lines else None,
        max(lines) if lines else None,
        _FIELDS[surface](anchor),
    )


def _code(anchor: Anchor) -> Fields:
    fields: Fields = {"snippet": anchor.text}
    if function := function_at(anchor.exhibit, anchor.rows[0].line):
        fields["function_name"] = function
    return fields


def _text_with(name: str, place: re.Pattern[str]) -> Callable[[Anchor], Fields]:
    def fields_of(anchor: Anchor) -> Fields:
        fields: Fields = {"span_text": anchor.text}
        if called := _element_name(anchor) or _above(anchor, place):
            fields[name] = called
        start, end = _offset(anchor, anchor.rows[0]), _offset(anchor, anchor.rows[-1])
        if start is not None and end is not None:
            before_last = sum(len(row.text) + 1 for row in anchor.rows[:-1])
            fields["offset_start"] = max(0, start + anchor.start)
            fields["offset_end"] = max(0, end + anchor.end - before_last)
        return fields

    return fields_of


def _transaction(anchor: Anchor) -> Fields:
    fact = anchor.rows[0].fact
    if fact is None:
        return {"current_value": anchor.text}
    return {
        "json_path": fact.path,
        "field_name": _last_key(fact.path),
        "current_value": fact.value,
    }


def _human_action(anchor: Anchor) -> Fields:
    fact = anchor.rows[0].fact
    fields: Fields = {"context": anchor.text}
    if fact is not None:
        fields["field"] = _last_key(fact.path)
    element = fact.path.rpartition("]")[0] if fact is not None else ""
    if element:
        fields["step"] = _element_name(anchor) or f"{element}]"
    elif fact is None and (heading := _above(anchor, _HEADING)):
        fields["step"] = heading
    return fields


def _generic(anchor: Anchor) -> Fields:
    if anchor.rows[0].fact is not None:
        return _transaction(anchor)
    fields = _code(anchor)
    if heading := _above(anchor, _HEADING):
        fields["section"] = heading
    return fields


_FIELDS: Mapping[Surface, Callable[[Anchor], Fields]] = MappingProxyType(
    {
        Surface.CODE: _code,
        Surface.CONTRACT: _text_with("clause_ref", _CLAUSE),
        Surface.TRANSACTION: _transaction,
        Surface.DOCUMENT: _text_with("section", _HEADING),
        Surface.MESSAGE: _text_with("segment", _HEADING),
        Surface.HUMAN_ACTION: _human_action,
        Surface.GENERIC: _generic,
    }
)


def _last_key(path: str) -> str:
    return re.sub(r"(\[\d+\])+$", "", path).rpartition(".")[2]


def _element_name(anchor: Anchor) -> str | None:
    """What the facts call the element of a list that the quote stands in, or a text's own key."""
    fact = anchor.rows[0].fact
    if fact is None:
        return None
    if "[" not in fact.path:
        return fact.path
    element = fact.path.rpartition("]")[0] + "]"
    beside = {other.path: other for other in _facts(anchor)}
    for name in _NAMES:
        if named := beside.get(f"{element}.{name}"):
            return named.value
    return None


def _facts(anchor: Anchor) -> Iterator[FactLine]:
    for block in anchor.exhibit.blocks:
        for row in block.rows:
            if row.fact is not None:
                yield row.fact


def _above(anchor: Anchor, place: re.Pattern[str]) -> str | None:
    """The nearest heading or number at or above the quote's first line."""
    for line in _lines_upwards(anchor):
        if match := place.match(line):
            return match["name"]
    return None


def _lines_upwards(anchor: Anchor) -> Iterator[str]:
    first = anchor.rows[0]
    file = anchor.exhibit.file
    if first.fact is not None and first.fact.offset is not None:
        before = next(item.value for item in _facts(anchor) if item.path == first.fact.path)
        yield from reversed(before[: first.fact.offset + len(first.raw)].split("\n"))
    elif file is not None and file.head is not None and first.line is not None:
        yield from reversed(file.head.split("\n")[: first.line])
    else:
        block = next(item for item in anchor.exhibit.blocks if first in item.rows)
        rows = [row for row in block.rows[: block.rows.index(first) + 1] if row.head]
        yield from (row.raw for row in reversed(rows))
        yield block.section


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

    A fix that needs a person, as `block` does, only says what to do. One that changes facts names
    the old and the new value. One that changes text needs a quote that matched exactly. None is
    ever `auto_applicable`: nobody has checked what a model wrote.
    """
    if fix.type not in _REPLACING | _INSERTING | {"delete", "field_change"}:
        return Remediation(fix.type, description=fix.replacement)
    first = anchor.rows[0]
    if fix.type == "field_change" or first.fact is not None:
        original = anchor.text if first.fact is None else first.fact.value
        where = f"{first.fact.path} = {fix.replacement}" if first.fact is not None else ""
        return Remediation(
            fix.type, original=original, replacement=fix.replacement, description=where
        )
    return _of_lines(anchor, fix)


def _of_lines(anchor: Anchor, fix: ProposedFix) -> Remediation | None:
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
