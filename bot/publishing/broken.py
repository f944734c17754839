"""Errors in configuration and rule files, for people to read."""

from __future__ import annotations

from bot.errors import FileError
from bot.publishing.edits import Annotation
from bot.publishing.markdown import code_span, plain


def broken_rows(error: FileError) -> str:
    """A list of everything that one reading found: where, and what is wrong."""
    return "\n".join(
        f"- {code_span(_where(item))} {plain(item.problem)}" for item in (error, *error.further)
    )


def broken_annotations(error: FileError) -> tuple[Annotation, ...]:
    """The same on the lines of the files."""
    return tuple(
        Annotation(
            item.path,
            max(item.line, 1),
            max(item.line, 1),
            "failure",
            "Cannot be loaded",
            f"{item.key}: {item.problem}" if item.key else item.problem,
        )
        for item in (error, *error.further)
    )


def _where(error: FileError) -> str:
    line = f":{error.line}" if error.line else ""
    return f"{error.path}{line}" + (f" {error.key}" if error.key else "")
