"""Markdown and HTML in which foreign text stays text: no markup, no link and no ping."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jurat.source.visible_text import to_one_line, to_visible_text

if TYPE_CHECKING:
    from jinja2 import Environment


_ACTIVE = re.compile(r"([\\`*_{}\[\]<>()#+!|~&:-])")
_LINE_START = re.compile(r"^(\s*)(\d+)([.)])", re.MULTILINE)
_CODE = re.compile(r"(?<!`)(`+)(?!`)((?:(?!<!--).)+?)(?<!`)\1(?!`)")
"""Code in prose; not if it could be taken for one of the bot's own hidden markers."""

_SAFE_HYPHEN_OR_COLON = re.compile(r"\\([:-])")

_GAP = "\u200b"
"""A zero-width space. Text that others wrote holds none: it is written out as U+200B there."""

_REFERENCE = re.compile(
    r"(?<=@)"  # @user, @organisation/team, owner/repository@commit, a mail address
    r"|(?<=\#)(?=\d)|(?<=\bGH-)(?=\d)|(?<=\bCVE-)(?=\d)|(?<=\bGHSA-)(?=\w)"
    r"|(?<=:)(?=//)|(?<=\bwww)(?=\.)"
    r"|(?<=:)(?=[\w+-]+:)"  # :emoji:
    r"|^(?=[/\[])",  # another App's /command, a task's [ ], an alert's [!NOTE]
    re.IGNORECASE | re.ASCII,
)
_COMMIT = re.compile(r"(?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])", re.IGNORECASE)
_SHORTEST_COMMIT = 7


def escape_markdown(text: str) -> str:
    """`text` as one paragraph of literal text: no markup, nothing referred to, its lines joined.

    What it puts between backticks, as many as there are on the other side, becomes code, in which
    nothing is markup either.
    """
    flat, pieces, position = to_one_line(text), [], 0
    for span in _CODE.finditer(flat):
        code = span[2].removeprefix(" ").removesuffix(" ") if "`" in span[2] else span[2]
        pieces += [_escape_literal(flat[position : span.start()]), quote_code(code)]
        position = span.end()
    return "".join([*pieces, _escape_literal(flat[position:])])


def escape_plain(text: str) -> str:
    """`text` for a place without markup, in which GitHub finds references all the same.

    Such are annotations, titles, and the messages of commits.
    """
    return _split_references(to_visible_text(text))


def _escape_literal(flat: str) -> str:
    escaped = _ACTIVE.sub(r"\\\1", _split_references(flat))
    # A colon or hyphen is markup only at a line start; elsewhere it reads better bare.
    escaped = _SAFE_HYPHEN_OR_COLON.sub(r"\1", escaped)
    escaped = re.sub(r"^([=-])", r"\\\1", escaped)
    escaped = _LINE_START.sub(r"\1\2\\\3", escaped)
    # In an element of its own it begins no formula; a backslash would not help:
    # https://docs.github.com/get-started/writing-on-github/working-with-advanced-formatting/writing-mathematical-expressions
    escaped = escaped.replace("$", "<span>$</span>")
    return escaped.replace(_GAP, "&#8203;")


def _split_references(text: str) -> str:
    """`text` with a gap, which nobody sees, in all that GitHub would notify, refer to or link.

    GitHub looks for that in what was rendered, with entities and escapes resolved:
    https://docs.github.com/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
    """
    return _COMMIT.sub(_split_commit, _REFERENCE.sub(_GAP, text))


def _split_commit(match: re.Match[str]) -> str:
    digits, step = match.group(), _SHORTEST_COMMIT - 1
    return _GAP.join(digits[at : at + step] for at in range(0, len(digits), step))


def quote_code(text: str) -> str:
    """`text` as an inline code span, whatever backticks it holds (CommonMark 6.1)."""
    flat = to_one_line(text) or " "
    ticks = "`" * (_find_longest_run(flat) + 1)
    # CommonMark takes one blank off each side: https://spec.commonmark.org/0.31.2/#code-spans
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}"


def render_fence(text: str, info: str = "") -> str:
    """`text` as a fenced block whose fence is longer than any run of backticks inside it."""
    ticks = "`" * max(3, _find_longest_run(text) + 1)
    return f"{ticks}{info}\n{text}\n{ticks}"


def render_row(*cells: str) -> str:
    """A row of a table, of cells that are Markdown already."""
    # A bar ends a cell, even inside a code span, unless it is escaped; so does no other mark.
    escaped = (cell.replace("\\|", "|").replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def render_details(summary: str, body: str) -> str:
    """A folded section. `summary` is HTML that is safe already, `body` is Markdown."""
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def _find_longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


# Jinja2 as every page uses it: foreign text is text, and a name that is not there is an error.


@cache
def load_templates(folder: Path) -> Environment:
    """The templates of a folder, each compiled once in a process. What is added to it stays."""
    # Loaded by what makes a page: a review in the terminal starts 60 ms sooner without.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
