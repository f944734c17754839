"""JavaScript and TypeScript in the small program form: what is done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import ClassVar

from ast_grep_py import SgNode

from jurat.engine.flow.forms.javascript_expressions import (
    JavaScriptExpressions,
    to_module,
)
from jurat.engine.flow.forms.lowering import (
    Translation,
    find_child,
    get_field,
    get_operator,
    list_named,
    unquote,
)
from jurat.engine.flow.forms.program import (
    EXPORT,
    SETTER,
    Assign,
    Attribute,
    Call,
    Class,
    Constant,
    Do,
    Expression,
    InnerAssignment,
    Loop,
    Module,
    Name,
    Option,
    Routine,
    Statement,
    Switch,
    Try,
)
from jurat.engine.flow.words import split_words

_FIT_MARKS = split_words(
    """
    IsIn IsEnum IsInt IsNumber IsBoolean IsUUID IsNumberString IsAlpha IsAlphanumeric IsHexadecimal
    IsMongoId IsDateString IsISO8601
    """
)
"""What marks a field whose texts end no other and lead nowhere."""


class JavaScriptTranslation(JavaScriptExpressions):
    """The kinds of nodes of JavaScript, TypeScript and their markup."""

    def is_exported(self, function: Routine) -> bool:
        """What is declared behind `export`, or is a method of such a class."""
        node = function.node
        body = node.parent()
        if body is not None and body.kind() == "class_body":
            node = body.parent() or node
        parent = node.parent()
        return parent is not None and parent.kind() == "export_statement"

    def build_declaration(self, node: SgNode) -> Iterable[Statement]:
        """`const a = b, {c} = d`."""
        for child in list_named(node):
            if child.kind() != "variable_declarator":
                continue
            target, value = get_field(child, "name"), child.field("value")
            made = self.build_expression(value) if value is not None else Constant(child, None)
            if isinstance(made, Routine) and not made.name:
                made.name = target.text()
            if isinstance(made, Module) and target.kind() == "identifier":
                self.imported.setdefault(target.text(), made.name)
            if isinstance(made, Module) and target.kind() == "object_pattern":
                for key, one, _ in self.build_object(target).entries:
                    if isinstance(key, Constant) and isinstance(one, Name):
                        self.imported.setdefault(one.name, f"{made.name}.{key.value}")
            declares = target.kind() == "identifier"
            noted = child.field("type")
            said = noted.text().lstrip(": ") if noted is not None else ""
            yield Assign(child, self.build_expression(target), made, declares, noted=said)

    def build_function_statement(self, node: SgNode) -> Iterable[Statement]:
        """`function f() {}` binds f."""
        made = self.build_function(node)
        return [Assign(node, Name(node, made.name), made, declares=True)]

    def build_for(self, node: SgNode) -> Iterable[Statement]:
        """`for (a; b; c)`."""
        first, condition = node.field("initializer"), node.field("condition")
        if first is not None:
            yield from self.build_statement(first)
        body = self.build_block(node.field("body"))
        if (step := node.field("increment")) is not None:
            body = [*body, Do(step, self.build_expression(step))]
        asked = (
            list_named(condition)[-1:]
            if condition is not None and condition.kind() == "expression_statement"
            else []
        )
        if condition is not None and not asked and condition.kind() != "empty_statement":
            asked = [condition]
        made = self.build_expression(asked[0]) if asked else None
        yield Loop(node, body, condition=made)

    def build_for_in(self, node: SgNode) -> Iterable[Statement]:
        """`for (a of b)`, `for (a in b)`."""
        target = self.build_expression(get_field(node, "left"))
        iterable = self.build_expression(get_field(node, "right"))
        keys = get_operator(node) == "in"
        return [Loop(node, self.build_block(node.field("body")), target, iterable, keys=keys)]

    def build_while(self, node: SgNode) -> Iterable[Statement]:
        """`while (c)`, `do … while (c)`."""
        condition = self.build_expression(get_field(node, "condition"))
        once = node.kind() == "do_statement"
        return [Loop(node, self.build_block(node.field("body")), condition=condition, once=once)]

    def build_switch(self, node: SgNode) -> Iterable[Statement]:
        """`switch (a)`."""
        subject = self.build_expression(get_field(node, "value"))
        options = []
        for child in list_named(node.field("body")):
            value = child.field("value")
            inside = [
                one
                for one in list_named(child)
                if value is None or one.range().start.index != value.range().start.index
            ]
            body = [one for statement in inside for one in self.build_statement(statement)]
            said = None if value is None else self.build_expression(value)
            # `switch (true)` asks one condition after the other.
            guard = said if isinstance(subject, Constant) and subject.value is True else None
            values = [] if said is None or guard is not None else [said]
            is_default = child.kind() == "switch_default"
            options.append(Option(values, body, is_default=is_default, guard=guard))
        return [Switch(node, subject, options, falls=True)]

    def build_try(self, node: SgNode) -> Iterable[Statement]:
        """`try`."""
        handler, last = node.field("handler"), node.field("finalizer")
        handlers = []
        if handler is not None:
            handlers = [self.build_handler(handler.field("parameter"), handler.field("body"))]
        finish = self.build_block(last.field("body")) if last is not None else []
        return [Try(node, self.build_block(node.field("body")), handlers, (), finish)]

    def _keep_field(
        self, node: SgNode, name: str, methods: list[Routine],
        fields: list[tuple[str, Expression]], owner: SgNode | None,
    ) -> None:  # fmt: skip
        """A field with its value; an arrow's `this` is the object, so that it is a method."""
        held = self.build_expression(get_field(node, "value"))
        is_own = find_child(node, "static") is None and held.node.kind() == "arrow_function"
        if isinstance(held, Routine) and is_own:
            held.name, held.owner = name, owner.text() if owner is not None else ""
            methods.append(held)
        else:
            fields.append((name, held))

    def build_class(self, node: SgNode) -> Iterable[Statement]:
        """A class."""
        named = node.field("name")
        methods: list[Routine] = []
        fields: list[tuple[str, Expression]] = []
        types: dict[str, str] = {}
        allowed: dict[str, str] = {}
        marks: list[str] = []
        decorators: list[Expression] = []
        opening: list[Statement] = []
        for child in list_named(node.field("body")):
            kind = child.kind()
            if kind == "decorator":
                marks.append(self.qualify(child.text().lstrip("@").partition("(")[0]))
                decorators.append(self.build_inner(child))
                continue
            if kind == "method_definition":
                made = self.build_method(child, tuple(marks))
                made.decorators = decorators
                made.owner = named.text() if named is not None else ""
                made.is_property = find_child(child, "get") is not None
                if find_child(child, "set") is not None:
                    made.name = SETTER + made.name
                methods.append(made)
                if made.name == "constructor":
                    own_parameters = self._list_own_parameters(child, made)
                    types |= own_parameters
                    made.body = [*map(partial(_keep_own, child), own_parameters), *made.body]
            elif kind == "class_static_block":
                opening += self.build_block(child.field("body"))
            elif kind in ("field_definition", "public_field_definition"):
                own = [self.build_inner(d) for d in list_named(child) if d.kind() == "decorator"]
                key, value = child.field("name") or child.field("property"), child.field("value")
                if key is not None and value is not None:
                    self._keep_field(child, key.text(), methods, fields, named)
                elif key is not None and self._is_checked(child, marks):
                    types[key.text()] = "number"
                elif key is not None and (written := child.field("type")) is not None:
                    types[key.text()] = self.qualify(written.text().lstrip(": "))
                if key is not None and (said := _find_allowed([*decorators, *own])) is not None:
                    allowed[key.text()] = said
            marks, decorators = [], []
        heritage = find_child(node, "class_heritage")
        # TypeScript has what a class extends in a clause of its own, before what it promises.
        extended = heritage and (find_child(heritage, "extends_clause") or heritage)
        above = list_named(extended)[:1]
        bases = [self.build_expression(one) for one in above if one.kind() != "implements_clause"]
        name = named.text() if named is not None else "default"
        return [Class(node, name, methods, fields, types, bases, allowed, opening)]

    def _is_checked(self, node: SgNode, marks: Sequence[str]) -> bool:
        """Whether a field is marked to take numbers alone, or one of a list."""
        own = [
            self.qualify(one.text().lstrip("@").partition("(")[0])
            for one in list_named(node)
            if one.kind() == "decorator"
        ]
        checks = (mark.removeprefix("class-validator.") for mark in (*marks, *own))
        return not _FIT_MARKS.isdisjoint(checks)

    def _list_own_parameters(self, node: SgNode, made: Routine) -> dict[str, str]:
        """Parameters of a constructor that are fields as well."""
        own: dict[str, str] = {}
        for child in list_named(node.field("parameters")):
            if find_child(child, "accessibility_modifier", "readonly") is not None:
                pattern = child.field("pattern")
                found = [one for one in made.parameters if pattern and one.name == pattern.text()]
                own |= {one.name: one.type for one in found}
        return own

    def build_imports(self, node: SgNode) -> Iterable[Statement]:
        """`import a, {b as c} from "d"`."""
        source = node.field("source")
        if source is None:
            return
        module = to_module(unquote(source.text()))
        for clause in list_named(find_child(node, "import_clause")):
            if clause.kind() == "identifier":
                link = self.find_link(module, "default")
                yield self.build_import(clause, clause.text(), module, link)
            elif clause.kind() == "namespace_import":
                alias = list_named(clause)[-1].text()
                yield self.build_import(clause, alias, module, self.find_link(module))
            else:
                for one in list_named(clause):
                    names = [part.text() for part in list_named(one)]
                    if names:
                        link = self.find_link(module, names[0])
                        yield self.build_import(one, names[-1], f"{module}.{names[0]}", link)

    def build_export(self, node: SgNode) -> Iterable[Statement]:
        """`export …`: what it declares, and under which names other files have what it names."""
        if self.links is None:
            for child in list_named(node):
                yield from self.build_statement(child)
            return
        source, named = node.field("source"), find_child(node, "export_clause")
        whole = find_child(node, "namespace_export")
        declared = [one for one in list_named(node) if one not in (source, named, whole)]
        for one in declared:
            yield from self._build_exported(node, one)
        module = "" if source is None else to_module(unquote(source.text()))
        for one in list_named(named):
            names = [part.text() for part in list_named(one)]
            value: Expression = Name(one, names[0])
            if source is not None:
                link = self.find_link(module, names[0])
                value = Module(one, f"{module}.{names[0]}", link)
            yield Assign(one, Name(one, f"{EXPORT}{names[-1]}"), value, declares=True)
        if source is not None and named is None and (link := self.find_link(module)) is not None:
            # `export *`, or `export * as a`.
            name = f"*{module}" if whole is None else list_named(whole)[-1].text()
            target = Name(node, f"{EXPORT}{name}")
            yield Assign(node, target, Module(node, module, link), declares=True)

    def _build_exported(self, node: SgNode, declared: SgNode) -> Iterable[Statement]:
        """What stands behind `export`, and its other name if that is `default`."""
        made = self.build_statement(declared)
        is_default = find_child(node, "default") is not None
        if is_default and len(made) == 1:
            one = made[0]
            if isinstance(one, Do):
                target = Name(node, f"{EXPORT}default")
                yield Assign(node, target, one.expression, declares=True)
                return
            yield one
            bound = one.target if isinstance(one, Assign) else one
            name = bound.name if isinstance(bound, Class | Name) else ""
            target = Name(node, f"{EXPORT}default")
            yield Assign(node, target, Name(node, name), declares=True)
            return
        yield from made

    def build_expression_statement(self, node: SgNode) -> Iterable[Statement]:
        """An expression that stands alone; most of them are assignments."""
        for child in list_named(node):
            made = self.build_expression(child)
            if isinstance(made, InnerAssignment):
                if isinstance(made.value, Routine) and not made.value.name:
                    made.value.name = child.text().partition("=")[0].strip()
                yield Assign(child, made.target, made.value)
            else:
                yield Do(child, made)

    def build_nothing(self, _node: SgNode) -> Iterable[Statement]:
        """What changes no value."""
        return []

    statements: ClassVar = {
        "lexical_declaration": build_declaration,
        "variable_declaration": build_declaration,
        "function_declaration": build_function_statement,
        "generator_function_declaration": build_function_statement,
        "expression_statement": build_expression_statement,
        "if_statement": Translation.build_if,
        "for_statement": build_for,
        "for_in_statement": build_for_in,
        "while_statement": build_while,
        "do_statement": build_while,
        "switch_statement": build_switch,
        "try_statement": build_try,
        "class_declaration": build_class,
        "export_statement": build_export,
        "abstract_class_declaration": build_class,
        "import_statement": build_imports,
        "return_statement": Translation.build_return,
        "throw_statement": Translation.build_raise,
        "break_statement": Translation.build_break,
        "labeled_statement": Translation.build_labelled,
        "continue_statement": Translation.build_continue,
        "interface_declaration": build_nothing,
        "type_alias_declaration": build_nothing,
        "enum_declaration": build_nothing,
        "empty_statement": build_nothing,
        "comment": build_nothing,
    }


def _keep_own(node: SgNode, name: str) -> Statement:
    """What `constructor(private name)` does first: the parameter is a field as well."""
    return Assign(node, Attribute(node, Name(node, "this"), name), Name(node, name))


def _find_allowed(marks: Sequence[Expression]) -> str | None:
    """The expression that a field is marked with by `@Matches(/…/)`."""
    for mark in marks:
        named = mark.callee if isinstance(mark, Call) else None
        if isinstance(mark, Call) and isinstance(named, Name) and named.name == "Matches":
            given = mark.arguments[0].value if mark.arguments else None
            text = given.arguments[0].value if isinstance(given, Call) else None
            if isinstance(text, Constant) and isinstance(text.value, str):
                return text.value
    return None
