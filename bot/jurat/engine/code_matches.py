"""What the code constraints of one rule found in all files of a change."""

from __future__ import annotations

from dataclasses import dataclass, field

from jurat.engine.regexes import CodePlace
from jurat.findings.finding import Fix, Location
from jurat.findings.verdict import UnreadFile


@dataclass(slots=True)
class CodeMatches:
    """What one rule's code constraints found, how to fix it, and what was not read.

    `files` counts the files that the rule looked at or should have.
    """

    places: list[CodePlace] = field(default_factory=list)
    remediations: list[Fix] = field(default_factory=list)
    unread: list[UnreadFile] = field(default_factory=list)
    files: int = 0

    def limit(self, most: int) -> CodeMatches:
        """The findings with at most so many places, and no fix for any other."""
        places = self.places[:most]
        kept = {_get_start(place.location) for place in places}
        fixes = [fix for fix in self.remediations if _get_start(fix) in kept]
        if len(places) == len(self.places):
            fixes = self.remediations
        return CodeMatches(places, fixes, self.unread, self.files)

    def sort(self) -> None:
        """Put places and fixes in the order of paths and lines."""
        self.places.sort(key=lambda place: _get_start(place.location))
        self.remediations.sort(key=_get_start)


def _get_start(item: Location | Fix) -> tuple[str, int]:
    return item.file_path or "", item.start_line or 0
