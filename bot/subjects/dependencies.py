"""Which dependencies a change adds, removes and moves to another version."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from bot.subjects.change import FileChange, FileStatus
from bot.subjects.manifests import Pins, is_manifest, read_manifest

Dependency = dict[str, Any]


def dependency_changes(files: Iterable[FileChange]) -> dict[str, list[Dependency]]:
    """The keys "added", "removed" and "upgraded"; a downgrade is among the upgraded.

    Each entry has `name`, `path`, `from` and `to` (None where no version is asked for), and, where
    it stands in the head, `start_line` and `end_line`. A dependency that moves from one manifest
    to another is removed here and added there.
    """
    changes: dict[str, list[Dependency]] = {"added": [], "removed": [], "upgraded": []}
    for file in files:
        if file.unread is not None or not is_manifest(file.path):
            continue
        before, after = _pins(file, "base"), _pins(file, "head")
        for name in before.keys() | after.keys():
            if name not in before:
                changes["added"].append(_entry(file, name, None, after[name], present=True))
            elif name not in after:
                changes["removed"].append(_entry(file, name, before[name], None, present=False))
            elif before[name] != after[name]:
                entry = _entry(file, name, before[name], after[name], present=True)
                changes["upgraded"].append(entry)
    for entries in changes.values():
        entries.sort(key=lambda entry: (entry["path"], entry["name"]))
    return changes


def _pins(file: FileChange, side: Literal["base", "head"]) -> Pins:
    absent = FileStatus.ADDED if side == "base" else FileStatus.REMOVED
    if file.status is absent:
        return {}
    whole = (file.base if side == "base" else file.head) is not None
    pins: Pins = {}
    for fragment in file.fragments(side):
        pins |= read_manifest(file.path, fragment.text, whole=whole)
    return pins


def _entry(
    file: FileChange, name: str, old: str | None, new: str | None, *, present: bool
) -> Dependency:
    entry: Dependency = {"name": name, "path": file.path, "from": old, "to": new}
    line = _line(file, name, new) if present else None
    if line is not None:
        entry |= {"start_line": line, "end_line": line}
    return entry


def _line(file: FileChange, name: str, version: str | None) -> int | None:
    """The added line that says so: it has the version in it, or else the name."""
    bare = name.rpartition(":")[2].lower()
    added = [
        (line.new, line.text.lower())
        for hunk in file.hunks
        for line in hunk.lines
        if line.kind == "added"
    ]
    told = (version or "").lower()
    for needles in ((bare, told), (told,) if told else (), (bare,)):
        for number, text in added:
            if needles and all(_normal(needle) in _normal(text) for needle in needles):
                return number
    return None


def _normal(text: str) -> str:
    return text.replace("_", "-").replace(".", "-")
