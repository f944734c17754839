"""Go in the small program form: what is done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial, reduce
from typing import ClassVar

from ast_grep_py import SgNode

from jurat.engine.flow.forms.go_expressions import GoExpressions
from jurat.engine.flow.forms.lowering import (
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
    Branch,
    Call,
    Class,
    Constant,
    Container,
    Do,
    Expression,
    Logical,
    Loop,
    Name,
    Option,
    Return,
    Routine,
    Statement,
    Switch,
)
from jurat.source.go_names import list_package_names


class GoTranslation(GoExpressions):
    """Go's kinds of nodes."""

    def build_program(self, root: SgNode) -> Routine:
        """A file, its types before the functions that have them as receivers."""
        self._promised: dict[str, frozenset[str]] = {}
        self.structs = {
            get_field(one, "name").text()
            for one in root.find_all(
                {"rule": {"kind": "type_spec", "has": {"kind": "struct_type"}}}
            )
        }
        self.aliases = dict(_list_aliases(root))
        self.conversions = frozenset(_list_conversions(root))
        made = super().build_program(root)
        methods: dict[str, list[Routine]] = {}
        rest: list[Statement] = []
        types: dict[str, Class] = {}
        for statement in made.body:
            if (
                isinstance(statement, Assign)
                and isinstance(statement.value, Routine)
                and statement.value.owner
            ):
                methods.setdefault(statement.value.owner, []).append(statement.value)
            elif isinstance(statement, Class):
                types[statement.name] = statement
            else:
                rest.append(statement)
        for name, found in methods.items():
            known = types.setdefault(name, Class(found[0].node, name, ()))
            known.methods = found
            # What has all methods of an interface is one, and stands for it here.
            names = {one.name for one in found}
            known.bases = [
                *known.bases,
                *(Name(known.node, one) for one, asked in self._promised.items() if asked <= names),
            ]
        made.body = [*types.values(), *rest]
        return made

    def is_exported(self, function: Routine) -> bool:
        """What begins with a capital."""
        return function.name[:1].isupper()

    def build_declaration(self, node: SgNode) -> Iterable[Statement]:
        """`a, b := c`, `a = b`, `a += b`."""
        targets, value = get_field(node, "left"), self.build_expression(get_field(node, "right"))
        operator = get_operator(node)
        if operator not in (":=", "=", ""):
            target = list_named(targets)[0] if list_named(targets) else targets
            yield self.build_update(node, target, operator, value)
            return
        target_made = self.build_expression(targets)
        declares = node.kind() == "short_var_declaration" and isinstance(target_made, Name)
        yield Assign(node, target_made, value, declares)

    def build_variable(self, node: SgNode) -> Iterable[Statement]:
        """`var a, b T = c, d`."""
        value, written = node.field("value"), node.field("type")
        names = [one for one in list_named(node) if one.kind() == "identifier"]
        if value is None:
            yield from (self._build_empty(one, written) for one in names)
            return
        targets: list[Expression] = [Name(one, one.text()) for one in names]
        made = self.build_expression(value)
        target = (
            targets[0]
            if len(targets) == 1
            else Container(node, [(None, t, False) for t in targets])
        )
        yield Assign(node, target, made, declares=isinstance(target, Name))

    def build_function_statement(self, node: SgNode) -> Iterable[Statement]:
        """`func f() {}` binds f."""
        made = self.build_function(node)
        return [Assign(node, Name(node, made.name), made, declares=True)]

    def build_for(self, node: SgNode) -> Iterable[Statement]:
        """`for` in all its forms."""
        body = self.build_block(node.field("body"))
        clause = next((one for one in list_named(node) if one.kind() != "block"), None)
        if clause is None:
            yield Loop(node, body, condition=Constant(node, True))
        elif clause.kind() == "range_clause":
            left, right = clause.field("left"), self.build_expression(get_field(clause, "right"))
            targets = list_named(left)
            target = self.build_expression(targets[-1]) if len(targets) > 1 else None
            keys = len(targets) == 1
            if keys:
                target = self.build_expression(targets[0])
            key = self.build_expression(targets[0]) if len(targets) > 1 else None
            yield Loop(node, body, target, right, keys=keys, key=key)
        elif clause.kind() == "for_clause":
            if (first := clause.field("initializer")) is not None:
                yield from self.build_statement(first)
            condition = clause.field("condition")
            made = self.build_expression(condition) if condition is not None else None
            update = clause.field("update")
            counted = list(self.build_statement(update)) if update is not None else []
            yield Loop(node, [*body, *counted], condition=made)
        else:
            yield Loop(node, body, condition=self.build_expression(clause))

    def build_switch(self, node: SgNode) -> Iterable[Statement]:
        """`switch a`, and `switch` alone, which is a chain of conditions."""
        if (first := node.field("initializer")) is not None:
            yield from self.build_statement(first)
        subject = node.field("value")
        cases = [one for one in list_named(node) if one.kind().endswith("_case")]
        bodies = self._build_bodies(cases)
        if subject is None:
            arms: list[tuple[Expression, Sequence[Statement]]] = []
            otherwise: Sequence[Statement] = ()
            for case in cases:
                if (value := case.field("value")) is not None:
                    asked = [self.build_expression(one) for one in list_named(value)]
                    any_of = reduce(partial(Logical, case, "or"), asked)
                    arms.append((any_of, bodies[id(case)]))
                else:
                    otherwise = bodies[id(case)]
            yield Branch(node, arms, otherwise)
            return
        typed = node.kind() == "type_switch_statement"
        options = []
        for case in cases:
            values = case.field("value")
            given = [self.build_expression(one) for one in list_named(values)] if not typed else []
            is_default = case.kind() == "default_case"
            options.append(Option(given, bodies[id(case)], is_default=is_default))
        made = self.build_expression(subject)
        if typed and (alias := node.field("alias")) is not None:
            yield Assign(node, self.build_expression(alias), made)
        yield Switch(node, made, options)

    def _build_bodies(self, cases: Sequence[SgNode]) -> dict[int, list[Statement]]:
        """What is done in each case; one that ends with `fallthrough` goes on with the next."""
        bodies: dict[int, list[Statement]] = {}
        behind: list[Statement] = []
        for case in reversed(cases):
            body = self._build_option(case)
            inside = list_named(find_child(case, "statement_list"))
            is_open = bool(inside) and inside[-1].kind() == "fallthrough_statement"
            behind = bodies[id(case)] = [*body, *(behind if is_open else ())]
        return bodies

    def _build_option(self, node: SgNode) -> list[Statement]:
        body = find_child(node, "statement_list")
        return self.build_block(body) if body is not None else []

    def build_type(self, node: SgNode) -> Iterable[Statement]:
        """`type T struct {…}`."""
        for spec in list_named(node):
            body = find_child(spec, "struct_type")
            named = spec.field("name")
            promised = find_child(spec, "interface_type")
            if promised is not None and named is not None:
                asked = [find_child(one, "field_identifier") for one in list_named(promised)]
                if asked and all(asked):
                    self._promised[named.text()] = frozenset(one.text() for one in asked if one)
            if body is None or named is None:
                continue
            types: dict[str, str] = {}
            bases: list[Expression] = []
            for one in list_named(find_child(body, "field_declaration_list")):
                written = one.field("type")
                if written is not None:
                    if find_child(one, "field_identifier") is None:
                        # What it has within it lends it its methods.
                        types[written.text().rpartition(".")[2]] = self.read_type(written)
                        bases.append(Name(one, self.read_type(written)))
                    for name in list_named(one):
                        if name.kind() == "field_identifier":
                            types[name.text()] = self.read_type(written)
            yield Class(spec, named.text(), (), (), types, bases)

    def build_imports(self, node: SgNode) -> Iterable[Statement]:
        """`import x "a/b"`."""
        for spec in node.find_all({"rule": {"kind": "import_spec"}}):
            path = unquote(get_field(spec, "path").text())
            alias = spec.field("name")
            names = [alias.text()] if alias else list_package_names(path)
            # What `.` imports is named without its package.
            for name in [f"*{path}"] if names == ["."] else names:
                yield self.build_import(spec, name, path, self.find_link(path))

    def build_send(self, node: SgNode) -> Iterable[Statement]:
        """`a <- b`."""
        channel, value = (self.build_expression(one) for one in list_named(node)[:2])
        sent = Call(node, Attribute(node, channel, "append"), [Argument(value)])
        return [Do(node, sent)]

    def build_received(self, node: SgNode) -> Iterable[Statement]:
        """`a := <-b` in a `select`."""
        if node.field("left") is None:
            return [Do(node, self.build_inner(node))]
        return self.build_declaration(node)

    def build_later(self, node: SgNode) -> Iterable[Statement]:
        """`go f()`, `defer f()`."""
        names = "|".join(one.text() for one, _ in self.results)
        if names and node.kind() == "defer_statement":
            sets = re.search(rf"\b(?:{names})\s*=[^=]", node.text())
            self.deferred += [node] if sets else []
        return [Do(node, self.build_inner(node))]

    def build_counted(self, node: SgNode) -> Iterable[Statement]:
        """`a++`: a number that nobody follows."""
        counted = self.build_expression(list_named(node)[0])
        yield Assign(node, counted, Binary(node, "-", counted, Constant(node, UNKNOWN)))

    def build_nothing(self, _node: SgNode) -> Iterable[Statement]:
        """What changes no value."""
        return []

    def build_returned(self, node: SgNode) -> list[Statement]:
        """`return a, b`; `return` alone returns the names that the function gives its results."""
        children = list_named(node)
        if children and self.deferred and len(self.results) == 1:
            # What was put off may set the result that is named.
            result = Name(node, self.results[0][0].text())
            said = Assign(node, result, self.build_expression(children[0]))
            return [
                said,
                *(Do(one, self.build_inner(one)) for one in self.deferred),
                Return(node, result),
            ]
        if children:
            return [Return(node, self.build_expression(children[0]))]
        names: list[Expression] = [Name(node, one.text()) for one, _ in self.results]
        if len(names) < 2:
            return [Return(node, names[0] if names else None)]
        return [Return(node, Container(node, [(None, one, False) for one in names]))]

    statements: ClassVar = {
        "short_var_declaration": build_declaration,
        "assignment_statement": build_declaration,
        "var_spec": build_variable,
        "const_spec": build_variable,
        "function_declaration": build_function_statement,
        "method_declaration": build_function_statement,
        "if_statement": Translation.build_if,
        "for_statement": build_for,
        "expression_switch_statement": build_switch,
        "type_switch_statement": build_switch,
        "type_declaration": build_type,
        "import_declaration": build_imports,
        "send_statement": build_send,
        "receive_statement": build_received,
        "go_statement": build_later,
        "defer_statement": build_later,
        "return_statement": build_returned,
        "break_statement": Translation.build_break,
        "continue_statement": Translation.build_continue,
        "package_clause": build_nothing,
        "comment": build_nothing,
        "inc_statement": build_counted,
        "dec_statement": build_counted,
    }


def _list_aliases(root: SgNode) -> Iterator[tuple[str, str]]:
    """Types that are another one by a name of their own: `type Named[V any] = Pair[string, V]`."""
    for one in (*root.find_all(kind="type_alias"), *root.find_all(kind="type_spec")):
        named, written = one.field("name"), one.field("type")
        if named is not None and written is not None and written.kind() == "generic_type":
            yield named.text(), written.text().partition("[")[0]


_PLAIN = frozenset({"type_identifier", "slice_type", "array_type"})


def _list_conversions(root: SgNode) -> Iterator[str]:
    """Types that are a text or a list by a name of their own, and have no methods: what looks like
    a call of theirs is the value itself.
    """
    receivers = " ".join(
        get_field(one, "receiver").text() for one in root.find_all(kind="method_declaration")
    )
    for one in root.find_all(kind="type_spec"):
        named, written = one.field("name"), one.field("type")
        is_plain = named is not None and written is not None and written.kind() in _PLAIN
        if is_plain and named is not None and not re.search(rf"\b{named.text()}\b", receivers):
            yield named.text()
