"""JavaScript and TypeScript in the small program form: what has a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import ClassVar

from ast_grep_py import SgNode

from jurat.engine.flow.forms.lowering import (
    Translation,
    find_child,
    get_field,
    get_operator,
    list_named,
    unescape,
    unquote,
)
from jurat.engine.flow.forms.program import (
    SETTER,
    UNKNOWN,
    Argument,
    Attribute,
    Binary,
    Call,
    Choice,
    Class,
    Constant,
    Container,
    Expression,
    Index,
    InnerAssignment,
    Made,
    Mix,
    Module,
    Name,
    Parameter,
    Return,
    Routine,
    Statement,
    Text,
    Yield,
)

_CALLED = {"typeof": "typeof", "void": "void", "delete": "del"}
"""Words before a value, each with the name of a function that does the same."""

_ARGUMENTS = "arguments"
"""What JavaScript calls all that a function is handed."""

Entries = list[tuple[Expression | None, Expression, bool]]

_FIT_PIPES = re.compile(r"\bParse(?:Int|Float|Bool|UUID|Enum|Date)Pipe\b")
"""What a framework reads a parameter by that is a number then, or one of a few."""


class JavaScriptExpressions(Translation):
    """The kinds of nodes of JavaScript, TypeScript and their markup that have a value."""

    def build_string(self, node: SgNode) -> Expression:
        """A string."""
        return Constant(node, unquote(node.text()))

    def build_regex(self, node: SgNode) -> Expression:
        """`/a/g`, as the call that makes it of a text and its flags."""
        pattern, flags = node.field("pattern"), node.field("flags")
        text = Constant(node, pattern.text() if pattern is not None else UNKNOWN)
        said = Constant(node, flags.text() if flags is not None else "")
        given = [Argument(text), Argument(said)]
        return Call(node, Module(node, "RegExp"), given, new=True)

    def build_template(self, node: SgNode) -> Expression:
        """A template with what is put in."""
        parts: list[Expression] = []
        for child in list_named(node):
            if child.kind() == "template_substitution":
                parts.append(self.build_inner(child))
            else:
                parts.append(Constant(child, unescape(child.text())))
        return Text(node, parts) if parts else Constant(node, "")

    def build_member(self, node: SgNode) -> Expression:
        """`a.b`, `a?.b`."""
        name = get_field(node, "property").text()
        return Attribute(node, self.build_expression(get_field(node, "object")), name)

    def build_element(self, node: SgNode) -> Expression:
        """`a[k]`."""
        of = self.build_expression(get_field(node, "object"))
        return Index(node, of, self.build_expression(get_field(node, "index")))

    def build_call(self, node: SgNode) -> Expression:
        """`f(a)`; what a tag makes of a template is its own affair, and fit."""
        function, arguments = get_field(node, "function"), node.field("arguments")
        if arguments is not None and arguments.kind() == "template_string":
            if function.text() == "String.raw":
                return self.build_expression(arguments)
            parts = [one for one in list_named(arguments) if one.kind() == "template_substitution"]
            given = [Argument(self.build_inner(one)) for one in parts]
            said = [one for one in list_named(arguments) if one.kind() == "string_fragment"]
            texts = [(None, Constant(one, unescape(one.text())), False) for one in said]
            text = Argument(Container(arguments, texts or [(None, Constant(arguments, ""), False)]))
            return Call(node, self.build_expression(function), [text, *given], tagged=True)
        if function.text() in ("require", "import") and arguments is not None:
            named = list_named(arguments)
            if named and named[0].kind() == "string":
                module = to_module(unquote(named[0].text()))
                return Module(node, module, self.find_link(module))
        made = self.build_call_of(node, self.build_expression(function), arguments)
        if isinstance(made.callee, Attribute) and made.callee.name == "replace":
            first = list_named(arguments)[0] if list_named(arguments) else None
            flags = first.field("flags") if first is not None else None
            is_all = flags is not None and "g" in flags.text()
            if first is not None and first.kind() in ("string", "regex") and not is_all:
                # A text, or a pattern without `g`, is replaced where it stands first.
                made.callee.name = "replaceFirst"
        return made

    def build_new(self, node: SgNode) -> Expression:
        """`new C(a)`."""
        callee = self.build_expression(get_field(node, "constructor"))
        return self.build_call_of(node, callee, node.field("arguments"), new=True)

    def build_array(self, node: SgNode) -> Expression:
        """A list, also of targets; one may be left out, as the first of `[, a]`."""
        entries: Entries = []
        before = "["
        for child in node.children():
            if child.kind() == "comment":
                continue
            before, last = child.kind(), before
            if before == "," and last in ("[", ","):
                entries.append((None, Constant(node, UNKNOWN), False))
            if not child.is_named():
                continue
            spread = child.kind() in ("spread_element", "rest_pattern")
            value = self.build_inner(child) if spread else self.build_expression(child)
            entries.append((None, value, spread))
        return Container(node, entries)

    def build_object(self, node: SgNode) -> Container:
        """An object, also of targets."""
        entries: Entries = []
        for child in list_named(node):
            kind = child.kind()
            if kind in ("shorthand_property_identifier", "shorthand_property_identifier_pattern"):
                name = child.text()
                entries.append((Constant(child, name), Name(child, name), False))
            elif kind in ("pair", "pair_pattern"):
                key, value = get_field(child, "key"), get_field(child, "value")
                entries.append((self._build_key(key), self.build_expression(value), False))
            elif kind == "object_assignment_pattern":
                name = get_field(child, "left").text()
                default = self.build_expression(get_field(child, "right"))
                target = InnerAssignment(child, Name(child, name), default)
                entries.append((Constant(child, name), target, False))
            elif kind in ("spread_element", "rest_pattern"):
                entries.append((None, self.build_inner(child), True))
            elif kind == "method_definition":
                made = self.build_method(child)
                made.is_property = find_child(child, "get") is not None
                begins = SETTER if find_child(child, "set") is not None else ""
                entries.append((Constant(child, begins + made.name), made, False))
        return Container(node, entries, mapping=True)

    def _build_key(self, node: SgNode) -> Expression:
        if node.kind() == "computed_property_name":
            # `[Symbol.iterator]` is what the language asks for.
            is_own = node.text().startswith("[Symbol.")
            return Constant(node, node.text()) if is_own else self.build_inner(node)
        return Constant(node, unquote(node.text()))

    def build_default(self, node: SgNode) -> Expression:
        """A target with a default."""
        target = self.build_expression(get_field(node, "left"))
        return InnerAssignment(node, target, self.build_expression(get_field(node, "right")))

    def build_ternary(self, node: SgNode) -> Expression:
        """`c ? a : b`."""
        parts = ("condition", "consequence", "alternative")
        return Choice(node, *(self.build_expression(get_field(node, part)) for part in parts))

    def build_assignment(self, node: SgNode) -> Expression:
        """`a = b` as a value."""
        target = self.build_expression(get_field(node, "left"))
        return InnerAssignment(node, target, self.build_expression(get_field(node, "right")))

    def build_added(self, node: SgNode) -> Expression:
        """`a += b` as a value."""
        value = self.build_expression(get_field(node, "right"))
        made = self.build_update(node, get_field(node, "left"), get_operator(node), value)
        return InnerAssignment(node, made.target, made.value)

    def build_unary_word(self, node: SgNode) -> Expression:
        """`typeof a`, `!a`, `-a`, `void a`, `delete a.b`."""
        word = get_operator(node)
        if word in _CALLED:
            operand = self.build_expression(get_field(node, "argument"))
            return Call(node, Module(node, _CALLED[word]), [Argument(operand)])
        return self.build_unary(node)

    def build_counter(self, node: SgNode) -> Expression:
        """`a++`."""
        operand = self.build_expression(list_named(node)[0])
        return InnerAssignment(node, operand, Binary(node, "-", operand, Constant(node, UNKNOWN)))

    def build_sequence(self, node: SgNode) -> Expression:
        """`a, b` has the value of b."""
        made = [self.build_expression(child) for child in list_named(node)]
        return Index(
            node, Container(node, [(None, one, False) for one in made]), Constant(node, -1)
        )

    def build_function(self, node: SgNode) -> Routine:
        """A function of any kind."""
        named = node.field("name")
        parameters, body = self._build_parameters(node), self._build_body(node)
        if not parameters and node.kind() != "arrow_function" and _ARGUMENTS in node.text():
            # Without names for what it is handed it may ask for all of it.
            parameters = [Parameter(node, _ARGUMENTS, rest=True)]
        return Routine(node, named.text() if named is not None else "", parameters, body)

    def _build_body(self, node: SgNode) -> Sequence[Statement]:
        body = node.field("body")
        if body is None:
            return []
        if body.kind() == "statement_block":
            return self.build_block(body)
        return [Return(body, self.build_expression(body))]

    def _build_parameters(self, node: SgNode) -> list[Parameter]:
        single = node.field("parameter")
        if single is not None:
            return [Parameter(single, single.text())]
        return [
            one
            for number, child in enumerate(list_named(node.field("parameters")))
            if (one := self._build_parameter(child, number)) is not None
        ]

    def _build_parameter(self, node: SgNode, number: int) -> Parameter | None:
        target, type_name, marks, default = node, "", [], None
        if node.kind() in ("required_parameter", "optional_parameter"):
            inner = node.field("pattern")
            if inner is None or inner.kind() == "this":
                return None
            written = node.field("type")
            if written is not None:
                # Of `Request<Params> & { user: User }`, what it is before all.
                first = written.text().lstrip(": ").partition("&")[0]
                type_name = self.qualify(first.partition("<")[0].rstrip())
            decorators = [one.text() for one in list_named(node) if one.kind() == "decorator"]
            marks = [self.qualify(one.lstrip("@").partition("(")[0]) for one in decorators]
            if any(map(_FIT_PIPES.search, decorators)):
                type_name = "number"
            target = inner
            if (value := node.field("value")) is not None:
                default = self.build_expression(value)
        if target.kind() == "assignment_pattern":
            default = self.build_expression(get_field(target, "right"))
            target = get_field(target, "left")
        rest = target.kind() == "rest_pattern"
        if rest:
            target = list_named(target)[0]
        if target.kind() == "identifier":
            return Parameter(target, target.text(), type_name, marks, default, rest=rest)
        pattern = self.build_expression(target)
        return Parameter(target, f"{{{number}}}", type_name, marks, default, pattern, rest)

    def build_method(self, node: SgNode, marks: Sequence[str] = ()) -> Routine:
        """A method of an object or class."""
        name = unquote(get_field(node, "name").text())
        return Routine(node, name, self._build_parameters(node), self._build_body(node), marks)

    def build_markup(self, node: SgNode) -> Expression:
        """An element of markup: its attributes, and all that stands in it."""
        parts: list[Expression] = []
        arguments: list[Argument] = []
        for child in list_named(node):
            if child.kind() in ("jsx_opening_element", "jsx_self_closing_element"):
                arguments += self._build_attributes(child)
            elif child.kind() == "jsx_attribute":
                arguments += self._build_attributes(node)
                break
            elif child.kind() in ("jsx_expression", "jsx_element", "jsx_self_closing_element"):
                parts += [self.build_expression(one) for one in list_named(child)]
        call = Call(node, Module(node, "jsx"), arguments)
        self_made: list[Expression] = [call, *(Mix(one.node, [one]) for one in parts)]
        return Mix(node, self_made)

    def _build_attributes(self, node: SgNode) -> list[Argument]:
        made = []
        for child in list_named(node):
            parts = list_named(child)
            if child.kind() == "jsx_attribute" and len(parts) > 1:
                value = parts[1]
                inner = list_named(value)
                if value.kind() == "jsx_expression" and inner:
                    value = inner[0]
                made.append(Argument(self.build_expression(value), parts[0].text()))
        return made

    def build_class_value(self, node: SgNode) -> Expression:
        """A class as a value."""
        *_, made = self.build_class(node)
        return Made(node, made) if isinstance(made, Class) else Constant(node, UNKNOWN)

    def build_class(self, node: SgNode) -> Iterable[Statement]:
        """A class."""
        raise NotImplementedError

    expressions: ClassVar = {
        "string": build_string,
        "template_string": build_template,
        "number": Translation.build_number,
        "true": lambda _, node: Constant(node, True),
        "false": lambda _, node: Constant(node, False),
        "null": lambda _, node: Constant(node, None),
        "undefined": lambda _, node: Constant(node, None),
        "regex": build_regex,
        "identifier": Translation.build_name,
        "this": Translation.build_name,
        "super": Translation.build_name,
        "shorthand_property_identifier": Translation.build_name,
        "member_expression": build_member,
        "subscript_expression": build_element,
        "call_expression": build_call,
        "new_expression": build_new,
        "array": build_array,
        "array_pattern": build_array,
        "object": build_object,
        "object_pattern": build_object,
        "assignment_pattern": build_default,
        "binary_expression": Translation.build_binary,
        "ternary_expression": build_ternary,
        "assignment_expression": build_assignment,
        "augmented_assignment_expression": build_added,
        "unary_expression": build_unary_word,
        "update_expression": build_counter,
        "sequence_expression": build_sequence,
        "parenthesized_expression": Translation.build_inner,
        "await_expression": Translation.build_inner,
        "yield_expression": lambda self, node: Yield(node, self.build_inner(node)),
        "as_expression": Translation.build_first,
        "satisfies_expression": Translation.build_first,
        "non_null_expression": Translation.build_first,
        "type_assertion": Translation.build_inner,
        "function_expression": build_function,
        "generator_function": build_function,
        "arrow_function": build_function,
        "class": build_class_value,
        "jsx_element": build_markup,
        "jsx_self_closing_element": build_markup,
        "jsx_expression": Translation.build_inner,
    }


def to_module(name: str) -> str:
    """A module without the mark of what Node brings with it."""
    return name.removeprefix("node:")
