"""What is wrong with rule and configuration files, as people, editors and code scanning read it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TextIO

from jurat import __version__
from jurat.errors import FileError
from jurat.reports.actions import format_command
from jurat.reports.sarif import PROJECT, SCHEMA, to_artifact, to_message
from jurat.source.visible_text import escape_json, to_terminal_line

_RULE = "rule-file"
_TITLE = "Cannot be loaded"


def write_text(loaded: str, errors: Sequence[FileError], stream: TextIO) -> None:
    """A line on what was loaded, or a line for each error."""
    stream.writelines(
        f"{to_terminal_line(line)}\n" for line in (map(str, errors) if errors else (loaded,))
    )


def write_json(loaded: str, errors: Sequence[FileError], stream: TextIO) -> None:
    """`loaded` in words, empty if nothing was, and `errors` with path, line, column and key."""
    rows = [
        {
            "path": error.path,
            "line": error.line,
            "column": error.column,
            "key": error.key,
            "problem": error.problem,
            "hint": error.hint,
        }
        for error in errors
    ]
    document = {"loaded": loaded, "errors": rows}
    stream.write(escape_json(json.dumps(document, indent=2)) + "\n")


def write_workflow_commands(loaded: str, errors: Sequence[FileError], stream: TextIO) -> None:
    """An annotation for each error."""
    for error in errors:
        command = format_command(
            "error",
            _describe(error),
            file=error.path,
            line=error.line or None,
            col=error.column or None,
            title=_TITLE,
        )
        stream.write(f"{command}\n")


def write_sarif(loaded: str, errors: Sequence[FileError], stream: TextIO) -> None:
    """A SARIF log with one run."""
    rule = {
        "id": _RULE,
        "name": "RuleFile",
        "shortDescription": to_message("A rule or configuration file can be loaded."),
        "fullDescription": to_message(
            "A rule or configuration file can be loaded. One that cannot stops every review."
        ),
        "helpUri": f"{PROJECT}/blob/main/docs/rules.md",
    }
    driver = {
        "name": "Jurat",
        "semanticVersion": __version__,
        "informationUri": PROJECT,
        "rules": [rule],
    }
    run = {"tool": {"driver": driver}, "results": [_to_result(error) for error in errors]}
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    stream.write(escape_json(json.dumps(log, indent=2)) + "\n")


def _to_result(error: FileError) -> dict[str, Any]:
    region = {"startLine": max(error.line, 1)}
    if error.column:
        region["startColumn"] = error.column
    place = {"artifactLocation": to_artifact(error.path), "region": region}
    return {
        "ruleId": _RULE,
        "ruleIndex": 0,
        "level": "error",
        "message": to_message(_describe(error)),
        "locations": [{"physicalLocation": place}],
    }


def _describe(error: FileError) -> str:
    said = f"{error.key}: {error.problem}" if error.key else error.problem
    return f"{said}. {error.hint}" if error.hint else f"{said}."
