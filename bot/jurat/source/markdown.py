"""The blocks of a Markdown text, line by line: what is a heading, a paragraph, a list or code.

By CommonMark, with tables. A text of another kind reads as paragraphs, which is what it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_AFFIX = re.compile(r"^(?:bullet|ordered)_|_open$")
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()]*\)")
_EMPHASIS = re.compile(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|`")


class MarkdownBlock(NamedTuple):
    """One block at the top level: lines `first` to `end`, counted from 0, `end` exclusive.

    `kind` is the type of its token in markdown-it ("heading", "paragraph", "fence", "list", …).
    A heading has its `level` from 1 to 6 and its words in `name`.
    """

    kind: str
    first: int
    end: int
    level: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Structure:
    """The blocks of a text in order, and the numbers that lists give to their items, by line."""

    blocks: tuple[MarkdownBlock, ...] = ()
    numbers: Mapping[int, int] = field(default_factory=dict)


def parse_structure(text: str) -> Structure:
    """The structure of a text whose lines end with a newline, and with nothing else."""
    # To the parser a lone CR ends a line too, and front matter is a heading under a rule.
    even = re.sub(r"\r(?!\n)", " ", text)
    # Emptied, not cut out: every line below keeps its number.
    even = _FRONT_MATTER.sub(lambda match: "\n" * match[0].count("\n"), even)
    tokens = _build_parser().parse(even)
    blocks = []
    for index, token in enumerate(tokens):
        if token.level or token.nesting < 0 or token.map is None:
            continue
        first, end = token.map
        kind = _AFFIX.sub("", token.type)
        if kind == "heading":
            # A heading's words follow as a token of their own; its tag is h1 to h6.
            words = _LINK.sub(r"\1", tokens[index + 1].content)
            name = _EMPHASIS.sub("", words).strip()
            blocks.append(MarkdownBlock(kind, first, end, int(token.tag[1:]), name))
        else:
            blocks.append(MarkdownBlock(kind, first, end))
    return Structure(tuple(blocks), _number_items(tokens))


def _number_items(tokens: list[Token]) -> dict[int, int]:
    """What a reader sees before each item: Markdown counts on from the first item's number."""
    numbers: dict[int, int] = {}
    following: list[int | None] = []
    for token in tokens:
        if token.type == "ordered_list_open":
            start = token.attrGet("start")
            following.append(1 if start is None else int(start))
        elif token.type == "bullet_list_open":
            following.append(None)
        elif token.type in ("ordered_list_close", "bullet_list_close"):
            following.pop()
        elif token.type == "list_item_open" and token.map is not None:
            number = following[-1]
            if number is not None:
                numbers.setdefault(token.map[0], number)
                following[-1] = number + 1
    return numbers


@cache
def _build_parser() -> MarkdownIt:
    # Imported here: few repositories map a text, and every review would pay for it.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    parser = MarkdownIt("commonmark").enable("table")
    # What stands inside a block is of no interest, and a definition of a link is text like others.
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.disable("reference")
    return parser
