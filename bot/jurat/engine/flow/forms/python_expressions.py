"""Python in the small program form: what has a value."""

from __future__ import annotations

import ast
import re
from typing import ClassVar

from ast_grep_py import SgNode

from jurat.engine.flow.forms.lowering import (
    Translation,
    find_child,
    get_field,
    list_named,
    unescape,
)
from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Argument,
    Assertion,
    Assign,
    Attribute,
    Binary,
    Choice,
    Comprehension,
    Constant,
    Container,
    Expression,
    Index,
    InnerAssignment,
    Logical,
    Loop,
    Mix,
    Not,
    Parameter,
    Relationship,
    Return,
    Routine,
    Statement,
    Template,
    Text,
    Yield,
)

ALLOWED_TEXT = re.compile(
    r"""\b(?:(?:pattern|regex)\s*=|Regex(?:p|Field|Validator)\()\s*r?(["'])((?:(?!\1).)+)\1"""
)
"""The expression that a field or a parameter must have, as `Query(pattern=...)` says it."""


class PythonExpressions(Translation):
    """Python's kinds of nodes that have a value."""

    this = "self"

    def build_string(self, node: SgNode) -> Expression:
        """A string, with what an f-string puts in."""
        children = list_named(node)
        prefix = children[0].text().rstrip("\"'").lower() if children else ""
        is_template = "t" in prefix
        if not is_template and not any(child.kind() == "interpolation" for child in children):
            return Constant(node, _evaluate_literal(node.text()))
        parts: list[Expression] = []
        for child in children:
            if child.kind() == "string_content":
                text = child.text() if "r" in prefix else unescape(child.text())
                if "f" in prefix or is_template:
                    text = text.replace("{{", "{").replace("}}", "}")
                parts.append(Constant(child, text))
            elif child.kind() == "interpolation":
                parts.append(self.build_interpolation(child))
        if is_template:
            return Template(node, [(one, not isinstance(one, Constant)) for one in parts])
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
                before, target, iterable = self.build_each(clause)
                inside = [*before, *guards, *([loop] if loop else [])]
                loop, guards = Loop(clause, inside, target, iterable), []
        return Comprehension(node, loop, element) if loop else element

    def build_each(self, node: SgNode) -> tuple[list[Statement], Expression, Expression]:
        """What a loop goes through, and what it has each of it in; places are numbers.

        `for place, one in enumerate(all)` is a loop over all that says the place first.
        """
        left, right = get_field(node, "left"), get_field(node, "right")
        names, given = list_named(left), list_named(right.field("arguments"))
        said = right.field("function")
        is_counted = said is not None and said.text() == "enumerate" and len(given) > 0
        if not is_counted or left.kind() != "pattern_list" or len(names) != 2:
            return [], self.build_expression(left), self.build_expression(right)
        place = Assign(node, self.build_expression(names[0]), Constant(node, UNKNOWN))
        return [place], self.build_expression(names[1]), self.build_expression(given[0])

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

    def build_yield(self, node: SgNode) -> Expression:
        """`yield a`; behind `from` stands what has the values."""
        values = [self.build_expression(one) for one in list_named(node)]
        is_one = len(values) == 1 and find_child(node, "from") is None
        return Yield(node, values[0] if is_one else Mix(node, values))

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
            type_name = self.qualify(strip_optional(written.text())) if written else ""
            annotations = _list_markers(self, written.text()) if written else ()
            value = self.build_expression(default) if default is not None else None
            if isinstance(value, Expression) and value.__class__.__name__ == "Call":
                annotations = (*annotations, *_list_markers(self, value.node.text()))
            said = "".join(one.text() for one in (written, default) if one is not None)
            found = ALLOWED_TEXT.search(said)
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


def _evaluate_literal(text: str) -> object:
    if "\\" not in text and text[0] in "\"'" and text[1:2] != text[0]:
        return text[1:-1]
    try:
        # `literal_eval` makes functions that hold one another, which only a collector frees.
        made = ast.parse(text.lstrip(" \t"), mode="eval").body
        found = made.value if isinstance(made, ast.Constant) else ast.literal_eval(made)
    except (ValueError, SyntaxError, MemoryError):
        return text.strip("\"'")
    if isinstance(found, bytes):
        return found.decode("latin-1")
    return found


def strip_optional(written: str) -> str:
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
