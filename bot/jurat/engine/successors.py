"""What a change puts in the place of a guard that it takes away.

A line that reads like a successor counts if it stands in the guard's place and runs: not in another
function or another route, not as a remark, a text, an import or the name of what is defined, not in
a branch of its own, and not behind a `return`. On the very lines of the guard, one that speaks of
the same things is enough if it can turn anybody away: what only writes them down cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ast_grep_py import SgNode

from jurat.rules.constraints import compile_regex
from jurat.source.definitions import build_enclosing_name
from jurat.source.grammars import COMMENT_KINDS, GRAMMARS
from jurat.source.node_names import find_closure_name, find_name

_TEXTS = frozenset(
    {"string", "string_literal", "template_string", "interpreted_string_literal"}
    | {"raw_string_literal", "character_literal", "regex"}
)
_IMPORTS = frozenset({"import_statement", "import_from_statement", "import_declaration"})
_BLOCKS = frozenset(
    {"block", "statement_block", "class_body", "module", "program", "source_file"}
    | {"constructor_body", "switch_body", "statement_list"}
)
_LEAVING = frozenset(
    {"return_statement", "raise_statement", "throw_statement"}
    | {"break_statement", "continue_statement"}
)
_CALLS = frozenset({"call", "call_expression", "method_invocation"})
_ROUTE = re.compile(
    r"\.(get|post|put|patch|delete|all|head|options|route|any|handle\w*|match)$", re.IGNORECASE
)
_OF_ROUTER = re.compile(r"^([\w.]+)\.use\b", re.IGNORECASE)

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

_STATEMENTS = frozenset({"if_statement", "expression_statement", "call", "call_expression"})
MARKS = frozenset({"decorator", "annotation", "marker_annotation"})
"""What stands above a definition and says something of it."""

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


class GuardedCode(NamedTuple):
    """What a guard stood before: a function or scope, "" for the file, and a route, "" for none.

    `router` is what a guard was handed to, "" if it is none of a router. `line` is the head's line
    where it stood.
    """

    name: str
    route: str
    router: str
    line: int
    is_text: bool


class HeadPart(NamedTuple):
    """A parsed part of the head, whose first row is line `first` of the file."""

    root: SgNode
    text: str
    first: int
    language: str


def find_guarded_name(node: SgNode, language: str) -> str:
    """The qualified name of the function or scope that a guard is about, "" for the file.

    A decorator is about what it decorates, anything else about what it stands in.
    """
    if node.kind() != "decorator":
        return build_enclosing_name(node, language)
    after = node.next()
    while after is not None and after.kind() in ("decorator", "comment", "export"):
        after = after.next()
    body = after.field("body") if after is not None else None
    if body is None and after is not None:
        # `export class A`, whose decorators stand before the statement.
        body = next((one.field("body") for one in after.children() if one.field("body")), None)
    return build_enclosing_name(body if body is not None else node, language)


def find_route(node: SgNode) -> str:
    """The beginning of the call that ties code to an address, without white space; "" for none.

    Handlers without a name are told apart by it: `app.post("/pay"`.
    """
    for around in node.ancestors():
        if around.kind() in _CALLS and (route := _read_route(around)):
            return route
    return ""


def _read_route(call: SgNode) -> str:
    arguments = call.field("arguments")
    first = arguments.child(1) if arguments is not None else None
    if arguments is None or first is None or first.kind() not in _TEXTS:
        return ""
    start = call.range().start.index
    callee = call.text()[: arguments.range().start.index - start]
    if not _ROUTE.search(callee):
        return ""
    return "".join(call.text()[: first.range().end.index - start].split())


def read_guarded(node: SgNode) -> str:
    """The code that a guard is part of or stands before, without white space; "" for none."""
    if node.kind() in _STATEMENTS | MARKS:
        after = node.next()
        while after is not None and after.kind() in (*MARKS, "comment"):
            after = after.next()
        return "".join(after.text().split()) if after is not None else ""
    held = node
    for one in node.ancestors():
        if one.kind() in _BLOCKS:
            break
        held = one
    return "".join(held.text().split())


def find_router(text: str) -> str:
    """What a statement hands something to for all that it serves, "" for any other statement."""
    found = _OF_ROUTER.match(text)
    return found[1] if found else ""


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
    if kind not in _STATEMENTS and kind not in MARKS:
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
    if alone is None or alone.kind() not in _CALLS:
        noted = _NOTED.match(statement.text())
        return any(one.kind() in _CALLS for one in _iter_nodes(statement)) or (
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
            for one in _find_node(part.root, row, indent).ancestors():
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
            node = _find_node(part.root, row, max(column - 1, 0))
            if fits(_find_statement(node)) and _is_in_place(node, guarded, part, lines):
                return True
    return False


def _find_statement(node: SgNode) -> SgNode:
    statement = node
    for one in node.ancestors():
        if one.kind() in _BLOCKS:
            break
        statement = one
    return statement


def blank_idle_text(part: HeadPart, *, texts: bool = True) -> list[str]:
    """The lines of a part, without remarks, imports, names of definitions and, if asked, texts."""
    grammar = GRAMMARS.get(part.language)
    idle = {*COMMENT_KINDS.get(part.language, ("comment",)), *_IMPORTS, *(_TEXTS if texts else ())}
    chars, waiting = list(part.text), [part.root]
    while waiting:
        node = waiting.pop()
        kind = node.kind()
        gone: SgNode | None = node
        if kind not in idle:
            waiting += node.children()
            is_defined = grammar and (kind in grammar.functions or kind in grammar.classes)
            gone = node.field("name") if is_defined else None
        if gone is not None:
            span = gone.range()
            for at in range(span.start.index, span.end.index):
                if chars[at] != "\n":
                    chars[at] = " "
    return "".join(chars).split("\n")


def _find_node(root: SgNode, row: int, column: int) -> SgNode:
    """The innermost node that holds a character."""
    node, found = root, True
    while found:
        found = False
        for child in node.children():
            span = child.range()
            start = span.start.line, span.start.column
            if start <= (row, column) < (span.end.line, span.end.column):
                node, found = child, True
                break
    return node


def is_statement_in_place(node: SgNode, guarded: GuardedCode, part: HeadPart) -> bool:
    """Whether a statement runs whenever what was guarded does."""
    return _is_in_place(node, guarded, part, part.text.split("\n"))


def _is_in_place(node: SgNode, guarded: GuardedCode, part: HeadPart, lines: Sequence[str]) -> bool:
    way = [node, *node.ancestors()]
    decorator = next((one for one in way if one.kind() == "decorator"), None)
    scope = find_guarded_name(decorator or node, part.language)
    if not is_around(scope, guarded.name):
        return False
    if (route := find_route(node)) and route != guarded.route:
        return False
    statement = way[0]
    for one in way[1:]:
        if one.kind() in _BLOCKS:
            return (
                _is_of_guarded(one, part, guarded)
                and not _is_behind_exit(statement)
                and is_same_router(find_router(statement.text()), guarded.router, lines)
            )
        statement = one
    return True


def _is_of_guarded(block: SgNode, part: HeadPart, guarded: GuardedCode) -> bool:
    """Whether a block is the one that a guard stood in or before, or is around it."""
    span = block.range()
    if part.first + span.start.line <= guarded.line <= part.first + span.end.line:
        return True
    if block.parent() is None:
        return True
    owner, grammar = block.parent(), GRAMMARS.get(part.language)
    if owner is not None and owner.kind() in _BLOCKS:
        owner = owner.parent()  # Go's list of statements
    if owner is None or grammar is None or not guarded.name:
        return False
    kind = owner.kind()
    name = find_closure_name(owner, grammar) if kind in grammar.closures else find_name(owner, kind)
    return name is not None and build_enclosing_name(block, part.language) == guarded.name


def _is_behind_exit(statement: SgNode) -> bool:
    before = statement.prev()
    while before is not None:
        if before.kind() in _LEAVING:
            return True
        before = before.prev()
    return False


def is_same_router(one: str, other: str, lines: Iterable[str]) -> bool:
    """Whether what is told to a router is told to another: it is the same, or tied to it."""
    if not one or not other or one == other:
        return True
    names = [re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)") for name in (one, other)]
    return any(all(name.search(line) for name in names) for line in lines)


def is_around(outer: str, inner: str) -> bool:
    """Whether a scope is another or around it; "" is around all."""
    return not outer or inner == outer or inner.startswith(f"{outer}.")
