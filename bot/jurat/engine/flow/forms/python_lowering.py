"""Python in the small program form: what is done."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from ast_grep_py import SgNode

from jurat.engine.flow.forms.lowering import Translation, find_child, get_field, list_named
from jurat.engine.flow.forms.program import (
    SETTER,
    Argument,
    Assertion,
    Assign,
    Attribute,
    Branch,
    Call,
    Class,
    Container,
    ContextOpening,
    Do,
    Expression,
    Loop,
    Module,
    Name,
    Option,
    Outer,
    Routine,
    Shape,
    Statement,
    Switch,
    Try,
)
from jurat.engine.flow.forms.python_expressions import (
    ALLOWED_TEXT,
    PythonExpressions,
    strip_optional,
)
from jurat.engine.flow.forms.swallowing import is_swallowing

_PROPERTIES = ("property", "cached_property")

_DECLARERS = frozenset({"field", "Field", "ib", "attrib", "PrivateAttr"})
"""What declares the field of a record: of dataclasses, attrs, pydantic."""


_OWN_CLASSES = frozenset(
    {"str", "int", "float", "bool", "bytes", "bytearray", "list", "dict", "set", "tuple"}
)
"""Classes of the language: a pattern of theirs hands over the value itself."""

_CLOSED_BY = re.compile(r"[A-Z]\w*\(")
"""In what is opened of which the file may say how it is left."""


def _call_exit(node: SgNode, held: Name) -> Statement:
    """What is done when an object of the file's is left."""
    return Do(node, Call(node, Attribute(node, held, "__exit__"), ()))


def _take_factory(value: Expression) -> Expression:
    """What a record's field begins with: what the factory that its declaration names makes."""
    if isinstance(value, Call) and isinstance(value.callee, Name | Attribute):
        given = {one.keyword: one.value for one in value.arguments}
        made_by = given.get("default_factory") or given.get("factory")
        if made_by is not None and value.callee.name in _DECLARERS:
            return Call(value.node, made_by, ())
    return value


class PythonTranslation(PythonExpressions):
    """Python's kinds of nodes."""

    _says_exit = False

    def build_program(self, root: SgNode) -> Routine:
        """A file; whether it has classes that say what is done when they are left."""
        self._says_exit = "exit__" in root.text()
        return super().build_program(root)

    def build_assignment(self, node: SgNode) -> Iterable[Statement]:
        """`a = b = c`, `a: T = b`."""
        target, value = get_field(node, "left"), node.field("right")
        if value is None:
            return []
        before: list[Statement] = []
        made: Expression
        if value.kind() == "assignment":
            before = list(self.build_assignment(value))
            made = self.build_expression(get_field(value, "left"))
        else:
            made = self.build_expression(value)
        noted = node.field("type")
        said = noted.text().strip("\"'") if noted is not None else ""
        return [*before, Assign(node, self.build_expression(target), made, noted=said)]

    def build_python_if(self, node: SgNode) -> Iterable[Statement]:
        """`if`, with its `elif`s."""
        arms = [
            (
                self.build_expression(get_field(one, "condition")),
                self.build_block(one.field("consequence")),
            )
            for one in (node, *(one for one in list_named(node) if one.kind() == "elif_clause"))
        ]
        last = find_child(node, "else_clause")
        return [Branch(node, arms, self.build_block(last.field("body") if last else None))]

    def build_for(self, node: SgNode) -> Iterable[Statement]:
        """`for a in b`."""
        before, target, iterable = self.build_each(node)
        made = Loop(node, [*before, *self.build_block(node.field("body"))], target, iterable)
        yield self._build_otherwise(node, made)

    def build_while(self, node: SgNode) -> Iterable[Statement]:
        """`while c`."""
        condition = self.build_expression(get_field(node, "condition"))
        made = Loop(node, self.build_block(node.field("body")), condition=condition)
        yield self._build_otherwise(node, made)

    def _build_otherwise(self, node: SgNode, loop: Loop) -> Loop:
        """A loop with its `else`, which a `break` skips."""
        if (last := find_child(node, "else_clause")) is not None:
            loop.otherwise = self.build_block(last.field("body"))
        return loop

    def build_with(self, node: SgNode) -> Iterable[Statement]:
        """`with a as b`."""
        swallows = False
        left: list[Statement] = []
        for item in list_named(find_child(node, "with_clause")):
            value = list_named(item)[0]
            swallows = swallows or is_swallowing(value)
            if _CLOSED_BY.search(value.text()) and self._says_exit:
                held = Name(value, f"<opened {value.range().start.index}>")
                left.insert(0, _call_exit(value, held))
                inner = list_named(value)[0] if value.kind() == "as_pattern" else value
                yield Assign(value, held, self.build_expression(inner), declares=True)
                if value.kind() == "as_pattern":
                    yield Assign(
                        value, self.build_inner(list_named(value)[-1]), ContextOpening(value, held)
                    )
            elif value.kind() == "as_pattern":
                opened = self.build_as(value)
                opened.value = ContextOpening(value, opened.value)
                yield opened
            else:
                yield Do(item, self.build_expression(value))
        body = self.build_block(node.field("body"))
        yield from [Try(node, body, [[]])] if swallows else body
        yield from left

    def build_as(self, node: SgNode) -> Assign:
        """`a as b`."""
        value, target = list_named(node)[0], list_named(node)[-1]
        return Assign(node, self.build_inner(target), self.build_expression(value))

    def build_try(self, node: SgNode) -> Iterable[Statement]:
        """`try`."""
        handlers, otherwise, finish = [], [], []
        for child in list_named(node):
            inside = list_named(child)
            block = inside[-1] if inside else None
            if child.kind() in ("except_clause", "except_group_clause"):
                named = find_child(child, "as_pattern")
                caught = list_named(named)[-1] if named is not None else None
                handlers.append(self.build_handler(caught, block))
            elif child.kind() == "else_clause":
                otherwise = self.build_block(block)
            elif child.kind() == "finally_clause":
                finish = self.build_block(block)
        return [Try(node, self.build_block(node.field("body")), handlers, otherwise, finish)]

    def build_match(self, node: SgNode) -> Iterable[Statement]:
        """`match`: constants are compared, anything else fits."""
        asked = [self.build_expression(one) for one in node.field_children("subject")]
        several = Container(node, [(None, one, False) for one in asked])
        subject = asked[0] if len(asked) == 1 else several
        cases = []
        body = node.field("body")
        for clause in list_named(body):
            if clause.kind() != "case_clause":
                continue
            patterns = [one for one in list_named(clause) if one.kind() == "case_pattern"]
            values, known = [], True
            binds: Expression | None = None
            for pattern in patterns:
                for part in _list_alternatives(pattern):
                    if part.kind() in (
                        "string",
                        "integer",
                        "true",
                        "false",
                        "none",
                        "concatenated_string",
                    ):
                        values.append(self.build_expression(part))
                    else:
                        known = False
            known = known and len(patterns) == 1
            if len(patterns) > 1:
                # `case "a", b`: a list without its brackets.
                parts = [(None, self.build_pattern(one), "*" in one.text()[:1]) for one in patterns]
                binds = Container(clause, parts)
            elif not known:
                binds = self.build_pattern(patterns[0])
            said = find_child(clause, "if_clause")
            guard = None if said is None else self.build_inner(said)
            is_default = patterns[:1] != [] and patterns[0].text() == "_"
            block = self.build_block(clause.field("consequence"))
            cases.append(Option(values if known else [], block, binds, is_default, guard))
        return [Switch(node, subject, cases)]

    def build_pattern(self, node: SgNode) -> Expression:
        """What a pattern puts into variables; `_` and what it compares go to no name of anybody."""
        inside = list_named(node)
        kind = node.kind()
        if kind == "case_pattern" and inside:
            return self.build_pattern(inside[0])
        if kind == "as_pattern":
            held = Shape(node, "", whole=Name(inside[-1], inside[-1].text()))
            first = self.build_pattern(inside[0])
            if isinstance(first, Shape) and first.whole is None:
                first.whole = held.whole
                return first
            return held
        if kind in ("list_pattern", "tuple_pattern"):
            parts = [(None, self.build_pattern(one), "*" in one.text()[:1]) for one in inside]
            return Container(node, parts)
        if kind == "class_pattern":
            return self._build_class_pattern(node)
        if kind == "dict_pattern":
            return self._build_mapping_pattern(node)
        if kind == "splat_pattern" or (kind == "dotted_name" and len(inside) == 1):
            named = inside[-1] if inside else node
            return Name(named, named.text())
        if kind == "union_pattern":
            # Each side gives the same names; what they have is whatever the value holds.
            names = list(node.find_all(kind="identifier"))
            return Container(node, [(None, Name(one, one.text()), True) for one in names])
        return Shape(node, "")

    def _build_class_pattern(self, node: SgNode) -> Expression:
        """`Ping(host, count=n)`; a class of the language, as `str(name)`, has the value itself."""
        named, *inside = list_named(node)
        kind = named.text().rpartition(".")[2]
        parts: list[tuple[str | None, Expression]] = []
        for one in inside:
            said = find_child(one, "keyword_pattern")
            if said is not None:
                key, held = list_named(said)[0], list_named(said)[-1]
                parts.append((key.text(), self.build_pattern(held)))
            else:
                parts.append((None, self.build_pattern(one)))
        if kind in _OWN_CLASSES:
            whole = parts[0][1] if parts else None
            return Shape(node, kind, whole=whole)
        return Shape(node, kind, parts)

    def _build_mapping_pattern(self, node: SgNode) -> Expression:
        """`{"name": name, **rest}`."""
        entries: list[tuple[Expression | None, Expression, bool]] = []
        key: SgNode | None = None
        for one in list_named(node):
            if one.kind() == "splat_pattern":
                entries.append((None, self.build_pattern(one), True))
            elif key is None:
                key = one
            else:
                entries.append((self.build_expression(key), self.build_pattern(one), False))
                key = None
        return Container(node, entries, mapping=True)

    def build_definition(self, node: SgNode, annotations: tuple[str, ...] = ()) -> Routine:
        """`def`."""
        name = get_field(node, "name").text()
        parameters = self.build_parameters(node.field("parameters"))
        return Routine(node, name, parameters, self.build_block(node.field("body")), annotations)

    def build_def(self, node: SgNode) -> Iterable[Statement]:
        """`def` as a statement binds its name."""
        made = self.build_definition(node)
        return [Assign(node, Name(node, made.name), made, declares=True)]

    def build_decorated(self, node: SgNode) -> Iterable[Statement]:
        """A definition with its decorators."""
        marks = tuple(
            self.qualify(one.text().lstrip("@").partition("(")[0])
            for one in list_named(node)
            if one.kind() == "decorator"
        )
        inner = get_field(node, "definition")
        if inner.kind() == "class_definition":
            return self.build_class(inner)
        made = self.build_definition(inner, marks)
        made.is_property = any(mark.endswith(_PROPERTIES) for mark in marks)
        if any(mark.endswith(".setter") for mark in marks):
            made.name = SETTER + made.name
        made.decorators = [
            self.build_inner(one) for one in list_named(node) if one.kind() == "decorator"
        ]
        return [Assign(node, Name(node, made.name), made, declares=True)]

    def build_class(self, node: SgNode) -> Iterable[Statement]:
        """A class: its functions are its methods, its assignments its fields."""
        name = get_field(node, "name").text()
        methods: list[Routine] = []
        fields: list[tuple[str, Expression]] = []
        for one in self.build_block(node.field("body")):
            if not isinstance(one, Assign) or not isinstance(one.target, Name):
                continue
            if isinstance(one.value, Routine):
                method = one.value
                method.owner = name
                method.is_of_class = "classmethod" in method.annotations
                method.is_static = any(mark.endswith("staticmethod") for mark in method.annotations)
                if method.parameters and not method.is_static:
                    method.receiver = method.parameters[0].name
                    method.parameters = method.parameters[1:]
                methods.append(method)
            else:
                fields.append((one.target.name, _take_factory(one.value)))
        bases = [self.build_expression(one) for one in list_named(node.field("superclasses"))
                 if one.kind() != "keyword_argument"]  # fmt: skip
        allowed: dict[str, str] = {}
        for said in list_named(node.field("body")):
            inner = find_child(said, "assignment")
            if inner is not None and (found := ALLOWED_TEXT.search(inner.text())) is not None:
                allowed[get_field(inner, "left").text()] = found[2]
        types = self.list_field_types(node)
        return [Class(node, name, methods, fields, types, bases, allowed)]

    def list_field_types(self, node: SgNode) -> dict[str, str]:
        """The qualified types that a class annotates its fields with, in their order."""
        found: dict[str, str] = {}
        for one in list_named(node.field("body")):
            inner = find_child(one, "assignment") if one.kind() == "expression_statement" else None
            written = inner.field("type") if inner is not None else None
            if inner is not None and written is not None:
                named = get_field(inner, "left").text()
                found[named] = self.qualify(strip_optional(written.text()))
        return found

    def build_imports(self, node: SgNode) -> Iterable[Statement]:
        """`import a.b as c` binds c, `import a.b` binds a."""
        for child in list_named(node):
            if child.kind() == "aliased_import":
                alias = get_field(child, "alias").text()
                name = get_field(child, "name").text()
                yield self.build_import(child, alias, name, self.find_link(name))
            elif child.kind() == "dotted_name":
                head, _, rest = child.text().partition(".")
                link = self.find_link(child.text())
                yield self.build_import(child, head, head, None if rest else link)
                if link is not None and rest:
                    # What stands above it is a module of which only this part is known.
                    part: Expression = Name(child, head)
                    for one in rest.split("."):
                        part = Attribute(child, part, one)
                    yield Assign(child, part, Module(child, child.text(), link))

    def build_from(self, node: SgNode) -> Iterable[Statement]:
        """`from a import b as c`."""
        module = get_field(node, "module_name")
        if find_child(node, "wildcard_import") is not None:
            link = self.find_link(module.text())
            yield self.build_import(node, f"*{module.text()}", module.text(), link)
        for child in list_named(node)[1:]:
            if child.kind() == "aliased_import":
                alias, name = get_field(child, "alias").text(), get_field(child, "name").text()
            elif child.kind() == "dotted_name":
                alias = name = child.text()
            else:
                continue
            link = self.find_link(module.text(), name)
            yield self.build_import(child, alias, f"{module.text()}.{name}", link)

    def build_assert(self, node: SgNode) -> Iterable[Statement]:
        """`assert c`."""
        return [Assertion(node, self.build_expression(list_named(node)[0]))]

    def build_outer(self, node: SgNode) -> Iterable[Statement]:
        """`global`, `nonlocal`."""
        return [Outer(node, [child.text() for child in list_named(node)])]

    def build_delete(self, node: SgNode) -> Iterable[Statement]:
        """`del a, b["k"]`."""
        (written,) = list_named(node)
        for one in list_named(written) if written.kind() == "expression_list" else [written]:
            yield Do(one, Call(one, Module(one, "del"), [Argument(self.build_expression(one))]))

    def build_nothing(self, _node: SgNode) -> Iterable[Statement]:
        """What changes no value."""
        return []

    statements: ClassVar = {
        "assignment": build_assignment,
        "augmented_assignment": Translation.build_augmented,
        "if_statement": build_python_if,
        "for_statement": build_for,
        "while_statement": build_while,
        "with_statement": build_with,
        "try_statement": build_try,
        "match_statement": build_match,
        "function_definition": build_def,
        "decorated_definition": build_decorated,
        "class_definition": build_class,
        "import_statement": build_imports,
        "import_from_statement": build_from,
        "return_statement": Translation.build_return,
        "raise_statement": Translation.build_raise,
        "break_statement": Translation.build_break,
        "continue_statement": Translation.build_continue,
        "assert_statement": build_assert,
        "global_statement": build_outer,
        "nonlocal_statement": build_outer,
        "delete_statement": build_delete,
        "pass_statement": build_nothing,
        "comment": build_nothing,
        "future_import_statement": build_nothing,
    }


def _list_alternatives(pattern: SgNode) -> list[SgNode]:
    """The patterns of `a | b`, else the one."""
    inner = list_named(pattern)
    if not inner:
        return [pattern]
    if inner[0].kind() == "union_pattern":
        return list_named(inner[0])
    return inner[:1]
