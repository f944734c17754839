"""Code inside a file of another form: the cells of a notebook, the scripts of a component."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ast_grep_py import SgNode

from bot.rating.recon.shapes import SHAPES
from bot.subjects.syntax import parse

NOTEBOOK = "notebook"
COMPONENT = "component"

_FORMS = {"ipynb": NOTEBOOK, "svelte": COMPONENT, "vue": COMPONENT}
_OPENING = re.compile(r"<script\b[^>]{0,500}>", re.IGNORECASE)
_CLOSING = re.compile(r"</script\b", re.IGNORECASE)
_MAGIC = re.compile(r"\s*[%!]")


class Code(NamedTuple):
    """Code taken out of a file. `lines` says of each of its lines at which of the file it stands.

    All 1-based.
    """

    text: str
    language: str
    lines: Sequence[int]


class NotebookError(ValueError):
    """A text that is no notebook, or one in a language that has no grammar here."""


def form_of(path: str) -> str | None:
    """NOTEBOOK or COMPONENT where code stands inside a file of that name, else None."""
    return _FORMS.get(path.rpartition(".")[2].lower())


def code_in(text: str, form: str) -> Code:
    """The code in a file of a form. Raises NotebookError."""
    return _cells(text) if form == NOTEBOOK else _scripts(text)


def _scripts(text: str) -> Code:
    """The scripts where they stand, everything around them blank; one that nothing ends is one."""
    pieces, end = [], 0
    while opening := _OPENING.search(text, end):
        closing = _CLOSING.search(text, opening.end())
        last = closing.start() if closing else len(text)
        pieces += [_blank(text[end : opening.end()]), text[opening.end() : last]]
        end = last
    pieces.append(_blank(text[end:]))
    return Code("".join(pieces), "typescript", range(1, text.count("\n") + 2))


def _blank(text: str) -> str:
    return "\n" * text.count("\n")


def _cells(text: str) -> Code:
    """The code cells of a notebook one after the other, an empty line behind each.

    https://nbformat.readthedocs.io/en/latest/format_description.html
    """
    notebook = _fields(next(iter(_named(parse(text, "json").root())), None))
    cells = notebook.get("cells")
    if cells is None:
        raise NotebookError("no notebook")
    language = _language(notebook.get("metadata"))
    written: list[tuple[str, int]] = []
    for cell in map(_fields, _named(cells)):
        source = cell.get("source")
        if source is not None and cell["cell_type"].text() == '"code"':
            written += [*_source(source), ("", source.range().end.line + 1)]
    code = "\n".join(f"# {line}" if _MAGIC.match(line) else line for line, _ in written)
    return Code(code, language, [at for _, at in written])


def _source(node: SgNode) -> Iterator[tuple[str, int]]:
    """The lines of one cell, written as one string or as a list of them."""
    for part in (node,) if node.kind() == "string" else _named(node):
        at = part.range().start.line + 1
        yield from ((line, at) for line in json.loads(part.text()).splitlines())


def _language(metadata: SgNode | None) -> str:
    told = _fields(metadata)
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        if value := _fields(told.get(key)).get(name):
            language = str(json.loads(value.text())).lower()
            if language not in SHAPES:
                raise NotebookError(f"no grammar for {language}")
            return language
    return "python"


def _fields(node: SgNode | None) -> dict[str, SgNode]:
    """The values of a JSON object by their keys; none of anything else."""
    if node is None or node.kind() != "object":
        return {}
    pairs = ((pair.field("key"), pair.field("value")) for pair in _named(node))
    return {json.loads(key.text()): value for key, value in pairs if key and value}


def _named(node: SgNode) -> list[SgNode]:
    return [child for child in node.children() if child.is_named()]
