"""What hunks alone show of functions, where no whole text is at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from bot.subjects.change import FileChange, Fragment, FunctionChange, Hunk, Line
from bot.subjects.definitions import SCOPE, Definition, outline
from bot.subjects.grammars import GRAMMARS
from bot.subjects.syntax import WRAPPER_NAME, parse_fragment, parsed


@dataclass(frozen=True, slots=True)
class Glimpse:
    """The functions that begin in hunks, on each side, and those that changed lines lie inside of.

    `around` holds functions that begin before a hunk, by what git printed behind its second @@.
    """

    heads: tuple[Definition, ...]
    bases: tuple[Definition, ...]
    around: tuple[Definition, ...]


def glimpse(file: FileChange) -> Glimpse:
    """What the hunks of a file show. Its language is one of GRAMMARS."""
    heads: list[Definition] = []
    bases: list[Definition] = []
    around: list[Definition] = []
    for hunk in file.hunks:
        alone = replace(file, hunks=(hunk,), head=None, base=None)
        section = _section(hunk.section, file.language or "")
        enclosing = None if section is None else replace(section, complexity=1, partial=True)
        shown = list(_shown(alone, "head", enclosing))
        shown_before = list(_shown(alone, "base", None))
        lead = _lead(hunk, shown, shown_before)
        if (
            enclosing is not None
            and enclosing.kind != SCOPE
            and any(line.kind != "context" for line in lead)
        ):
            numbers = [line.new for line in lead if line.new is not None] or [hunk.new_start]
            around.append(replace(enclosing, start_line=numbers[0], end_line=numbers[-1]))
        heads += _list_functions(shown, enclosing)
        bases += _list_functions(shown_before, enclosing)
    return Glimpse(tuple(heads), tuple(bases), tuple(around))


def merged(
    changed: Iterable[tuple[Definition, FunctionChange]],
) -> list[tuple[Definition, FunctionChange]]:
    """Each function once, though several hunks may show a part of it."""
    found: dict[tuple[str, bool], tuple[Definition, FunctionChange]] = {}
    for definition, change in changed:
        key = definition.qualified_name, change is FunctionChange.REMOVED
        if key not in found:
            found[key] = definition, change
            continue
        first, first_change = found[key]
        whole = replace(
            first,
            start_line=min(first.start_line, definition.start_line),
            end_line=max(first.end_line, definition.end_line),
            complexity=first.complexity + definition.complexity - 1,
            nesting=max(first.nesting, definition.nesting),
        )
        is_new = FunctionChange.ADDED in (change, first_change)
        found[key] = whole, FunctionChange.ADDED if is_new else change
    return list(found.values())


def _shown(
    file: FileChange, side: Literal["base", "head"], around: Definition | None
) -> Iterator[Definition]:
    for source in parsed(file, side):
        for definition in outline(source, file.language or "", around):
            if definition.name != WRAPPER_NAME:
                yield definition


def _list_functions(
    shown: Iterable[Definition], enclosing: Definition | None
) -> Iterator[Definition]:
    """The functions among what is shown, named after the class that the hunk lies inside of."""
    for definition in shown:
        if definition.kind == SCOPE:
            continue
        inside = enclosing is not None and enclosing.kind == SCOPE and definition.column > 0
        if inside and enclosing is not None and "." not in definition.qualified_name:
            name = f"{enclosing.qualified_name}.{definition.name}"
            kind = "method" if definition.kind == "function" else definition.kind
            yield replace(definition, qualified_name=name, kind=kind)
        else:
            yield definition


def _lead(
    hunk: Hunk, shown: Sequence[Definition], shown_before: Sequence[Definition]
) -> list[Line]:
    """The lines of a hunk that still belong to what began before it.

    Up to the first definition, or the first line at the left margin that is no closing bracket.
    """
    first_new = min((definition.start_line for definition in shown), default=None)
    first_old = min((definition.start_line for definition in shown_before), default=None)
    lead: list[Line] = []
    for line in hunk.lines:
        if (line.new is not None and line.new == first_new) or (
            line.old is not None and line.old == first_old
        ):
            break
        at_margin = line.text[:1].strip()
        if at_margin and at_margin not in ")]{}":
            break
        lead.append(line)
        if at_margin == "}":
            break
    return lead


@lru_cache(maxsize=1024)
def _section(section: str, language: str) -> Definition | None:
    """The function or class that begins with a hunk's section, which git may have cut short."""
    best: Definition | None = None
    for ending in GRAMMARS[language].endings:
        source = parse_fragment(Fragment(1, section + ending), language)
        found = [d for d in outline(source, language) if d.name != WRAPPER_NAME]
        if found and source.clean:
            return found[-1]
        best = best or (found[-1] if found else None)
    return best
