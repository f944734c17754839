"""Changes made from two texts, by git."""

from __future__ import annotations

from pathlib import Path

from jurat.source.diff import FileChange, FunctionChange
from jurat.source.diff_parser import parse_diff
from jurat.source.file_text import attach_head_text
from jurat.source.functions import find_touched_functions
from tests.support.git import Pair, Tree


def changed_file(folder: Path, path: str, base: str | None, head: str | None) -> FileChange:
    """The one file of a change, as its diff shows it."""
    trees: list[Tree] = [{path: text.encode()} if text is not None else {} for text in (base, head)]
    (file,) = parse_diff(Pair(folder, *trees).diff()).files
    return file


def whole_file(folder: Path, path: str, base: str | None, head: str | None) -> FileChange:
    """The same with both whole texts at hand."""
    file = changed_file(folder, path, base, head)
    return attach_head_text(file, head) if head is not None else file


def touched(file: FileChange) -> dict[str, FunctionChange]:
    """What became of each function, by qualified name."""
    return {function.qualified_name: function.change for function in find_touched_functions(file)}
