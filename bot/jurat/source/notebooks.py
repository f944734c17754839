"""The code cells of notebooks, read where they stand in their JSON: `.ipynb`, in Python.

A program writes each line of a cell as a string on a line of its own. The code that is read has
as many lines as the file, each with the line of code that its string stands for, so that what is
found is found on the right line; columns are those of the code.

See https://nbformat.readthedocs.io/en/latest/format_description.html and
https://ipython.readthedocs.io/en/stable/interactive/magics.html.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from jurat.source.strict_json import KeyPath, check_unambiguous, find_json_spans

_MOST_CHARACTERS = 10_000_000
"""Of a notebook with its outputs, beyond which nobody reads it."""

_MOST_CODE = 1_000_000
"""Characters of the cells of a notebook, as of any code that is parsed."""

_LANGUAGE = re.compile(r"(?:i?python|pypy)[\d.]*", re.IGNORECASE)
"""What a notebook calls the language that its cells are in."""

_CELL_MAGIC = re.compile(r"%%(\w+)([^\n]*)")
_PYTHON_CELLS = frozenset(
    "capture debug memit mprun prun python python3 pypy time timeit".split()  # noqa: SIM905
)
"""Magics whose cell is Python all the same."""

_PYTHON_FILE = re.compile(r"\.py[\"']?\s*$")
_FILE_CELLS = frozenset({"file", "writefile"})

_STATEMENT_MAGIC = re.compile(r"%(?:time|timeit|prun|memit)\b(?:[ \t]+-\w+(?:[ \t]+\d+)?)*[ \t]*")
"""A magic that runs the statement behind it."""

_NO_CODE = re.compile(
    r"[!%?]|(?:pip3?|conda|mamba)[ \t]+(?:install|uninstall|list|show|freeze|update)\b"
    r"|[\w.*]+\?{1,2}[ \t\r]*$"
)
"""Begins a line that IPython takes for something other than Python."""

_ASSIGNED = re.compile(r"([\w.,\[\]'\" \t]+=[ \t]*)(?=[!%])")

_STRING_OR_BRACKET = re.compile(
    # Possessive: what is not closed is not tried again from each of its characters.
    r'"""(?:\\.|[^"\\]|"(?!""))*+(?:"""|(?P<open>\Z))'
    r"|'''(?:\\.|[^'\\]|'(?!''))*+(?:'''|(?P<unclosed>\Z))"
    r'|"(?:\\.|[^"\\\n])*+"?'
    r"|'(?:\\.|[^'\\\n])*+'?"
    r"|#[^\n]*|\\\n|[()\[\]{}]|\n",
    re.DOTALL,
)
"""What decides whether the end of a line ends a statement."""

_WRITTEN_LINE = re.compile(r'(\s*)("(?:[^"\\]|\\.)*+")(,?)([ \t]*\r?)')


CELL_MARK = "# %%"
"""Stands alone in the line before each cell of the code of a notebook, which no cell goes over."""


class Notebook(NamedTuple):
    """The code of a notebook on the lines of its file, and what of it is not read.

    `problem` says why none of its code can be read, and then there is none; `unread` which lines
    and cells are in another language.
    """

    text: str
    problem: str = ""
    unread: str = ""


class _CodeLine(NamedTuple):
    """A line of code, and the 1-based line of the file that it stands in."""

    number: int
    text: str


class _OtherCode(NamedTuple):
    """What a line or a cell is in that is no Python, and the line of the file that it begins at."""

    number: int
    what: str


class _UnreadableError(Exception):
    """Why nobody can tell the code of a notebook."""


def is_notebook(path: str) -> bool:
    """Whether a file of that name is a notebook."""
    return path.lower().endswith(".ipynb")


def is_run_in_cells(code: str) -> bool:
    """Whether code is that of cells: one is run after another has raised an error, too."""
    return code.startswith(CELL_MARK)


def explain_unreadable_notebook(text: str | None) -> str:
    """Why no code of a notebook can be read; empty if it can."""
    if text is None:
        return "its cells can only be told by its whole text, which is not at hand"
    return read_notebook(text).problem


@lru_cache(maxsize=16)
def read_notebook(text: str) -> Notebook:
    """The code of a notebook. Takes time in proportion to its length."""
    try:
        lines, others = _read_cells(text)
    except _UnreadableError as error:
        return Notebook("\n" * text.count("\n"), str(error))
    # Not `splitlines`, here and below: only a newline ends a line of a file.
    code = [""] * (text.count("\n") + 1)
    for line in lines:
        code[line.number - 1] = line.text
    return Notebook("\n".join(code), unread=_describe_others(others))


def read_written_line(line: str) -> str:
    """What a line of a notebook's file says if it is one string, else the line as it is."""
    match = _WRITTEN_LINE.fullmatch(line)
    try:
        said: str = json.loads(match[2]) if match else line
    except ValueError:
        return line
    return said.removesuffix("\n")


def write_cell_lines(
    written: Sequence[str], code: Sequence[str], new: Sequence[str]
) -> tuple[str, ...] | None:
    """Lines of a notebook's file that stand for `new` in place of `code`; None if none would.

    `written` are the lines of the file that now stand for `code`, one for each.
    """
    matches = [_WRITTEN_LINE.fullmatch(line) for line in written]
    if len(written) != len(code) or None in matches:
        return None
    found = [match for match in matches if match is not None]
    said: list[str] = [json.loads(match[2]) for match in found]
    ended = [text.endswith("\n") for text in said]
    # All but a cell's last line end with a newline, and are followed by another.
    whole = all(ended[:-1]) and all(match[3] for match in found[:-1])
    if not whole or [text.removesuffix("\n") for text in said] != list(code):
        return None
    first, last = found[0], found[-1]
    if not new:
        return () if ended[-1] and last[3] else None
    texts = [json.dumps(f"{line}\n", ensure_ascii=False) for line in new]
    if not ended[-1]:
        texts[-1] = json.dumps(new[-1], ensure_ascii=False)
    commas = [","] * (len(texts) - 1) + [last[3]]
    return tuple(
        f"{first[1]}{text}{comma}{first[4]}" for text, comma in zip(texts, commas, strict=True)
    )


def _read_cells(text: str) -> tuple[list[_CodeLine], list[_OtherCode]]:
    document = _parse_notebook(text)
    if sum(map(_measure_code, document["cells"])) > _MOST_CODE:
        raise _UnreadableError(f"its cells have more than {_MOST_CODE:,} characters")
    spans = find_json_spans(text, _is_part_of_code)
    lines: list[_CodeLine] = []
    others: list[_OtherCode] = []
    for number, cell in enumerate(document["cells"]):
        if not isinstance(cell, Mapping):
            raise _UnreadableError("it is no notebook: one of its cells is no cell")
        if cell.get("cell_type") != "code":
            continue
        source = cell.get("source", [])
        where: KeyPath = ("cells", number, "source")
        pieces = _list_pieces(source)
        keys = [where] if isinstance(source, str) else [(*where, at) for at in range(len(pieces))]
        places = [spans[key].last_line for key in keys]
        written = _place_lines(pieces, places)
        _check_places(written, lines[-1].number if lines else 0)
        kept, other = _read_python(written)
        if kept:
            # The first line of the file says that there are cells, the others where one begins.
            marks = {written[0].number - 1, *([] if lines else [1])}
            lines += [_CodeLine(at, CELL_MARK) for at in sorted(marks)]
            lines += kept
        others += other
    return lines, others


def _measure_code(cell: object) -> int:
    source = cell.get("source") if isinstance(cell, Mapping) else None
    pieces = source if isinstance(source, list) else [source]
    return sum(len(one) for one in pieces if isinstance(one, str))


def _check_places(lines: Sequence[_CodeLine], last: int) -> None:
    """Raise _UnreadableError if lines of a cell have none of the file each, below `last` and one
    more.
    """
    last += 1
    for line in lines:
        if line.number <= last:
            why = f"several lines of its code stand in line {line.number} of the file"
            raise _UnreadableError(why)
        last = line.number


def _parse_notebook(text: str) -> Mapping[str, Any]:
    if len(text) > _MOST_CHARACTERS:
        raise _UnreadableError(f"it is a notebook of {len(text):,} characters")
    try:
        # No number of a notebook is of interest, and some would take long.
        document = json.loads(
            text,
            object_pairs_hook=check_unambiguous,
            parse_int=str,
            parse_float=str,
            parse_constant=str,
        )
    except (ValueError, RecursionError) as error:
        said = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise _UnreadableError(f"it is a notebook whose JSON cannot be read: {said}") from None
    if not isinstance(document, Mapping) or not isinstance(document.get("cells"), list):
        raise _UnreadableError("it is no notebook of format 4: it has no list of cells")
    language = _detect_kernel_language(document.get("metadata"))
    if language and not _LANGUAGE.fullmatch(language):
        said = language[:40]
        raise _UnreadableError(f"its kernel is for {said!r}, and no rule reads cells in that")
    return document


def _detect_kernel_language(metadata: object) -> str:
    """What language a notebook says its cells are in; "" if it says none, and Python is meant."""
    if not isinstance(metadata, Mapping):
        return ""
    kernel, info = metadata.get("kernelspec"), metadata.get("language_info")
    said = [
        value
        for holder, key in ((kernel, "language"), (info, "name"))
        if isinstance(holder, Mapping) and isinstance(value := holder.get(key), str) and value
    ]
    # What says two things is believed in neither: what runs is the kernel's, whatever stands here.
    return next((one for one in said if not _LANGUAGE.fullmatch(one)), said[0] if said else "")


def _is_part_of_code(where: Sequence[str | int]) -> bool:
    return len(where) in (3, 4) and where[0] == "cells" and where[2] == "source"


def _list_pieces(source: object) -> list[str]:
    pieces = [source] if isinstance(source, str) else source
    if not isinstance(pieces, list) or not all(isinstance(one, str) for one in pieces):
        raise _UnreadableError("it is no notebook: the source of one of its cells is no text")
    return pieces


def _place_lines(pieces: Sequence[str], places: Sequence[int]) -> list[_CodeLine]:
    """The lines of a cell, each where its first character stands."""
    found: list[_CodeLine] = []
    is_begun = False
    for piece, place in zip(pieces, places, strict=True):
        first, *further = piece.split("\n")
        if is_begun:
            found[-1] = found[-1]._replace(text=found[-1].text + first)
        elif piece:
            found.append(_CodeLine(place, first))
        found += [_CodeLine(place, line) for line in further]
        if further and not further[-1]:
            found.pop()
        is_begun = (bool(piece) and not piece.endswith("\n")) or (is_begun and not piece)
    return found


# What of a cell is Python.


def _read_python(lines: Sequence[_CodeLine]) -> tuple[list[_CodeLine], list[_OtherCode]]:
    """The lines of a cell without what IPython takes for something else, and what that is."""
    if not any(line.text.strip() for line in lines):
        return [], []
    begins = next(line for line in lines if line.text.strip())
    if magic := _CELL_MAGIC.match(begins.text):
        if not _is_python_cell(magic):
            return [], [_OtherCode(begins.number, f"`%%{magic[1][:20]}`")]
        lines = lines[lines.index(begins) + 1 :]
    lines = _drop_margin(lines)
    kept: list[_CodeLine] = []
    others: list[_OtherCode] = []
    goes_on = False
    starts = _find_starts(lines)
    for number, line in enumerate(lines):
        text = line.text
        if goes_on:
            text = ""
        elif number in starts:
            text = _replace_magic(text)
        if text != line.text:
            goes_on = line.text.rstrip().endswith("\\")
            others += [_OtherCode(line.number, "`!`")] if _is_for_shell(line.text) else []
        kept.append(line._replace(text=text))
    return kept, others


def _is_python_cell(magic: re.Match[str]) -> bool:
    is_file = magic[1] in _FILE_CELLS and _PYTHON_FILE.search(magic[2]) is not None
    return magic[1] in _PYTHON_CELLS or is_file


def _replace_magic(line: str) -> str:
    """A line that begins a statement, as Python: with nothing done if IPython runs it."""
    code = line.lstrip(" \t")
    margin = line[: len(line) - len(code)]
    assigned = _ASSIGNED.match(code)
    before = assigned[0] if assigned else ""
    code = code[len(before) :]
    if statement := _STATEMENT_MAGIC.match(code):
        return margin + before + (code[statement.end() :] or "pass")
    if not _NO_CODE.match(code):
        return line
    return margin + (f"{before}None" if before else "pass")


def _is_for_shell(line: str) -> bool:
    return line.lstrip().startswith("!") or re.search(r"=[ \t]*!", line) is not None


def _drop_margin(lines: Sequence[_CodeLine]) -> list[_CodeLine]:
    """The lines without the margin of the first: a cell that is indented runs all the same."""
    first = next((line.text for line in lines if line.text.strip()), "")
    margin = first[: len(first) - len(first.lstrip(" \t"))]
    return [line._replace(text=line.text.removeprefix(margin)) for line in lines]


def _find_starts(lines: Sequence[_CodeLine]) -> frozenset[int]:
    """The indices of the lines that begin a statement, and are no part of one above.

    Raises _UnreadableError if the last of them goes on: over the cells below nobody could read.
    """
    starts, depth, row, is_open = {0}, 0, 0, False
    for match in _STRING_OR_BRACKET.finditer("\n".join(line.text for line in lines)):
        end = match[0]
        is_open = match["open"] is not None or match["unclosed"] is not None
        row += end.count("\n")
        if end in "([{":
            depth += 1
        elif end in ")]}":
            depth = max(depth - 1, 0)
        elif end == "\n" and depth == 0:
            starts.add(row)
    if depth or is_open:
        raise _UnreadableError(f"a statement in line {lines[max(starts)].number} has no end")
    return frozenset(starts)


def _describe_others(others: Sequence[_OtherCode]) -> str:
    """What is said of code in other languages, by the first line of each; "" if there is none."""
    first: dict[str, int] = {}
    for one in others:
        first.setdefault(one.what, one.number)
    if not first:
        return ""
    named = ", ".join(f"{what} (line {number})" for what, number in list(first.items())[:5])
    return f"its Python is read, what it hands to a shell or another language is not: {named}"
