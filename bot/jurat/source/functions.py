"""What a change did to functions: which are new, which are different, which are gone."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from jurat.source.definitions import SCOPE, Definition, find_definitions
from jurat.source.diff import (
    FileChange,
    FileStatus,
    Function,
    FunctionChange,
    Hunk,
    Line,
    TextFragment,
)
from jurat.source.grammars import GRAMMARS
from jurat.source.syntax import WRAPPER_NAME, parse_fragment, parse_side


class Changed(NamedTuple):
    """A definition, what became of it, and what it was before, if it stood in the base."""

    definition: Definition
    change: FunctionChange
    before: Definition | None = None


def find_touched_functions(file: FileChange) -> tuple[Function, ...]:
    """The functions that the change adds, changes or removes, those of the head in front.

    One that changed carries what it measured before.
    Functions are told apart by qualified name. One whose text is the same before and after, only
    elsewhere in the file, is none of the three. If no whole text is at hand, what the hunks show
    is compared instead, and every function is `partial`. Nothing comes of a file that was not read,
    or whose language is not in `grammars.GRAMMARS`.
    """
    language = file.language
    if file.unread is not None or language is None or language not in GRAMMARS:
        return ()
    changed = list(
        _find_changed_in_whole(file) if _is_whole(file) else _find_changed_in_hunks(file)
    )
    before = file.as_base()
    functions = []
    for item in changed:
        function = _build_function(item.definition, item.change, language)
        if item.before is not None and before is not None:
            prior = _build_function(item.before, FunctionChange.REMOVED, language)
            function = function.with_prior(before.path, prior)
        functions.append(function)
    return tuple(sorted(functions, key=_get_sort_key))


def _is_whole(file: FileChange) -> bool:
    if file.status is FileStatus.REMOVED:
        return file.base is not None
    return file.head is not None and (file.base is not None or file.status is FileStatus.ADDED)


def _find_changed_in_whole(file: FileChange) -> Iterator[Changed]:
    heads = [] if file.status is FileStatus.REMOVED else _list_definitions(file, "head")
    bases = [] if file.status is FileStatus.ADDED else _list_definitions(file, "base")
    yield from _compare_functions(heads, bases, _list_touched_names(file.hunks, heads, bases))


def _find_changed_in_hunks(file: FileChange) -> list[Changed]:
    seen = find_partial_functions(file)
    names = _list_touched_names(file.hunks, seen.heads, seen.bases)
    added = file.added_lines
    changed = [Changed(definition, FunctionChange.CHANGED) for definition in seen.around]
    for item in _compare_functions(seen.heads, seen.bases, names):
        # A base that does not parse shows no functions: only an added first line makes one new.
        if item.change is FunctionChange.ADDED and item.definition.start_line not in added:
            changed.append(item._replace(change=FunctionChange.CHANGED))
        else:
            changed.append(item)
    return merge_partial_functions(changed)


def _list_definitions(file: FileChange, side: Literal["base", "head"]) -> list[Definition]:
    if file.language is None:
        return []
    return [
        definition
        for source in parse_side(file, side)
        for definition in find_definitions(source, file.language)
        if definition.kind != SCOPE
    ]


def _build_function(definition: Definition, change: FunctionChange, language: str) -> Function:
    return Function(
        name=definition.name,
        qualified_name=definition.qualified_name,
        kind=definition.kind,
        change=change,
        start_line=definition.start_line,
        end_line=definition.end_line,
        parameters=definition.list_parameters(language),
        nesting=definition.nesting,
        complexity=definition.complexity,
        partial=definition.partial,
        code_lines=definition.count_code_lines(language),
    )


def _get_sort_key(function: Function) -> tuple[bool, int, int]:
    return function.change is FunctionChange.REMOVED, function.start_line, -function.end_line


def _compare_functions(
    heads: Sequence[Definition], bases: Sequence[Definition], names: Iterable[str]
) -> Iterator[Changed]:
    """What became of the functions of these names. Overloads share a name, and are paired."""
    after, before = _group_by_name(heads), _group_by_name(bases)
    new: list[Definition] = []
    gone: list[Definition] = []
    for name in names:
        # From the surest likeness to the weakest: an overload that moved must not be paired with
        # another that changed.
        _, ours, theirs = _pair_by_key(after[name], before[name], lambda d: d.text)
        alike, ours, theirs = _pair_by_key(ours, theirs, Definition.signature)
        by_order, ours, theirs = _pair_by_key(ours, theirs, lambda _: "")
        yield from (Changed(d, FunctionChange.CHANGED, was) for d, was in (*alike, *by_order))
        new += ours
        gone += theirs
    # Across qualified names at last: a function that only moved to another class did not change.
    _, new, gone = _pair_by_key(new, gone, lambda d: d.name + "\n" + d.text)
    yield from (Changed(d, FunctionChange.ADDED) for d in new)
    yield from (Changed(d, FunctionChange.REMOVED) for d in gone)


def _pair_by_key(
    ours: Iterable[Definition], theirs: Iterable[Definition], key: Callable[[Definition], str]
) -> tuple[list[tuple[Definition, Definition]], list[Definition], list[Definition]]:
    """Those of `ours` with their partners of the same key in `theirs`, and the rest of each."""
    waiting: defaultdict[str, deque[Definition]] = defaultdict(deque)
    for definition in theirs:
        waiting[key(definition)].append(definition)
    paired: list[tuple[Definition, Definition]] = []
    alone: list[Definition] = []
    for definition in ours:
        partners = waiting[key(definition)]
        if partners:
            paired.append((definition, partners.popleft()))
        else:
            alone.append(definition)
    return paired, alone, [definition for left in waiting.values() for definition in left]


def _group_by_name(definitions: Iterable[Definition]) -> defaultdict[str, list[Definition]]:
    grouped: defaultdict[str, list[Definition]] = defaultdict(list)
    for definition in definitions:
        grouped[definition.qualified_name].append(definition)
    return grouped


def _list_touched_names(
    hunks: Sequence[Hunk], heads: Iterable[Definition], bases: Iterable[Definition]
) -> list[str]:
    """The names of all functions with a changed line in them, on either side, each once."""
    names: dict[str, None] = {}
    for definitions, changed, missing in ((heads, "added", "removed"), (bases, "removed", "added")):
        lines, gaps = _list_places(hunks, changed, missing)
        for definition in definitions:
            first, last = definition.start_line, definition.end_line
            if _has_any_between(lines, first, last) or _has_any_between(gaps, first, last - 1):
                names[definition.qualified_name] = None
    return list(names)


def _list_places(hunks: Sequence[Hunk], changed: str, missing: str) -> tuple[list[int], list[int]]:
    """The line numbers of one side's changed lines, and of lines behind which some are missing."""
    lines: list[int] = []
    gaps: list[int] = []
    on_head = changed == "added"
    for hunk in hunks:
        start, length = (
            (hunk.new_start, hunk.new_length) if on_head else (hunk.old_start, hunk.old_length)
        )
        at = start - 1 if length else start
        for line in hunk.lines:
            if line.kind == missing:
                gaps.append(at)
                continue
            at += 1
            if line.kind == changed:
                lines.append(at)
    return lines, gaps


def _has_any_between(numbers: Sequence[int], first: int, last: int) -> bool:
    """Whether one of the ascending numbers lies in a range, both ends included."""
    i = bisect_left(numbers, first)
    return i < len(numbers) and numbers[i] <= last


@dataclass(frozen=True, slots=True)
class PartialFunction:
    """The functions that begin in hunks, on each side, and those that changed lines lie inside of.

    `around` holds functions that begin before a hunk, by what git printed behind its second @@.
    """

    heads: tuple[Definition, ...]
    bases: tuple[Definition, ...]
    around: tuple[Definition, ...]


def find_partial_functions(file: FileChange) -> PartialFunction:
    """What the hunks of a file show. Its language is one of GRAMMARS."""
    heads: list[Definition] = []
    bases: list[Definition] = []
    around: list[Definition] = []
    for hunk in file.hunks:
        alone = replace(file, hunks=(hunk,), head=None, base=None)
        section = _parse_section(hunk.section, file.language or "")
        enclosing = None if section is None else replace(section, complexity=1, partial=True)
        head_definitions = list(_iter_definitions(alone, "head", enclosing))
        base_definitions = list(_iter_definitions(alone, "base", None))
        lead = _list_leading_lines(hunk, head_definitions, base_definitions)
        if (
            enclosing is not None
            and enclosing.kind != SCOPE
            and any(line.kind != "context" for line in lead)
        ):
            numbers = [line.new for line in lead if line.new is not None] or [hunk.new_start]
            around.append(replace(enclosing, start_line=numbers[0], end_line=numbers[-1]))
        heads += _list_functions(head_definitions, enclosing)
        bases += _list_functions(base_definitions, enclosing)
    return PartialFunction(tuple(heads), tuple(bases), tuple(around))


def merge_partial_functions(changed: Iterable[Changed]) -> list[Changed]:
    """Each function once, though several hunks may show a part of it."""
    found: dict[tuple[str, bool], Changed] = {}
    for item in changed:
        key = item.definition.qualified_name, item.change is FunctionChange.REMOVED
        if key not in found:
            found[key] = item
            continue
        first = found[key]
        is_new = FunctionChange.ADDED in (item.change, first.change)
        found[key] = Changed(
            _join_parts(first.definition, item.definition),
            FunctionChange.ADDED if is_new else item.change,
            _join_parts(first.before, item.before) if first.before and item.before else None,
        )
    return list(found.values())


def _join_parts(one: Definition, other: Definition) -> Definition:
    return replace(
        one,
        start_line=min(one.start_line, other.start_line),
        end_line=max(one.end_line, other.end_line),
        complexity=one.complexity + other.complexity - 1,
        nesting=max(one.nesting, other.nesting),
    )


def _iter_definitions(
    file: FileChange, side: Literal["base", "head"], around: Definition | None
) -> Iterator[Definition]:
    for source in parse_side(file, side):
        for definition in find_definitions(source, file.language or "", around):
            if definition.name != WRAPPER_NAME:
                yield definition


def _list_functions(
    head_definitions: Iterable[Definition], enclosing: Definition | None
) -> Iterator[Definition]:
    """The functions among what is shown, named after the class that the hunk lies inside of."""
    for definition in head_definitions:
        if definition.kind == SCOPE:
            continue
        inside = enclosing is not None and enclosing.kind == SCOPE and definition.column > 0
        if inside and enclosing is not None and "." not in definition.qualified_name:
            name = f"{enclosing.qualified_name}.{definition.name}"
            kind = "method" if definition.kind == "function" else definition.kind
            yield replace(definition, qualified_name=name, kind=kind)
        else:
            yield definition


def _list_leading_lines(
    hunk: Hunk, head_definitions: Sequence[Definition], base_definitions: Sequence[Definition]
) -> list[Line]:
    """The lines of a hunk that still belong to what began before it.

    Up to the first definition, or the first line at the left margin that is no closing bracket.
    """
    first_new = min((definition.start_line for definition in head_definitions), default=None)
    first_old = min((definition.start_line for definition in base_definitions), default=None)
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
def _parse_section(section: str, language: str) -> Definition | None:
    """The function or class that begins with a hunk's section, which git may have cut short."""
    best: Definition | None = None
    for ending in GRAMMARS[language].endings:
        source = parse_fragment(TextFragment(1, section + ending), language)
        found = [d for d in find_definitions(source, language) if d.name != WRAPPER_NAME]
        if found and source.clean:
            return found[-1]
        best = best or (found[-1] if found else None)
    return best
