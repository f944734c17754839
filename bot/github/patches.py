"""A diff rebuilt from a pull request's list of files, for changes whose diff GitHub withholds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.github.payloads import PullRequestFilePayload

BINARY = b"\0"
"""What makes a file binary."""
_CONTEXT = 3
_ABSENT = "0" * 7
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n", "\r": "\\r"}


@dataclass(frozen=True, slots=True)
class Versions:
    """A file before and after; None where it did not exist."""

    old: bytes | None
    new: bytes | None


def needs_contents(file: PullRequestFilePayload) -> bool:
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


def section(file: PullRequestFilePayload, patch: bytes) -> bytes:
    """One file's part of a diff, as git would print it, around the hunks in `patch`.

    The list does not tell modes: a new or removed file stands as an ordinary one, or as a submodule
    where its patch says so.
    """
    old, new = file.previous_filename or file.filename, file.filename
    mode = "160000" if _is_submodule(patch) else "100644"
    lines = [f"diff --git {_quoted('a/' + old)} {_quoted('b/' + new)}"]
    before, after = _quoted("a/" + old), _quoted("b/" + new)
    match file.status:
        case "added":
            lines.append(f"new file mode {mode}")
            before = "/dev/null"
        case "removed":
            lines.append(f"deleted file mode {mode}")
            after = "/dev/null"
        case "renamed":
            lines += [f"rename from {_quoted(old)}", f"rename to {_quoted(new)}"]
        case "copied":
            lines += [f"copy from {_quoted(old)}", f"copy to {_quoted(new)}"]
        case _ if mode == "160000":
            lines.append(f"index {_ABSENT}..{_ABSENT} {mode}")
        case _ if not patch:
            blob = (file.sha or _ABSENT)[:7]
            lines.append(f"index {blob}..{blob}")
    if patch.startswith(b"Binary files"):
        patch = f"Binary files {before} and {after} differ\n".encode("utf-8", "surrogateescape")
    elif patch:
        lines += [f"--- {_ended(before)}", f"+++ {_ended(after)}"]
    head = "\n".join(lines).encode("utf-8", "surrogateescape")
    return head + b"\n" + patch + (b"" if patch.endswith(b"\n") or not patch else b"\n")


def hunks(versions: Versions) -> bytes:
    """The hunks between two versions; empty where they are equal, a notice where one is binary.

    Quadratic at worst: run it where it can be stopped.
    """
    old, new = versions.old or b"", versions.new or b""
    if BINARY in old[:8000] or BINARY in new[:8000]:  # git's own test for binary
        return b"" if old == new else b"Binary files differ\n"
    before, after = _lines(old), _lines(new)
    matcher = SequenceMatcher(None, before, after)
    return b"".join(
        piece
        for group in matcher.get_grouped_opcodes(_CONTEXT)
        for piece in _hunk(group, before, after)
    )


def _hunk(
    group: Sequence[tuple[str, int, int, int, int]], before: list[bytes], after: list[bytes]
) -> Iterator[bytes]:
    first, last = group[0], group[-1]
    old = _range(first[1], last[2])
    new = _range(first[3], last[4])
    yield f"@@ -{old} +{new} @@\n".encode()
    for tag, old_start, old_end, new_start, new_end in group:
        if tag == "equal":
            yield from (_signed(b" ", line) for line in before[old_start:old_end])
            continue
        yield from (_signed(b"-", line) for line in before[old_start:old_end])
        yield from (_signed(b"+", line) for line in after[new_start:new_end])


def _range(start: int, end: int) -> str:
    """A hunk header's range; one of length 0 names the line before it."""
    length = end - start
    return f"{start + 1 if length else start},{length}"


def _signed(sign: bytes, line: bytes) -> bytes:
    if line.endswith(b"\n"):
        return sign + line
    return sign + line + b"\n\\ No newline at end of file\n"


def _lines(content: bytes) -> list[bytes]:
    r"""The lines of a file, each with its \n. Only \n ends a line, as in git."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _is_submodule(patch: bytes) -> bool:
    lines = patch.split(b"\n")[1:]
    changed = [line for line in lines if line[:1] in (b"-", b"+")]
    return bool(changed) and all(line[1:].startswith(b"Subproject commit ") for line in changed)


def _quoted(name: str) -> str:
    """A name as git prints it: in C quotes where it holds a control character, " or a backslash."""
    if not any(char < " " or char in '"\\\x7f' for char in name):
        return name
    return '"' + "".join(_escaped(char) for char in name) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return f"\\{ord(char):03o}" if char < " " or char == "\x7f" else char


def _ended(name: str) -> str:
    """Git ends a name that holds a space with a tab, to tell it from a time stamp."""
    return name + "\t" if " " in name and not name.startswith('"') else name
