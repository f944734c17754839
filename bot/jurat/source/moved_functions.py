"""New functions that are old ones under another name, in another place, or both."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from jurat.source.diff import FileChange, Function, FunctionChange

ALIKE = 0.5
"""The share of the longer function's lines that both must have."""

_COMMON = 20
"""Functions beyond which a line that they all have tells nothing."""


class _Body(NamedTuple):
    """A function, where it stands, and its lines without white space, each with its count."""

    path: str
    at: int
    function: Function
    lines: Counter[str]


def find_moved_functions(files: Sequence[FileChange]) -> tuple[FileChange, ...]:
    """The files, each added function with what it was, if one that was removed is much like it.

    Of several that are, one with its qualified name comes first, then the likest; each is taken
    once. If whole texts are not at hand, nothing is.
    """
    gone = [body for file in files for body in _list_bodies(file, FunctionChange.REMOVED)]
    if not gone:
        return tuple(files)
    new = [body for file in files for body in _list_bodies(file, FunctionChange.ADDED)]
    found: dict[str, dict[int, Function]] = {}
    taken: set[int] = set()
    for _, _, ours, theirs in sorted(_iter_candidates(new, gone)):
        body, prior = new[ours], gone[theirs]
        if theirs in taken or body.at in found.get(body.path, {}):
            continue
        taken.add(theirs)
        function = body.function.with_prior(prior.path, prior.function)
        found.setdefault(body.path, {})[body.at] = function
    return tuple(_with_functions(file, found.get(file.path, {})) for file in files)


def _iter_candidates(
    new: Sequence[_Body], gone: Sequence[_Body]
) -> list[tuple[bool, float, int, int]]:
    """The pairs that are alike, sorting from the best to the worst."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for index, body in enumerate(gone):
        for line in body.lines:
            holders[line].append(index)
    pairs = []
    for ours, body in enumerate(new):
        shared: Counter[int] = Counter()
        for line, count in body.lines.items():
            there = holders.get(line, ())
            if len(there) <= _COMMON:
                for index in there:
                    shared[index] += min(count, gone[index].lines[line])
        for theirs, count in shared.items():
            other = gone[theirs]
            likeness = count / max(body.lines.total(), other.lines.total())
            if likeness >= ALIKE:
                renamed = body.function.qualified_name != other.function.qualified_name
                pairs.append((renamed, -likeness, ours, theirs))
    return pairs


def _list_bodies(file: FileChange, change: FunctionChange) -> list[_Body]:
    head = change is FunctionChange.ADDED
    text = file.head if head else file.base
    before = file if head else file.as_base()
    wanted = [at for at, item in enumerate(file.functions) if item.change is change]
    if text is None or before is None or not wanted:
        return []
    lines = text.split("\n")
    return [
        _Body(before.path, at, item, _count_lines(lines[item.start_line - 1 : item.end_line]))
        for at in wanted
        for item in (file.functions[at],)
    ]


def _count_lines(lines: Sequence[str]) -> Counter[str]:
    squeezed = ("".join(line.split()) for line in lines)
    return Counter(line for line in squeezed if line)


def _with_functions(file: FileChange, found: dict[int, Function]) -> FileChange:
    if not found:
        return file
    functions = tuple(found.get(at, item) for at, item in enumerate(file.functions))
    return replace(file, functions=functions)
