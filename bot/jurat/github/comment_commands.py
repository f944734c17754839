"""The commands in a comment: what a reader sees as a line of text that begins with one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt

_READ = 8_192
"""Characters of a comment that are looked at: a command is short, and parsing costs time."""

_MOST = 5
"""Commands of one comment that are taken."""

_LINE = re.compile(r"^/(recheck|jurat)(?:[ \t]+(.*))?$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """`/recheck` and `/jurat recheck` are the same command; `/jurat` alone asks for help.

    `name` is in lower case and may be one that nobody knows. `arguments` is the rest of the line.
    """

    name: str
    arguments: str = ""


def parse_commands(body: str) -> tuple[ParsedCommand, ...]:
    """The commands of a comment, in order. What stands in a quote, a list or code is text."""
    # GitHub's own form sends CRLF, which `$` does not match before.
    text = body[:_READ].replace("\r\n", "\n")
    # Most comments hold no command: they cost no parse.
    if _LINE.search(text) is None:
        return ()
    tokens = _get_markdown_parser().parse(text)
    paragraphs = (
        token.content
        for before, token in pairwise(tokens)
        if before.type == "paragraph_open" and before.level == 0
    )
    found = (match for text in paragraphs for match in _LINE.finditer(text))
    return tuple(_to_command(match) for match, _ in zip(found, range(_MOST), strict=False))


def _to_command(match: re.Match[str]) -> ParsedCommand:
    rest = (match[2] or "").strip()
    if match[1].lower() == "recheck":
        return ParsedCommand("recheck", rest)
    name, _, arguments = rest.partition(" ")
    return ParsedCommand(name[:32].lower() or "help", arguments.strip())


@cache
def _get_markdown_parser() -> MarkdownIt:
    # Blocks are all that matters here; what stands within a line is not parsed.
    return MarkdownIt("commonmark").disable(["inline", "text_join"])
