"""Java in the small program form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ast_grep_py import SgNode

from jurat.engine.flow.forms.java_classes import JavaClasses
from jurat.engine.flow.forms.lowering import (
    BUFFER,
    Translation,
    find_child,
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
    Binary,
    Call,
    Choice,
    Chosen,
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
    Reference,
    Relationship,
    Return,
    Routine,
    Shape,
    Statement,
    Switch,
    Try,
)
from jurat.source.known_names import JAVA_CLASSES

_BOXES = frozenset({"Integer", "Long", "Short", "Byte", "Double", "Float", "Boolean", "UUID"})
"""Classes whose objects hold no text."""

_DELEGATIONS = ("Super", "This")
"""What is called behind other statements of a constructor, see source/newer_syntax.py."""

_NUMBERS = _BOXES | {"int", "long", "short", "byte", "double", "float", "boolean"}
"""The same, and what is no object."""

_HANDED = "what it is given"

_BOOLEANS = {"Boolean.TRUE": True, "Boolean.FALSE": False}


class JavaTranslation(JavaClasses):
    """Java's kinds of nodes."""

    _says_close = False

    def build_program(self, root: SgNode) -> Routine:
        """A file; whether it has classes that say what is done when they are closed."""
        self._says_close = "void close(" in root.text()
        return super().build_program(root)

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
        if of is None and name in _DELEGATIONS:
            return self.build_delegated(node, name.lower())
        if name == "valueOf" and of is not None and of.text() == "String":
            return self.build_first(get_field(node, "arguments"))
        if of is None:
            callee: Expression = Name(node, name)
        elif of.kind() == "class_literal":
            # `A.class.getMethod("run")`: what it finds is the class's own.
            callee = Attribute(node, Name(of, self._read_type(list_named(of)[0])), name)
        else:
            callee = Attribute(node, self.build_expression(of), name)
        return self.build_call_of(node, callee, node.field("arguments"))

    def build_new(self, node: SgNode) -> Expression:
        """`new C(a)`; the methods of a class without a name are handed over with its arguments."""
        name = self._read_type(get_field(node, "type"))
        made = self.build_call_of(node, Name(node, name), node.field("arguments"), new=True)
        methods = self.list_methods(find_child(node, "class_body"), "")
        made.arguments = [*made.arguments, *(Argument(one, one.name) for one in methods)]
        return made

    def build_member(self, node: SgNode) -> Expression:
        """`a.b`."""
        if node.text() in _BOOLEANS:
            return Constant(node, _BOOLEANS[node.text()])
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
        value = self.build_expression(get_field(node, "value"))
        if written in ("int", "long", "Integer", "Long", "double", "boolean"):
            return Binary(node, "-", value, Constant(node, UNKNOWN))
        return value

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
            return self._build_maker(node, of)
        name = named[-1].text()
        if (of.text(), name) == ("String", "valueOf"):
            # It makes a text of anything, as no other class's does.
            return Reference(node, Attribute(node, Module(node, "java.util.Objects"), "toString"))
        return Reference(node, Attribute(node, self.build_expression(of), name))

    def _build_maker(self, node: SgNode, of: SgNode) -> Expression:
        """`A::new` is a function that hands on what it is given."""
        handed = [Argument(Name(node, _HANDED), None, spread=True)]
        made = Call(node, Name(of, self._read_type(of)), handed, new=True)
        return Routine(node, "", [Parameter(node, _HANDED, rest=True)], [Return(node, made)])

    def build_instance(self, node: SgNode) -> Expression:
        """`a instanceof T b` gives it another name, whatever the answer is."""
        value = self.build_expression(get_field(node, "left"))
        apart = node.field("pattern") or find_child(node, "record_pattern")
        if apart is not None:
            bound = InnerAssignment(node, self._build_pattern(apart), value)
            return Relationship(node, "instanceof", bound, Constant(node, UNKNOWN))
        named, kind = node.field("name"), self._read_type(get_field(node, "right"))
        if named is None:
            return self.build_unknown(node)
        if kind in _BOXES:
            value = Call(node, Module(node, f"{kind}.valueOf"), [Argument(value)])
        bound = InnerAssignment(node, Name(named, named.text()), value)
        return Relationship(node, "instanceof", bound, Constant(node, UNKNOWN))

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
            said = {one.kind(): one for label in labels for one in list_named(label)}
            values = [
                self.build_expression(one)
                for label in labels
                for one in list_named(label)
                if one.kind() not in ("pattern", "guard")
            ]
            binds = self._build_pattern(said["pattern"]) if "pattern" in said else None
            guard = self.build_inner(said["guard"]) if "guard" in said else None
            body: list[Statement] = []
            for one in rest:
                made = self.build_statement(one)
                if group.kind() == "switch_rule" and len(made) == 1 and isinstance(made[0], Do):
                    made = [Return(one, made[0].expression)]
                body += made
            falls = falls or group.kind() != "switch_rule"
            is_default = any(label.text().startswith("default") for label in labels)
            options.append(Option(values, body, binds, is_default, guard))
        return Switch(node, subject, options, falls)

    def _build_pattern(self, node: SgNode) -> Expression:
        """`String s` names the subject, `Point(int x, int y)` its parts."""
        if node.kind() == "pattern":
            node = list_named(node)[0]
        kind, *inside = list_named(node)
        named = self._read_type(kind).rpartition(".")[2]
        if node.kind() != "record_pattern":
            target = Name(inside[-1], inside[-1].text())
            if target.name == "_":
                return Shape(node, "")
            return Shape(node, named, whole=target) if named in _NUMBERS else target
        parts = [self._build_pattern(one) for one in list_named(inside[-1])]
        return Shape(node, named, [(None, one) for one in parts])

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
        left: list[Statement] = []
        for one in list_named(node.field("resources")):
            if (name := one.field("name")) is not None and self._says_close:
                closed = Call(one, Attribute(one, Name(name, name.text()), "close"), ())
                left.insert(0, Do(one, closed))
        for child in list_named(node):
            if child.kind() == "catch_clause":
                caught = find_child(child, "catch_formal_parameter")
                name = caught.field("name") if caught is not None else None
                handlers.append(self.build_handler(name, child.field("body")))
            elif child.kind() == "finally_clause":
                finish = self.build_block(list_named(child)[-1])
        body = [*self.build_block(node.field("body")), *left]
        yield Try(node, body, handlers, (), finish)

    def build_imports(self, node: SgNode) -> Iterable[Statement]:
        """`import a.b.C;`, and of `import a.b.*;` the classes that are known."""
        named = find_child(node, "scoped_identifier")
        if named is None:
            return
        name = named.text()
        if find_child(node, "asterisk") is None:
            link = self.find_link(name)
            yield self.build_import(node, name.rpartition(".")[2], name, link)
            if link is not None:
                # What is made of it goes by its whole name.
                yield self.build_import(node, name, name, link)
        else:
            for one in sorted(JAVA_CLASSES.get(name, ())):
                yield self.build_import(node, one, f"{name}.{one}")

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
        "instanceof_expression": build_instance,
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
        "class_declaration": JavaClasses.build_class,
        "record_declaration": JavaClasses.build_class,
        "enum_declaration": JavaClasses.build_class,
        "return_statement": Translation.build_return,
        "yield_statement": Translation.build_return,
        "explicit_constructor_invocation": JavaClasses.build_delegation,
        "throw_statement": Translation.build_raise,
        "break_statement": Translation.build_break,
        "labeled_statement": Translation.build_labelled,
        "continue_statement": Translation.build_continue,
        "package_declaration": build_nothing,
        "interface_declaration": JavaClasses.build_class,
        "line_comment": build_nothing,
        "block_comment": build_nothing,
    }


def _keep_type(name: str) -> str:
    """A type that says more of a value than where it came from."""
    return "" if name in ("var", "String", "Object", "List", "Map", "Path") else name
