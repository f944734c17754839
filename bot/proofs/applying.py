"""A file of a change as it would be with fixes applied, still as a change against its base."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.dispatch.fixes import apply_remediations
from bot.subjects.change import FileChange, Hunk, Line
from bot.verdicts import Remediation


def with_fixes(file: FileChange, fixes: Sequence[Remediation]) -> FileChange:
    """The file with `fixes` applied to its head, as one hunk that shows all of it.

    Without fixes it is the same file in that form, so that two versions compare alike. Functions
    are left out: they are whoever's who parses it. Raises ValueError where the head version is not
    at hand, or a fix does not fit it.
    """
    if file.head is None:
        problem = "the whole file is not at hand"
        raise ValueError(problem)
    head = apply_remediations(file.head, fixes)
    lines = _aligned(file, file.head)
    at = {line.new: index for index, line in enumerate(lines) if line.new is not None}
    for fix in sorted(fixes, key=lambda item: item.start_line or 0, reverse=True):
        if fix.start_line is None or fix.end_line is None:
            continue
        first, last = at[fix.start_line], at[fix.end_line]
        lines[first : last + 1] = _replaced(lines[first : last + 1], fix)
    hunk = _whole(_numbered(lines, ends_open=bool(head) and not head.endswith("\n")))
    return replace(file, head=head, hunks=(hunk,), functions=())


def _aligned(file: FileChange, head: str) -> list[Line]:
    """Every line of both versions, in order: the hunks, with what stands between them."""
    texts = head.split("\n")
    if not texts[-1]:
        texts.pop()
    lines: list[Line] = []
    old = new = 1

    def keep_until(end: int) -> None:
        nonlocal old, new
        while new < end:
            lines.append(Line("context", old, new, texts[new - 1]))
            old, new = old + 1, new + 1

    for hunk in file.hunks:
        keep_until(hunk.new_start if hunk.new_length else hunk.new_start + 1)
        lines += hunk.lines
        old += hunk.old_length
        new += hunk.new_length
    keep_until(len(texts) + 1)
    return lines


def _replaced(lines: Iterable[Line], fix: Remediation) -> list[Line]:
    """What stood in the base goes, what the fix says comes."""
    removed = [Line("removed", line.old, None, line.text) for line in lines if line.old is not None]
    new = [] if fix.type == "delete" else fix.replacement.split("\n")
    return [*removed, *(Line("added", None, 0, text) for text in new)]


def _numbered(lines: Iterable[Line], *, ends_open: bool) -> tuple[Line, ...]:
    """The lines with the numbers of the head version given anew."""
    numbered = []
    number, last = 0, None
    for index, line in enumerate(lines):
        if line.new is not None:
            number, last = number + 1, index
            line = line._replace(new=number, newline=True)  # noqa: PLW2901 - the line, renumbered
        numbered.append(line)
    if last is not None and ends_open:
        numbered[last] = numbered[last]._replace(newline=False)
    return tuple(numbered)


def _whole(lines: tuple[Line, ...]) -> Hunk:
    old = sum(line.kind != "added" for line in lines)
    new = sum(line.kind != "removed" for line in lines)
    return Hunk(min(old, 1), old, min(new, 1), new, "", lines)
