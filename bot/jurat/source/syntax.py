"""Parsed source, whole or in part. One parse of a text serves functions, patterns and fixes.

A grammar may take very long on hostile input, or end the process it runs in, which is what a
ParserPool is for; what is known to end it is refused beforehand (see `nesting`).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from threading import Lock
from typing import Literal

from ast_grep_py import SgNode, SgRoot

from jurat.source.diff import FileChange, TextFragment
from jurat.source.languages import LANGUAGES
from jurat.source.newer_syntax import spell_out_signs, translate_to_older

# A look at how deeply a text is nested, before a grammar that may not survive it.
#
# Three of the grammars keep their open blocks in a buffer of 1,024 bytes and end the process
# where it overflows: YAML and Markdown at 256 open blocks, Kotlin at some 600 string templates
# inside each other. The counts here are never less than what the grammar keeps open, and ordinary
# text does not come near the limits.

MAX_BLOCKS = 200
"""Blocks of YAML or Markdown inside each other."""
MAX_TEMPLATES = 400
"""Braced templates in the strings of one Kotlin text, wherever they stand."""

_YAML = re.compile(r"[-?:](?=\s|$)")
_MARKDOWN = re.compile(r">|[-+*](?=\s|$)|[0-9]{1,9}[.)](?=\s|$)")


class TooDeeplyNestedError(Exception):
    """A text that its grammar might not survive."""

    def __init__(self) -> None:
        super().__init__("it is nested too deeply to be parsed safely")


def check_nesting(text: str, language: str) -> None:
    """Raise TooDeeplyNestedError if a grammar of `jurat.source.languages` might overflow."""
    if (
        (language == "yaml" and _count_blocks(text, _YAML, content=True) > MAX_BLOCKS)
        or (language == "markdown" and _count_blocks(text, _MARKDOWN, content=False) > MAX_BLOCKS)
        or (language == "kotlin" and text.count("${") > MAX_TEMPLATES)
    ):
        raise TooDeeplyNestedError


def _count_blocks(text: str, marker: re.Pattern[str], *, content: bool) -> int:
    """How many blocks are open at once, at most, were each ended only by one further left.

    A block begins at a marker at the start of a line, with `content` also if the line's own text
    begins; several may begin on one line, each further right than the one around it.
    """
    deepest = 0
    columns: list[int] = []
    for line in text.splitlines():
        begun = _list_begun(line.expandtabs(4), marker, content=content)
        if begun:
            while columns and columns[-1] >= begun[0]:
                columns.pop()
            columns += begun
            deepest = max(deepest, len(columns))
    return deepest


def _list_begun(line: str, marker: re.Pattern[str], *, content: bool) -> list[int]:
    """The columns at which blocks begin at the start of a line."""
    begun: list[int] = []
    place = 0
    while place < len(line):
        if line[place] == " ":
            place += 1
        elif match := marker.match(line, place):
            begun.append(place)
            place = match.end()
        else:
            if content:
                begun.append(place)
            break
    return begun


_KEPT_CHARACTERS = 2_000_000
"""Source whose trees are kept: a tree takes about 40 bytes a character, so about 80 MB."""

_WRAPPINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "cpp": (("", ""), ("struct _ {\n", "\n};")),
    "csharp": (("", ""), ("class _ {\n", "\n}")),
    "java": (("", ""), ("class _ {\n", "\n}")),
    "javascript": (("", ""), ("class _ {\n", "\n}")),
    "kotlin": (("", ""), ("class _ {\n", "\n}")),
    "php": (("<?php\n", ""), ("<?php\nclass _ {\n", "\n}"), ("", "")),
    "rust": (("", ""), ("impl _ {\n", "\n}")),
    "swift": (("", ""), ("class _ {\n", "\n}")),
    "tsx": (("", ""), ("class _ {\n", "\n}")),
    "typescript": (("", ""), ("class _ {\n", "\n}")),
}
_WITHOUT_BRACES = frozenset({"bash", "elixir", "haskell", "lua", "markdown", "ruby", "yaml"})
_CLOSERS = {"{": "}", "(": ")", "[": "]"}
_BRACKET = re.compile(
    # Possessive quantifiers (`*+`): an unclosed string is not tried again from each of its
    # characters.
    r"""[{}()\[\]]"""
    r"""|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n]){0,200}'|`[^`]*+`?"""
    r"""|//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?""",
    re.DOTALL,
)
"""A bracket, or a string or comment to pass over; near enough for most languages with braces."""
WRAPPER_NAME = "_"
"""The name of the class that a fragment is put into if its methods would not parse without."""


@dataclass(frozen=True, slots=True)
class ParseResult:
    """A parsed text and where it stands in its file. `text` is what `root` is the tree of.

    Row r (0-based) of the tree is line `first_line + r` of the file, and `column` characters were
    taken off the left of every line. What stands before the fragment's own first line, or behind
    `last_line` (None for a whole text), is scaffolding.
    """

    text: str
    root: SgNode
    first_line: int = 1
    last_line: int | None = None
    column: int = 0
    partial: bool = False

    @property
    def clean(self) -> bool:
        """Whether it has no syntax error."""
        return _count_damage(self.root) == 0


_PAGES = frozenset({"javascript", "tsx"})
"""Languages with the text of pages among their code."""

_MOST_REPAIRS = 8

_EMPTY_TEXTS = frozenset({"raw_string_literal_content", "string_content", "string_fragment"})
"""What may be empty and lack nothing: the text between two quotes."""


def _build_tree(text: str, language: str) -> SgRoot:
    """The tree of a text, or of the same in older words if that leaves less out."""
    tree = SgRoot(text, language)
    older = translate_to_older(text, language)
    is_page = language in _PAGES and "&" in text
    if (older == text and not is_page) or not _count_damage(tree.root()):
        return tree
    tree = min((tree, SgRoot(older, language)), key=lambda one: _count_damage(one.root()))
    for _ in range(_MOST_REPAIRS if is_page else 0):
        before = tree.root().text()
        plain = spell_out_signs(tree.root(), before)
        if plain == before:
            break
        tree = SgRoot(plain, language)
    return tree


class _Trees:
    """The trees used last, within a budget of characters."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._used = 0
        self._trees: OrderedDict[tuple[str, str], SgRoot] = OrderedDict()
        self._lock = Lock()

    def get(self, text: str, language: str) -> SgRoot:
        key = (language, text)
        with self._lock:
            if key in self._trees:
                self._trees.move_to_end(key)
                return self._trees[key]
        # Before the grammar sees it, on every way to a tree: what it guards against ends the
        # process.
        check_nesting(text, language)
        # Outside of the lock: a slow parse must not hold up threads whose trees are there already.
        tree = _build_tree(text, language)
        with self._lock:
            # Another thread may have parsed it meanwhile; counted twice, the budget would shrink
            # for good.
            if key not in self._trees and len(text) <= self._budget:
                self._trees[key] = tree
                self._used += len(text)
            while self._used > self._budget:
                (_, dropped), _ = self._trees.popitem(last=False)
                self._used -= len(dropped)
        return tree

    def clear(self) -> None:
        with self._lock:
            self._trees.clear()
            self._used = 0


_TREES = _Trees(_KEPT_CHARACTERS)


def parse(text: str, language: str) -> SgRoot:
    """The tree of a text. `language` is one of `languages.LANGUAGES`, else ValueError.

    Raises TooDeeplyNestedError.
    """
    if language not in LANGUAGES:
        raise ValueError(f"there is no grammar for {language!r}")
    return _TREES.get(text, language)


def forget_trees() -> None:
    """Keep no tree of what was parsed so far: who reads each text once needs none again."""
    _TREES.clear()


def is_parsable(text: str, language: str) -> bool:
    """Whether a text has no syntax error in it, as far as its grammar knows the language."""
    try:
        return find_syntax_errors(text, language) == 0
    except TooDeeplyNestedError:
        return False


def find_syntax_errors(text: str, language: str) -> int:
    """How much of a text its grammar cannot make out: characters, and tokens that are missing.

    Raises TooDeeplyNestedError if the grammar would not survive it.
    """
    return _count_damage(parse(text, language).root())


def parse_side(file: FileChange, side: Literal["base", "head"]) -> Iterator[ParseResult]:
    """What is at hand of one side of a file: its whole text, or its fragments one by one.

    Nothing if the file has no language, or was not read or is not parsed.
    """
    if file.language is None or file.unread or file.unparsed:
        return
    whole = (file.head if side == "head" else file.base) is not None
    for fragment in file.list_code(side):
        if whole:
            yield ParseResult(fragment.text, parse(fragment.text, file.language).root())
        else:
            yield parse_fragment(fragment, file.language)


def parse_fragment(fragment: TextFragment, language: str) -> ParseResult:
    """A fragment parsed as well as it can be.

    It is moved to the left margin and, if that leaves fewer syntax errors, put into a class, or
    given the braces (in Python, the headers) of the blocks that it begins or ends inside of.
    """
    text, column = _dedent(fragment.text)
    last_line = fragment.first_line + len(text.rstrip("\n").split("\n")) - 1
    candidates = []
    for before, after in _iter_wrappings(text, language):
        wrapped = before + text + after
        root = parse(wrapped, language).root()
        first_line = fragment.first_line - before.count("\n")
        damage = _count_damage(root)
        source = ParseResult(wrapped, root, first_line, last_line, column, partial=True)
        candidates.append((damage, source))
        if damage == 0:
            break
    return min(candidates, key=itemgetter(0))[1]


def _count_damage(root: SgNode) -> int:
    """How many characters could not be parsed, plus one for each token that had to be made up.

    A made-up ("missing") node is empty, and nothing else is but an empty text's and the root of a
    blank file.
    """
    found = root.find_all({"rule": {"any": [{"kind": "ERROR"}, {"regex": "^$"}]}})
    return sum(
        max(len(node.text()), 1)
        for node in found
        if node.text() or (node.parent() and node.kind() not in _EMPTY_TEXTS)
    )


def _iter_wrappings(text: str, language: str) -> Iterator[tuple[str, str]]:
    """What to put before and behind a fragment, the most likely first."""
    if language == "python":
        yield _list_opened_blocks(text), ""
        yield "", ""
        return
    openers, closers = ("", "") if language in _WITHOUT_BRACES else _find_missing_brackets(text)
    for before, after in _WRAPPINGS.get(language, (("", ""),)):
        yield before, after
        if openers or closers:
            yield before + openers, closers + after


def _find_missing_brackets(text: str) -> tuple[str, str]:
    """Lines with the braces that a fragment closes without opening them, and the reverse."""
    closed = 0
    opened: list[str] = []
    for match in _BRACKET.finditer(text):
        bracket = match[0]
        if bracket in _CLOSERS:
            opened.append(_CLOSERS[bracket])
        elif opened and opened[-1] == bracket:
            opened.pop()
        elif bracket == "}":
            closed += 1
    return "{\n" * closed, "\n" + "".join(reversed(opened)) if opened else ""


def _dedent(text: str) -> tuple[str, int]:
    lines = text.split("\n")
    margins = [_get_indentation(line) for line in lines if line.strip()]
    # By characters, as a tab is not a number of blanks: that is what the first and the last of the
    # sorted margins share.
    width = 0
    for one, other in zip(min(margins, default=""), max(margins, default=""), strict=False):
        if one != other:
            break
        width += 1
    return ("\n".join(line[width:] for line in lines), width) if width else (text, 0)


def _get_indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _list_opened_blocks(text: str) -> str:
    """The headers of the Python blocks that a fragment begins inside of, one line each."""
    headers: list[str] = []
    margin: str | None = None
    for line in text.split("\n"):
        code = line.strip()
        if not code or code.startswith("#"):
            continue
        indentation = _get_indentation(line)
        if margin is not None and len(indentation) < len(margin):
            word = "try:" if code.startswith(("except", "finally")) else "if _:"
            headers.append(f"{indentation}{word}\n")
        if margin is None or len(indentation) < len(margin):
            margin = indentation
        if not indentation:
            break
    return "".join(reversed(headers))
