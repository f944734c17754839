"""The functions in a source text: where they are, what they are called, how complex they are.

Which node kinds matter in which language is grammars.py's to say; one walk here serves all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ast_grep_py import Config, Range, Rule, SgNode

from jurat.source.grammars import COMMENT_KINDS, GRAMMARS, Grammar
from jurat.source.node_names import find_closure_name, find_name, list_parameter_names, split_name
from jurat.source.syntax import WRAPPER_NAME, ParseResult

SCOPE = "scope"
"""The kind of a definition that is a class or a module, and no function."""

_RECEIVERS = frozenset({"self", "cls"})


@dataclass(slots=True)
class Definition:
    """A function, or the scope around functions, as the walk finds it.

    Lines are 1-based and inclusive, in the file, and so is `column`, counted from 0. `text` is
    everything in them that belongs to it.
    """

    node: SgNode
    name: str
    qualified_name: str
    kind: str
    start_line: int
    end_line: int
    column: int
    text: str
    nesting: int = 0
    complexity: int = 1
    partial: bool = False

    def signature(self) -> str:
        """What stands before its body, or its first line if the grammar names no body."""
        body = self.node.field("body")
        if body is None:
            return self.text.partition("\n")[0]
        return self.node.text()[: body.range().start.index - self.node.range().start.index]

    def list_parameters(self, language: str) -> tuple[str, ...]:
        """The parameters' names, without the receiver. A destructuring one is given as written."""
        names = list(list_parameter_names(self.node, GRAMMARS[language]))
        if names and self.kind in ("method", "constructor") and names[0] in _RECEIVERS:
            del names[0]
        return tuple(names)

    def count_code_lines(self, language: str) -> int:
        """The lines of its body that hold more than a comment or a text that describes it."""
        body = self.node.field("body") or self.node
        first = body.range().start.line
        lines = body.text().split("\n")
        remarks: list[SgNode] = body.find_all(_build_comment_query(language))
        described = body.child(0)
        if language == "python" and described is not None and _is_text(described):
            remarks.append(described)
        for remark in remarks:
            span = remark.range()
            for row in range(span.start.line, span.end.line + 1):
                text = lines[row - first] if row - first < len(lines) else ""
                start = span.start.column if row == span.start.line else 0
                # The body's own first line begins at its column; what stands before is no remark.
                if row == first:
                    start -= body.range().start.column
                if not text[: max(start, 0)].strip():
                    lines[row - first : row - first + 1] = [""]
        return sum(bool(line.strip()) for line in lines)


def _is_text(node: SgNode) -> bool:
    children = node.children()
    return node.kind() == "string" or [child.kind() for child in children] == ["string"]


@cache
def _build_comment_query(language: str) -> Config:
    kinds = COMMENT_KINDS.get(language, ("comment",))
    return {"rule": {"any": [{"kind": kind} for kind in kinds]}}


@dataclass(slots=True)
class _OpenDefinition:
    """Something that the walk is inside of. `owner` is whose complexity a branch here adds to."""

    end: int
    path: str
    owner: Definition | None
    depth: int = 0
    in_class: bool = False


def find_definitions(
    source: ParseResult, language: str, around: Definition | None = None
) -> list[Definition]:
    """Every named function and every scope, in the order of their first lines.

    Complexity is McCabe's number, short-circuit operators and comprehensions' clauses counted; the
    branches of a closure without a name count for the function around it. Nesting counts
    conditions, loops, switches and `try`; an `else if` is no deeper than its `if`. `around` is a
    function that the source stands inside of: branches outside of any other are added to it.
    """
    grammar = GRAMMARS[language]
    found: list[Definition] = []
    stack = [_OpenDefinition(end=len(source.text) + 1, path="", owner=around)]
    for node in source.root.find_all(_build_query(language)):
        span = node.range()
        start, end = span.start.index, span.end.index
        # `find_all` gives nodes in the order of the text, so that what ended before this one is
        # left.
        while stack[-1].end <= start:
            stack.pop()
        top, kind = stack[-1], node.kind()
        if _is_definition(kind, grammar):
            definition = _build_definition(node, kind, source, language, top)
            if definition is not None:
                found.append(definition)
                stack.append(_open_scope(definition, end, kind in grammar.classes))
            continue
        owner = top.owner
        if owner is None:
            continue
        if kind in grammar.branches or kind in grammar.rules:
            owner.complexity += 1
        if kind in grammar.nests and not _is_else_if(source.text, start):
            stack.append(_OpenDefinition(end, top.path, owner, top.depth + 1, top.in_class))
            owner.nesting = max(owner.nesting, top.depth + 1)
    return found


def build_enclosing_name(node: SgNode, language: str) -> str:
    """The qualified name of the function or scope that a node stands in, "" for none."""
    grammar = GRAMMARS.get(language)
    if grammar is None:
        return ""
    names: list[str] = []
    for around in list_enclosing(node, language):
        kind = around.kind()
        closure = kind in grammar.closures
        written = find_closure_name(around, grammar) if closure else find_name(around, kind)
        if written is not None and written != WRAPPER_NAME:
            names[:0] = split_name(written)
    return ".".join(names)


def list_enclosing(node: SgNode, language: str) -> Iterator[SgNode]:
    """The functions and scopes that a node stands in, the innermost first."""
    grammar = GRAMMARS.get(language)
    if grammar is not None:
        yield from (item for item in node.ancestors() if _is_definition(item.kind(), grammar))


@cache
def _build_query(language: str) -> Config:
    grammar = GRAMMARS[language]
    kinds = (
        grammar.functions.keys()
        | grammar.closures
        | grammar.classes
        | grammar.modules
        | grammar.branches
        | grammar.nests
    )
    by_kind: list[Rule] = [{"kind": kind} for kind in sorted(kinds)]
    return {"rule": {"any": [*by_kind, *grammar.rules.values()]}}


def _is_definition(kind: str, grammar: Grammar) -> bool:
    return (
        kind in grammar.functions
        or kind in grammar.closures
        or kind in grammar.classes
        or kind in grammar.modules
    )


def _open_scope(definition: Definition, end: int, is_class: bool) -> _OpenDefinition:
    owner = None if definition.kind == SCOPE else definition
    return _OpenDefinition(end, definition.qualified_name, owner, in_class=is_class)


def _is_else_if(text: str, start: int) -> bool:
    """Whether a condition is the `if` of an `else if`."""
    before = text[max(start - 16, 0) : start].rstrip(" \t")
    return before.endswith("else") and not before[-5:-4].isalnum()


def _build_definition(
    node: SgNode, kind: str, source: ParseResult, language: str, around: _OpenDefinition
) -> Definition | None:
    grammar = GRAMMARS[language]
    written = (
        find_closure_name(node, grammar) if kind in grammar.closures else find_name(node, kind)
    )
    if written is None:
        return None
    path = split_name(written)
    first, last = _find_outermost(node, grammar).range(), node.range()
    is_wrapper = source.partial and path == [WRAPPER_NAME]
    return Definition(
        node=node,
        name=path[-1],
        qualified_name=around.path if is_wrapper else ".".join(filter(None, [around.path, *path])),
        kind=_classify_kind(kind, path, grammar, around),
        start_line=source.first_line + first.start.line,
        end_line=_get_last_line(source, last),
        column=source.column + first.start.column,
        text=source.text[first.start.index : last.end.index],
        partial=source.partial,
    )


def _get_last_line(source: ParseResult, span: Range) -> int:
    """The line of the last character; a node that takes in its newline ends at column 0."""
    at_margin = span.end.column == 0 and span.end.line > span.start.line
    line = source.first_line + span.end.line - at_margin
    return line if source.last_line is None else min(line, source.last_line)


def _classify_kind(kind: str, path: list[str], grammar: Grammar, around: _OpenDefinition) -> str:
    if kind in grammar.classes or kind in grammar.modules:
        return SCOPE
    if kind in grammar.closures:
        return "lambda"
    kind_name = grammar.functions[kind]
    class_name = path[-2] if len(path) > 1 else around.path.rpartition(".")[2]
    in_class = around.in_class or len(path) > 1
    if in_class and (path[-1] in grammar.constructors or path[-1] == class_name):
        return "constructor"
    return "method" if kind_name == "function" and in_class else kind_name


def _find_outermost(node: SgNode, grammar: Grammar) -> SgNode:
    """The node with its decorators, attributes or template parameters."""
    if grammar.wrappers:
        parent = node.parent()
        if parent is not None and parent.kind() in grammar.wrappers:
            return parent
    if grammar.prefixes:
        before = node.prev()
        while before is not None and before.kind() in grammar.prefixes:
            node, before = before, before.prev()
    return node
