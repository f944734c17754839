"""How Go binds names. A package has the name of its import path, without the version in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ast_grep_py import SgNode

from jurat.source.known_names import GO_PACKAGES, GO_RESULTS
from jurat.source.name_bindings import (
    Binding,
    Member,
    NameFamily,
    Placement,
    ScopeKind,
    find_kinds,
    get_end,
    get_first_named,
    get_start,
    list_named,
    read_string,
)

_VERSION = re.compile(r"/v[0-9]+$|\.v[0-9]+$")
_SIGNS = re.compile(r"^go(?:pher)?[-.]|[-.]go$")
_BUILTINS = frozenset(
    {"append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len", "make", "max"}
    | {"min", "new", "panic", "print", "println", "real", "recover"}
)


def list_package_names(path: str) -> list[str]:
    """What a package may be called that is imported without a name.

    It need not be called what its folder is: go-sqlite3 is mostly sqlite3.
    """
    last = _VERSION.sub("", path).rpartition("/")[2]
    return sorted({last, _SIGNS.sub("", last)})


def _bind_import(node: SgNode) -> Iterator[Binding]:
    path = read_string(node.field("path"))
    if path is None:
        return
    package, name = _VERSION.sub("", path), node.field("name")
    if name is None:
        for word in list_package_names(path):
            yield Binding(word, 0, package, (), -1, Placement.FILE)
    elif name.text() == ".":
        yield Binding("*", 0, package)
    elif name.text() != "_":
        yield Binding(name.text(), 0, package, (), -1, Placement.FILE)


def _bind_spec(node: SgNode) -> Iterator[Binding]:
    """`var a, b T = x, y`, and constants."""
    names = node.field_children("name")
    declared = _read_type(node.field("type"))
    values = list_named(node.field("value"))
    yield from _pair(names, declared, values, get_end(node))


def _bind_short(node: SgNode) -> Iterator[Binding]:
    left = list_named(node.field("left"))
    yield from _pair(left, None, list_named(node.field("right")), get_end(node))


def _bind_assignment(node: SgNode) -> Iterator[Binding]:
    left = list_named(node.field("left"))
    for item in _pair(left, None, list_named(node.field("right")), get_end(node)):
        # What it was declared as stays its type; an interface value of unknown make says nothing.
        if item.means is not None:
            yield Binding(item.name, item.place, item.means, (), item.since, Placement.DECLARED)


def _pair(
    names: Sequence[SgNode], declared: SgNode | None, values: Sequence[SgNode], since: int
) -> Iterator[Binding]:
    for index, name in enumerate(names):
        if name.kind() != "identifier" or name.text() == "_":
            continue
        means = declared
        # Of one call with several results the first is what it is called for, the rest are errors.
        if means is None and index < len(values):
            means = values[index]
        is_empty = means is not None and means.kind() == "nil"
        yield Binding(name.text(), get_start(name), means, (), since, is_empty=is_empty)


def _read_type(node: SgNode | None) -> SgNode | None:
    if node is None:
        return None
    kind = node.kind()
    if kind in ("type_identifier", "qualified_type"):
        return node
    if kind in ("pointer_type", "parenthesized_type", "generic_type"):
        return _read_type(get_first_named(node))
    return None


def _bind_parameter(node: SgNode) -> Iterator[Binding]:
    declared = _read_type(node.field("type")) if node.kind() == "parameter_declaration" else None
    for name in node.field_children("name"):
        yield Binding(name.text(), get_start(node), declared)


def _bind_loop(node: SgNode) -> Iterator[Binding]:
    for name in list_named(node.field("left")):
        if name.kind() == "identifier":
            yield Binding(name.text(), get_start(name))


def _bind_switch(node: SgNode) -> Iterator[Binding]:
    for name in list_named(node.field("alias")):
        yield Binding(name.text(), get_start(name))


def _bind_function(node: SgNode) -> Iterator[Binding]:
    name = node.field("name")
    if name is not None:
        yield Binding(name.text(), 0, None, (), -1, Placement.FILE)


def _bind_type(node: SgNode) -> Iterator[Binding]:
    """A type of the file's own, and the types of its fields under its own mark."""
    name, shape = node.field("name"), node.field("type")
    if name is None:
        return
    yield Binding(name.text(), 0, f":{name.text()}", (), -1, Placement.FILE)
    if shape is None or shape.kind() != "struct_type":
        return
    for block in list_named(shape):
        for item in list_named(block):
            declared = _read_type(item.field("type"))
            for one in item.field_children("name"):
                key = f":{name.text()}.{one.text()}"
                yield Binding(key, 0, declared, (), -1, Placement.FILE)


def _get_member(node: SgNode) -> Member:
    member = node.field("field")
    return node.field("operand"), member.text() if member is not None else None


def _get_type_member(node: SgNode) -> Member:
    name = node.field("name")
    return node.field("package"), name.text() if name is not None else None


def settle(name: str, part: str) -> str:
    """A name with a member, or `()`, added. What a known function returns has its type's name."""
    if part == "()":
        return GO_RESULTS.get(name, f"{name}()")
    return f"{name}.{part}"


def _resolve_unbound(name: str, stars: Sequence[str]) -> str | None:
    if name in _BUILTINS:
        return name
    if stars:
        exported = name[:1].isupper() and len(stars) == 1
        return settle(stars[0], name) if exported else None
    # Of a diff without its imports the package is all there is.
    return GO_PACKAGES.get(name, name)


def _is_self(_node: SgNode) -> bool:
    return False


def _get_operand(node: SgNode) -> SgNode | None:
    operator = node.field("operator")
    if operator is None or operator.text() not in ("&", "*"):
        return None
    return node.field("operand")


def _get_type(node: SgNode) -> SgNode | None:
    return _read_type(node.field("type"))


_INDEXED = ("selector_expression", "call_expression", "qualified_type", "composite_literal")
_NAMES = ("identifier", "package_identifier", "type_identifier")


def _list_expressions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    for node in find_kinds(root, (*_INDEXED, "identifier", "type_identifier")):
        word = _find_word(node)
        if word is not None:
            yield word, node


def _find_word(node: SgNode | None) -> str | None:
    if node is None:
        return None
    kind = node.kind()
    if kind in _NAMES:
        return node.text()
    if kind == "selector_expression":
        return _get_member(node)[1]
    if kind == "qualified_type":
        return _get_type_member(node)[1]
    if kind == "call_expression":
        return _find_word(node.field("function"))
    if kind == "composite_literal":
        return _find_word(node.field("type"))
    return _find_word(get_first_named(node)) if kind == "parenthesized_expression" else None


_WRAPPERS: dict[str, Callable[[SgNode], SgNode | None]] = {
    "parenthesized_expression": get_first_named,
    "unary_expression": _get_operand,
    "composite_literal": _get_type,
    "type_assertion_expression": _get_type,
    "pointer_type": get_first_named,
    "generic_type": get_first_named,
}

GO = NameFamily(
    scopes={
        "function_declaration": (ScopeKind.FUNCTION, ("parameters",)),
        "method_declaration": (ScopeKind.FUNCTION, ("receiver",)),
        "func_literal": (ScopeKind.FUNCTION, ("parameters",)),
        **dict.fromkeys(
            (
                *("block", "if_statement", "for_statement", "expression_switch_statement"),
                *("type_switch_statement", "select_statement", "expression_case", "type_case"),
                *("communication_case", "default_case"),
            ),
            (ScopeKind.BLOCK, ()),
        ),
    },
    binders={
        "import_spec": _bind_import,
        "var_spec": _bind_spec,
        "const_spec": _bind_spec,
        "short_var_declaration": _bind_short,
        "assignment_statement": _bind_assignment,
        "parameter_declaration": _bind_parameter,
        "variadic_parameter_declaration": _bind_parameter,
        "range_clause": _bind_loop,
        "receive_statement": _bind_loop,
        "type_switch_statement": _bind_switch,
        "function_declaration": _bind_function,
        "type_spec": _bind_type,
    },
    identifiers=frozenset(_NAMES),
    members={"selector_expression": _get_member, "qualified_type": _get_type_member},
    calls={"call_expression": "function"},
    settle=settle,
    resolve_unbound=_resolve_unbound,
    is_self=_is_self,
    list_expressions=_list_expressions,
    wrappers=_WRAPPERS,
)
