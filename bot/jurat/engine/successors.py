"""What a change puts in the place of a guard that it takes away.

A line that reads like a successor counts if it stands in the guard's place and runs: not in another
function or another route, not as a remark, a text, an import or the name of what is defined, not in
a branch of its own, and not behind a `return`. On the very lines of the guard, one that speaks of
the same things is enough if it can turn anybody away: what only writes them down cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from ast_grep_py import SgNode

from jurat.engine.guard_places import (
    CALLS,
    MARKS,
    STATEMENTS,
    GuardedCode,
    HeadPart,
    blank_idle_text,
    find_node,
    find_router,
    find_statement,
    is_in_place,
)
from jurat.rules.constraints import compile_regex

_PLAIN = frozenset(
    {"expression_statement", "lexical_declaration", "variable_declaration"}
    | {"short_var_declaration", "assignment_statement", "local_variable_declaration"}
)
"""Statements that only do or note something."""
_NOTED = re.compile(r"(?:\w+ )?(\w+)\s*:?=(?!=)")
_NAME = re.compile(r"\w+")
_WAITS = frozenset({"await", "await_expression"})
_CONDITIONS = frozenset(
    {"comparison_operator", "boolean_operator", "not_operator", "binary_expression"}
    | {"unary_expression"}
)

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
"""A word of a name: `ownerId` and `owner_id` have two."""

_LEAST_SHARED = 2
"""Words that a line has in common with a guard that it rewords."""

REFUSES = re.compile(
    r"\b(return|raise|throw|abort|panic|continue|break|exit|die)\b|deny|refus|reject|fail|forbid|redirect",
    re.IGNORECASE,
)
"""What leads away from what is guarded."""

CHOOSES = re.compile(r"\b(?:or|and|if|unless)\b|\|\||&&|\?|\.then\b")
"""What does something else by an answer, on one line with the question."""

_CONSTANT = re.compile(r"^\(?(true|false|0|1|none|null)\)?$", re.IGNORECASE)
"""A condition that asks nothing."""

_EMPTY_WORDS = frozenset({"if", "not", "and", "or", "return", "raise", "throw", "new", "await"})


def is_succeeded(
    guarded: GuardedCode, instead: str, parts: Iterable[HeadPart], added: Collection[int]
) -> bool:
    """Whether an added line reads like what may stand in a guard's place, and stands there.

    Never, if there is no pattern.
    """
    if not instead:
        return False
    search = compile_regex(instead).search

    def find(line: str) -> int | None:
        found = search(line.encode("utf-8", "replace"))
        return None if found is None else len(found.string[: found.end()].decode("utf-8", "ignore"))

    return _has_line_in_place(added, find, guarded, parts)


def is_reworded(
    guarded: GuardedCode, node: SgNode, parts: Iterable[HeadPart], added: Collection[int]
) -> bool:
    """Whether a line where a guard stood speaks of what the guard spoke of, or is of its kind."""
    kind, words = node.kind(), _split_words(node.text())
    parts = tuple(parts)
    if kind not in STATEMENTS and kind not in MARKS:
        # One of a list: what stands there now is its next version.
        return _has_line_in_place(added, lambda line: len(line.rstrip()) or None, guarded, parts)
    if _is_given_up(node, parts, added) or _is_refused_still(node, parts, added):
        return True

    if kind in MARKS:
        return _has_line_in_place(
            added, lambda line: len(line) if line.strip().startswith("@") else None, guarded, parts
        )

    def find_told(line: str) -> int | None:
        return len(line.rstrip(" ;)")) if find_router(line.strip()) else None

    if guarded.router and _has_line_in_place(added, find_told, guarded, parts):
        return True

    def find(line: str) -> int | None:
        shared = [found for found in _WORD.finditer(line) if found[0].lower() in words]
        if len({found[0].lower() for found in shared}) < _LEAST_SHARED:
            return None
        return shared[-1].end()

    return _has_line_in_place(
        added,
        find,
        guarded,
        parts,
        lambda statement: _can_refuse(statement, words, list(_list_texts(parts, added))),
    )


def _can_refuse(statement: SgNode, words: Collection[str], brought: Sequence[str]) -> bool:
    """Whether a statement that speaks of these words can turn anybody away.

    A condition, an answer, or what is made of a call's answer can. A call alone can by what it
    raises, if its own name speaks of them or if it is given what it must hold to. A value that is
    noted can if something else that was `brought` goes by it.
    """
    if statement.kind() not in _PLAIN:
        return True
    alone = statement.child(0) if statement.kind() == "expression_statement" else None
    while alone is not None and alone.kind() in _WAITS:
        alone = next((one for one in alone.children() if one.is_named()), None)
    if alone is None or alone.kind() not in CALLS:
        noted = _NOTED.match(statement.text())
        return any(one.kind() in CALLS for one in _iter_nodes(statement)) or (
            noted is not None
            and any(CHOOSES.search(line) and noted[1] in _NAME.findall(line) for line in brought)
        )
    arguments = alone.field("arguments")
    given = arguments.children() if arguments is not None else []
    callee = alone.text()
    if arguments is not None:
        callee = callee[: arguments.range().start.index - alone.range().start.index]
    return not _split_words(callee).isdisjoint(words) or any(
        one.kind() in _CONDITIONS for one in given
    )


def _iter_nodes(node: SgNode) -> Iterator[SgNode]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.children()


def _split_words(text: str) -> set[str]:
    return {found[0].lower() for found in _WORD.finditer(text)} - _EMPTY_WORDS


def _is_given_up(node: SgNode, parts: Sequence[HeadPart], added: Collection[int]) -> bool:
    """Whether all that a guard stood before went with it, for something else altogether."""
    head = "".join("".join(part.text.split()) for part in parts)
    rest, after = set(), node.next()
    while after is not None:
        if after.is_named() and "".join(after.text().split()) in head:
            return False
        rest |= _split_words(after.text())
        after = after.next()
    now = {word for line in _list_texts(parts, added) for word in _split_words(line)}
    return bool(rest and now) and rest.isdisjoint(now)


def _list_texts(parts: Iterable[HeadPart], numbers: Collection[int]) -> Iterator[str]:
    for part in parts:
        lines = part.text.split("\n")
        rows = (number - part.first for number in numbers)
        yield from (lines[row] for row in rows if 0 <= row < len(lines))


def _is_refused_still(node: SgNode, parts: Sequence[HeadPart], added: Collection[int]) -> bool:
    """Whether the same condition still leads away, or another one to the same."""
    condition, end = _read_field(node, "condition"), _read_field(node, "consequence")
    if not condition:
        return False
    for part in parts:
        lines = part.text.split("\n")
        for row in (number - part.first for number in added):
            if not 0 <= row < len(lines):
                continue
            indent = len(lines[row]) - len(lines[row].lstrip())
            for one in find_node(part.root, row, indent).ancestors():
                asked = _read_field(one, "condition")
                if asked == condition and REFUSES.search(lines[row]):
                    return True
                if asked and not _CONSTANT.search(asked) and _read_field(one, "consequence") == end:
                    return True
    return False


def _read_field(node: SgNode, name: str) -> str:
    """The text of a node's field without white space, "" for none."""
    field = node.field(name)
    return "".join(field.text().split()) if field is not None else ""


def _has_line_in_place(
    added: Collection[int],
    find: Callable[[str], int | None],
    guarded: GuardedCode,
    parts: Iterable[HeadPart],
    fits: Callable[[SgNode], bool] = lambda _: True,
) -> bool:
    """Whether one of these lines stands in a guard's place: `find` says at which column, if any.

    `fits` is asked of the statement that it is part of.
    """
    for part in parts:
        lines: Sequence[str] | None = None
        for number in sorted(added):
            row = number - part.first
            if row < 0:
                continue
            # Only now: most changes take no guard away.
            lines = lines or blank_idle_text(part, texts=not guarded.is_text)
            if row >= len(lines):
                break
            column = find(lines[row])
            if column is None:
                continue
            node = find_node(part.root, row, max(column - 1, 0))
            if fits(find_statement(node)) and is_in_place(node, guarded, part, lines):
                return True
    return False
