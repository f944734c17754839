"""The places of what is new in a file: each span of lines once, with its cause and its fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jurat.engine.baseline import Occurrence
from jurat.engine.causes import CauseFinder
from jurat.engine.file_matches import (
    Extent,
    NodeMatch,
    build_fixes,
    build_location,
    build_message,
    build_replacement,
)
from jurat.engine.file_versions import FileVersions
from jurat.engine.fixes import Replacement
from jurat.engine.regexes import CodePlace
from jurat.findings.finding import Fix, Location
from jurat.rules.messages import join_messages


def build_places(
    versions: FileVersions,
    new: Sequence[NodeMatch],
    heads: Mapping[Extent, Occurrence],
    causes: CauseFinder,
) -> tuple[tuple[CodePlace, ...], tuple[Fix, ...]]:
    """The places of new matches, in the order of lines, and the fixes of each part of the file."""
    places: dict[tuple[int, int], Location] = {}
    messages_at: dict[tuple[int, int], dict[str, None]] = {}
    occurrences_at: dict[tuple[int, int], dict[Extent, Occurrence]] = {}
    edits: dict[tuple[int, str], list[Replacement]] = {}
    for match in new:
        occurrence = heads[match.extent]
        span = match.first, match.last
        occurrences_at.setdefault(span, {})[match.extent] = occurrence
        messages_at.setdefault(span, {})[build_message(match)] = None
        if span not in places or (places[span].doubt and not match.doubt):
            location = build_location(versions.file, match, versions.functions)
            cause = causes.find(match.query, occurrence.code, match.first, match.last)
            places[span] = replace(location, cause=cause) if cause else location
        edit = build_replacement(match)
        if edit is not None:
            key = match.part.number, match.query.description
            edits.setdefault(key, []).append(edit)
    parts = {match.part.number: match.part for match in new}
    found = tuple(
        CodePlace(
            places[span], join_messages(messages_at[span]), tuple(occurrences_at[span].values())
        )
        for span in sorted(places)
    )
    return found, tuple(build_fixes(versions.file, parts, edits))
