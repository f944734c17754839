"""The change of a pull request or a merge group: its diff, or one rebuilt by file.

No file may go missing in silence: one that cannot be read is a FileChange that says why.
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial
from typing import assert_never

from jurat.github.client import DIFF, GitHub, Values
from jurat.github.contents import FILE_LIMIT, CommitFiles
from jurat.github.errors import (
    GitHubError,
    GitHubUnavailableError,
    RejectedError,
    TooLargeError,
)
from jurat.github.models import ComparisonPayload, PullRequestFilePayload, PullRequestPayload
from jurat.github.retries import run_concurrently
from jurat.reports.limits import COMPARED_FILES, PAGE
from jurat.source.diff import Diff, FileChange, FileStatus
from jurat.source.diff_parser import parse_diff
from jurat.source.file_text import with_language
from jurat.source.parsing import ParseFailure, ParseMap

DIFF_LIMIT = 32 << 20
"""Bytes of a diff. github.com stops at 1 MB, an Enterprise Server where it is told to."""
MAX_REBUILT = 300
"""Files whose hunks are computed here, from two downloads each."""

_STATUS = {
    "added": FileStatus.ADDED,
    "removed": FileStatus.REMOVED,
    "renamed": FileStatus.RENAMED,
    "copied": FileStatus.COPIED,
}


async def read_diff(github: GitHub, pull: PullRequestPayload, parse_map: ParseMap) -> Diff:
    """The change of `pull`, every file of it."""
    try:
        diff = await github.read_bytes(
            "/repos/{+repository}/pulls/{number}",
            {"repository": pull.repository, "number": pull.number},
            accept=DIFF,
            limit=DIFF_LIMIT,
        )
    # 422 is how GitHub says that a diff is not available, for now or for good.
    except (TooLargeError, RejectedError):
        return await _rebuild_diff(github, pull, parse_map)
    change = await to_thread(parse_diff, diff)
    # A diff that was cut looks like a smaller change: the pull request's own count tells.
    if len(change.files) < pull.changed_files:
        return await _rebuild_diff(github, pull, parse_map)
    return change


def has_file_ending_in(change: Diff, endings: tuple[str, ...]) -> bool:
    """Whether a change has a file whose name, old or new, ends in one of `endings`, or may have."""
    return any(
        file.unlisted or file.path.endswith(endings) or (file.old_path or "").endswith(endings)
        for file in change.files
    )


async def is_changing_any(
    github: GitHub, pull: PullRequestPayload, endings: tuple[str, ...]
) -> bool:
    """The same of a pull request whose change was not read."""
    listed = 0
    async for row in _list_files(github, pull):
        if row.filename.endswith(endings) or (row.previous_filename or "").endswith(endings):
            return True
        listed += 1
    return listed < pull.changed_files


def _list_files(github: GitHub, pull: PullRequestPayload) -> AsyncIterator[PullRequestFilePayload]:
    return github.iter_items(
        PullRequestFilePayload,
        "/repos/{+repository}/pulls/{number}/files{?per_page}",
        {"repository": pull.repository, "number": pull.number, "per_page": PAGE.size},
    )


async def read_comparison(
    github: GitHub, repository: str, base_sha: str, head_sha: str, parse_map: ParseMap
) -> Diff:
    """What the commits of a head add to a base that it stands on, every file of it."""
    url = "/repos/{+repository}/compare/{base}...{head}"
    values: Values = {"repository": repository, "base": base_sha, "head": head_sha, "per_page": 1}
    try:
        diff = await github.read_bytes(url, values, accept=DIFF, limit=DIFF_LIMIT)
        return await to_thread(parse_diff, diff)
    except (TooLargeError, RejectedError):
        compared = await github.read(ComparisonPayload, url + "{?per_page}", values)
    head = CommitFiles(github, repository, head_sha)
    # The comparison has no count of its own: at the limit, more must be assumed.
    cut = len(compared.files) >= COMPARED_FILES.size
    unlisted = (
        f"GitHub lists {COMPARED_FILES.size} files of a comparison and no more" if cut else ""
    )
    return await _from_rows(
        compared.files, replace(head, commit=base_sha), head, parse_map, unlisted
    )


async def _rebuild_diff(github: GitHub, pull: PullRequestPayload, parse_map: ParseMap) -> Diff:
    try:
        rows = [row async for row in _list_files(github, pull)]
    except RejectedError as error:
        # Refused for the same reason as the diff: GitHub is still at work on it, or overloaded.
        raise GitHubUnavailableError(error.message, status=error.status) from None
    needs_base = any(needs_file_contents(row) for row in rows)
    # The diff is from the merge base, not from the base's tip: that may have moved on since.
    base_sha = await merge_base(github, pull) if needs_base else pull.base.sha
    head = CommitFiles(github, pull.repository, pull.head.sha)
    unlisted = ""
    if missing := pull.changed_files - len(rows):
        unlisted = f"GitHub lists {len(rows):,} files of this change and leaves out {missing:,}"
    return await _from_rows(rows, replace(head, commit=base_sha), head, parse_map, unlisted)


async def _from_rows(
    rows: Sequence[PullRequestFilePayload],
    base: CommitFiles,
    head: CommitFiles,
    parse_map: ParseMap,
    unlisted: str,
) -> Diff:
    """The change that a list of files tells; `unlisted` says why it lacks some, if it does."""
    incomplete = [row for row in rows if needs_file_contents(row)]
    computed = await _compute_hunks(base, head, incomplete[:MAX_REBUILT], parse_map)
    patches: dict[str, bytes | _Unread] = dict.fromkeys(
        (row.filename for row in incomplete),
        _Unread(f"GitHub withholds its patch, and only {MAX_REBUILT} such files are read"),
    )
    patches.update(zip((row.filename for row in incomplete), computed, strict=False))
    sections, unread = [], []
    for row in rows:
        patch = patches.get(row.filename, (row.patch or "").encode("utf-8", "surrogatepass"))
        if isinstance(patch, bytes):
            sections.append(rebuild_file_diff(row, patch))
        else:
            unread.append(_build_unread_file(row, patch.reason))
    change = await to_thread(parse_diff, b"".join(sections))
    if unlisted:
        unread.append(
            FileChange("(files not listed)", FileStatus.MODIFIED, unread=unlisted, unlisted=True)
        )
    return Diff(change.files + tuple(unread))


@dataclass(frozen=True, slots=True)
class _Unread:
    """Why a file's hunks are not at hand."""

    reason: str


async def _compute_hunks(
    base: CommitFiles,
    head: CommitFiles,
    rows: Sequence[PullRequestFilePayload],
    parse_map: ParseMap,
) -> list[bytes | _Unread]:
    """The hunks of each row, from the file's contents at both ends."""
    fetched = await run_concurrently(partial(_read_versions, base, head), rows)
    versions = [item for item in fetched if isinstance(item, Versions)]
    computed = iter(await to_thread(parse_map, rebuild_hunks, versions))
    found: list[bytes | _Unread] = []
    for item in fetched:
        result = next(computed) if isinstance(item, Versions) else item
        found.append(_Unread(result.reason) if isinstance(result, ParseFailure) else result)
    return found


async def _read_versions(
    base: CommitFiles, head: CommitFiles, row: PullRequestFilePayload
) -> Versions | _Unread:
    old = new = None
    try:
        if row.status != "added":
            old = await base.read(row.previous_filename or row.filename)
        if row.status != "removed":
            new = await head.read(row.filename)
    except TooLargeError:
        if not row.additions and not row.deletions:
            return Versions(b"", BINARY)  # GitHub counts no lines of a binary file
        return _Unread(f"it is larger than {FILE_LIMIT:,} bytes, and GitHub withholds its patch")
    except GitHubError as error:
        if error.retryable:
            raise
        return _Unread(f"GitHub withholds its patch and its content (status {error.status})")
    return Versions(old, new)


async def merge_base(github: GitHub, pull: PullRequestPayload) -> str:
    """The commit that the pull request's own changes begin at."""
    # The files stand on the first page alone; a page of commits says the merge base as well.
    comparison = await github.read(
        ComparisonPayload,
        "/repos/{+repository}/compare/{base}...{head}{?per_page,page}",
        {
            "repository": pull.repository,
            "base": pull.base.sha,
            "head": pull.head.sha,
            "per_page": 1,
            "page": 2,
        },
    )
    return comparison.merge_base_commit.sha


def _build_unread_file(row: PullRequestFilePayload, reason: str) -> FileChange:
    added = row.status == "added"
    file = FileChange(
        path=row.filename,
        status=_STATUS.get(row.status, FileStatus.MODIFIED),
        old_path=None if added else row.previous_filename or row.filename,
        unread=reason,
    )
    # Rules for its language must know that they missed it.
    return with_language(file)


# A diff rebuilt from a pull request's list of files, for changes whose diff GitHub withholds.

BINARY = b"\0"
"""What makes a file binary."""
_CONTEXT = 3
_ABSENT = "0" * 7
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n", "\r": "\\r"}


@dataclass(frozen=True, slots=True)
class Versions:
    """A file before and after; None if it did not exist."""

    old: bytes | None
    new: bytes | None


def needs_file_contents(file: PullRequestFilePayload) -> bool:
    """Whether the row's patch is missing or cut, so that the hunks must come from the contents.

    A rename without a patch has equal contents on both sides, or binary ones.
    """
    if file.patch is not None:
        lines = file.patch.split("\n")
        added = sum(line.startswith("+") for line in lines)
        removed = sum(line.startswith("-") for line in lines)
        return (added, removed) != (file.additions, file.deletions)
    changed = file.additions + file.deletions > 0
    return changed or file.status in ("added", "removed", "modified", "changed")


def rebuild_file_diff(file: PullRequestFilePayload, patch: bytes) -> bytes:
    """One file's part of a diff, as git would print it, around the hunks in `patch`.

    The list does not tell modes: a new or removed file stands as an ordinary one, or as a submodule
    if its patch says so.
    """
    old, new = file.previous_filename or file.filename, file.filename
    mode = "160000" if _is_submodule(patch) else "100644"
    lines = [f"diff --git {_quote_name('a/' + old)} {_quote_name('b/' + new)}"]
    before, after = _quote_name("a/" + old), _quote_name("b/" + new)
    match file.status:
        case "added":
            lines.append(f"new file mode {mode}")
            before = "/dev/null"
        case "removed":
            lines.append(f"deleted file mode {mode}")
            after = "/dev/null"
        case "renamed":
            lines += [f"rename from {_quote_name(old)}", f"rename to {_quote_name(new)}"]
        case "copied":
            lines += [f"copy from {_quote_name(old)}", f"copy to {_quote_name(new)}"]
        case "modified" | "changed" | "unchanged":
            if mode == "160000":
                lines.append(f"index {_ABSENT}..{_ABSENT} {mode}")
            elif not patch:
                blob = (file.sha or _ABSENT)[:7]
                lines.append(f"index {blob}..{blob}")
        case _:
            assert_never(file.status)
    if patch.startswith(b"Binary files"):
        patch = f"Binary files {before} and {after} differ\n".encode("utf-8", "surrogateescape")
    elif patch:
        lines += [f"--- {_terminate_name(before)}", f"+++ {_terminate_name(after)}"]
    head = "\n".join(lines).encode("utf-8", "surrogateescape")
    return head + b"\n" + patch + (b"" if patch.endswith(b"\n") or not patch else b"\n")


def rebuild_hunks(versions: Versions) -> bytes:
    """The hunks between two versions; empty if they are equal, a notice if one is binary.

    Quadratic at worst: run it where it can be stopped.
    """
    old, new = versions.old or b"", versions.new or b""
    if BINARY in old[:8000] or BINARY in new[:8000]:  # git's own test for binary
        return b"" if old == new else b"Binary files differ\n"
    before, after = _split_lines(old), _split_lines(new)
    matcher = SequenceMatcher(None, before, after)
    return b"".join(
        piece
        for group in matcher.get_grouped_opcodes(_CONTEXT)
        for piece in _format_hunk(group, before, after)
    )


def _format_hunk(
    group: Sequence[tuple[str, int, int, int, int]], before: list[bytes], after: list[bytes]
) -> Iterator[bytes]:
    first, last = group[0], group[-1]
    old = _format_range(first[1], last[2])
    new = _format_range(first[3], last[4])
    yield f"@@ -{old} +{new} @@\n".encode()
    for tag, old_start, old_end, new_start, new_end in group:
        if tag == "equal":
            yield from (_format_signed(b" ", line) for line in before[old_start:old_end])
            continue
        yield from (_format_signed(b"-", line) for line in before[old_start:old_end])
        yield from (_format_signed(b"+", line) for line in after[new_start:new_end])


def _format_range(start: int, end: int) -> str:
    """A hunk header's range; one of length 0 names the line before it."""
    length = end - start
    return f"{start + 1 if length else start},{length}"


def _format_signed(sign: bytes, line: bytes) -> bytes:
    if line.endswith(b"\n"):
        return sign + line
    return sign + line + b"\n\\ No newline at end of file\n"


def _split_lines(content: bytes) -> list[bytes]:
    r"""The lines of a file, each with its \n. Only \n ends a line, as in git."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _is_submodule(patch: bytes) -> bool:
    lines = patch.split(b"\n")[1:]
    changed = [line for line in lines if line[:1] in (b"-", b"+")]
    return bool(changed) and all(line[1:].startswith(b"Subproject commit ") for line in changed)


def _quote_name(name: str) -> str:
    """A name as git prints it: in C quotes if it holds a control character, " or a backslash."""
    if not any(char < " " or char in '"\\\x7f' for char in name):
        return name
    return '"' + "".join(_escape_character(char) for char in name) + '"'


def _escape_character(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return f"\\{ord(char):03o}" if char < " " or char == "\x7f" else char


def _terminate_name(name: str) -> str:
    """Git ends a name that holds a space with a tab, to tell it from a time stamp."""
    return name + "\t" if " " in name and not name.startswith('"') else name
