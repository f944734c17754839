"""The lines around the evidence of a clause, as a model is shown them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.rating.evidence import Evidence, Signals
from bot.rating.ratings import ClauseRating
from bot.rating.recon.worktree import FileEntry, Worktree
from bot.subjects.change import FileChange, FileStatus, Hunk, Line
from bot.subjects.diff import decode_text
from bot.subjects.languages import language_of

PLACES_A_RULE = 6
"""Places that are shown of each rule: those of one never crowd out another's."""
PLACES_A_SIGNAL = 2
_AROUND = 8
"""Lines shown before and behind a place that stands in no function, or in a long one."""
_FUNCTION_LINES = 60
"""Lines of a function that is shown in the whole."""

Span = tuple[int, int]


def chunks(rated: ClauseRating, signals: Signals, worktree: Worktree) -> tuple[FileChange, ...]:
    """The files that speak for or against a clause, as runs of lines that stand there.

    Where a rule gave no evidence, the clause's signals still say where to look. A file that cannot
    be read any more is `unread`.
    """
    places = [
        *(item for scored in rated.rules for item in scored.evidence[:PLACES_A_RULE]),
        *(
            item
            for name in rated.clause.signals_required
            for item in signals[name].evidence[:PLACES_A_SIGNAL]
        ),
    ]
    entries = {entry.path: entry for entry in worktree.entries}
    by_path: dict[str, list[Evidence]] = {}
    for place in places:
        by_path.setdefault(place.path, []).append(place)
    return tuple(
        _file(worktree, entries[path], by_path[path]) for path in sorted(by_path) if path in entries
    )


def _file(worktree: Worktree, entry: FileEntry, places: Sequence[Evidence]) -> FileChange:
    language = language_of(entry.path)
    try:
        text = decode_text(worktree.read(entry))
    except OSError:
        reason = "it could not be read again"
        return FileChange(entry.path, FileStatus.ADDED, language=language, unread=reason)
    lines = text.split("\n")
    hunks = tuple(
        Hunk(
            0,
            0,
            first,
            last - first + 1,
            "",
            tuple(
                Line("added", None, number, lines[number - 1]) for number in range(first, last + 1)
            ),
        )
        for first, last in _joined(_around(place, len(lines)) for place in places)
    )
    return FileChange(entry.path, FileStatus.ADDED, language=language, hunks=hunks)


def _around(place: Evidence, count: int) -> Span:
    if 0 < place.first <= place.last and place.last - place.first < _FUNCTION_LINES:
        first, last = place.first, place.last
    else:
        first, last = place.line - _AROUND, place.line + _AROUND
    return min(max(first, 1), count), max(min(last, count), 1)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that touch as one."""
    joined: list[Span] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return joined
