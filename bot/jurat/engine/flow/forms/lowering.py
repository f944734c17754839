"""What all languages share on their way from a syntax tree to the small program form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple

from ast_grep_py import SgNode

from jurat.engine.flow.forms.linked_files import ImportLinks, Link, LinkedFile
from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Argument,
    Assign,
    Binary,
    Branch,
    Call,
    Caught,
    Constant,
    Do,
    Expression,
    Leave,
    Logical,
    Loop,
    Mix,
    Module,
    Name,
    Not,
    Raise,
    Relationship,
    Return,
    Routine,
    Statement,
    Text,
)

MOST_NESTED = 120
"""Expressions and statements inside each other; what is deeper is not followed, and said so."""

BUFFER = "byte[]"
"""What makes bytes that are all zero, however many, until somebody fills them."""

TEXT_OF_BYTES = "string"
"""What makes a text of bytes that may be a list of texts, each appended to the one before."""

CHANNEL = "chan"
"""What makes a channel: whoever takes from it gets what others put in."""

COMMENTS = frozenset({"comment", "line_comment", "block_comment", "html_comment"})

_COMPARISONS = frozenset({"==", "!=", "===", "!==", "<", "<=", ">", ">=", "in", "not in", "is",
                          "is not", "instanceof", "<>"})  # fmt: skip
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\", "\\'": "'", '\\"': '"', "\\`": "`"}
_ESCAPE = re.compile(r"(?s)\\.")
_LOGICAL = {"and": "and", "&&": "and", "or": "or", "||": "or", "??": "or"}


class Translation:
    """One file on its way. A language adds what it makes of each kind of node.

    `deep` are the lines at which something was too deeply nested to be followed.
    """

    expressions: ClassVar[Mapping[str, Callable[..., Expression]]] = {}
    statements: ClassVar[Mapping[str, Callable[..., Iterable[Statement]]]] = {}
    this: ClassVar[str] = "this"

    def __init__(self) -> None:
        self.deep: list[int] = []
        self.imported: dict[str, str] = {}
        self.links: ImportLinks | None = None
        """Where other files of a change are; None if only this one is followed."""
        self.found_units: set[str] = set()
        self._depth = 0

    def build_program(self, root: SgNode) -> Routine:
        """The whole file as one function without a name."""
        return Routine(root, "", (), self.build_block(root))

    def build_expression(self, node: SgNode | None) -> Expression:
        """The expression that a node is. What is not known holds all of its parts."""
        if node is None:
            raise LookupError
        self._depth += 1
        try:
            if self._depth > MOST_NESTED:
                self.deep.append(node.range().start.line)
                return Constant(node, UNKNOWN)
            make = self.expressions.get(node.kind())
            if make is not None:
                return make(self, node)
            return Mix(node, [self.build_expression(child) for child in list_named(node)])
        except LookupError:
            # A tree with an error in it: a part that the grammar promises is not there.
            return Constant(node, UNKNOWN)
        finally:
            self._depth -= 1

    def build_statement(self, node: SgNode) -> list[Statement]:
        """The statements that a node is."""
        self._depth += 1
        try:
            if self._depth > MOST_NESTED:
                self.deep.append(node.range().start.line)
                return []
            make = self.statements.get(node.kind())
            if make is not None:
                return list(make(self, node))
            if node.kind() in self.expressions:
                return [Do(node, self.build_expression(node))]
            return [one for child in list_named(node) for one in self.build_statement(child)]
        except LookupError:
            return []
        finally:
            self._depth -= 1

    def build_block(self, node: SgNode | None) -> list[Statement]:
        """The statements in a node, whether it is a block or a single one."""
        if node is None:
            return []
        if node.kind() in self.statements or node.kind() in self.expressions:
            return self.build_statement(node)
        return [one for child in list_named(node) for one in self.build_statement(child)]

    def is_exported(self, function: Routine) -> bool:
        """Whether the language lets other files call a function of this one, and that is meant."""
        return False

    def build_handler(self, caught: SgNode | None, block: SgNode | None) -> list[Statement]:
        """What is done with an error: by its name, if it is given one and not taken apart."""
        named = [Caught(caught, caught.text())] if caught is not None else []
        is_plain = bool(named) and named[0].name.isidentifier()
        return [*(named if is_plain else ()), *self.build_block(block)]

    # What most languages write alike.

    def build_inner(self, node: SgNode) -> Expression:
        """What stands in brackets, behind `await`, or in a cast: the last named child."""
        children = list_named(node)
        if not children:
            raise LookupError
        return self.build_expression(children[-1])

    def build_first(self, node: SgNode) -> Expression:
        """What stands first, before a type or a mark."""
        children = list_named(node)
        if not children:
            raise LookupError
        return self.build_expression(children[0])

    def build_name(self, node: SgNode) -> Expression:
        """A variable."""
        return Name(node, node.text())

    def build_number(self, node: SgNode) -> Expression:
        """A number."""
        text = node.text().replace("_", "").rstrip("lLfFdDnjJ").lower()
        try:
            return Constant(node, int(text, 0) if len(text) < 20 else UNKNOWN)
        except ValueError:
            try:
                return Constant(node, float(text))
            except ValueError:
                return Constant(node, UNKNOWN)

    def build_unknown(self, node: SgNode) -> Expression:
        """Something that carries nothing from anywhere."""
        return Constant(node, UNKNOWN)

    def build_binary(self, node: SgNode) -> Expression:
        """An operator between two sides. A long sum is one text of many parts."""
        operator = get_operator(node)
        left, right = get_field(node, "left"), get_field(node, "right")
        if operator == "+":
            return Text(node, [self.build_expression(part) for part in _list_summands(node)])
        if operator in _LOGICAL:
            parts = _list_chain(node, operator)
            whole = self.build_expression(parts[0])
            for part in parts[1:]:
                whole = Logical(node, _LOGICAL[operator], whole, self.build_expression(part))
            return whole
        sides = self.build_expression(left), self.build_expression(right)
        if operator in _COMPARISONS:
            return Relationship(node, operator.replace("===", "==").replace("!==", "!="), *sides)
        return Binary(node, operator, *sides)

    def build_unary(self, node: SgNode) -> Expression:
        """An operator before its operand."""
        operand = node.field("argument") or node.field("operand") or list_named(node)[-1]
        inner = self.build_expression(operand)
        if node.text().startswith("!"):
            return Not(node, inner)
        if node.text().startswith("-") and isinstance(inner, Constant):
            number = inner.value
            return Constant(node, -number if isinstance(number, int | float) else UNKNOWN)
        if node.text().startswith(("-", "+", "~")):
            return Binary(node, "-", inner, Constant(node, UNKNOWN))
        return inner

    def build_return(self, node: SgNode) -> list[Statement]:
        """`return`."""
        children = list_named(node)
        value = self.build_expression(children[-1]) if children else None
        return [Return(node, value)]

    def build_raise(self, node: SgNode) -> list[Statement]:
        """`raise` or `throw`."""
        children = list_named(node)
        return [Raise(node, self.build_expression(children[0]) if children else None)]

    def build_labelled(self, node: SgNode) -> list[Statement]:
        """`a: { … break a; … }`: what is left by its name is gone through once."""
        inside = list_named(node)[-1]
        body = self.build_block(inside)
        if "block" not in inside.kind():
            return body
        return [Loop(node, body, condition=Constant(node, False), once=True)]

    def build_break(self, node: SgNode) -> list[Statement]:
        """`break`."""
        return [Leave(node, again=False)]

    def build_continue(self, node: SgNode) -> list[Statement]:
        """`continue`."""
        return [Leave(node, again=True)]

    def build_import(
        self, node: SgNode, alias: str, name: str, link: Link | None = None
    ) -> Statement:
        """A name that an import binds."""
        self.imported.setdefault(alias, name)
        return Assign(node, Name(node, alias), Module(node, name, link), declares=True)

    def find_link(self, module: str, name: str = "") -> Link | None:
        """Where a module of another file of the change is, or a part of it."""
        found = None if self.links is None else self.links.find(module, name)
        if found is not None:
            self.found_units.add(found.unit)
        return found

    def build_if(self, node: SgNode) -> list[Statement]:
        """`if` with its `else if`s as arms of one branch, however many there are."""
        arms: list[tuple[Expression, Sequence[Statement]]] = []
        before: list[Statement] = []
        last: SgNode | None = node
        while last is not None and last.kind() == "if_statement":
            if (first := last.field("initializer")) is not None:
                before += self.build_statement(first)
            condition = self.build_expression(get_field(last, "condition"))
            arms.append((condition, self.build_block(last.field("consequence"))))
            last = last.field("alternative")
            if last is not None and last.kind() == "else_clause":
                last = list_named(last)[0] if list_named(last) else None
        return [*before, Branch(node, arms, self.build_block(last))]

    def build_augmented(self, node: SgNode) -> list[Statement]:
        """`a += b`."""
        target, value = get_field(node, "left"), get_field(node, "right")
        return [self.build_update(node, target, get_operator(node), self.build_expression(value))]

    def build_update(
        self, node: SgNode, target: SgNode, operator: str, value: Expression
    ) -> Assign:
        """What `a += b` does to `a`."""
        before = self.build_expression(target)
        new: Expression
        if operator == "+=":
            new = Text(node, [before, value])
        elif operator in ("||=", "??=", "&&="):
            new = Logical(node, "or", before, value)
        else:
            new = Binary(node, operator.removesuffix("="), before, value)
        return Assign(node, before, new)

    def build_call_of(
        self, node: SgNode, callee: Expression, arguments: SgNode | None, *, new: bool = False
    ) -> Call:
        """A call with its arguments in order."""
        given = [self.build_argument(child) for child in list_named(arguments)]
        return Call(node, callee, given, new)

    def build_argument(self, node: SgNode) -> Argument:
        """One argument."""
        spread = node.kind() in ("spread_element", "variadic_argument", "list_splat")
        return Argument(
            self.build_inner(node) if spread else self.build_expression(node), None, spread
        )

    def qualify(self, written: str) -> str:
        """The qualified name of a type or an annotation as the file's imports have it."""
        head, dot, rest = written.strip().partition(".")
        return self.imported.get(head, head) + dot + rest


class LinkedProgram(NamedTuple):
    """A file of a change in the small program form, followed together with others."""

    file: LinkedFile
    program: Routine
    lowering: Translation


_APART = COMMENTS | {"line_continuation"}
"""What stands anywhere in the tree and is no part of what is said."""


def list_named(node: SgNode | None) -> list[SgNode]:
    """The children that are more than punctuation, without comments and ends of lines."""
    if node is None:
        return []
    return [child for child in node.named_children() if child.kind() not in _APART]


def get_field(node: SgNode, field: str) -> SgNode:
    """A field that the grammar promises. Raises LookupError if the tree has an error instead."""
    found = node.field(field)
    if found is None:
        raise LookupError(field)
    return found


def get_operator(node: SgNode) -> str:
    """The operator as it is written."""
    found = node.field("operator")
    if found is not None:
        return found.text()
    return next((child.text() for child in node.children() if not child.is_named()), "")


def find_child(node: SgNode, *kinds: str) -> SgNode | None:
    """The first child of these kinds."""
    return next((child for child in node.children() if child.kind() in kinds), None)


def _list_summands(node: SgNode) -> list[SgNode]:
    return _list_chain(node, "+")


def _list_chain(node: SgNode, operator: str) -> list[SgNode]:
    """The operands of `a + b + c`, in order. Without recursion: there may be thousands."""
    kind, parts = node.kind(), []
    while node.kind() == kind and get_operator(node) == operator:
        parts.append(get_field(node, "right"))
        node = get_field(node, "left")
    return [node, *reversed(parts)]


def unquote(text: str) -> str:
    """What a literal says, as far as that is plain; between backticks it is what it is."""
    quote = text[:1]
    if len(text) > 1 and quote in "\"'`" and text[-1] == quote:
        text = text[1:-1]
    return text if quote == "`" else unescape(text)


def unescape(text: str) -> str:
    """What a part of a literal says: of what is written with a backslash, what is common."""
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[0], found[0]), text)
