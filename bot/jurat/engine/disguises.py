"""Code that runs as something else than a grammar reads in it, so that no pattern may pass on it.

A comment that a lone carriage return ends, a name that Python reads as another one, an escape
inside a name, a codec that turns text into code: https://trojansource.codes and PEP 3131, PEP 263.
What only looks like another name runs as what it is: that is a rule's to report, `disguises.yml`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from ast_grep_py import Config, SgNode

from jurat.source.diff import FileChange
from jurat.source.disguises import find_odd_codec
from jurat.source.embedded import read_code
from jurat.source.notebooks import CELL_MARK, is_notebook

_ESCAPED = r"\\[uU]"
_FOREIGN = r"[^\x00-\x7F]"
_SCRIPT_NAMES = (
    "identifier",
    "property_identifier",
    "private_property_identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
)
_NAMES: Mapping[str, tuple[Sequence[str], str]] = {
    "python": (("identifier",), _FOREIGN),
    "javascript": (_SCRIPT_NAMES, _ESCAPED),
    "typescript": ((*_SCRIPT_NAMES, "type_identifier"), _ESCAPED),
    "tsx": ((*_SCRIPT_NAMES, "type_identifier"), _ESCAPED),
    "java": (("identifier", "type_identifier"), _ESCAPED),
    # C# leaves format characters out of a name.
    "csharp": (("identifier",), rf"{_ESCAPED}|\p{{Cf}}"),
    "c": (("identifier", "field_identifier", "type_identifier"), _ESCAPED),
    "cpp": (("identifier", "field_identifier", "type_identifier"), _ESCAPED),
}
"""The kinds of nodes that are names, and what one that is read as another name has in it."""

# Java reads these before anything else, in comments too: an end of line, quotes, `*`, `/` and `\`.
_JAVA_ESCAPE = re.compile(r"(?:^|[^\\])(?:\\\\)*\\u+00(?:0[aAdD]|22|27|2[aAfF]|5[cC])")

_SCRIPT_ENDS = "\u2028\u2029"
_LINE_ENDS: Mapping[str, str] = {
    "javascript": _SCRIPT_ENDS,
    "typescript": _SCRIPT_ENDS,
    "tsx": _SCRIPT_ENDS,
    "csharp": f"\x85{_SCRIPT_ENDS}",
}
"""What ends a line for a compiler beside "\\n" and "\\r", and so a comment."""


def has_signs_of_disguise(file: FileChange) -> bool:
    """Whether a file is worth the look of `explain_disguise`, whatever words stand in it."""
    language = file.language or ""
    text = "\n".join(_list_added(file).values())
    if _has_end_inside(text, language) or find_odd_codec(file):
        return True
    mark = _NAMES.get(language, ((), ""))[1]
    if mark == _FOREIGN:
        return not text.isascii() and any(map(_is_read_as_ascii, set(text)))
    if language == "csharp" and not text.isascii():
        return True
    return bool(mark) and ("\\u" in text or "\\U" in text)


def _is_read_as_ascii(char: str) -> bool:
    """Whether a letter is read as one of ASCII. Dots and quotes are no part of a name."""
    is_letter = not char.isascii() and char.isalnum()
    return is_letter and unicodedata.normalize("NFKC", char).isascii()


def explain_disguise(file: FileChange, roots: Sequence[tuple[int, SgNode]]) -> str:
    """Why what a grammar reads in a file's added lines is not what runs; "" if it is.

    `roots` are the trees of the head, or of its hunks, each with the line that it begins at.
    """
    if is_notebook(file.path) and not all(_is_apart(root) for _, root in roots):
        return "what begins in one of its cells ends in another"
    if not has_signs_of_disguise(file):
        return ""
    added = _list_added(file)
    language = file.language or ""
    for number, text in added.items():
        if _has_end_inside(text, language):
            mark = "a carriage return" if "\r" in text else "a character"
            return f"{mark} inside line {number} begins another for a compiler"
        if language == "java" and _JAVA_ESCAPE.search(text):
            return f"an escape in line {number} is code for a compiler, and text for its grammar"
    if codec := find_odd_codec(file):
        return f"it is decoded as {codec}, which can make code of what looks like text"
    lines = next(_iter_read_as_others(language, roots, frozenset(added)), None)
    return f"a name in line {lines} is read as another one than it looks like" if lines else ""


def _is_apart(root: SgNode) -> bool:
    """Whether each cell of a notebook begins where its grammar sees it begin."""
    marks = root.text().split("\n").count(CELL_MARK)
    seen = root.find_all({"rule": {"kind": "comment", "regex": f"^{re.escape(CELL_MARK)}$"}})
    return marks == len(seen)


def _has_end_inside(text: str, language: str) -> bool:
    return "\r" in text or any(mark in text for mark in _LINE_ENDS.get(language, ""))


def _list_added(file: FileChange) -> dict[int, str]:
    """The added lines of the head by their numbers; of a notebook as they run."""
    if is_notebook(file.path) and file.head is not None:
        code = read_code(file.path, file.head).split("\n")
        return {number: code[number - 1] for number in sorted(file.added_lines)}
    return {
        line.new: line.text.removesuffix("\r")
        for hunk in file.hunks
        for line in hunk.lines
        if line.kind == "added" and line.new is not None
    }


def _iter_read_as_others(
    language: str, roots: Sequence[tuple[int, SgNode]], added: frozenset[int]
) -> Iterator[int]:
    kinds, mark = _NAMES.get(language, ((), ""))
    if not kinds:
        return
    config: Config = {"rule": {"any": [{"kind": kind} for kind in kinds], "regex": mark}}
    for first_line, root in roots:
        for node in root.find_all(config):
            line, name = first_line + node.range().start.line, node.text()
            # Letters of other scripts are names like any; those that come to ASCII are others'.
            poses = mark != _FOREIGN or unicodedata.normalize("NFKC", name).isascii()
            if line in added and poses:
                yield line
