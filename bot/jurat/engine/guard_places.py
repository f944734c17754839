"""Where guards stand in a program: before which code, in which function and route, and what runs.

A line stands in a guard's place if it runs whenever what was guarded does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ast_grep_py import SgNode

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
CALLS = frozenset({"call", "call_expression", "method_invocation"})
_ROUTE = re.compile(
    r"\.(get|post|put|patch|delete|all|head|options|route|any|handle\w*|match)$", re.IGNORECASE
)
_OF_ROUTER = re.compile(r"^([\w.]+)\.use\b", re.IGNORECASE)

STATEMENTS = frozenset({"if_statement", "expression_statement", "call", "call_expression"})
MARKS = frozenset({"decorator", "annotation", "marker_annotation"})
"""What stands above a definition and says something of it."""


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
        if around.kind() in CALLS and (route := _read_route(around)):
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
    if node.kind() in STATEMENTS | MARKS:
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


def find_statement(node: SgNode) -> SgNode:
    """The statement that a node is part of."""
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


def find_node(root: SgNode, row: int, column: int) -> SgNode:
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
    return is_in_place(node, guarded, part, part.text.split("\n"))


def is_in_place(node: SgNode, guarded: GuardedCode, part: HeadPart, lines: Sequence[str]) -> bool:
    """Whether code runs whenever what was guarded does: in its place, or around it."""
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
