"""How Python binds names."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence

from ast_grep_py import SgNode

from jurat.source.known_names import PYTHON_RESULTS, PYTHON_SYNONYMS
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

_BUILTINS = frozenset(dir(builtins))
_TARGETS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "tuple", "list"})
_WRAPPED_TARGETS = frozenset(
    {"as_pattern_target", "list_splat", "list_splat_pattern", "parenthesized_expression"}
)
_OPTIONAL = frozenset({"Optional", "Annotated", "Final", "ClassVar"})
Evaluate = Callable[[SgNode], str | None]


def _bind_import(node: SgNode) -> Iterator[Binding]:
    for item in node.field_children("name"):
        place, since = get_start(item), get_end(item)
        if item.kind() == "aliased_import":
            name, alias = item.field("name"), item.field("alias")
            if name is not None and alias is not None:
                yield Binding(alias.text(), place, _join(name.text()), (), since, _FUNCTION)
        else:
            top = _join(item.text()).partition(".")[0]
            yield Binding(top, place, top, (), since, _FUNCTION)


def _bind_from_import(node: SgNode) -> Iterator[Binding]:
    source = node.field("module_name")
    if source is None:
        return
    module = _join(source.text())
    place, since = get_start(node), get_end(node)
    if any(child.kind() == "wildcard_import" for child in node.children()):
        yield Binding("*", place, module)
    for item in node.field_children("name"):
        alias = item
        if item.kind() == "aliased_import":
            alias, item = item.field("alias") or item, item.field("name") or item  # noqa: PLW2901
        means = settle(module, _join(item.text()))
        yield Binding(alias.text(), place, means, (), since, _FUNCTION)


def _join(dotted: str) -> str:
    return "".join(dotted.split())


def _bind_assignment(node: SgNode) -> Iterator[Binding]:
    left, right, declared = node.field("left"), node.field("right"), node.field("type")
    if left is None:
        return
    since = get_end(node)
    while right is not None and right.kind() == "assignment":
        right = right.field("right")
    if declared is not None and (named := _read_type(declared)) is not None:
        yield from _bind_target(left, named, ("()",), since)
    else:
        yield from _bind_target(left, right, (), since)


def _bind_target(
    target: SgNode, value: SgNode | None, parts: tuple[str, ...], since: int
) -> Iterator[Binding]:
    kind = target.kind()
    if kind == "identifier":
        is_empty = value is not None and value.kind() == "none"
        place = get_start(target)
        yield Binding(target.text(), place, value, parts, since, _FUNCTION, is_empty)
    elif kind == "attribute":
        owner, member = target.field("object"), target.field("attribute")
        if owner is not None and member is not None and _is_self(owner):
            is_empty = value is not None and value.kind() == "none"
            name, place = f".{member.text()}", get_start(target)
            yield Binding(name, place, value, parts, since, Placement.CLASS, is_empty)
    elif kind in _TARGETS:
        targets = list_named(target)
        values: Sequence[SgNode | None] = [None] * len(targets)
        if value is not None and value.kind() in ("expression_list", "tuple", "list"):
            given = list_named(value)
            starred = any("splat" in item.kind() for item in (*targets, *given))
            values = given if len(given) == len(targets) and not starred else values
        for inner, its_value in zip(targets, values, strict=True):
            yield from _bind_target(inner, its_value, parts, since)
    elif kind in _WRAPPED_TARGETS:
        for inner in list_named(target):
            yield from _bind_target(inner, value if "splat" not in kind else None, parts, since)


def _read_type(node: SgNode) -> SgNode | None:
    """The class that an annotation speaks of: that of `Session`, `Optional[Session]`."""
    kind = node.kind()
    if kind in ("identifier", "attribute"):
        return node
    if kind in ("type", "type_parameter"):
        inner = get_first_named(node)
        return _read_type(inner) if inner is not None else None
    if kind in ("union_type", "binary_operator"):
        named = [item for item in list_named(node) if item.text() != "None"]
        return _read_type(named[0]) if len(named) == 1 else None
    if kind in ("generic_type", "subscript"):
        named = list_named(node)
        if len(named) > 1 and named[0].text().rpartition(".")[2] in _OPTIONAL:
            return _read_type(named[1])
    return None


def _bind_alias(node: SgNode) -> Iterator[Binding]:
    """`with x as y`. What an `except` binds is an instance, of whatever kind."""
    value, target = get_first_named(node), node.field("alias")
    if value is not None and target is not None:
        yield from _bind_target(target, value, (), get_end(target))


def _bind_definition(node: SgNode) -> Iterator[Binding]:
    name = node.field("name")
    if name is not None:
        yield Binding(name.text(), get_start(name), None, (), get_start(node), _FUNCTION)


def _bind_parameters(node: SgNode) -> Iterator[Binding]:
    place = get_start(node)
    for item in list_named(node):
        target, declared = item, None
        if item.kind() != "identifier":
            declared = item.field("type")
            target = item.field("name") or get_first_named(item) or item
        if target.kind() in ("list_splat_pattern", "dictionary_splat_pattern"):
            target, declared = get_first_named(target) or target, None
        named = _read_type(declared) if declared is not None else None
        yield Binding(target.text(), place, named, ("()",))


def _bind_loop(node: SgNode) -> Iterator[Binding]:
    left = node.field("left")
    if left is not None:
        yield from _bind_target(left, None, (), get_end(left))


def _bind_comprehension(node: SgNode) -> Iterator[Binding]:
    left = node.field("left")
    if left is not None:
        for binding in _bind_target(left, None, (), -1):
            yield Binding(binding.name, binding.place)


def _bind_walrus(node: SgNode) -> Iterator[Binding]:
    name = node.field("name")
    if name is not None:
        yield from _bind_target(name, node.field("value"), (), get_end(node))


def _bind_capture(node: SgNode) -> Iterator[Binding]:
    for item in list_named(node):
        if item.kind() == "dotted_name" and "." not in item.text():
            yield Binding(item.text(), get_start(item), None, (), get_end(item), _FUNCTION)


_FUNCTION = Placement.FUNCTION


def _is_self(node: SgNode) -> bool:
    return node.kind() == "identifier" and node.text() in ("self", "cls")


def _get_member(node: SgNode) -> Member:
    member = node.field("attribute")
    return node.field("object"), member.text() if member is not None else None


def settle(name: str, part: str) -> str:
    """A name with a member, or `()`, added. An instance goes by the name of its class."""
    if part == "()":
        known = PYTHON_RESULTS.get(name)
        if known is not None:
            return known
        last = name.rpartition(".")[2].lstrip("_")
        return name if last[:1].isupper() else f"{name}()"
    joined = f"{name}{part}" if name.endswith(".") else f"{name}.{part}"
    return PYTHON_SYNONYMS.get(joined, joined)


def _read_call(node: SgNode, evaluate: Evaluate) -> str | None:
    """`getattr(os, "system")`, `importlib.import_module("os")` and `functools.partial(f, x)`."""
    function = node.field("function")
    if function is None or function.text() not in _READ_CALLS:
        return ""
    arguments = list_named(node.field("arguments"))
    name = evaluate(function)
    if name in ("__import__", "importlib.import_module") and arguments:
        module = read_string(arguments[0])
        if name == "__import__" and module is not None:
            return module.partition(".")[0]
        return module
    if name == "getattr" and len(arguments) >= 2:
        member, known = read_string(arguments[1]), evaluate(arguments[0])
        return settle(known, member) if member is not None and known is not None else None
    if name == "functools.partial" and arguments:
        return evaluate(arguments[0])
    return ""


_READ_CALLS = frozenset(
    {"getattr", "__import__", "import_module", "importlib.import_module", "partial"}
    | {"functools.partial"}
)


def _resolve_unbound(name: str, stars: Sequence[str]) -> str | None:
    if name in _BUILTINS or not stars:
        return name
    # Of several modules any may have brought it.
    return settle(stars[0], name) if len(stars) == 1 else None


def _list_expressions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    members: set[int] = set()
    for node in find_kinds(root, ("attribute", "keyword_argument", "call")):
        kind = node.kind()
        if kind == "call":
            word = _find_word(node.field("function"))
            if word is not None:
                yield word, node
            continue
        part = node.field("attribute" if kind == "attribute" else "name")
        if part is not None:
            members.add(get_start(part))
            if kind == "attribute":
                yield part.text(), node
    for node in root.find_all(kind="identifier"):
        if get_start(node) not in members:
            yield node.text(), node


def _find_word(callee: SgNode | None) -> str | None:
    """The last word of what is called."""
    if callee is None:
        return None
    kind = callee.kind()
    if kind == "identifier":
        return callee.text()
    if kind == "attribute":
        member = callee.field("attribute")
        return member.text() if member is not None else None
    if kind == "call":
        arguments = list_named(callee.field("arguments"))
        return read_string(arguments[1]) if len(arguments) > 1 else None
    return _find_word(get_first_named(callee)) if kind == "parenthesized_expression" else None


PYTHON = NameFamily(
    scopes={
        "function_definition": (ScopeKind.FUNCTION, ("parameters",)),
        "lambda": (ScopeKind.FUNCTION, ()),
        "class_definition": (ScopeKind.CLASS, ("body",)),
        "list_comprehension": (ScopeKind.BLOCK, ()),
        "set_comprehension": (ScopeKind.BLOCK, ()),
        "dictionary_comprehension": (ScopeKind.BLOCK, ()),
        "generator_expression": (ScopeKind.BLOCK, ()),
    },
    binders={
        "import_statement": _bind_import,
        "import_from_statement": _bind_from_import,
        "assignment": _bind_assignment,
        "as_pattern": _bind_alias,
        "function_definition": _bind_definition,
        "class_definition": _bind_definition,
        "parameters": _bind_parameters,
        "lambda_parameters": _bind_parameters,
        "for_statement": _bind_loop,
        "for_in_clause": _bind_comprehension,
        "named_expression": _bind_walrus,
        "case_pattern": _bind_capture,
    },
    identifiers=frozenset({"identifier", "dotted_name"}),
    members={"attribute": _get_member},
    calls={"call": "function"},
    settle=settle,
    resolve_unbound=_resolve_unbound,
    is_self=_is_self,
    list_expressions=_list_expressions,
    wrappers={"parenthesized_expression": get_first_named, "await": get_first_named,
              "named_expression": lambda node: node.field("value")},
    read_call=_read_call,
)  # fmt: skip
