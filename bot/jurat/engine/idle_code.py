"""Code that never runs, as its own text says: behind a condition that is constant, or an end.

A guard in there guards nothing. Only what is certain counts: literals, what they are joined by, and
names that the file gives one literal and nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from operator import eq, ge, gt, le, lt, ne

from ast_grep_py import SgNode

from jurat.source.syntax import TooDeeplyNestedError, parse

_SIGNS = re.compile(
    r"\b(?:[Ff]alse|[Tt]rue|None|null|nil|undefined|NaN)\b|^\s*(?:return|raise|throw|break|continue)\b"
    r"|(?<![\w.])(?:\d+|['\"][^'\"]*['\"])\s*(?:[=!<>]=?|\)|&&|\|\||and\b|or\b)|!\s*\d"
    r"|(?:\b(?:if|elif|while|and|or|not)|&&|\|\|)\s*\(?\s*['\"\d]"
)
"""What a line holds if it may put other code to rest."""

_FALSE = frozenset({"False", "false", "None", "null", "nil", "undefined", "0", '""', "''", "NaN"})
_TRUE = frozenset({"True", "true"})
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?")
_TEXT = re.compile(r"\"[^\"\\{}]*\"|'[^'\\{}]*'")
_COMPARED: Mapping[str, Callable[[object, object], bool]] = {
    "==": eq, "===": eq, "!=": ne, "!==": ne,
}  # fmt: skip
_ORDERED: Mapping[str, Callable[[float, float], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_SIGN = r"(?:\+\+|--|[-+*/^%]?=(?!=|>)|(?:\|\|?|&&?|\?\?)=|:=)"
_GIVEN = re.compile(
    r"(?<![\w.$])([A-Za-z_]\w*)(?:\s*:[^=\n,()]{1,80}|\s+bool)?\s*:?=(?!=|>)\s*([\w\"'.]*)\s*;?\s*$",
    re.MULTILINE,
)
"""A name that a line gives a value, and nothing else behind it."""

_SCRIPT = "script"


def get_family(language: str) -> str:
    """What a language is called with all that have its kinds of statements, "" for any other."""
    if language in ("javascript", "typescript", "tsx"):
        return _SCRIPT
    return language if language in ("go", "java", "python") else ""


_BRANCHES: Mapping[str, Sequence[str]] = {
    "go": ("if_statement",),
    "java": ("if_statement", "while_statement"),
    "python": ("if_statement", "elif_clause", "while_statement"),
    _SCRIPT: ("if_statement", "while_statement"),
}
_ENDS_IN: Mapping[str, Sequence[str]] = {
    "go": ("return_statement", "break_statement", "continue_statement"),
    "java": ("return_statement", "throw_statement", "break_statement", "continue_statement"),
    "python": ("return_statement", "raise_statement", "break_statement", "continue_statement"),
    _SCRIPT: ("return_statement", "throw_statement", "break_statement", "continue_statement"),
}
_PARAMETERS: Mapping[str, Sequence[str]] = {
    "go": ("parameter_list",),
    "java": ("formal_parameters", "inferred_parameters"),
    "python": ("parameters", "lambda_parameters"),
    _SCRIPT: ("formal_parameters",),
}
_BLOCKS = frozenset({"block", "statement_block", "statement_list"})
_RUN_ANYWAY = frozenset(
    {"function_declaration", "generator_function_declaration", "labeled_statement", "comment"}
)
"""What stands behind an end and counts all the same."""

_MOST_NAMES = 50
"""Names in conditions that are looked up."""

_MOST_SPANS = 2_000
"""Places of a file at which code never runs that are told."""

_MOST_DEEP = 40
"""Conditions inside of each other that are looked at."""


def can_rest(lines: Sequence[str]) -> bool:
    """Whether some lines may be the reason that other code never runs."""
    return any(_SIGNS.search(line) for line in lines)


def drop_idle_code(text: str, language: str) -> str:
    """A program without the code that never runs, all else in its place.

    One that cannot be parsed, or in a language of which nothing is known, comes back as it is.
    """
    if not get_family(language):
        return text
    try:
        root = parse(text, language).root()
    except TooDeeplyNestedError:
        return text
    constants = _Constants(text, root, get_family(language))
    spans = sorted(islice(_iter_idle(root, constants, language), _MOST_SPANS))
    pieces: list[str] = []
    last = 0
    for start, end, filler in spans:
        if start < last or end - start < len(filler):
            continue
        gone = filler + re.sub(r"[^\n]", " ", text[start + len(filler) : end])
        pieces += [text[last:start], gone]
        last = end
    return "".join([*pieces, text[last:]])


class _Constants:
    """What conditions of a file come to, if that is certain."""

    def __init__(self, text: str, root: SgNode, family: str) -> None:
        self._text = text
        self._family = family
        self._root = root
        self._names: dict[str, bool | None] = {}

    def read(self, node: SgNode | None, depth: int = 0) -> bool | None:
        """Whether a condition is always met, or never; None if it may be either."""
        if node is None or depth > _MOST_DEEP:
            return None
        said, kind = node.text(), node.kind()
        if said in _FALSE:
            return False
        if said in _TRUE or (_NUMBER.fullmatch(said) and float(said)):
            return True
        if kind == "parenthesized_expression":
            return self.read(_get_only(node), depth + 1)
        if kind == "identifier":
            return self._read_name(said)
        if kind == "not_operator" or (kind == "unary_expression" and said.startswith("!")):
            inner = self.read(node.field("argument") or node.field("operand"), depth + 1)
            return None if inner is None else not inner
        left, right = _list_sides(node)
        if left is None or right is None:
            return None
        sign = self._text[left.range().end.index : right.range().start.index].strip()
        if sign in ("&&", "and", "||", "or"):
            ends = sign in ("||", "or")
            sides = (self.read(left, depth + 1), self.read(right, depth + 1))
            if ends in sides:
                return ends
            return None if None in sides else not ends
        return _compare(left.text(), sign, right.text())

    def _read_name(self, name: str) -> bool | None:
        """What a name is always, if the file gives it one literal, and nothing else does."""
        if name not in self._literals:
            return None
        if name not in self._names:
            if len(self._names) >= _MOST_NAMES:
                return None
            self._names[name] = None if self._is_given_more(name) else self._literals[name]
        return self._names[name]

    @cached_property
    def _literals(self) -> Mapping[str, bool]:
        """The names that are given a literal, once."""
        given = Counter(match[1] for match in _GIVEN.finditer(self._text))
        return {
            match[1]: match[2] in _TRUE
            for match in _GIVEN.finditer(self._text)
            if given[match[1]] == 1 and (match[2] in _TRUE or match[2] in _FALSE)
        }

    def _is_given_more(self, name: str) -> bool:
        """Whether a name is something else as well: a parameter, in a loop, by another sign."""
        word = re.escape(name)
        signs = re.findall(rf"(?<![\w.$]){word}\s*(?::[^=\n,()]+|\s+bool)?\s*{_SIGN}", self._text)
        other = re.search(
            rf"\b(?:for|as|global|nonlocal)\s+{word}\b|[,(]\s*{word}\s*,|,\s*{word}\s*:?=",
            self._text,
        )
        return len(signs) != 1 or other is not None or name in self._parameters

    @cached_property
    def _parameters(self) -> frozenset[str]:
        """The names in all lists of parameters."""
        lists = _find_kinds(self._root, _PARAMETERS[self._family])
        return frozenset(name for one in lists for name in _NAME.findall(one.text()))


def _find_kinds(root: SgNode, kinds: Iterable[str]) -> list[SgNode]:
    return root.find_all({"rule": {"any": [{"kind": kind} for kind in kinds]}})


def _iter_idle(
    root: SgNode, constants: _Constants, language: str
) -> Iterator[tuple[int, int, str]]:
    """The spans of code that never runs, and what has to stand in their place."""
    for node in _find_kinds(root, _BRANCHES[get_family(language)]):
        met = constants.read(node.field("condition"))
        if met is False:
            yield from _iter_cleared(node, language)
        elif met and node.kind() != "while_statement":
            for one in _list_alternatives(node):
                yield from _iter_cleared(one, language, is_whole=True)
    seen: set[tuple[int, int]] = set()
    for node in _find_kinds(root, _ENDS_IN[get_family(language)]):
        block = node.parent()
        if block is None or block.kind() not in _BLOCKS:
            continue
        span = block.range()
        # What stands behind the first end of a block stands behind all.
        if (place := (span.start.index, span.end.index)) not in seen:
            seen.add(place)
            yield from _iter_behind(node)


def _list_alternatives(node: SgNode) -> list[SgNode]:
    """What comes to pass if a condition is not met."""
    if node.kind() == "elif_clause":
        found = []
        after = node.next()
        while after is not None:
            found.append(after)
            after = after.next()
        return found
    return list(node.field_children("alternative"))


def _iter_cleared(
    node: SgNode, language: str, *, is_whole: bool = False
) -> Iterator[tuple[int, int, str]]:
    """The spans of a condition and of what it leads to, if `is_whole` of all else it leads to."""
    condition = node.field("condition")
    body = node.field("consequence") or node.field("body")
    if node.kind() == "else_clause" and body is None:
        yield from _iter_cleared(_get_last(node), language, is_whole=True)
        return
    if condition is not None:
        span, inner = condition.range(), int(condition.kind() == "parenthesized_expression")
        yield span.start.index + inner, span.end.index - inner, "0"
    if body is not None:
        yield _clear(body, language)
    elif condition is None:
        yield _clear(node, language)
    if is_whole:
        for one in node.field_children("alternative"):
            yield from _iter_cleared(one, language, is_whole=True)


def _iter_behind(end: SgNode) -> Iterator[tuple[int, int, str]]:
    """The statements of its block behind one after which nothing runs."""
    after = end.next()
    while after is not None:
        if after.is_named() and after.kind() not in _RUN_ANYWAY:
            span = after.range()
            yield span.start.index, span.end.index, ""
        after = after.next()


def _clear(body: SgNode, language: str) -> tuple[int, int, str]:
    span = body.range()
    start, end = span.start.index, span.end.index
    if language == "python":
        return start, end, "pass"
    if body.text().startswith("{"):
        return start + 1, end - 1, ""
    return start, end, ";"


def _get_only(node: SgNode) -> SgNode | None:
    named = [one for one in node.children() if one.is_named()]
    return named[0] if len(named) == 1 else None


def _get_last(node: SgNode) -> SgNode:
    named = [one for one in node.children() if one.is_named()]
    return named[-1] if named else node


def _list_sides(node: SgNode) -> tuple[SgNode | None, SgNode | None]:
    """Both sides of what joins or compares two."""
    if node.kind() == "comparison_operator":
        named = [one for one in node.children() if one.is_named()]
        return (named[0], named[1]) if len(named) == 2 else (None, None)
    return node.field("left"), node.field("right")


def _compare(left: str, sign: str, right: str) -> bool | None:
    if _NUMBER.fullmatch(left) and _NUMBER.fullmatch(right):
        if sign in _ORDERED:
            return _ORDERED[sign](float(left), float(right))
        return _COMPARED[sign](float(left), float(right)) if sign in _COMPARED else None
    if _TEXT.fullmatch(left) and _TEXT.fullmatch(right) and sign in _COMPARED:
        return _COMPARED[sign](left[1:-1], right[1:-1])
    return None
