"""Markdown and HTML in which foreign text stays text: no markup, no link and no ping."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from jurat.source.visible_text import to_one_line

if TYPE_CHECKING:
    from jinja2 import Environment


_ACTIVE = re.compile(r"([\\`*_{}\[\]<>()#+!|~$:-])")
_LINE_START = re.compile(r"^(\s*)(\d+)([.)])", re.MULTILINE)
_CODE = re.compile(r"(?<!`)`((?:(?!<!--)[^`])+)`(?!`)")
"""Code in prose; not where it could be taken for one of the bot's own hidden markers."""

_SAFE_HYPHEN_OR_COLON = re.compile(r"\\([:-])")


def escape_markdown(text: str) -> str:
    """`text` as one paragraph of literal text: markup escaped, mentions broken, lines joined.

    What it puts between two backticks becomes code, in which nothing is markup either.
    """
    parts = _CODE.split(to_one_line(text))
    return "".join(
        quote_code(part) if index % 2 else _escape_literal(part) for index, part in enumerate(parts)
    )


def _escape_literal(flat: str) -> str:
    escaped = _ACTIVE.sub(r"\\\1", flat)
    # A colon or hyphen is markup only at a line start or in a URL; elsewhere it reads better bare.
    escaped = _SAFE_HYPHEN_OR_COLON.sub(r"\1", escaped)
    escaped = re.sub(r"^-", r"\\-", escaped)
    escaped = _LINE_START.sub(r"\1\2\\\3", escaped)
    # GitHub links bare URLs and pings @names and cross-references #numbers; an entity prevents it.
    return escaped.replace("://", ":&#8203;//").replace("@", "&#64;").replace("www.", "www&#46;")


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


def render_details(summary: str, body: str) -> str:
    """A folded section. `summary` is HTML that is safe already, `body` is Markdown."""
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def _find_longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


# Jinja2 as every page uses it: foreign text is text, and a name that is not there is an error.


def load_templates(folder: Path) -> Environment:
    """The templates of a folder."""
    # Loaded by what makes a page: a review in the terminal starts 60 ms sooner without.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
