"""What of the head's findings stood in the base already: moved, renamed or indented anew."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jurat.source.diff import ChangeRun, FileChange, Function, FunctionChange

TELLING = 6
"""Characters, white space not counted, from which on a text says where it came from.

Below stand `pass`, `"md5"` and a lone bracket, which two places have by chance.
"""


class Occurrence(NamedTuple):
    """Something that a rule found in one version of a file.

    `path` is the head's, for both versions. `code` is the text without white space, `lines` that of
    the whole lines it stands on, with the line above if these are not telling. `symbol` is the
    qualified name of the function or scope around it, "" for none. `kept` is the base's number of
    its first line, None if the change touched that line; `run` the first run of changes that it
    stands in, None for none. `doubtful` is what only advises: it pays for nothing that blocks.
    """

    path: str
    code: str
    lines: str
    symbol: str = ""
    kept: int | None = None
    run: int | None = None
    doubtful: bool = False


def find_news(
    heads: Sequence[Occurrence], bases: Sequence[Occurrence], *, across: bool = False
) -> tuple[list[int], list[int]]:
    """The indexes of what only the head has, and of what only the base had, of one rule.

    Each thing of the base pays for one of the same code, from the surest likeness to the weakest:
    the same line, the same run of changes, the same text, the same symbol, the same file. `across`
    files only the same text or the same symbol counts: what moves takes one of them along.
    """
    waiting, offered = list(range(len(heads))), list(range(len(bases)))
    for key in _ACROSS if across else _WITHIN:
        if not waiting or not offered:
            break
        waiting, offered = _pair(heads, bases, waiting, offered, key)
    return waiting, offered


_Key = Callable[[Occurrence], Hashable | None]


def _list_offers(
    head: Occurrence, ours: Hashable, partners: Mapping[Hashable, deque[int]]
) -> Iterator[deque[int] | None]:
    """What may pay for an occurrence: what is doubtful only for what is doubtful as well."""
    yield partners.get((False, head.code, ours))
    if head.doubtful:
        yield partners.get((True, head.code, ours))


def _pair(
    heads: Sequence[Occurrence],
    bases: Sequence[Occurrence],
    waiting: Sequence[int],
    offered: Sequence[int],
    key: _Key,
) -> tuple[list[int], list[int]]:
    """What is left of both after each took its first partner with the same code and key."""
    partners: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for index in offered:
        if (theirs := key(bases[index])) is not None:
            partners[bases[index].doubtful, bases[index].code, theirs].append(index)
    alone, taken = [], set()
    for index in waiting:
        head, ours = heads[index], key(heads[index])
        offers = () if ours is None else _list_offers(head, ours, partners)
        if found := next(filter(None, offers), None):
            taken.add(found.popleft())
        else:
            alone.append(index)
    return alone, [index for index in offered if index not in taken]


def _get_lines(item: Occurrence) -> str | None:
    return item.lines if len(item.lines) >= TELLING else None


def _get_file(item: Occurrence) -> str | None:
    return item.path if len(item.code) >= TELLING else None


def _get_lines_and_symbol(item: Occurrence) -> tuple[str, str] | None:
    return (item.lines, item.symbol) if item.symbol else None


_WITHIN: tuple[_Key, ...] = (
    lambda item: item.kept,
    lambda item: item.run,
    _get_lines_and_symbol,
    _get_lines,
    lambda item: item.symbol or None,
    _get_file,
)
_ACROSS: tuple[_Key, ...] = (_get_lines_and_symbol, lambda item: item.symbol or None, _get_lines)


@dataclass(frozen=True, slots=True)
class LineMap:
    """Which lines of a file the change left alone, and the runs of changes between them."""

    runs: tuple[ChangeRun, ...]
    added: Sequence[int]
    removed: Sequence[int]
    gaps: Sequence[int]
    run_of_added: Mapping[int, int]
    run_of_removed: Mapping[int, int]

    @classmethod
    def of(cls, file: FileChange) -> LineMap:
        """The map of a file's hunks."""
        runs = file.runs
        added = [line for run in runs for line in run.added]
        removed = [line.number for run in runs for line in run.removed]
        return cls(
            runs,
            added,
            removed,
            # For each removed line the head's line that follows it.
            [run.start for run in runs for _ in run.removed],
            {line: index for index, run in enumerate(runs) for line in run.added},
            {line.number: index for index, run in enumerate(runs) for line in run.removed},
        )

    def find_kept(self, line: int) -> int | None:
        """The base's number of a head line, None if the change added it."""
        if line in self.run_of_added:
            return None
        return line - bisect_left(self.added, line) + bisect_right(self.gaps, line)

    def is_touched(self, first: int, last: int) -> bool:
        """Whether one of these head lines was added."""
        at = bisect_left(self.added, first)
        return at < len(self.added) and self.added[at] <= last

    def find_run(self, first: int, last: int, *, head: bool) -> int | None:
        """The first run that changed one of these lines of a side."""
        lines, runs = (
            (self.added, self.run_of_added) if head else (self.removed, self.run_of_removed)
        )
        at = bisect_left(lines, first)
        return runs[lines[at]] if at < len(lines) and lines[at] <= last else None

    def find_run_before(self, line: int) -> ChangeRun | None:
        """The last run that added lines above a base line; None if there is none."""
        found, moved = None, 0
        for run in self.runs:
            if run.start - moved > line:
                break
            found = run if run.added else found
            moved += len(run.added) - len(run.removed)
        return found


def squeeze(text: str) -> str:
    """A text without white space: the same before and after it is indented or wrapped anew."""
    return "".join(text.split())


def quote_lines(lines: Sequence[str], first: int, last: int) -> str:
    """Lines `first` to `last` (0-based) squeezed, with the one above if they tell too little."""
    text = squeeze("".join(lines[first : last + 1]))
    above = first - 1
    while len(text) < TELLING and above >= max(first - 3, 0):
        text = squeeze(lines[above]) + text
        above -= 1
    return text


def map_innermost_functions(file: FileChange) -> Mapping[int, Function]:
    """The innermost touched function around each line of the head version that has one."""
    found: dict[int, Function] = {}
    there = [item for item in file.functions if item.change is not FunctionChange.REMOVED]
    for function in sorted(there, key=lambda item: item.length, reverse=True):
        found |= dict.fromkeys(range(function.start_line, function.end_line + 1), function)
    return found
