"""What the .gitattributes of a repository say of files that nobody writes by hand.

Each speaks of the files in its folder and below, and the nearest to a file is heard last:
https://git-scm.com/docs/gitattributes. Macros, and patterns in quotes, are not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from jurat.source.diff import Diff
from jurat.source.paths import match_glob

ATTRIBUTES = ".gitattributes"
_KINDS = {"linguist-generated": "generated", "linguist-vendored": "vendored"}
_ATTRIBUTE = re.compile(r"[-!]?[\w.][\w.-]*(?:=|$)", re.ASCII)
_BRACE = re.compile(r"(?<!\\)[{}]")


class AttributeLine(NamedTuple):
    """What one line of the file at `path` says of the paths that it means.

    That they are of a kind, generated or vendored, or are not; None takes back what was said.
    """

    path: str
    glob: str
    kind: str
    holds: bool | None


def parse_attributes(text: str, path: str = ATTRIBUTES) -> tuple[AttributeLine, ...]:
    """The lines of a .gitattributes that say which files are generated or vendored.

    https://github.com/github-linguist/linguist/blob/main/docs/overrides.md
    """
    found = []
    for line in text.removeprefix("\ufeff").split("\n"):
        # Of git's blanks alone: another one is part of a name.
        words = re.findall(r"[^ \t\r]+", line)
        if not words or words[0].startswith(("#", "!", '"', "[attr]")):
            continue
        # Of a folder, and of nothing in it: git says so itself, and that it is pointless here.
        if words[0].endswith("/"):
            continue
        # One name that git does not take, and it takes none of the line.
        if not all(map(_ATTRIBUTE.match, words[1:])):
            continue
        for word in words[1:]:
            name, _, value = word.lstrip("-!").partition("=")
            if name in _KINDS:
                off = word.startswith("-") or value == "false"
                holds = None if word.startswith("!") else not off
                found.append(AttributeLine(path, _to_glob(words[0]), _KINDS[name], holds))
    return tuple(found)


def leave_open(path: str) -> tuple[AttributeLine, ...]:
    """What is known of a .gitattributes that was not read: no other can be counted on below it."""
    return tuple(AttributeLine(path, "**", kind, None) for kind in _KINDS.values())


def parse_attribute_files(contents: Mapping[str, bytes | None]) -> tuple[AttributeLine, ...]:
    """The same of several files by path, in the order in which they are heard; None has none."""
    return tuple(
        line
        for path, content in contents.items()
        if content
        for line in parse_attributes(content.decode("utf-8", "replace"), path)
    )


def list_attribute_files(change: Diff) -> list[str]:
    """The .gitattributes that may speak of a change's files, as they are or were.

    In the order in which they are heard: whatever stands in a folder comes after what is above it.
    """
    folders = {""}
    for file in change.files:
        for path in filter(None, (file.path, file.old_path)):
            parts = path.split("/")[:-1]
            folders.update("/".join(parts[:end]) + "/" for end in range(1, len(parts) + 1))
    return rank_attribute_files(folder + ATTRIBUTES for folder in folders)


def rank_attribute_files(paths: Iterable[str]) -> list[str]:
    """The same paths in the order in which they are heard."""
    return sorted(paths, key=lambda path: (path.count("/"), path))


def find_last_lines(lines: Sequence[AttributeLine], path: str) -> list[AttributeLine]:
    """Of each kind the last line about a path, unless it takes back what was said before."""
    found: dict[str, AttributeLine] = {}
    for line in lines:
        folder = line.path.removesuffix(ATTRIBUTES)
        if path.startswith(folder) and match_glob(line.glob, path.removeprefix(folder)):
            found[line.kind] = line
    return [line for line in found.values() if line.holds is not None]


def _to_glob(pattern: str) -> str:
    """A pattern of git's as ours: one without a slash means files at any depth."""
    # Braces are a choice to us, and plain characters to git.
    plain = _BRACE.sub(r"\\\g<0>", pattern)
    return plain.removeprefix("/") if "/" in plain else f"**/{plain}"
