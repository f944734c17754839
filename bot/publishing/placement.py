"""Where a finding is shown: decided from the diff before anything is written.

GitHub refuses a whole review when one comment's line lies outside a hunk, and does not say which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.publishing.findings import Finding
from bot.subjects.change import FileChange, Hunk


@dataclass(frozen=True, slots=True)
class Inline:
    """A range of head lines that lies inside one hunk.

    `suggestible`: it is the range of a fix that was tried and held.
    """

    start_line: int
    end_line: int
    suggestible: bool


def place(finding: Finding, files: Mapping[str, FileChange]) -> Inline | None:
    """The range to comment on, or None where the finding is no part of the diff's head side.

    The range of a fix that held comes first, so that its suggestion replaces just those lines;
    then the finding's range; then the first added line inside it, such as for a long function.
    """
    location = finding.location
    if location is None or location.file_path is None or location.start_line is None:
        return None
    file = files.get(location.file_path)
    if file is None or file.unread is not None:
        return None
    end_line = location.end_line or location.start_line
    fix = finding.remediation
    if (
        fix
        and fix.proven
        and fix.start_line
        and fix.end_line
        and _inside(file, fix.start_line, fix.end_line)
    ):
        return Inline(fix.start_line, fix.end_line, suggestible=True)
    if _inside(file, location.start_line, end_line):
        return Inline(location.start_line, end_line, suggestible=False)
    touched = sorted(line for line in file.added_lines if location.start_line <= line <= end_line)
    return Inline(touched[0], touched[0], suggestible=False) if touched else None


def _inside(file: FileChange, start: int, end: int) -> bool:
    return any(_shows(hunk, start, end) for hunk in file.hunks)


def _shows(hunk: Hunk, start: int, end: int) -> bool:
    return hunk.new_start <= start and end < hunk.new_start + hunk.new_length
