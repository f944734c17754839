"""Go in the small program form: what has a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from ast_grep_py import SgNode

from jurat.engine.flow.forms.lowering import (
    BUFFER,
    CHANNEL,
    TEXT_OF_BYTES,
    Translation,
    get_field,
    get_operator,
    list_named,
    unquote,
)
from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Argument,
    Assign,
    Attribute,
    Call,
    Constant,
    Container,
    Expression,
    Index,
    Module,
    Name,
    Parameter,
    Routine,
    Try,
)
from jurat.engine.flow.words import split_words

_REQUEST = "net/http.Request"

_PREDECLARED = split_words(
    """
    string bool error any byte rune int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64
    uintptr float32 float64 complex64 complex128
    """
)

_CONVERSIONS = frozenset({"[]byte", "string", "[]rune", "rune", "net/http.HandlerFunc"})
"""What looks like a call, and is the text or the function that it is given."""

_BUILT_UP = re.compile(r"append\(|\w+$")
"""Bytes of which a text is made that may have been put together one behind the other."""

_OBJECT_TYPES = frozenset({"type_identifier", "qualified_type", "generic_type"})

_BYTES = re.compile(r"\[\s*[\w.]*\s*\](?:byte|uint8)")

Entries = list[tuple[Expression | None, Expression, bool]]


class GoExpressions(Translation):
    """Go's kinds of nodes that have a value.

    `structs` are the names of the file's own, `aliases` other names of types, `conversions` types
    that make nothing new of a value, `results` what the function around names and declares as its
    results, `deferred` what it has put off that may set one of these.
    """

    def __init__(self) -> None:
        super().__init__()
        self.structs: set[str] = set()
        self.aliases: dict[str, str] = {}
        self.conversions: frozenset[str] = frozenset()
        self.results: list[tuple[SgNode, SgNode | None]] = []
        self.deferred: list[SgNode] = []

    def build_string(self, node: SgNode) -> Expression:
        """A string."""
        return Constant(node, unquote(node.text()))

    def build_selector(self, node: SgNode) -> Expression:
        """`a.b`."""
        of = self.build_expression(get_field(node, "operand"))
        return Attribute(node, of, get_field(node, "field").text())

    def build_call(self, node: SgNode) -> Expression:
        """`f(a)`; a conversion to a number carries nothing, `append` makes a list."""
        function, arguments = get_field(node, "function"), node.field("arguments")
        name = function.text()
        if name == "append":
            return self._build_append(node, arguments)
        first = next(iter(list_named(arguments)), None)
        if name == "make" and first is not None and first.kind() == "channel_type":
            return Call(node, Module(node, CHANNEL), ())
        if name == "new" and first is not None and first.kind() in _OBJECT_TYPES:
            return Call(node, Name(first, self.read_type(first)), (), new=True)
        if name == "make" and _BYTES.fullmatch((list_named(arguments) or [node])[0].text()):
            return Call(node, Module(node, BUFFER), ())
        if name == "string" and first is not None and _BUILT_UP.match(first.text()):
            return Call(node, Module(node, TEXT_OF_BYTES), [Argument(self.build_expression(first))])
        if self.qualify(name) in _CONVERSIONS or name in self.conversions:
            return self.build_first(arguments) if arguments is not None else Constant(node, UNKNOWN)
        return self.build_call_of(node, self.build_expression(function), arguments)

    def _build_append(self, node: SgNode, arguments: SgNode | None) -> Expression:
        entries: Entries = []
        for number, child in enumerate(list_named(arguments)):
            spread = number == 0 or child.kind() == "variadic_argument"
            inner = (
                self.build_inner(child)
                if child.kind() == "variadic_argument"
                else self.build_expression(child)
            )
            entries.append((None, inner, spread))
        return Container(node, entries)

    def build_conversion(self, node: SgNode) -> Expression:
        """`[]byte(a)`."""
        operand = node.field("operand")
        return self.build_expression(operand) if operand is not None else Constant(node, UNKNOWN)

    def build_index(self, node: SgNode) -> Expression:
        """`a[k]`."""
        of = self.build_expression(get_field(node, "operand"))
        return Index(node, of, self.build_expression(get_field(node, "index")))

    def build_slice(self, node: SgNode) -> Expression:
        """`a[i:j]`."""
        ends = (node.field("start"), node.field("end"))
        built = [None if one is None else self.build_expression(one) for one in ends]
        return Index(node, self.build_expression(get_field(node, "operand")), None, *built)

    def build_literal(self, node: SgNode) -> Expression:
        """`T{a, b: c}`: a list, a mapping, or an object of a type."""
        written, body = get_field(node, "type"), get_field(node, "body")
        made: Expression | None = None
        if _PAIR.search(written.text()):
            made = self._build_pair(node, body)
        elif _PAIRS.search(written.text()):
            pairs = [self._build_pair(one, _find_literal(one)) for one in list_named(body)]
            made = Container(node, [(None, pair, False) for pair in pairs])
        if made is None:
            return self._build_literal(node, body, written)
        return Call(node, Name(written, self.read_type(written)), [Argument(made)], new=True)

    def _build_pair(self, node: SgNode, body: SgNode) -> Expression:
        """`{Key: "a", Value: b}` or `{"a", b}` of a document: what stands under one key."""
        parts = []
        for child in list_named(body):
            inner = list_named(child)
            held = inner[-1] if inner and child.kind() != "literal_value" else child
            held = list_named(held)[0] if held.kind() == "literal_element" else held
            parts.append(self.build_expression(held))
        if len(parts) != 2:
            return Constant(node, UNKNOWN)
        return Container(node, [(parts[0], parts[1], False)], mapping=True)

    def _build_literal(self, node: SgNode, body: SgNode, written: SgNode) -> Expression:
        entries: Entries = []
        held = _find_held_type(written)
        names = _list_field_names(written)
        for child in list_named(body):
            parts = list_named(child)
            if child.kind() == "keyed_element" and len(parts) > 1:
                key = list_named(parts[0])[0] if list_named(parts[0]) else parts[0]
                made: Expression = Constant(key, key.text())
                if key.kind() not in ("identifier", "field_identifier"):
                    made = self.build_expression(key)
                entries.append((made, self._build_part(parts[1], held), False))
            else:
                name = names[len(entries)] if len(entries) < len(names) else None
                said = None if name is None else Constant(child, name)
                entries.append((said, self._build_part(child, held), False))
        mapping = bool(entries) and entries[0][0] is not None
        container = Container(node, entries, mapping=mapping)
        is_object = mapping or not entries or self.read_type(written) in self.structs
        # Of another package's type `builder.Like{"name", a}` nobody knows that it is a list.
        is_object = is_object or written.kind() == "qualified_type"
        if written.kind() in _OBJECT_TYPES and is_object:
            given = [
                Argument(value, str(key.value) if isinstance(key, Constant) else None)
                for key, value, _ in entries
            ]
            whole = [Argument(container)] if mapping else []
            return Call(node, Name(written, self.read_type(written)), [*whole, *given], new=True)
        return container

    def _build_part(self, node: SgNode, held: SgNode | None) -> Expression:
        inner = list_named(node)
        bare = inner[0] if node.kind() == "literal_element" and inner else node
        if held is not None and bare.kind() == "literal_value":
            # `[]T{{a}}`: its type is what the list holds.
            return self._build_literal(bare, bare, held)
        return self.build_expression(bare)

    def build_list(self, node: SgNode) -> Expression:
        """`a, b`; a single one is just itself."""
        children = list_named(node)
        if len(children) == 1:
            return self.build_expression(children[0])
        return Container(node, [(None, self.build_expression(one), False) for one in children])

    def build_function(self, node: SgNode) -> Routine:
        """A function of any kind."""
        named, around = node.field("name"), (self.results, self.deferred)
        self.results, self.deferred = list(self._list_results(node.field("result"))), []
        made = Routine(
            node,
            named.text() if named is not None else "",
            self._build_parameters(node.field("parameters")),
            [
                *(self._build_empty(one, written) for one, written in self.results),
                *self.build_block(node.field("body")),
            ],
        )
        if _is_recovering(node.field("body")):
            # It goes on behind whatever has failed within it.
            made.body = [Try(node, made.body, [[]])]
        self.results, self.deferred = around
        for receiver in list_named(node.field("receiver")):
            # `func (Handler) Serve()` gives it no name, and is a method all the same.
            called = receiver.field("name")
            made.receiver = called.text() if called is not None else ""
            made.owner = self.read_type(get_field(receiver, "type"))
        return made

    def _list_results(self, node: SgNode | None) -> Iterator[tuple[SgNode, SgNode | None]]:
        """The names of what a function returns, if it gives them any, with their types."""
        for child in list_named(node):
            written = child.field("type")
            yield from ((one, written) for one in list_named(child) if one.kind() == "identifier")

    def _build_parameters(self, node: SgNode | None) -> list[Parameter]:
        made = []
        for child in list_named(node):
            written = child.field("type")
            kind = self.read_type(written) if written is not None else ""
            rest = child.kind() == "variadic_parameter_declaration"
            made += [
                Parameter(one, one.text(), kind, rest=rest)
                for one in list_named(child)
                if one.kind() == "identifier"
            ]
        if sum(one.type == _REQUEST for one in made) > 1:
            # `CheckRedirect` of a client: what is about to be sent, and what was before it.
            return [replace(one, type="") if one.type == _REQUEST else one for one in made]
        return made

    def read_type(self, node: SgNode) -> str:
        """A type without its star, by its qualified name."""
        text = node.text()
        if text in ("[]byte", "[]rune"):
            # Of these a text is made: many of them are no number.
            return ""
        name = text.lstrip("*&[]").partition("[")[0]
        return self.qualify(self.aliases.get(name, name))

    def _build_empty(self, named: SgNode, written: SgNode | None) -> Assign:
        """`var a T`: what a type begins with."""
        target, kind = Name(named, named.text()), self.read_type(written) if written else ""
        if written is not None and written.kind() == "type_identifier":
            if kind == "string":
                return Assign(named, target, Constant(named, ""), declares=True)
            if kind not in _PREDECLARED:
                made = Call(named, Name(written, kind), (), new=True)
                return Assign(named, target, made, declares=True)
        if written is not None and _BYTES.fullmatch(written.text()):
            return Assign(named, target, Call(named, Module(named, BUFFER), ()), declares=True)
        if written is not None and written.kind() == "slice_type":
            return Assign(named, target, Container(named, []), declares=True)
        if kind == _REQUEST:
            # A server is handed its requests: one to be filled in is a client's.
            kind = ""
        return Assign(named, target, Constant(named, UNKNOWN), declares=True, type=kind)

    def build_argument(self, node: SgNode) -> Argument:
        """One argument; `&a` is one that the callee may write into."""
        made = super().build_argument(node)
        if node.kind() == "unary_expression" and get_operator(node) == "&":
            made.filled = get_field(node, "operand").kind() != "composite_literal"
        return made

    def build_prefix(self, node: SgNode) -> Expression:
        """`&a`, `*a`, `!a`, `-a`, `<-a`."""
        if node.text().startswith("<-"):
            inner = self.build_expression(get_field(node, "operand"))
            return Index(node, inner, Constant(node, UNKNOWN))
        return self.build_unary(node)

    expressions: ClassVar = {
        "interpreted_string_literal": build_string,
        "raw_string_literal": build_string,
        "rune_literal": build_string,
        "int_literal": Translation.build_number,
        "float_literal": Translation.build_number,
        "true": lambda _, node: Constant(node, True),
        "false": lambda _, node: Constant(node, False),
        "nil": lambda _, node: Constant(node, None),
        "identifier": Translation.build_name,
        "selector_expression": build_selector,
        "call_expression": build_call,
        "type_conversion_expression": build_conversion,
        "index_expression": build_index,
        "slice_expression": build_slice,
        "composite_literal": build_literal,
        "literal_value": build_list,
        "expression_list": build_list,
        "binary_expression": Translation.build_binary,
        "unary_expression": build_prefix,
        "parenthesized_expression": Translation.build_inner,
        "type_assertion_expression": Translation.build_first,
        "func_literal": build_function,
    }


_PAIR = re.compile(r"\b(?:bson|primitive)\.E$")


_PAIRS = re.compile(r"\b(?:bson|primitive)\.D$")
"""Types of MongoDB's documents: what stands under one key, and a list of such."""


def _list_field_names(written: SgNode) -> list[str]:
    """The fields of a type that is written where it is used, `struct{ a, b string }`, in order."""
    if written.kind() != "struct_type":
        return []
    declared = [one for part in list_named(written) for one in list_named(part)]
    return [
        name.text() for one in declared for name in list_named(one)
        if name.kind() == "field_identifier"
    ]  # fmt: skip


def _find_literal(node: SgNode) -> SgNode:
    """The braces of an element that is a literal, with its type or without."""
    inner = list_named(node)
    held = inner[0] if node.kind() == "literal_element" and inner else node
    return held.field("body") or held


def _find_held_type(written: SgNode) -> SgNode | None:
    """The type of what a list or a mapping of a type holds, None if it is neither."""
    held = written.field("element") or written.field("value")
    if held is not None and held.kind() == "pointer_type":
        held = next(iter(list_named(held)), None)
    return held


def _is_recovering(body: SgNode | None) -> bool:
    """Whether a function puts off what takes up its own panic."""
    inside = list_named(body)
    if len(inside) == 1 and inside[0].kind() == "statement_list":
        inside = list_named(inside[0])
    return any(
        one.kind() == "defer_statement" and "recover()" in one.text() and "panic(" not in one.text()
        for one in inside
    )
