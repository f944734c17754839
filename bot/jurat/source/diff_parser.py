"""From the bytes of a diff to a Change.

Understood are git's extended headers (gitformat-diff, "Generating patch text with -p"), mails from
`git format-patch`, and plain unified diffs with `---` and `+++` alone. A file that cannot be made
out becomes a FileChange with `unread` set; the files around it are read all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk as RawHunk
from unidiff.patch import PatchedFile, PatchSet

from jurat.errors import UsageError
from jurat.source.diff import Diff, FileChange, FileStatus, Hunk, Line
from jurat.source.diff_headers import (
    Header,
    build_plain_header,
    is_git_header,
    parse_standalone_header,
    read_git_header,
)
from jurat.source.embedded import has_code_inside
from jurat.source.file_text import rebuild_text, with_language

_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_HUNK_LINES = (" ", "+", "-", "\\", "@")
_SIGNATURE = "--"
"""What a mail ends in, after git's hunks: this line (with a blank behind it), and the version."""


def decode_text(content: bytes) -> str:
    """Text as Jurat reads it: UTF-8, each byte that is none becoming U+FFFD. Never raises.

    No line end is touched. A line reads the same in a diff and in the whole file, so that the two
    can be compared; a line that holds U+FFFD can be judged but must not be rewritten.
    """
    return content.decode("utf-8", "replace")


def parse_diff(data: bytes) -> Diff:
    """Every file of a diff, in its order. Empty data, or blank lines, make an empty Change.

    The whole text of an added file is its `head`, of a removed file its `base`: such a diff shows
    all of it. Raises UsageError if the data is no diff at all.
    """
    lines = _split_lines(data)
    files = [file for section in _split_sections(lines) for file in _read_section(section)]
    if not files and any(line.strip() for line in lines):
        raise UsageError(
            "This is no unified diff: no line in it begins a file.",
            hint="Give what `git diff --no-color`, `git format-patch` or `diff -u` prints.",
        )
    files = _drop_duplicates(files)
    attributes = any(file.path.rpartition("/")[2] == ".gitattributes" for file in files)
    return Diff(tuple(_check_binary(file, everything=attributes) for file in files))


def _check_binary(file: FileChange, *, everything: bool) -> FileChange:
    """The file, unread if it was called binary and ought to show `everything` that changed.

    So ought a file whose name tells a language: git calls it binary for one NUL in it, or because
    a .gitattributes says so. Of a change that writes one of these, every file ought to.
    """
    hidden = file.is_binary and file.unread is None and file.status is not FileStatus.REMOVED
    may_hold_code = file.language is not None or has_code_inside(file.path)
    if hidden and (everything or may_hold_code):
        return replace(file, unread="git takes it for binary and does not show what changed in it")
    return file


def _split_lines(data: bytes) -> list[str]:
    r"""The lines without their "\n". A diff saved as UTF-16, or with CRLF throughout, is undone."""
    # PowerShell's `>` writes UTF-16 with a byte order mark.
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    else:
        text = decode_text(data.removeprefix(b"\xef\xbb\xbf"))
    # Not splitlines: a form feed or U+2028 inside a line would end it, and shift every number
    # below.
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    starts = (line for line in lines if is_git_header(line) or line.startswith("--- "))
    # git never prints a header that ends in CR: then it is the diff that was converted, not the
    # files in it.
    if next(starts, "").endswith("\r"):
        lines = [line.removesuffix("\r") for line in lines]
    return lines


def _split_sections(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """The lines before the first git header, then each git header with what follows it.

    A line inside a hunk begins with a blank, "+", "-" or a backslash, so that none can be mistaken.
    """
    starts = [0, *(i for i, line in enumerate(lines) if i and is_git_header(line)), len(lines)]
    for start, end in pairwise(starts):
        yield lines[start:end]


def _read_section(lines: Sequence[str]) -> list[FileChange]:
    if not lines or not is_git_header(lines[0]):
        return _read_plain(lines, [])
    header, length = read_git_header(lines)
    rest = lines[length:]
    start = next((i for i, line in enumerate(rest) if line.startswith("@@ ")), None)
    if start is None or (start >= 2 and _is_plain_start(rest, start - 2)):
        return _read_plain(rest, [_build_without_hunks(header)])
    end = _find_end_of_hunks(rest, start)
    return _read_plain(rest[end:], _read_hunks([header], rest[start:end]))


def _read_plain(lines: Sequence[str], before: Sequence[FileChange]) -> list[FileChange]:
    """`before`, and the files among lines that no git header begins; everything else is prose."""
    files = list(before)
    i = 0
    while i < len(lines):
        if _is_plain_start(lines, i):
            end = _find_end_of_hunks(lines, i)
            files += _read_hunks([], lines[i:end])
            i = end
        elif _HUNK.match(lines[i]):
            if not files:
                raise UsageError(
                    "A hunk of the diff belongs to no file: no header stands before it.",
                    hint="Give the diff from its first line on.",
                )
            files[-1] = _mark_damaged(
                files[-1], "the diff of this file is damaged: a hunk stands apart"
            )
            i += 1
        else:
            header = parse_standalone_header(lines[i])
            if header is not None:
                files.append(_build_without_hunks(header))
            i += 1
    return files


def _is_plain_start(lines: Sequence[str], i: int) -> bool:
    return (
        lines[i].startswith("--- ")
        and i + 2 < len(lines)
        and lines[i + 1].startswith("+++ ")
        and _HUNK.match(lines[i + 2]) is not None
    )


def _find_end_of_hunks(lines: Sequence[str], start: int) -> int:
    """The index after the last line that could belong to hunks."""
    for i in range(start, len(lines)):
        if not lines[i].startswith(_HUNK_LINES) and lines[i].strip("\r"):
            return i
    return len(lines)


def _read_hunks(headers: list[Header], lines: Sequence[str]) -> list[FileChange]:
    """The file of `headers`, if there is one, and the plain files that follow without a gap."""
    synthetic = ["--- a\n", "+++ b\n"] if headers else []
    try:
        patch = PatchSet(synthetic + [line + "\n" for line in lines])
        _reject_leftovers(patch, [*synthetic, *lines])
        plain = patch[len(headers) :]
        headers = headers + [_find_plain_header(file) for file in plain]
        return [
            _with_hunks(header, _build_hunks(file))
            for header, file in zip(headers, patch, strict=True)
        ]
    except (UnidiffParseError, ValueError) as error:
        return _read_apart(headers[:1], lines, _describe_problem(error))


def _read_apart(headers: list[Header], lines: Sequence[str], problem: str) -> list[FileChange]:
    """One file at a time, after the lines did not parse together.

    Together comes first because only counting tells a header from a removed line that begins with
    "-- " and an added one that begins with "++ ".
    """
    starts = [i for i in range(len(lines)) if _is_plain_start(lines, i)]
    if not headers:
        first, starts = starts[0], starts[1:]
        header = build_plain_header(lines[first][4:], lines[first + 1][4:])
    else:
        header = headers[0]
    if not starts:
        return [_build_unread(header, problem)]
    files = _read_hunks(headers, lines[: starts[0]])
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        files += _read_hunks([], lines[start:end])
    return files


def _describe_problem(error: Exception) -> str:
    if not isinstance(error, UnidiffParseError):
        # int() refuses thousands of digits, and its own words would be no help.
        return "the diff of this file is damaged: a hunk has no numbers"
    # Behind a colon stands the line in question: the author's text is not for a reason's.
    said = str(error).partition(":")[0]
    return f"the diff of this file is damaged: {said[:1].lower()}{said[1:]}"


def _reject_leftovers(patch: PatchSet, lines: Sequence[str]) -> None:
    """The parser passes over a line behind a complete hunk; a change must not hide there."""
    used = 0
    for file in patch:
        gap = file.diff_line_no != used + 2
        used += 2
        for hunk in file:
            if not hunk:
                raise UnidiffParseError("Hunk has no lines")
            gap |= hunk[0].diff_line_no != used + 2
            used += 1 + len(hunk)
        if gap:
            raise UnidiffParseError("Hunk is longer than expected")
    if [line.strip() for line in lines[used:] if line.strip()] not in ([], [_SIGNATURE]):
        raise UnidiffParseError("Hunk is longer than expected")


def _find_plain_header(file: PatchedFile) -> Header:
    header = build_plain_header(file.source_file, file.target_file)
    if len(file) != 1:
        return header
    # `diff -N` shows a missing file as an empty one.
    if file[0].source_start == file[0].source_length == 0:
        return replace(header, status=FileStatus.ADDED, old_path=None)
    if file[0].target_start == file[0].target_length == 0:
        return replace(header, status=FileStatus.REMOVED, path=header.old_path or header.path)
    return header


_KINDS: Mapping[str, Literal["context", "added", "removed"]] = {
    " ": "context",
    "": "context",
    "+": "added",
    "-": "removed",
}


def _build_hunks(file: Iterable[RawHunk]) -> tuple[Hunk, ...]:
    hunks = tuple(_build_hunk(raw) for raw in file)
    old_end = new_end = 0
    for hunk in hunks:
        old_first = hunk.old_start + (hunk.old_length == 0)
        new_first = hunk.new_start + (hunk.new_length == 0)
        if old_first <= old_end or new_first <= new_end:
            # unidiff takes them as they come; two hunks over one line would let a change hide
            # behind another.
            raise UnidiffParseError("Hunks overlap or are out of order")
        old_end = old_first + hunk.old_length - 1
        new_end = new_first + hunk.new_length - 1
    return hunks


def _build_hunk(raw: RawHunk) -> Hunk:
    lines: list[Line] = []
    for line in raw:
        if line.line_type == "\\":
            if lines:
                lines[-1] = lines[-1]._replace(newline=False)
        elif line.source_line_no is not None or line.target_line_no is not None:
            text = line.value.removesuffix("\n")
            lines.append(
                Line(_KINDS[line.line_type], line.source_line_no, line.target_line_no, text)
            )
    return Hunk(
        raw.source_start,
        raw.source_length,
        raw.target_start,
        raw.target_length,
        raw.section_header.strip(),
        tuple(lines),
    )


def _with_hunks(header: Header, hunks: tuple[Hunk, ...]) -> FileChange:
    file = replace(_build_without_hunks(header), unread=header.problem)
    if file.unread is not None:
        return file
    file = replace(file, hunks=hunks)
    if file.is_submodule:
        return file
    if file.status is FileStatus.ADDED:
        file = replace(file, head=rebuild_text(hunks, "head"))
    elif file.status is FileStatus.REMOVED:
        file = replace(file, base=rebuild_text(hunks, "base"))
    return with_language(file)


def _build_without_hunks(header: Header) -> FileChange:
    """A change of name, mode or binary content alone; anything else ought to have hunks."""
    problem = None if header.explains_itself else "the diff does not show what changed in it"
    file = FileChange(
        path=header.path,
        status=header.status,
        old_path=header.old_path,
        old_mode=header.old_mode,
        new_mode=header.new_mode,
        is_binary=header.is_binary,
        is_submodule=header.is_submodule,
        unread=header.problem or problem,
        unlisted=header.is_unnamed,
    )
    return with_language(file)


def _build_unread(header: Header, reason: str) -> FileChange:
    return replace(_build_without_hunks(header), unread=reason)


def _drop_duplicates(files: Sequence[FileChange]) -> list[FileChange]:
    """Each path once, where it stood first."""
    by_path: dict[str, list[FileChange]] = {}
    for file in files:
        by_path.setdefault(file.path, []).append(file)
    return [same[0] if len(same) == 1 else _merge_type_change(same) for same in by_path.values()]


def _merge_type_change(files: Sequence[FileChange]) -> FileChange:
    """A file that became a link, or the reverse, is removed and added in git's diff."""
    first, last = files[0], files[-1]
    kinds = [file.status for file in files]
    if kinds == [FileStatus.REMOVED, FileStatus.ADDED] and not (first.unread or last.unread):
        removed = [line for hunk in first.hunks for line in hunk.lines]
        added = [line for hunk in last.hunks for line in hunk.lines]
        hunk = Hunk(
            min(len(removed), 1),
            len(removed),
            min(len(added), 1),
            len(added),
            "",
            (*removed, *added),
        )
        return replace(
            last,
            status=FileStatus.MODIFIED,
            old_path=first.path,
            old_mode=first.old_mode,
            hunks=(hunk,) if removed or added else (),
            base=first.base,
            is_binary=first.is_binary or last.is_binary,
            is_submodule=first.is_submodule or last.is_submodule,
        )
    return _mark_damaged(
        first, f"it stands in the diff {len(files)} times, and the parts cannot be told apart"
    )


def _mark_damaged(file: FileChange, reason: str) -> FileChange:
    return replace(file, hunks=(), base=None, head=None, unread=reason)
