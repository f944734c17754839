"""The whole texts of a file, fitted to its hunks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from jurat.source.diff import FileChange, FileStatus, Hunk, Line
from jurat.source.embedded import (
    detect_inner_language,
    explain_unread_part,
    explain_unreadable_code,
    has_code_inside,
)
from jurat.source.languages import detect_language, is_page
from jurat.source.page_scripts import PAGE_LANGUAGE, explain_unread_script, has_scripts
from jurat.source.parsing import SIZE_CAP

_LINK_MODE = "120000"
_NO_FIT = "the diff does not fit the file's content"


PATH_ALONE = "its content was not given"


def build_path_only_file(path: str) -> FileChange:
    """A file of which nothing is known but its path: rules about it are found, and none passes."""
    return FileChange(
        path,
        FileStatus.MODIFIED,
        old_path=path,
        language=detect_language(path),
        unread=PATH_ALONE,
    )


def attach_head_text(file: FileChange, head: str) -> FileChange:
    """The file with its head version, and its base version derived by undoing the hunks.

    A file whose hunks do not fit the text becomes unread. A removed, binary, submodule or unread
    file has no head to attach and comes back as it is.
    """
    if file.status is FileStatus.REMOVED or not _has_text(file):
        return file
    base = _compute_other_side(file.hunks, head, "head")
    if base is None:
        return _mark_unfit(file)
    added = file.status is FileStatus.ADDED
    return with_language(replace(file, head=head, base=None if added else base))


def attach_base(file: FileChange, base: str) -> FileChange:
    """The file with its base version, and its head version derived by applying the hunks.

    For a removed file, which has no head; for any other, `attach_head_text` is the shorter way. A
    file whose hunks do not fit the text becomes unread.
    """
    if file.status is FileStatus.ADDED or not _has_text(file):
        return file
    head = _compute_other_side(file.hunks, base, "base")
    if head is None:
        return _mark_unfit(file)
    removed = file.status is FileStatus.REMOVED
    return with_language(replace(file, base=base, head=None if removed else head))


def rebuild_text(hunks: Iterable[Hunk], side: Literal["base", "head"]) -> str | None:
    """The whole text of a side that the hunks show all of: an added file's head, for one.

    None if they do not, because the other side is not empty or they do not begin at line 1.
    """
    return _compute_other_side(tuple(hunks), "", "base" if side == "head" else "head")


def with_language(file: FileChange) -> FileChange:
    """The file with its language, which its first line may have to tell. A link has none."""
    if _LINK_MODE in (file.old_mode, file.new_mode) or file.is_submodule:
        language = None
    elif has_code_inside(file.path):
        language = detect_inner_language(file.path, (file.head, file.base))
    else:
        language = detect_language(file.path) or detect_language(file.path, _get_first_line(file))
        if language == "javascript" and _is_typed(file):
            language = "tsx"  # whose grammar reads these types as well
    if language is not None and has_code_inside(file.path):
        newest, lines = file.base if file.head is None else file.head, file.added_lines
        unparsed = explain_unreadable_code(file.path, newest) if lines or newest is not None else ""
        unread = explain_unread_part(file.path, newest, lines)
        file = replace(file, unparsed=unparsed or None, unread_part=unread)
    elif not has_code_inside(file.path) and is_page(file.path):
        file = _with_page_scripts(file)
    return file if language == file.language else replace(file, language=language)


def _with_page_scripts(file: FileChange) -> FileChange:
    if any(len(text) > SIZE_CAP for text in (file.head, file.base) if text is not None):
        # Nor is it looked for any: that takes its time as well.
        reason = f"its scripts are too large to parse: more than {SIZE_CAP:,} characters"
        return replace(file, script_language=PAGE_LANGUAGE, unparsed=reason)
    has_some = has_scripts(file.path, (file.head, file.base))
    unread = explain_unread_script(file.path, file.head, file.added_lines)
    said = PAGE_LANGUAGE if has_some or unread else ""
    return replace(file, script_language=said, unread_part=unread)


_TOP = 500
"""Characters at a file's top in which it says so."""

_FLOW = re.compile(r"(?:/[/*]|\*)[^\n]{0,80}@flow\b")
"""What a script says at its top whose types Flow checks, see flow.org/en/docs/usage."""


def _is_typed(file: FileChange) -> bool:
    text = file.head if file.head is not None else file.base
    return _FLOW.search(_get_first_line(file) if text is None else text[:_TOP]) is not None


def _get_first_line(file: FileChange) -> str:
    text = file.head if file.head is not None else file.base
    if text is not None:
        return text[:200].partition("\n")[0]
    lines = file.hunks[0].lines[:1] if file.hunks else ()
    return next((line.text[:200] for line in lines if 1 in (line.old, line.new)), "")


def _has_text(file: FileChange) -> bool:
    return file.unread is None and not file.is_binary and not file.is_submodule


def _mark_unfit(file: FileChange) -> FileChange:
    return replace(file, hunks=(), head=None, base=None, functions=(), unread=_NO_FIT)


def _compute_other_side(
    hunks: tuple[Hunk, ...], text: str, given: Literal["base", "head"]
) -> str | None:
    r"""The version that the hunks turn `text` into, or turned into it; None if they do not fit.

    Only "\n" ends a line, as in git: a lone CR or a Unicode line separator is content.
    """
    lines = _split_lines(text)
    dropped, missing = ("removed", "added") if given == "head" else ("added", "removed")
    other: list[str] = []
    used = 0
    for hunk in hunks:
        here, there = (
            (
                _get_first_index(hunk.new_start, hunk.new_length),
                _get_first_index(hunk.old_start, hunk.old_length),
            )
            if given == "head"
            else (
                _get_first_index(hunk.old_start, hunk.old_length),
                _get_first_index(hunk.new_start, hunk.new_length),
            )
        )
        other += lines[used:here]
        expected = [_format_line(line) for line in hunk.lines if line.kind != dropped]
        used = here + len(expected)
        # Compared line by line: a text of another commit would shift every finding without a word.
        if len(other) != there or lines[here:used] != expected:
            return None
        other += [_format_line(line) for line in hunk.lines if line.kind != missing]
    other += lines[used:]
    return "".join(other)


def _split_lines(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _get_first_index(start: int, length: int) -> int:
    """The 0-based index of a side's first line. A side without lines starts behind `start`."""
    return start - 1 if length else start


def _format_line(line: Line) -> str:
    return line.text + "\n" if line.newline else line.text
