"""What a change did to functions: which are new, which are different, which are gone."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from bot.subjects.change import FileChange, FileStatus, Function, FunctionChange, Hunk
from bot.subjects.definitions import SCOPE, Definition, outline
from bot.subjects.glimpses import glimpse, merged
from bot.subjects.grammars import GRAMMARS
from bot.subjects.syntax import parsed

Changed = tuple[Definition, FunctionChange]


def touched_functions(file: FileChange) -> tuple[Function, ...]:
    """The functions that the change adds, changes or removes, those of the head in front.

    Functions are told apart by qualified name. One whose text is the same before and after, only
    elsewhere in the file, is none of the three. Where no whole text is at hand, what the hunks show
    is compared instead, and every function is `partial`. Nothing comes of a file that was not read,
    or whose language is not in `grammars.GRAMMARS`.
    """
    language = file.language
    if file.unread is not None or language is None or language not in GRAMMARS:
        return ()
    changed = list(_changed_in_whole(file) if _is_whole(file) else _changed_in_hunks(file))
    functions = [_function(definition, change, language) for definition, change in changed]
    return tuple(sorted(functions, key=_position))


def _is_whole(file: FileChange) -> bool:
    if file.status is FileStatus.REMOVED:
        return file.base is not None
    return file.head is not None and (file.base is not None or file.status is FileStatus.ADDED)


def _changed_in_whole(file: FileChange) -> Iterator[Changed]:
    heads = [] if file.status is FileStatus.REMOVED else _functions(file, "head")
    bases = [] if file.status is FileStatus.ADDED else _functions(file, "base")
    yield from _compared(heads, bases, _touched_names(file.hunks, heads, bases))


def _changed_in_hunks(file: FileChange) -> list[Changed]:
    seen = glimpse(file)
    names = _touched_names(file.hunks, seen.heads, seen.bases)
    added = file.added_lines
    changed = [(definition, FunctionChange.CHANGED) for definition in seen.around]
    for definition, change in _compared(seen.heads, seen.bases, names):
        # A base that does not parse shows no functions: only an added first line makes one new.
        seen_before = change is FunctionChange.ADDED and definition.start_line not in added
        changed.append((definition, FunctionChange.CHANGED if seen_before else change))
    return merged(changed)


def _functions(file: FileChange, side: Literal["base", "head"]) -> list[Definition]:
    if file.language is None:
        return []
    return [
        definition
        for source in parsed(file, side)
        for definition in outline(source, file.language)
        if definition.kind != SCOPE
    ]


def _function(definition: Definition, change: FunctionChange, language: str) -> Function:
    return Function(
        name=definition.name,
        qualified_name=definition.qualified_name,
        kind=definition.kind,
        change=change,
        start_line=definition.start_line,
        end_line=definition.end_line,
        parameters=definition.parameters(language),
        nesting=definition.nesting,
        complexity=definition.complexity,
        partial=definition.partial,
    )


def _position(function: Function) -> tuple[bool, int, int]:
    return function.change is FunctionChange.REMOVED, function.start_line, -function.end_line


def _compared(
    heads: Sequence[Definition], bases: Sequence[Definition], names: Iterable[str]
) -> Iterator[Changed]:
    """What became of the functions of these names. Overloads share a name, and are paired."""
    after, before = _by_name(heads), _by_name(bases)
    new: list[Definition] = []
    gone: list[Definition] = []
    for name in names:
        _, ours, theirs = _paired(after[name], before[name], lambda d: d.text)
        alike, ours, theirs = _paired(ours, theirs, Definition.signature)
        by_order, ours, theirs = _paired(ours, theirs, lambda _: "")
        yield from ((d, FunctionChange.CHANGED) for d in (*alike, *by_order))
        new += ours
        gone += theirs
    _, new, gone = _paired(new, gone, lambda d: d.name + "\n" + d.text)
    yield from ((d, FunctionChange.ADDED) for d in new)
    yield from ((d, FunctionChange.REMOVED) for d in gone)


def _paired(
    ours: Iterable[Definition], theirs: Iterable[Definition], key: Callable[[Definition], str]
) -> tuple[list[Definition], list[Definition], list[Definition]]:
    """Those of `ours` that have a partner of the same key in `theirs`, and the rest of each."""
    waiting: defaultdict[str, deque[Definition]] = defaultdict(deque)
    for definition in theirs:
        waiting[key(definition)].append(definition)
    paired: list[Definition] = []
    alone: list[Definition] = []
    for definition in ours:
        partners = waiting[key(definition)]
        if partners:
            partners.popleft()
            paired.append(definition)
        else:
            alone.append(definition)
    return paired, alone, [definition for left in waiting.values() for definition in left]


def _by_name(definitions: Iterable[Definition]) -> defaultdict[str, list[Definition]]:
    grouped: defaultdict[str, list[Definition]] = defaultdict(list)
    for definition in definitions:
        grouped[definition.qualified_name].append(definition)
    return grouped


def _touched_names(
    hunks: Sequence[Hunk], heads: Iterable[Definition], bases: Iterable[Definition]
) -> list[str]:
    """The names of all functions with a changed line in them, on either side, each once."""
    names: dict[str, None] = {}
    for definitions, changed, missing in ((heads, "added", "removed"), (bases, "removed", "added")):
        lines, gaps = _places(hunks, changed, missing)
        for definition in definitions:
            first, last = definition.start_line, definition.end_line
            if _any_between(lines, first, last) or _any_between(gaps, first, last - 1):
                names[definition.qualified_name] = None
    return list(names)


def _places(hunks: Sequence[Hunk], changed: str, missing: str) -> tuple[list[int], list[int]]:
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


def _any_between(numbers: Sequence[int], first: int, last: int) -> bool:
    """Whether one of the ascending numbers lies in a range, both ends included."""
    i = bisect_left(numbers, first)
    return i < len(numbers) and numbers[i] <= last
