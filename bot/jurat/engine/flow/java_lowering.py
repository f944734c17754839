"""Java in the small program form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from ast_grep_py import SgNode

from jurat.engine.flow.javascript_lowering import unquote
from jurat.engine.flow.lowering import (
    BUFFER,
    Translation,
    find_child,
    get_field,
    get_operator,
    list_named,
)
from jurat.engine.flow.program import (
    UNKNOWN,
    Assign,
    Attribute,
    Binary,
    Call,
    Choice,
    Chosen,
    Class,
    Constant,
    Container,
    Do,
    Expression,
    Index,
    InnerAssignment,
    Loop,
    Module,
    Name,
    Option,
    Parameter,
    Return,
    Routine,
    Statement,
    Switch,
    Try,
)

_PARAMETERS = ("formal_parameter", "spread_parameter")
_CLASSES = frozenset(
    {"class_declaration", "record_declaration", "enum_declaration", "interface_declaration"}
)


class JavaTranslation(Translation):
    """Java's kinds of nodes."""

    def is_exported(self, function: Routine) -> bool:
        """What is not private."""
        modifiers = find_child(function.node, "modifiers")
        return modifiers is None or "private" not in modifiers.text().split()

    def build_string(self, node: SgNode) -> Expression:
        """A string."""
        return Constant(node, unquote(node.text().replace('"""', '"')))

    def build_call(self, node: SgNode) -> Expression:
        """`a.f(b)`, `f(b)`."""
        name, of = get_field(node, "name").text(), node.field("object")
        if name == "valueOf" and of is not None and of.text() == "String":
            return self.build_first(get_field(node, "arguments"))
        if of is None:
            callee: Expression = Name(node, name)
        else:
            callee = Attribute(node, self.build_expression(of), name)
        return self.build_call_of(node, callee, node.field("arguments"))

    def build_new(self, node: SgNode) -> Expression:
        """`new C(a)`; the methods of a class without a name are looked at, too."""
        name = self._read_type(get_field(node, "type"))
        return self.build_call_of(node, Name(node, name), node.field("arguments"), new=True)

    def build_member(self, node: SgNode) -> Expression:
        """`a.b`."""
        of = self.build_expression(get_field(node, "object"))
        return Attribute(node, of, get_field(node, "field").text())

    def build_element(self, node: SgNode) -> Expression:
        """`a[k]`."""
        of = self.build_expression(get_field(node, "array"))
        return Index(node, of, self.build_expression(get_field(node, "index")))

    def build_array(self, node: SgNode) -> Expression:
        """`{a, b}`."""
        return Container(node, [(None, self.build_expression(c), False) for c in list_named(node)])

    def build_new_array(self, node: SgNode) -> Expression:
        """`new T[] {a, b}`."""
        value = node.field("value")
        if value is not None:
            return self.build_array(value)
        if get_field(node, "type").text() == "byte":
            return Call(node, Module(node, BUFFER), ())
        return Constant(node, UNKNOWN)

    def build_assignment(self, node: SgNode) -> Expression:
        """`a = b`, `a += b`."""
        value = self.build_expression(get_field(node, "right"))
        operator = get_operator(node)
        if operator != "=":
            made = self.build_update(node, get_field(node, "left"), operator, value)
            return InnerAssignment(node, made.target, made.value)
        return InnerAssignment(node, self.build_expression(get_field(node, "left")), value)

    def build_cast(self, node: SgNode) -> Expression:
        """`(T) a`."""
        written = get_field(node, "type").text()
        if written in ("int", "long", "Integer", "Long", "double", "boolean"):
            return Constant(node, UNKNOWN)
        return self.build_expression(get_field(node, "value"))

    def build_ternary(self, node: SgNode) -> Expression:
        """`c ? a : b`."""
        parts = ("condition", "consequence", "alternative")
        return Choice(node, *(self.build_expression(get_field(node, part)) for part in parts))

    def build_counter(self, node: SgNode) -> Expression:
        """`a++`."""
        operand = self.build_expression(list_named(node)[0])
        return InnerAssignment(node, operand, Binary(node, "-", operand, Constant(node, UNKNOWN)))

    def build_lambda(self, node: SgNode) -> Expression:
        """`a -> b`."""
        written, body = get_field(node, "parameters"), get_field(node, "body")
        if written.kind() == "identifier":
            parameters = [Parameter(written, written.text())]
        elif written.kind() == "inferred_parameters":
            parameters = [Parameter(one, one.text()) for one in list_named(written)]
        else:
            parameters = self._build_parameters(written)
        if body.kind() == "block":
            return Routine(node, "", parameters, self.build_block(body))
        return Routine(node, "", parameters, [Return(body, self.build_expression(body))])

    def build_switch_value(self, node: SgNode) -> Expression:
        """A switch as a value."""
        return Chosen(node, self._build_switch(node))

    def build_reference(self, node: SgNode) -> Expression:
        """`A::b`."""
        of, *named = list_named(node)
        if not named:
            # `A::new`.
            return Constant(node, UNKNOWN)
        return Attribute(node, self.build_expression(of), named[-1].text())

    # Statements

    def build_declaration(self, node: SgNode) -> Iterable[Statement]:
        """`T a = b, c = d;`."""
        type_name = self._read_type(get_field(node, "type"))
        for child in list_named(node):
            if child.kind() != "variable_declarator":
                continue
            value, kept = child.field("value"), _keep_type(type_name)
            if value is not None or kept:
                target = Name(child, get_field(child, "name").text())
                made = Constant(child, UNKNOWN) if value is None else self.build_expression(value)
                yield Assign(child, target, made, declares=True, type=kept)

    def build_expression_statement(self, node: SgNode) -> Iterable[Statement]:
        """An expression that stands alone."""
        for child in list_named(node):
            made = self.build_expression(child)
            if isinstance(made, InnerAssignment):
                yield Assign(child, made.target, made.value)
            elif isinstance(made, Chosen):
                yield made.switch
            else:
                yield Do(child, made)

    def build_for(self, node: SgNode) -> Iterable[Statement]:
        """`for (a; b; c)`."""
        first, condition = node.field("init"), node.field("condition")
        if first is not None:
            yield from self.build_statement(first)
        made = self.build_expression(condition) if condition is not None else None
        yield Loop(node, self.build_block(node.field("body")), condition=made)

    def build_each(self, node: SgNode) -> Iterable[Statement]:
        """`for (T a : b)`."""
        target = self.build_expression(get_field(node, "name"))
        iterable = self.build_expression(get_field(node, "value"))
        return [Loop(node, self.build_block(node.field("body")), target, iterable)]

    def build_while(self, node: SgNode) -> Iterable[Statement]:
        """`while (c)`, `do … while (c)`."""
        condition = self.build_expression(get_field(node, "condition"))
        once = node.kind() == "do_statement"
        return [Loop(node, self.build_block(node.field("body")), condition=condition, once=once)]

    def build_switch(self, node: SgNode) -> Iterable[Statement]:
        """`switch (a)` as a statement."""
        return [self._build_switch(node)]

    def _build_switch(self, node: SgNode) -> Switch:
        subject = self.build_expression(get_field(node, "condition"))
        options, falls = [], False
        for group in list_named(node.field("body")):
            children = list_named(group)
            labels = [one for one in children if one.kind() == "switch_label"]
            rest = [one for one in children if one.kind() != "switch_label"]
            values = [self.build_expression(v) for label in labels for v in list_named(label)]
            body: list[Statement] = []
            for one in rest:
                made = self.build_statement(one)
                if group.kind() == "switch_rule" and len(made) == 1 and isinstance(made[0], Do):
                    made = [Return(one, made[0].expression)]
                body += made
            falls = falls or group.kind() != "switch_rule"
            is_default = any(label.text().startswith("default") for label in labels)
            options.append(Option(values, body, is_default=is_default))
        return Switch(node, subject, options, falls)

    def build_try(self, node: SgNode) -> Iterable[Statement]:
        """`try`, with its resources as assignments."""
        for one in list_named(node.field("resources")):
            value, name = one.field("value"), one.field("name")
            if value is not None and name is not None:
                written = one.field("type")
                kind = _keep_type(self._read_type(written)) if written is not None else ""
                made = self.build_expression(value)
                yield Assign(one, Name(name, name.text()), made, declares=True, type=kind)
        handlers, finish = [], []
        for child in list_named(node):
            if child.kind() == "catch_clause":
                caught = find_child(child, "catch_formal_parameter")
                name = caught.field("name") if caught is not None else None
                handlers.append(self.build_handler(name, child.field("body")))
            elif child.kind() == "finally_clause":
                finish = self.build_block(list_named(child)[-1])
        yield Try(node, self.build_block(node.field("body")), handlers, (), finish)

    def build_imports(self, node: SgNode) -> Iterable[Statement]:
        """`import a.b.C;`."""
        named = find_child(node, "scoped_identifier")
        if named is None or find_child(node, "asterisk") is not None:
            return []
        name = named.text()
        return [self.build_import(node, name.rpartition(".")[2], name)]

    def build_class(self, node: SgNode) -> Iterable[Statement]:
        """A class with its methods and fields; classes inside come before it."""
        name = get_field(node, "name").text()
        methods: list[Routine] = []
        fields: list[tuple[str, Expression]] = []
        types: dict[str, str] = {}
        allowed: dict[str, str] = {}
        if node.kind() == "record_declaration":
            parts = self._build_parameters(node.field("parameters"))
            types |= {part.name: part.type for part in parts}
            allowed |= {part.name: part.allowed for part in parts if part.allowed is not None}
        for child in _list_members(node):
            kind = child.kind()
            if kind in ("method_declaration", "constructor_declaration"):
                methods.append(self._build_method(child, name))
            elif kind == "enum_constant":
                fields.append(self._build_constant(child, name))
            elif kind in ("field_declaration", "constant_declaration"):
                type_name = self._read_type(get_field(child, "type"))
                for one in list_named(child):
                    if one.kind() == "variable_declarator":
                        field, value = get_field(one, "name").text(), one.field("value")
                        if value is not None:
                            fields.append((field, self.build_expression(value)))
                        else:
                            types[field] = type_name
                        if (said := _find_allowed(child)) is not None:
                            allowed[field] = said
            elif kind in _CLASSES:
                yield from self.build_class(child)
        above = node.field("superclass")
        bases = [Name(above, list_named(above)[-1].text())] if above is not None else []
        if node.kind() == "enum_declaration":
            bases.append(Name(node, "Enum"))
        promised = node.field("interfaces")
        interfaces = list_named(promised and list_named(promised)[0])
        bases += [Name(one, one.text().partition("<")[0]) for one in interfaces]
        yield Class(node, name, methods, fields, types, bases, allowed)

    def _build_constant(self, node: SgNode, owner: str) -> tuple[str, Expression]:
        """A value of an enumeration: an object that is made as it is named."""
        named = get_field(node, "name")
        given = node.field("arguments")
        return named.text(), self.build_call_of(node, Name(node, owner), given, new=True)

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

    def build_nothing(self, _node: SgNode) -> Iterable[Statement]:
        """What changes no value."""
        return []

    expressions: ClassVar = {
        "string_literal": build_string,
        "character_literal": build_string,
        "decimal_integer_literal": Translation.build_number,
        "decimal_floating_point_literal": Translation.build_number,
        "hex_integer_literal": Translation.build_number,
        "true": lambda _, node: Constant(node, True),
        "false": lambda _, node: Constant(node, False),
        "null_literal": lambda _, node: Constant(node, None),
        "identifier": Translation.build_name,
        "this": Translation.build_name,
        "super": Translation.build_name,
        "method_invocation": build_call,
        "object_creation_expression": build_new,
        "field_access": build_member,
        "array_access": build_element,
        "array_initializer": build_array,
        "array_creation_expression": build_new_array,
        "assignment_expression": build_assignment,
        "binary_expression": Translation.build_binary,
        "unary_expression": Translation.build_unary,
        "update_expression": build_counter,
        "ternary_expression": build_ternary,
        "parenthesized_expression": Translation.build_inner,
        "cast_expression": build_cast,
        "lambda_expression": build_lambda,
        "method_reference": build_reference,
        "switch_expression": build_switch_value,
        "instanceof_expression": Translation.build_unknown,
        "class_literal": Translation.build_unknown,
    }
    statements: ClassVar = {
        "local_variable_declaration": build_declaration,
        "expression_statement": build_expression_statement,
        "if_statement": Translation.build_if,
        "for_statement": build_for,
        "enhanced_for_statement": build_each,
        "while_statement": build_while,
        "do_statement": build_while,
        "switch_statement": build_switch,
        "switch_expression": build_switch,
        "try_statement": build_try,
        "try_with_resources_statement": build_try,
        "import_declaration": build_imports,
        "class_declaration": build_class,
        "record_declaration": build_class,
        "enum_declaration": build_class,
        "return_statement": Translation.build_return,
        "yield_statement": Translation.build_return,
        "throw_statement": Translation.build_raise,
        "break_statement": Translation.build_break,
        "continue_statement": Translation.build_continue,
        "package_declaration": build_nothing,
        "interface_declaration": build_class,
        "line_comment": build_nothing,
        "block_comment": build_nothing,
    }


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


def _keep_type(name: str) -> str:
    """A type that says more of a value than where it came from."""
    return "" if name in ("var", "String", "Object", "List", "Map", "Path") else name


_ALLOWED = re.compile(r'@(?:[\w.]+\.)?Pattern\s*\((?:[^"]*?\bregexp\s*=)?\s*"((?:[^"\\]|\\.)*)"')
"""The expression that a field or a parameter is marked with, which all of its text must fit."""


def _find_allowed(node: SgNode) -> str | None:
    modifiers = find_child(node, "modifiers")
    found = _ALLOWED.search(modifiers.text()) if modifiers is not None else None
    return f"^(?:{unquote(found[1])})$" if found is not None else None
