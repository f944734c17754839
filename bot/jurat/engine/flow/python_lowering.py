"""Python in the small program form."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import ClassVar

from ast_grep_py import SgNode

from jurat.engine.flow.javascript_lowering import unescape
from jurat.engine.flow.lowering import Translation, find_child, get_field, list_named
from jurat.engine.flow.program import (
    SETTER,
    UNKNOWN,
    Argument,
    Assertion,
    Assign,
    Attribute,
    Binary,
    Branch,
    Call,
    Choice,
    Class,
    Comprehension,
    Constant,
    Container,
    ContextOpening,
    Do,
    Expression,
    Index,
    InnerAssignment,
    Logical,
    Loop,
    Mix,
    Module,
    Name,
    Not,
    Option,
    Outer,
    Parameter,
    Relationship,
    Return,
    Routine,
    Statement,
    Switch,
    Text,
    Try,
    Yield,
)

_PROPERTIES = ("property", "cached_property")

_DECLARERS = frozenset({"field", "Field", "ib", "attrib", "PrivateAttr"})
"""What declares the field of a record: of dataclasses, attrs, pydantic."""


_ALLOWED = re.compile(
    r"""\b(?:(?:pattern|regex)\s*=|Regex(?:p|Field|Validator)\()\s*r?(["'])((?:(?!\1).)+)\1"""
)
"""The expression that a field or a parameter must have, as `Query(pattern=...)` says it."""


def _take_factory(value: Expression) -> Expression:
    """What a record's field begins with: what the factory that its declaration names makes."""
    if isinstance(value, Call) and isinstance(value.callee, Name | Attribute):
        given = {one.keyword: one.value for one in value.arguments}
        made_by = given.get("default_factory") or given.get("factory")
        if made_by is not None and value.callee.name in _DECLARERS:
            return Call(value.node, made_by, ())
    return value


class PythonTranslation(Translation):
    """Python's kinds of nodes."""

    this = "self"

    def build_string(self, node: SgNode) -> Expression:
        """A string, with what an f-string puts in."""
        children = list_named(node)
        prefix = children[0].text().rstrip("\"'").lower() if children else ""
        if not any(child.kind() == "interpolation" for child in children):
            return Constant(node, _evaluate_literal(node.text()))
        parts: list[Expression] = []
        for child in children:
            if child.kind() == "string_content":
                text = child.text() if "r" in prefix else unescape(child.text())
                if "f" in prefix:
                    text = text.replace("{{", "{").replace("}}", "}")
                parts.append(Constant(child, text))
            elif child.kind() == "interpolation":
                parts.append(self.build_interpolation(child))
        return Text(node, parts)

    def build_interpolation(self, node: SgNode) -> Expression:
        """`{value:spec}`: a number's spec makes a number of it."""
        spec = find_child(node, "format_specifier")
        value = self.build_expression(list_named(node)[0])
        if spec is not None and spec.text()[-1:] in "dfegxXbon%":
            return Binary(node, "-", value, Constant(node, UNKNOWN))
        return value

    def build_concatenated(self, node: SgNode) -> Expression:
        """Strings that stand beside each other."""
        return Text(node, [self.build_expression(child) for child in list_named(node)])

    def build_comparison(self, node: SgNode) -> Expression:
        """`a < b < c` is two comparisons."""
        operands = list_named(node)
        operators = [child.text() for child in node.children() if not child.is_named()]
        joined, words = [], iter(operators)
        for word in words:
            if (word == "not" and next(words, None)) or (word == "is not"):
                joined.append("not in" if word == "not" else word)
            else:
                joined.append(word)
        whole: Expression | None = None
        for index, operator in enumerate(joined[: len(operands) - 1]):
            left, right = operands[index], operands[index + 1]
            one = Relationship(
                node, operator, self.build_expression(left), self.build_expression(right)
            )
            whole = one if whole is None else Logical(node, "and", whole, one)
        return whole or Constant(node, UNKNOWN)

    def build_not(self, node: SgNode) -> Expression:
        """`not a`."""
        return Not(node, self.build_inner(node))

    def build_attribute(self, node: SgNode) -> Expression:
        """`a.b`."""
        name = get_field(node, "attribute").text()
        return Attribute(node, self.build_expression(get_field(node, "object")), name)

    def build_call(self, node: SgNode) -> Expression:
        """`f(a, k=b)`."""
        callee = self.build_expression(get_field(node, "function"))
        arguments = node.field("arguments")
        if arguments is not None and arguments.kind() == "generator_expression":
            return self.build_call_of(node, callee, None).__class__(
                node, callee, [Argument(self.build_expression(arguments))]
            )
        return self.build_call_of(node, callee, arguments)

    def build_argument(self, node: SgNode) -> Argument:
        """One argument, maybe with its keyword."""
        if node.kind() == "keyword_argument":
            value = self.build_expression(get_field(node, "value"))
            return Argument(value, get_field(node, "name").text())
        if node.kind() in ("list_splat", "dictionary_splat"):
            return Argument(self.build_inner(node), None, spread=True)
        return Argument(self.build_expression(node))

    def build_index(self, node: SgNode) -> Expression:
        """`a[k]`, `a[i:j]`."""
        of = self.build_expression(get_field(node, "value"))
        key = node.field("subscript")
        if key is None or key.kind() == "slice":
            return Index(node, of, None, *self._build_ends(key))
        return Index(node, of, self.build_expression(key))

    def _build_ends(self, node: SgNode | None) -> tuple[Expression | None, Expression | None]:
        """Where `i:j` begins and ends, None for what is left out."""
        ends: list[Expression | None] = [None, None]
        place = 0
        for part in node.children() if node is not None else ():
            if part.kind() == ":":
                place += 1
            elif place < len(ends):
                ends[place] = self.build_expression(part)
            else:
                # With a step, nobody knows where anything stands.
                ends[0] = Constant(part, UNKNOWN)
        return ends[0], ends[1]

    def build_list(self, node: SgNode) -> Expression:
        """A list, tuple or set."""
        entries: list[tuple[Expression | None, Expression, bool]] = []
        for child in list_named(node):
            spread = child.kind() in ("list_splat", "list_splat_pattern")
            value = self.build_inner(child) if spread else self.build_expression(child)
            entries.append((None, value, spread))
        return Container(node, entries)

    def build_dictionary(self, node: SgNode) -> Expression:
        """A dictionary."""
        entries: list[tuple[Expression | None, Expression, bool]] = []
        for child in list_named(node):
            if child.kind() == "pair":
                key = self.build_expression(get_field(child, "key"))
                entries.append((key, self.build_expression(get_field(child, "value")), False))
            else:
                entries.append((None, self.build_inner(child), True))
        return Container(node, entries, mapping=True)

    def build_comprehension(self, node: SgNode) -> Expression:
        """`[f(a) for a in b if c]`: loops inside each other, with conditions as branches."""
        body = get_field(node, "body")
        if body.kind() == "pair":
            key, held = (self.build_expression(one) for one in list_named(body)[:2])
            element: Expression = Container(body, [(key, held, False)], mapping=True)
        else:
            element = self.build_expression(body)
        loop: Loop | None = None
        guards: list[Statement] = []
        for clause in reversed(list_named(node)[1:]):
            if clause.kind() == "if_clause":
                guards.insert(0, Assertion(clause, self.build_inner(clause)))
            elif clause.kind() == "for_in_clause":
                target = self.build_expression(get_field(clause, "left"))
                iterable = self.build_expression(get_field(clause, "right"))
                inside = [*guards, *([loop] if loop else [])]
                loop, guards = Loop(clause, inside, target, iterable), []
        return Comprehension(node, loop, element) if loop else element

    def build_conditional(self, node: SgNode) -> Expression:
        """`a if c else b`."""
        yes, condition, no = list_named(node)[:3]
        made = [self.build_expression(one) for one in (condition, yes, no)]
        return Choice(node, *made)

    def build_walrus(self, node: SgNode) -> Expression:
        """`(a := b)`."""
        target = self.build_expression(get_field(node, "name"))
        return InnerAssignment(node, target, self.build_expression(get_field(node, "value")))

    def build_lambda(self, node: SgNode) -> Expression:
        """`lambda a: b`."""
        body = get_field(node, "body")
        value = Return(body, self.build_expression(body))
        return Routine(node, "", self.build_parameters(node.field("parameters")), [value])

    def build_operator(self, node: SgNode) -> Expression:
        """Arithmetic; `%` on a text fills it in."""
        return self.build_binary(node)

    # Statements

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
        return [*before, Assign(node, self.build_expression(target), made)]

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
        target = self.build_expression(get_field(node, "left"))
        iterable = self.build_expression(get_field(node, "right"))
        yield Loop(node, self.build_block(node.field("body")), target, iterable)
        if (last := find_child(node, "else_clause")) is not None:
            yield from self.build_block(last.field("body"))

    def build_while(self, node: SgNode) -> Iterable[Statement]:
        """`while c`."""
        condition = self.build_expression(get_field(node, "condition"))
        yield Loop(node, self.build_block(node.field("body")), condition=condition)
        if (last := find_child(node, "else_clause")) is not None:
            yield from self.build_block(last.field("body"))

    def build_yield(self, node: SgNode) -> Expression:
        """`yield a`; behind `from` stands what has the values."""
        values = [self.build_expression(one) for one in list_named(node)]
        is_one = len(values) == 1 and find_child(node, "from") is None
        return Yield(node, values[0] if is_one else Mix(node, values))

    def build_with(self, node: SgNode) -> Iterable[Statement]:
        """`with a as b`."""
        for item in list_named(find_child(node, "with_clause")):
            value = list_named(item)[0]
            if value.kind() == "as_pattern":
                opened = self.build_as(value)
                opened.value = ContextOpening(value, opened.value)
                yield opened
            else:
                yield Do(item, self.build_expression(value))
        yield from self.build_block(node.field("body"))

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
        subject = self.build_expression(get_field(node, "subject"))
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
                        names = part.find_all({"rule": {"kind": "identifier"}})
                        parts = [Name(one, one.text()) for one in names]
                        binds = Container(part, [(None, one, True) for one in parts])
                        if len(parts) == 1 and parts[0].name == part.text():
                            binds = parts[0]
            said = find_child(clause, "if_clause")
            guard = None if said is None else self.build_inner(said)
            is_default = patterns[:1] != [] and patterns[0].text() == "_"
            block = self.build_block(clause.field("consequence"))
            cases.append(Option(values if known else [], block, binds, is_default, guard))
        return [Switch(node, subject, cases)]

    def build_definition(self, node: SgNode, annotations: tuple[str, ...] = ()) -> Routine:
        """`def`."""
        name = get_field(node, "name").text()
        parameters = self.build_parameters(node.field("parameters"))
        return Routine(node, name, parameters, self.build_block(node.field("body")), annotations)

    def build_def(self, node: SgNode) -> Iterable[Statement]:
        """`def` as a statement binds its name."""
        made = self.build_definition(node)
        return [Assign(node, Name(node, made.name), made, declares=True)]

    def build_parameters(self, node: SgNode | None) -> list[Parameter]:
        """Parameters with their types and defaults."""
        made = []
        for child in list_named(node):
            kind, default = child.kind(), child.field("value")
            named = child if kind == "identifier" else child.field("name")
            rest = False
            is_mapping = child.text().startswith("**")
            if named is None:
                named = find_child(
                    child, "identifier", "list_splat_pattern", "dictionary_splat_pattern"
                )
                if kind in ("list_splat_pattern", "dictionary_splat_pattern"):
                    rest = True
                elif named is not None and named.kind() != "identifier":
                    rest, named = True, find_child(named, "identifier")
            if named is None:
                continue
            written = child.field("type")
            type_name = self.qualify(_strip_optional(written.text())) if written else ""
            annotations = _list_markers(self, written.text()) if written else ()
            value = self.build_expression(default) if default is not None else None
            if isinstance(value, Expression) and value.__class__.__name__ == "Call":
                annotations = (*annotations, *_list_markers(self, value.node.text()))
            said = "".join(one.text() for one in (written, default) if one is not None)
            found = _ALLOWED.search(said)
            made.append(
                Parameter(
                    named,
                    named.text(),
                    type_name,
                    annotations,
                    value,
                    rest=rest,
                    names=is_mapping,
                    allowed=found[2] if found is not None else None,
                )
            )
        return made

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
            if inner is not None and (found := _ALLOWED.search(inner.text())) is not None:
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
                found[named] = self.qualify(_strip_optional(written.text()))
        return found

    def build_imports(self, node: SgNode) -> Iterable[Statement]:
        """`import a.b as c` binds c, `import a.b` binds a."""
        for child in list_named(node):
            if child.kind() == "aliased_import":
                alias = get_field(child, "alias").text()
                yield self.build_import(child, alias, get_field(child, "name").text())
            elif child.kind() == "dotted_name":
                head = child.text().partition(".")[0]
                yield self.build_import(child, head, head)

    def build_from(self, node: SgNode) -> Iterable[Statement]:
        """`from a import b as c`."""
        module = get_field(node, "module_name")
        for child in list_named(node)[1:]:
            if child.kind() == "aliased_import":
                alias, name = get_field(child, "alias").text(), get_field(child, "name").text()
            elif child.kind() == "dotted_name":
                alias = name = child.text()
            else:
                continue
            yield self.build_import(child, alias, f"{module.text()}.{name}")

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

    expressions: ClassVar = {
        "string": build_string,
        "concatenated_string": build_concatenated,
        "integer": Translation.build_number,
        "float": Translation.build_number,
        "true": lambda _, node: Constant(node, True),
        "false": lambda _, node: Constant(node, False),
        "none": lambda _, node: Constant(node, None),
        "ellipsis": Translation.build_unknown,
        "identifier": Translation.build_name,
        "attribute": build_attribute,
        "subscript": build_index,
        "call": build_call,
        "binary_operator": build_operator,
        "boolean_operator": Translation.build_binary,
        "comparison_operator": build_comparison,
        "not_operator": build_not,
        "unary_operator": Translation.build_unary,
        "parenthesized_expression": Translation.build_inner,
        "await": Translation.build_inner,
        "yield": build_yield,
        "conditional_expression": build_conditional,
        "list": build_list,
        "tuple": build_list,
        "set": build_list,
        "expression_list": build_list,
        "pattern_list": build_list,
        "tuple_pattern": build_list,
        "list_pattern": build_list,
        "list_splat_pattern": Translation.build_inner,
        "list_splat": Translation.build_inner,
        "dictionary": build_dictionary,
        "list_comprehension": build_comprehension,
        "set_comprehension": build_comprehension,
        "dictionary_comprehension": build_comprehension,
        "generator_expression": build_comprehension,
        "named_expression": build_walrus,
        "lambda": build_lambda,
    }
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


def _evaluate_literal(text: str) -> object:
    if "\\" not in text and text[0] in "\"'" and text[1:2] != text[0]:
        return text[1:-1]
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError):
        return text.strip("\"'")
    if isinstance(found, bytes):
        return found.decode("latin-1")
    return found


def _strip_optional(written: str) -> str:
    """`T` of `T | None`, `Optional[T]` and `Annotated[T, …]`."""
    text = written.strip("\"'")
    for wrapper in (
        "Annotated[",
        "typing.Annotated[",
        "Optional[",
        "typing.Optional[",
        "t.Optional[",
    ):
        if text.startswith(wrapper):
            text = text[len(wrapper) :].rstrip("]").partition(",")[0]
    return text.partition("|")[0].partition("[")[0].strip()


def _list_markers(lowering: Translation, written: str) -> tuple[str, ...]:
    """The calls in an annotation or a default, such as `Query` in `Annotated[str, Query()]`."""
    words = written.replace("[", " ").replace(",", " ").split("(")[:-1]
    return tuple(lowering.qualify(word.split()[-1]) for word in words if word.split())


def _list_alternatives(pattern: SgNode) -> list[SgNode]:
    """The patterns of `a | b`, else the one."""
    inner = list_named(pattern)
    if not inner:
        return [pattern]
    if inner[0].kind() == "union_pattern":
        return list_named(inner[0])
    return inner[:1]
