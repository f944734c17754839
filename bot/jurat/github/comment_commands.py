"""The commands in a comment: what a reader sees as a line of text that begins with one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

_READ = 8_192
"""Characters of a comment that are looked at: a command is short, and parsing costs time."""

_MOST = 5
"""Commands of one comment that are taken."""

_LINE = re.compile(r"^/(recheck|jurat)(?:[ \t]+(.*))?$", re.MULTILINE | re.IGNORECASE)
_FOLDED = re.compile(r"<(/?)details\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """`/recheck` and `/jurat recheck` are the same command; `/jurat` alone asks for help.

    `name` is in lower case and may be one that nobody knows. `arguments` is the rest of the line.
    """

    name: str
    arguments: str = ""


def parse_commands(body: str) -> tuple[ParsedCommand, ...]:
    """The commands of a comment, in order. What stands in a quote, a list or code is text.

    So is what no reader sees: people copy into their comments what others have written for them.
    """
    # GitHub's own form sends CRLF, which `$` does not match before.
    text = body.replace("\r\n", "\n")
    if len(text) > _READ:
        # Between paragraphs: what is behind the cut may hide what is before it.
        text = text[:_READ].rpartition("\n\n")[0]
    # Most comments hold no command: they cost no parse.
    if _LINE.search(text) is None:
        return ()
    found = (
        match
        for paragraph in _list_paragraphs(_get_markdown_parser().parse(text))
        for match in _find_lines(paragraph)
    )
    return tuple(_to_command(match) for match, _ in zip(found, range(_MOST), strict=False))


def _list_paragraphs(tokens: list[Token]) -> Iterator[Token]:
    """The paragraphs that are part of nothing else, and that nobody has to unfold."""
    folded = 0
    for before, token in pairwise(tokens):
        if before.type == "html_block":
            for end in _FOLDED.findall(before.content):
                folded = max(folded - 1, 0) if end else folded + 1
        if before.type == "paragraph_open" and before.level == 0 and not folded:
            yield token


def _find_lines(paragraph: Token) -> Iterator[re.Match[str]]:
    """The commands among the lines of a paragraph: those that begin as plain text does."""
    if _LINE.search(paragraph.content) is None:
        return
    (inline,) = _get_line_parser().parseInline(paragraph.content)
    plain = ""
    # A line of the source may end inside of a tag, a comment or code, and the next one begin there.
    for token in [*(inline.children or ()), Token("softbreak", "", 0)]:
        if token.type in ("softbreak", "hardbreak"):
            if match := _LINE.fullmatch(plain):
                yield match
            plain = ""
        elif token.type == "text" and (plain or token.level == 0):
            plain += token.content
        elif plain:
            plain += _to_source(token)
        else:
            plain = "\0"  # what begins otherwise is no command


def _to_source(token: Token) -> str:
    """What somebody wrote in the middle of a line, but for what nobody sees."""
    if token.type == "code_inline":
        return f"{token.markup}{token.content}{token.markup}"
    if token.type == "html_inline":
        return "" if token.content.startswith("<!--") else token.content
    # Of emphasis the marks: who gives a reason is quoted as they wrote it.
    return token.content if token.type == "text_special" else token.markup


def _to_command(match: re.Match[str]) -> ParsedCommand:
    rest = (match[2] or "").strip()
    if match[1].lower() == "recheck":
        return ParsedCommand("recheck", rest)
    name, _, arguments = rest.partition(" ")
    return ParsedCommand(name[:32].lower() or "help", arguments.strip())


@cache
def _get_markdown_parser() -> MarkdownIt:
    # Blocks alone: the lines of a paragraph are parsed later, if one of them may be a command.
    return MarkdownIt("commonmark").disable(["inline", "text_join"])


@cache
def _get_line_parser() -> MarkdownIt:
    # Left apart, what was escaped is no text that a command begins with.
    return MarkdownIt("commonmark").disable("text_join")
