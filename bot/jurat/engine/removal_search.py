"""What a change took away from one file of what must not go."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from jurat.engine.causes import CauseFinder
from jurat.engine.file_matches import NodeMatch, build_message
from jurat.engine.file_versions import FileVersions
from jurat.engine.guard_places import GuardedCode, HeadPart, read_guarded
from jurat.engine.inner_guards import is_asked_inside
from jurat.engine.pattern_search import PatternQuery
from jurat.engine.regexes import CodePlace
from jurat.engine.removals import (
    GuardMatch,
    Scopes,
    build_removed_location,
    find_removed,
    list_brought_lines,
    read_scopes,
    to_guard,
    to_guarded_code,
    to_head_part,
)
from jurat.engine.successors import is_reworded, is_succeeded
from jurat.findings.finding import Cause
from jurat.source.diff import FileChange
from jurat.source.names import UnresolvedNamesError

_DEFINES = re.compile(r"\b(def|class|func|function)\b|=>|\)\s*\{")
"""A line that may put what stands below it into another function."""


class Removal(NamedTuple):
    """What the change took away that must not go.

    `around` is the code of the head around that place. `gone` is what it guarded, squeezed, if the
    head has not got that either, "" if it has. `for_file` is whether it stood in no function.
    """

    place: CodePlace
    around: str
    gone: str
    for_file: bool


def find_removals(
    versions: FileVersions, asked: Sequence[PatternQuery], causes: CauseFinder
) -> tuple[Removal, ...]:
    """What is gone of what the queries for removals match in the base, and nothing serves."""
    file = versions.file
    queries = [query for query in asked if query.removed]
    if not queries or file.head is None:
        return ()
    before = versions.match_base(queries)
    # If nothing was guarded nothing can be lost: most heads need not be searched.
    if not before:
        return ()
    versions = versions.live
    is_idle = versions.file.head != file.head
    if is_idle:
        before = versions.match_base(queries)
    elif not any(occurrence.run is not None for _, occurrence in before) and not any(
        _DEFINES.search(line) for line in list_brought_lines(file)
    ):
        return ()
    try:
        found = versions.match_head(queries)
    except UnresolvedNamesError:
        return ()
    guards = [to_guard(*pair) for pair in before]
    parts = [to_head_part(part) for part in versions.head]
    scopes = cache(lambda: read_scopes(versions.head))
    lost = find_removed(
        guards,
        [to_guard(match, versions.describe(match, head=True)) for match in found],
        scopes,
        versions.lines,
        lambda run, guard: (
            causes.is_deletion(run)
            or not is_reworded(to_guarded_code(guard, run.start), guard.node, parts, run.added)
        ),
    )
    return tuple(
        _build_removal(file, before[at][0], guards[at], cause, scopes())
        for at, cause in lost
        if not _is_served(file, before[at][0], to_guarded_code(guards[at], cause.line), parts)
    )


def _build_removal(
    file: FileChange, match: NodeMatch, guard: GuardMatch, cause: Cause, scopes: Scopes
) -> Removal:
    text = read_guarded(guard.node)
    location = build_removed_location(file, guard, cause)
    return Removal(
        CodePlace(location, build_message(match), (guard.occurrence,)),
        around=scopes.get(guard.guarded.partition(".")[0]),
        gone="" if text in scopes.written else text,
        for_file=not (guard.guarded or guard.route),
    )


def _is_served(
    file: FileChange, guard: NodeMatch, guarded: GuardedCode, parts: Sequence[HeadPart]
) -> bool:
    """Whether added lines do what a guard did, in its place or in what it guarded."""
    added = file.added_lines
    return is_succeeded(guarded, guard.query.instead, parts, added) or is_asked_inside(
        guard.node, guarded, guard.part.language, parts, added
    )
