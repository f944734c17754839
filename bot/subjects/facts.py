"""The facts that follow from the files of a change, for rules to put bounds on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.subjects.change import FileChange, FileStatus, Function, FunctionChange
from bot.subjects.context import Facts
from bot.subjects.conventions import SOURCE_LANGUAGES, is_generated, is_test
from bot.subjects.dependencies import dependency_changes

DERIVED = "change"
"""The key under which every derived fact stands. What a caller gives cannot stand there."""


def change_facts(files: Sequence[FileChange]) -> Facts:
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
      end_line, length, parameters (a count), nesting, complexity, partial. The measures of a
      partial function are lower bounds.
    - `functions_removed[*]`: path, name, qualified_name, kind.
    - `dependencies`: see `dependency_changes`.

    An entry with a `path` says where it stands; lines are 1-based and of the head version.
    """
    described = [_file(file) for file in files]
    return {
        DERIVED: {
            "files_changed": len(files),
            "files_unread": sum(file.unread is not None for file in files),
            "lines_added": sum(entry["lines_added"] for entry in described),
            "lines_removed": sum(entry["lines_removed"] for entry in described),
            "code_lines_added": sum(map(_code_lines_added, files)),
            "tests_touched": sum(
                is_test(file.path) and file.status is not FileStatus.REMOVED for file in files
            ),
            "languages": sorted({file.language for file in files if file.language is not None}),
            "files": described,
            "functions": [
                _function(file, function)
                for file in files
                for function in file.functions
                if function.change is not FunctionChange.REMOVED
            ],
            "functions_removed": [
                _name(file, function)
                for file in files
                for function in file.functions
                if function.change is FunctionChange.REMOVED
            ],
            "dependencies": dependency_changes(files),
        }
    }


def _file(file: FileChange) -> dict[str, Any]:
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


def _code_lines_added(file: FileChange) -> int:
    if file.language not in SOURCE_LANGUAGES or is_test(file.path) or is_generated(file.path):
        return 0
    return sum(
        line.kind == "added" and not line.text.isspace() and line.text != ""
        for hunk in file.hunks
        for line in hunk.lines
    )


def _name(file: FileChange, function: Function) -> dict[str, Any]:
    return {
        "path": file.path,
        "name": function.name,
        "qualified_name": function.qualified_name,
        "kind": function.kind,
    }


def _function(file: FileChange, function: Function) -> dict[str, Any]:
    return _name(file, function) | {
        "change": function.change.value,
        "start_line": function.start_line,
        "end_line": function.end_line,
        "length": function.length,
        "parameters": len(function.parameters),
        "nesting": function.nesting,
        "complexity": function.complexity,
        "partial": function.partial,
    }
