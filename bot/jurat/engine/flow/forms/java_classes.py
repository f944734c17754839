"""Java's classes in the small program form: methods, fields, values of an enumeration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ast_grep_py import SgNode

from jurat.engine.flow.forms.lowering import Translation, find_child, get_field, list_named, unquote
from jurat.engine.flow.forms.program import (
    Assign,
    Attribute,
    Call,
    Class,
    Do,
    Expression,
    Name,
    Parameter,
    Routine,
    Statement,
)

_METHODS = ("method_declaration", "constructor_declaration")
_BLOCKS = ("static_initializer", "block")
_FIELDS = ("field_declaration", "constant_declaration")
_PARAMETERS = ("formal_parameter", "spread_parameter")
_CLASSES = frozenset(
    {"class_declaration", "record_declaration", "enum_declaration", "interface_declaration"}
)


class JavaClasses(Translation):
    """What a class is made of."""

    _class, _above = "", ""
    """The class whose members are read, and the one that it extends."""

    def build_class(self, node: SgNode) -> Iterable[Statement]:
        """A class with its methods and fields; classes inside come before it."""
        around = self._class, self._above
        name, above = get_field(node, "name").text(), node.field("superclass")
        base = _read_bare(list_named(above)[-1]) if above is not None else ""
        self._class, self._above = name, base
        made = Class(node, name, (), bases=self._list_bases(node, base), inside=around[0])
        constants: list[SgNode] = []
        methods: list[Routine] = []
        if node.kind() == "record_declaration":
            parts = self._build_parameters(node.field("parameters"))
            made.types |= {part.name: part.type for part in parts}
            made.allowed |= {part.name: part.allowed for part in parts if part.allowed is not None}
        for child in _list_members(node):
            kind = child.kind()
            if kind == "compact_constructor_declaration":
                methods.append(self._build_canonical(node, child.field("body")))
            elif kind in _METHODS:
                methods.append(self._build_method(child, name))
            elif kind == "enum_constant":
                constants.append(child)
            elif kind in _FIELDS:
                self._read_fields(child, made)
            elif kind in _BLOCKS:
                block = child if kind == "block" else find_child(child, "block")
                made.opening = [*made.opening, *self.build_block(block)]
            elif kind in _CLASSES:
                yield from self.build_class(child)
        if _needs_canonical(made, methods) and node.kind() == "record_declaration":
            methods.insert(0, self._build_canonical(node, None))
        made.methods = _gather(methods)
        own = [self._build_constant(one, made) for one in constants]
        yield from (kind for _, _, kind in own if kind is not None)
        made.fields = [*((named, value) for named, value, _ in own), *made.fields]
        self._class, self._above = around
        yield made

    def _list_bases(self, node: SgNode, base: str) -> list[Expression]:
        """What a class extends, and what it promises to be."""
        bases: list[Expression] = [Name(node, base)] if base else []
        if node.kind() == "enum_declaration":
            bases.append(Name(node, "Enum"))
        promised = node.field("interfaces")
        interfaces = list_named(promised and list_named(promised)[0])
        return [*bases, *(Name(one, _read_bare(one)) for one in interfaces)]

    def _read_fields(self, node: SgNode, made: Class) -> None:
        """The fields that one declaration has: with a value, or with no more than a type."""
        type_name = self._read_type(get_field(node, "type"))
        for one in list_named(node):
            if one.kind() != "variable_declarator":
                continue
            field, value = get_field(one, "name").text(), one.field("value")
            if value is not None:
                made.fields = [*made.fields, (field, self.build_expression(value))]
            else:
                made.types[field] = type_name
            if (said := _find_allowed(node)) is not None:
                made.allowed[field] = said

    def _build_constant(self, node: SgNode, of: Class) -> tuple[str, Expression, Class | None]:
        """A value of an enumeration, an object that is made as it is named, and its own class if it
        has a body: what it does not do itself, it does as the others.
        """
        named, kind = get_field(node, "name").text(), of.name
        body, own = find_child(node, "class_body"), None
        if body is not None:
            kind = f"{of.name}.{named}"
            methods = self.list_methods(body, kind)
            inherited = [one for one in of.methods if one.name not in {m.name for m in methods}]
            own = Class(node, kind, [*_gather(methods), *inherited], types=of.types)
        made = self.build_call_of(node, Name(node, kind), node.field("arguments"), new=True)
        return named, made, own

    def build_delegation(self, node: SgNode) -> Iterable[Statement]:
        """`this(a)`, `super(a)`: a constructor that has another one begin."""
        is_above = find_child(node, "super") is not None
        return [Do(node, self.build_delegated(node, "super" if is_above else "this"))]

    def build_delegated(self, node: SgNode, to: str) -> Call:
        """The call of a constructor by another one."""
        callee = Attribute(node, Name(node, "this"), self._above if to == "super" else self._class)
        return self.build_call_of(node, callee, find_child(node, "argument_list"))

    def list_methods(self, body: SgNode | None, owner: str) -> list[Routine]:
        """The methods that a class body declares itself."""
        members = (one for one in list_named(body) if one.kind() in _METHODS)
        return [self._build_method(one, owner) for one in members]

    def _build_method(self, node: SgNode, owner: str) -> Routine:
        marks = self._list_marks(node)
        return Routine(
            node,
            get_field(node, "name").text(),
            self._build_parameters(node.field("parameters")),
            self.build_block(node.field("body")),
            marks,
            owner=owner,
        )

    def _build_canonical(self, record: SgNode, body: SgNode | None) -> Routine:
        """The constructor of a record, which keeps what its body has made of its parts."""
        name = get_field(record, "name")
        parts = self._build_parameters(record.field("parameters"))
        kept: list[Statement] = [
            Assign(name, Attribute(name, Name(name, "this"), one.name), Name(name, one.name))
            for one in parts
        ]
        said = self.build_block(body)
        return Routine(body or name, name.text(), parts, [*said, *kept], owner=name.text())

    def _build_parameters(self, node: SgNode | None) -> list[Parameter]:
        made = []
        for child in list_named(node):
            if child.kind() not in _PARAMETERS:
                continue
            named = child.field("name") or (find_child(child, "variable_declarator") or child)
            name = named.text()
            written = child.field("type") or list_named(child)[0]
            rest = child.kind() == "spread_parameter"
            marks = self._list_marks(child)
            type_name = self._read_type(written)
            said = _find_allowed(child)
            made.append(Parameter(named, name, type_name, marks, rest=rest, allowed=said))
        return made

    def _list_marks(self, node: SgNode) -> Sequence[str]:
        modifiers = find_child(node, "modifiers")
        return [
            self.qualify(get_field(one, "name").text())
            for one in list_named(modifiers)
            if one.kind() in ("annotation", "marker_annotation")
        ]

    def _read_type(self, node: SgNode) -> str:
        if held := _NUMBERS.fullmatch(node.text()):
            return f"{held[1]}[]"
        name, array, _ = node.text().partition("<")[0].partition("[")
        # Of bytes and characters a text is made: many of them are no number.
        is_text = array and name.strip() in ("byte", "char")
        return "" if is_text else self.qualify(name.strip())


def _needs_canonical(made: Class, methods: Sequence[Routine]) -> bool:
    """Whether a record has constructors, and none of all its parts, so that they hand on to one."""
    own = [
        [part.type for part in one.parameters if not part.rest]
        for one in methods
        if one.name == made.name
    ]
    return bool(own) and list(made.types.values()) not in own


def _gather(methods: Sequence[Routine]) -> list[Routine]:
    """Methods by name: the first of each, with the others beside it."""
    known: dict[str, Routine] = {}
    for one in methods:
        first = known.setdefault(one.name, one)
        if first is not one:
            first.overloads = [*first.overloads, one]
    return list(known.values())


def _read_bare(node: SgNode) -> str:
    """A type without what it is of: `List<String>` is a `List`."""
    return node.text().partition("<")[0]


_NUMBERS = re.compile(
    r"(?:List|Set|Collection|Iterable|Optional)<"
    r"(Integer|Long|Short|Double|Float|Boolean|BigDecimal|BigInteger|UUID)>"
)
"""A type of several numbers, or of one at most."""


def _list_members(node: SgNode) -> Iterator[SgNode]:
    """What stands in a class; of an enumeration its values, and what follows them."""
    for child in list_named(node.field("body")):
        if child.kind() == "enum_body_declarations":
            yield from list_named(child)
        else:
            yield child


_ALLOWED = re.compile(r'@(?:[\w.]+\.)?Pattern\s*\((?:[^"]*?\bregexp\s*=)?\s*"((?:[^"\\]|\\.)*)"')
"""The expression that a field or a parameter is marked with, which all of its text must fit."""


def _find_allowed(node: SgNode) -> str | None:
    modifiers = find_child(node, "modifiers")
    found = _ALLOWED.search(modifiers.text()) if modifiers is not None else None
    return f"^(?:{unquote(found[1])})$" if found is not None else None
