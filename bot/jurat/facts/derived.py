"""The facts that follow from a change, its dependencies and its texts, for rules to bound."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

from jurat.facts.context import Facts, Passage, Subject, SubjectKind
from jurat.facts.manifests import Pins, is_manifest, read_manifest
from jurat.source.diff import FileChange, FileStatus, Function, FunctionChange, PriorFunction
from jurat.source.embedded import read_code
from jurat.source.notebooks import CELL_MARK, is_notebook
from jurat.source.paths import SOURCE_LANGUAGES, is_generated, is_test

# Which dependencies a change adds, removes and moves to another version.

Dependency = dict[str, Any]


def find_dependency_changes(files: Iterable[FileChange]) -> dict[str, list[Dependency]]:
    """The keys "added", "removed" and "upgraded"; a downgrade is among the upgraded.

    Each entry has `name`, `path`, `from` and `to` (None if no version is asked for), and, if
    it stands in the head, `start_line` and `end_line`. A dependency that moves from one manifest
    to another is removed here and added there.
    """
    changes: dict[str, list[Dependency]] = {"added": [], "removed": [], "upgraded": []}
    for file in files:
        if file.unread is not None or not is_manifest(file.path):
            continue
        before, after = _read_pins(file, "base"), _read_pins(file, "head")
        for name in before.keys() | after.keys():
            if name not in before:
                changes["added"].append(_build_entry(file, name, None, after[name], present=True))
            elif name not in after:
                changes["removed"].append(
                    _build_entry(file, name, before[name], None, present=False)
                )
            elif before[name] != after[name]:
                entry = _build_entry(file, name, before[name], after[name], present=True)
                changes["upgraded"].append(entry)
    for entries in changes.values():
        # Sorted, as a union of keys has no order: equal changes must give equal facts.
        entries.sort(key=lambda entry: (entry["path"], entry["name"]))
    return changes


def _read_pins(file: FileChange, side: Literal["base", "head"]) -> Pins:
    absent = FileStatus.ADDED if side == "base" else FileStatus.REMOVED
    if file.status is absent:
        return {}
    whole = (file.base if side == "base" else file.head) is not None
    pins: Pins = {}
    for fragment in file.list_fragments(side):
        pins |= read_manifest(file.path, fragment.text, whole=whole)
    return pins


def _build_entry(
    file: FileChange, name: str, old: str | None, new: str | None, *, present: bool
) -> Dependency:
    entry: Dependency = {"name": name, "path": file.path, "from": old, "to": new}
    line = _find_line(file, name, new) if present else None
    if line is not None:
        entry |= {"start_line": line, "end_line": line}
    return entry


def _find_line(file: FileChange, name: str, version: str | None) -> int | None:
    """The added line that says so: it has the version in it, or else the name."""
    bare = name.rpartition(":")[2].lower()
    added = [
        (line.new, line.text.lower())
        for hunk in file.hunks
        for line in hunk.lines
        if line.kind == "added"
    ]
    stated = (version or "").lower()
    # From the surest to the least: a name alone may stand in a comment above.
    for needles in ((bare, stated), (stated,) if stated else (), (bare,)):
        for number, text in added:
            if needles and all(
                _normalize_name(needle) in _normalize_name(text) for needle in needles
            ):
                return number
    return None


def _normalize_name(text: str) -> str:
    return text.replace("_", "-").replace(".", "-")


# The facts that follow from the files of a change, for rules to put bounds on.

DERIVED = "change"
PULL_REQUEST = "pull_request"
"""The key under which every derived fact stands. What a caller gives cannot stand there."""


def build_change_facts(files: Sequence[FileChange]) -> Facts:
    """Everything known of a change, under the one key "change".

    - `files_changed`, `files_unread`: counts.
    - `lines_added`, `lines_removed`: as git counts them; an unread or binary file adds nothing, so
      that with `files_unread` above 0 they are lower bounds.
    - `code_lines_added`: lines added that are not blank, in programming languages, outside of tests
      and of generated or vendored files.
    - `tests_touched`: test files added, modified, renamed or copied.
    - `languages`: ast-grep's names, sorted.
    - `files[*]`: path, old_path, status, language, lines_added, lines_removed, is_test, is_binary,
      unread.
    - `functions[*]`, those added or changed: path, name, qualified_name, kind, change, start_line,
      end_line, length, parameters (a count), nesting, complexity, partial, and `base`: the path
      and measures that it had before, None if it is new. The measures of a partial function are
      lower bounds.
    - `functions_removed[*]`: path, name, qualified_name, kind.
    - `dependencies`: see `find_dependency_changes`.

    An entry with a `path` says where it stands; lines are 1-based and of the head version.
    """
    described = [_build_file_facts(file) for file in files]
    return {
        DERIVED: {
            "files_changed": len(files),
            "files_unread": sum(file.unread is not None for file in files),
            "lines_added": sum(entry["lines_added"] for entry in described),
            "lines_removed": sum(entry["lines_removed"] for entry in described),
            "code_lines_added": sum(map(_count_code_lines_added, files)),
            "tests_touched": sum(
                is_test(file.path) and file.status is not FileStatus.REMOVED for file in files
            ),
            "languages": sorted({file.language for file in files if file.language is not None}),
            "files": described,
            "functions": [
                _build_function_facts(file, function)
                for file in files
                for function in file.functions
                if function.change is not FunctionChange.REMOVED
            ],
            "functions_removed": [
                _build_name_facts(file, function)
                for file in files
                for function in file.functions
                if function.change is FunctionChange.REMOVED
            ],
            "dependencies": find_dependency_changes(files),
        }
    }


def _build_file_facts(file: FileChange) -> dict[str, Any]:
    kinds = [line.kind for hunk in file.hunks for line in hunk.lines]
    return {
        "path": file.path,
        "old_path": file.old_path,
        "status": file.status.value,
        "language": file.language,
        "lines_added": kinds.count("added"),
        "lines_removed": kinds.count("removed"),
        "is_test": is_test(file.path),
        "is_binary": file.is_binary,
        "unread": file.unread is not None,
    }


def _count_code_lines_added(file: FileChange) -> int:
    if file.language not in SOURCE_LANGUAGES or is_test(file.path) or is_generated(file.path):
        return 0
    if is_notebook(file.path):
        code = read_code(file.path, file.head or "").split("\n")
        added = (code[at - 1] for at in file.added_lines if at <= len(code))
        return sum(bool(line.strip()) and line != CELL_MARK for line in added)
    return sum(
        line.kind == "added" and not line.text.isspace() and line.text != ""
        for hunk in file.hunks
        for line in hunk.lines
    )


def _build_name_facts(file: FileChange, function: Function) -> dict[str, Any]:
    return {
        "path": file.path,
        "name": function.name,
        "qualified_name": function.qualified_name,
        "kind": function.kind,
    }


def _build_function_facts(file: FileChange, function: Function) -> dict[str, Any]:
    return _build_name_facts(file, function) | {
        "change": function.change.value,
        "start_line": function.start_line,
        "end_line": function.end_line,
        "length": function.length,
        "parameters": len(function.parameters),
        "nesting": function.nesting,
        "complexity": function.complexity,
        "partial": function.partial,
        "base": _build_prior_facts(function.before) if function.before else None,
    }


def _build_prior_facts(prior: PriorFunction) -> dict[str, Any]:
    return {
        "path": prior.path,
        "length": prior.length,
        "parameters": prior.parameters,
        "nesting": prior.nesting,
        "complexity": prior.complexity,
    }


_WORD = re.compile(r"\w+(?:['\u2019-]\w+)*")
_KEYS: Mapping[SubjectKind, tuple[str, str]] = MappingProxyType(
    {
        SubjectKind.CLAUSE_SET: ("contract", "clauses"),
        SubjectKind.DOCUMENT: ("document", "sections"),
        SubjectKind.CREATIVE: ("message", "segments"),
    }
)

_MEASURES = frozenset(key for key, _ in _KEYS.values())


def build_text_facts(file: FileChange, kind: SubjectKind, passages: Sequence[Passage]) -> Facts:
    """What is known of a text as it stands after the change, under the one key of its kind.

    The keys are "contract", "document" and "message"; below stand

    - `words`, `characters`: counts over the whole text. A word is a run of letters and digits.
    - `clauses[*]`, `sections[*]` or `segments[*]`, those alone that hold an added line: path, name,
      words, characters, start_line, end_line.

    Empty for another kind, and if the whole text is not at hand.
    """
    if kind not in _KEYS or file.head is None:
        return {}
    key, parts = _KEYS[kind]
    added = sorted(file.added_lines)
    return {
        key: {
            **_measure_text(file.head),
            parts: [
                {
                    "path": file.path,
                    "name": passage.name,
                    "start_line": passage.first_line,
                    "end_line": passage.last_line,
                    **_measure_text(file.head[passage.start : passage.end]),
                }
                for passage in passages
                if _has_any_between(added, passage.first_line, passage.last_line)
            ],
        }
    }


def is_measure(subject: Subject, key: object) -> bool:
    """Whether `key` is what `build_text_facts` found of a subject, and nothing that was said."""
    return bool(subject.files) and not subject.spans and key in _MEASURES


def _measure_text(text: str) -> dict[str, Any]:
    return {"words": sum(1 for _ in _WORD.finditer(text)), "characters": len(text.strip())}


def _has_any_between(numbers: Sequence[int], first: int, last: int) -> bool:
    place = bisect_left(numbers, first)
    return place < len(numbers) and numbers[place] <= last
