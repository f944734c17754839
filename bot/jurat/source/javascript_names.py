"""How JavaScript and TypeScript bind names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ast_grep_py import SgNode

from jurat.source.known_names import JAVASCRIPT_RESULTS, JAVASCRIPT_SYNONYMS
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

Evaluate = Callable[[SgNode], str | None]
_FUNCTION = Placement.FUNCTION
_GLOBALS = ("globalThis", "window", "global", "self")


def _normalize_module(text: str) -> str:
    name = text.removeprefix("node:")
    return JAVASCRIPT_SYNONYMS.get(name, name)


def _bind_import(node: SgNode) -> Iterator[Binding]:
    source = read_string(node.field("source"))
    clause = next((item for item in node.children() if item.kind() == "import_clause"), None)
    for item in list_named(clause):
        place, kind = get_start(item), item.kind()
        means = _normalize_module(source) if source is not None else None
        if kind == "identifier":
            yield Binding(item.text(), place, means)
        elif kind == "namespace_import":
            name = get_first_named(item)
            if name is not None:
                yield Binding(name.text(), place, means)
        elif kind == "named_imports":
            for one in list_named(item):
                name = one.field("name")
                if name is not None:
                    alias = one.field("alias") or name
                    parts = (read_string(name) or name.text(),)
                    yield Binding(alias.text(), place, means, parts)


def _bind_import_require(node: SgNode) -> Iterator[Binding]:
    named = list_named(node)
    source = read_string(named[-1]) if named else None
    if source is not None:
        yield Binding(named[0].text(), get_start(node), _normalize_module(source))


def _bind_declarator(node: SgNode) -> Iterator[Binding]:
    name = node.field("name")
    if name is None:
        return
    parent = node.parent()
    is_var = parent is not None and parent.kind() == "variable_declaration"
    placement = _FUNCTION if is_var else Placement.BLOCK
    value, declared = node.field("value"), _read_type(node.field("type"))
    if declared is not None:
        yield from _bind_pattern(name, declared, ("()",), get_end(node), placement)
    else:
        is_empty = value is None or value.kind() in ("null", "undefined")
        for item in _bind_pattern(name, value, (), get_end(node), placement):
            yield replace(item, is_empty=is_empty)


def _bind_assignment(node: SgNode) -> Iterator[Binding]:
    left, right = node.field("left"), node.field("right")
    if left is None:
        return
    if left.kind() == "member_expression":
        target, member = _get_member(left)
        if target is not None and member is not None and _is_self(target):
            name, place = f".{member}", get_start(left)
            yield Binding(name, place, right, (), get_end(node), Placement.CLASS)
        return
    while right is not None and right.kind() == "assignment_expression":
        right = right.field("right")
    yield from _bind_pattern(left, right, (), get_end(node), Placement.DECLARED)


def _bind_pattern(
    target: SgNode,
    value: SgNode | None,
    parts: tuple[str, ...],
    since: int,
    placement: Placement,
) -> Iterator[Binding]:
    kind = target.kind()
    if kind in ("identifier", "shorthand_property_identifier_pattern"):
        taken = (*parts, target.text()) if kind.startswith("shorthand") else parts
        yield Binding(target.text(), get_start(target), value, taken, since, placement)
    elif kind == "object_pattern":
        for item in list_named(target):
            yield from _bind_pattern(item, value, parts, since, placement)
    elif kind == "pair_pattern":
        key, inner = target.field("key"), target.field("value")
        if key is not None and inner is not None:
            word = read_string(key) or key.text()
            yield from _bind_pattern(inner, value, (*parts, word), since, placement)
    elif kind in ("assignment_pattern", "object_assignment_pattern"):
        left = target.field("left")
        if left is not None:
            yield from _bind_pattern(left, value, parts, since, placement)
    elif kind in ("array_pattern", "rest_pattern"):
        for item in list_named(target):
            yield from _bind_pattern(item, None, (), since, placement)


def _read_type(node: SgNode | None) -> SgNode | None:
    """The class that an annotation names."""
    if node is None:
        return None
    kind = node.kind()
    if kind in ("type_identifier", "nested_type_identifier"):
        return node
    if kind in ("type_annotation", "generic_type", "readonly_type", "parenthesized_type"):
        inner = get_first_named(node)
        return _read_type(inner)
    if kind == "union_type":
        named = [item for item in list_named(node) if item.text() not in ("null", "undefined")]
        return _read_type(named[0]) if len(named) == 1 else None
    return None


def _bind_definition(node: SgNode) -> Iterator[Binding]:
    name = node.field("name")
    if name is not None:
        # A function may be called above where it stands.
        yield Binding(name.text(), get_start(name))


def _bind_parameters(node: SgNode) -> Iterator[Binding]:
    for item in list_named(node):
        target, declared = item, None
        if item.kind() in ("required_parameter", "optional_parameter"):
            declared = _read_type(item.field("type"))
            target = item.field("pattern") or get_first_named(item) or item
            is_field = any(
                child.kind() in ("accessibility_modifier", "readonly") for child in item.children()
            )
            if is_field and declared is not None:
                name, place = f".{target.text()}", get_start(node)
                yield Binding(name, place, declared, ("()",), -1, Placement.CLASS)
        parts = ("()",) if declared is not None else ()
        for binding in _bind_pattern(target, declared, parts, -1, Placement.BLOCK):
            yield replace(binding, place=get_start(node))


def _bind_parameter(node: SgNode) -> Iterator[Binding]:
    """An arrow function's one parameter without parentheses."""
    parameter = node.field("parameter")
    if parameter is not None:
        yield Binding(parameter.text(), get_start(parameter))


def _bind_field(node: SgNode) -> Iterator[Binding]:
    name = node.field("name") or node.field("property")
    if name is None:
        return
    declared = _read_type(node.field("type"))
    means, parts = (declared, ("()",)) if declared is not None else (node.field("value"), ())
    yield Binding(f".{name.text()}", get_start(node), means, parts, -1, Placement.CLASS)


def _bind_loop(node: SgNode) -> Iterator[Binding]:
    left, kind = node.field("left"), node.field("kind")
    if left is not None and kind is not None:
        placement = _FUNCTION if kind.text() == "var" else Placement.BLOCK
        yield from _bind_pattern(left, None, (), -1, placement)


def _bind_catch(node: SgNode) -> Iterator[Binding]:
    parameter = node.field("parameter")
    if parameter is not None:
        yield from _bind_pattern(parameter, None, (), -1, Placement.BLOCK)


def _is_self(node: SgNode) -> bool:
    return node.kind() == "this"


def _get_member(node: SgNode) -> Member:
    member = node.field("property")
    return node.field("object"), member.text() if member is not None else None


def _get_subscript(node: SgNode) -> Member:
    return node.field("object"), read_string(node.field("index"))


def _get_nested_type(node: SgNode) -> Member:
    name = node.field("name")
    return node.field("module"), name.text() if name is not None else None


def settle(name: str, part: str) -> str:
    """A name with a member, or `()`, added. An instance goes by the name of its class."""
    if part == "()":
        known = JAVASCRIPT_RESULTS.get(name)
        if known is not None:
            return known
        last = name.rpartition(".")[2]
        return name if last[:1].isupper() else f"{name}()"
    if part == "default":
        return name
    if name in _GLOBALS:
        return part
    joined = f"{name}.{part}"
    return JAVASCRIPT_SYNONYMS.get(joined, joined)


def _read_call(node: SgNode, evaluate: Evaluate) -> str | None:
    """`require("x")`, `import("x")`, `promisify(f)` and `f.bind(x)`."""
    function = node.field("function")
    if function is None:
        return ""
    arguments = list_named(node.field("arguments"))
    if function.kind() == "import" or (
        function.text() == "require" and evaluate(function) == "require"
    ):
        source = read_string(arguments[0]) if arguments else None
        return _normalize_module(source) if source is not None else None
    if function.text().endswith("promisify") and evaluate(function) == "util.promisify":
        return evaluate(arguments[0]) if arguments else None
    if function.kind() == "member_expression":
        target, member = _get_member(function)
        if member == "bind" and target is not None:
            return evaluate(target)
    return ""


def _get_last(node: SgNode) -> SgNode | None:
    named = list_named(node)
    return named[-1] if named else None


def _resolve_unbound(name: str, _stars: Sequence[str]) -> str | None:
    return None if name == "undefined" else name


_NAMES = ("identifier", "shorthand_property_identifier", "type_identifier")
_INDEXED = (
    *("member_expression", "subscript_expression", "call_expression", "new_expression"),
    *("identifier", "shorthand_property_identifier"),
)


def _list_expressions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    for node in find_kinds(root, _INDEXED):
        word = _find_word(node)
        if word is not None:
            yield word, node


def _find_word(node: SgNode | None) -> str | None:
    """The last word of an expression, of a call that of what is called."""
    if node is None:
        return None
    kind = node.kind()
    if kind in _NAMES:
        return node.text()
    if kind == "member_expression":
        return _get_member(node)[1]
    if kind == "subscript_expression":
        return read_string(node.field("index"))
    if kind in ("call_expression", "new_expression"):
        callee = node.field("function" if kind == "call_expression" else "constructor")
        return _find_word(callee) if callee is None or "call" not in callee.kind() else None
    if kind in ("parenthesized_expression", "sequence_expression", "non_null_expression"):
        return _find_word(_get_last(node))
    return None


def _list_function_scopes() -> Iterator[str]:
    yield from ("function_declaration", "function_expression", "arrow_function")
    yield from ("generator_function_declaration", "generator_function", "method_definition")


JAVASCRIPT = NameFamily(
    scopes={
        **dict.fromkeys(_list_function_scopes(), (ScopeKind.FUNCTION, ("parameters", "parameter"))),
        "class_body": (ScopeKind.CLASS, ()),
        **dict.fromkeys(
            ("statement_block", "for_statement", "for_in_statement", "catch_clause", "switch_body"),
            (ScopeKind.BLOCK, ()),
        ),
    },
    binders={
        "import_statement": _bind_import,
        "variable_declarator": _bind_declarator,
        "assignment_expression": _bind_assignment,
        "function_declaration": _bind_definition,
        "generator_function_declaration": _bind_definition,
        "class_declaration": _bind_definition,
        "formal_parameters": _bind_parameters,
        "arrow_function": _bind_parameter,
        "field_definition": _bind_field,
        "for_in_statement": _bind_loop,
        "catch_clause": _bind_catch,
    },
    identifiers=frozenset({*_NAMES, "undefined"}),
    members={
        "member_expression": _get_member,
        "subscript_expression": _get_subscript,
        "nested_type_identifier": _get_nested_type,
        "nested_identifier": _get_member,
    },
    calls={"call_expression": "function", "new_expression": "constructor"},
    creations=frozenset({"new_expression"}),
    settle=settle,
    resolve_unbound=_resolve_unbound,
    is_self=_is_self,
    list_expressions=_list_expressions,
    wrappers={
        "parenthesized_expression": get_first_named,
        "await_expression": get_first_named,
        "non_null_expression": get_first_named,
        "as_expression": get_first_named,
        "satisfies_expression": get_first_named,
        "sequence_expression": _get_last,
    },
    read_call=_read_call,
)

TYPESCRIPT = replace(
    JAVASCRIPT,
    binders={
        **{kind: bind for kind, bind in JAVASCRIPT.binders.items() if kind != "field_definition"},
        "import_require_clause": _bind_import_require,
        "public_field_definition": _bind_field,
        **dict.fromkeys(
            (
                *("abstract_class_declaration", "enum_declaration"),
                *("interface_declaration", "type_alias_declaration"),
            ),
            _bind_definition,
        ),
    },
)
