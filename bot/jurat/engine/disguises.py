"""Code that runs as something else than a grammar reads in it, so that no pattern may pass on it.

A comment that a lone carriage return ends, a name that Python reads as another one, an escape
inside a name, a codec that turns text into code: https://trojansource.codes and PEP 3131, PEP 263.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from ast_grep_py import Config, SgNode

from jurat.source.diff import FileChange

_ESCAPED = r"\\u"
_FOREIGN = r"[^\x00-\x7F]"
_SCRIPT_NAMES = ("identifier", "property_identifier")
_NAMES: Mapping[str, tuple[Sequence[str], str]] = {
    "python": (("identifier",), _FOREIGN),
    "javascript": (_SCRIPT_NAMES, _ESCAPED),
    "typescript": (_SCRIPT_NAMES, _ESCAPED),
    "tsx": (_SCRIPT_NAMES, _ESCAPED),
    "java": (("identifier",), _ESCAPED),
    "csharp": (("identifier",), _ESCAPED),
}
"""The kinds of nodes that are names, and what one that is read as another name has in it."""

# Java reads these before anything else, in comments too: an end of line, quotes, `*`, `/` and `\`.
_JAVA_ESCAPE = re.compile(r"\\u+00(?:0[aAdD]|22|27|2[aAfF]|5[cC])")

_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
_PLAIN_CODECS = re.compile(
    r"utf_?8(?:_sig)?|(?:us_)?ascii|(?:iso_?8859|latin)_?\w+|cp125\d|windows_125\d|koi8_[ru]"
    r"|euc_?(?:jp|kr)"
)
"""Codecs in which what looks like ASCII is ASCII."""


def has_signs_of_disguise(file: FileChange) -> bool:
    """Whether a file is worth the look of `explain_disguise`, whatever words stand in it."""
    texts = _list_added(file).values()
    mark = _NAMES.get(file.language or "", ((), ""))[1]
    if any("\r" in text for text in texts) or (file.language == "python" and _find_codec(file)):
        return True
    if mark == _ESCAPED:
        return any("\\u" in text for text in texts)
    return mark == _FOREIGN and any(
        not text.isascii() and unicodedata.normalize("NFKC", text) != text for text in texts
    )


def explain_disguise(file: FileChange, roots: Sequence[tuple[int, SgNode]]) -> str:
    """Why what a grammar reads in a file's added lines is not what runs; "" if it is.

    `roots` are the trees of the head, or of its hunks, each with the line that it begins at.
    """
    added = _list_added(file)
    if not added:
        return ""
    for number, text in added.items():
        if "\r" in text:
            return f"a carriage return inside line {number} begins another for a compiler"
        if file.language == "java" and _JAVA_ESCAPE.search(text):
            return f"an escape in line {number} is code for a compiler, and text for its grammar"
    if file.language == "python" and (codec := _find_codec(file)):
        return f"it is decoded as {codec}, which can make code of what looks like text"
    lines = next(_iter_read_as_others(file.language or "", roots, frozenset(added)), None)
    return f"a name in line {lines} is read as another one than it looks like" if lines else ""


def _list_added(file: FileChange) -> dict[int, str]:
    return {
        line.new: line.text.removesuffix("\r")
        for hunk in file.hunks
        for line in hunk.lines
        if line.kind == "added" and line.new is not None
    }


def _find_codec(file: FileChange) -> str:
    for line in (file.head or "").split("\n")[:2]:
        match = _COOKIE.match(line)
        if match and not _PLAIN_CODECS.fullmatch(match[1].lower().replace("-", "_")):
            return match[1]
    return ""


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
            # Letters of other scripts are names like any; those that come to ASCII pose as others.
            poses = mark == _ESCAPED or unicodedata.normalize("NFKC", name).isascii()
            if line in added and poses:
                yield line
