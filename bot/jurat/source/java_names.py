"""How Java binds names. A method has the name of the class that its object is declared as."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ast_grep_py import SgNode

from jurat.source.known_names import JAVA_CLASSES, JAVA_RESULTS
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
)

_FACTORIES = ("getInstance", "newInstance", "getDefault", "newDefaultInstance", "of", "builder")


def _bind_import(node: SgNode) -> Iterator[Binding]:
    path = get_first_named(node)
    if path is None:
        return
    name = "".join(path.text().split())
    kinds = {child.kind() for child in node.children()}
    if "asterisk" in kinds:
        yield Binding("*", 0, f"static {name}" if "static" in kinds else name)
        return
    last = name.rpartition(".")[2]
    yield Binding(last, 0, name, (), -1, Placement.FILE)
    if "static" in kinds:
        yield Binding(f"{last}()", 0, name, (), -1, Placement.FILE)


def _bind_declaration(node: SgNode) -> Iterator[Binding]:
    """Locals and fields."""
    declared = node.field("type")
    is_field = node.kind() == "field_declaration"
    for item in node.field_children("declarator"):
        name = item.field("name")
        if name is None:
            continue
        means = item.field("value") if _is_inferred(declared) else declared
        since = -1 if is_field else get_end(item)
        yield Binding(name.text(), get_start(item), means, (), since)
        if is_field:
            yield Binding(f".{name.text()}", get_start(item), means, (), -1, Placement.CLASS)


def _is_inferred(declared: SgNode | None) -> bool:
    return declared is None or declared.text() == "var"


def _bind_parameter(node: SgNode) -> Iterator[Binding]:
    name = node.field("name")
    if name is not None:
        yield Binding(name.text(), get_start(name), node.field("type"))


def _bind_spread(node: SgNode) -> Iterator[Binding]:
    for item in list_named(node):
        name = item.field("name") if item.kind() == "variable_declarator" else None
        if name is not None:
            yield Binding(name.text(), get_start(item))


def _bind_resource(node: SgNode) -> Iterator[Binding]:
    name, declared = node.field("name"), node.field("type")
    if name is not None:
        means = node.field("value") if _is_inferred(declared) else declared
        yield Binding(name.text(), get_start(name), means)


def _bind_loop(node: SgNode) -> Iterator[Binding]:
    name, declared = node.field("name"), node.field("type")
    if name is not None:
        means = None if _is_inferred(declared) else declared
        yield Binding(name.text(), get_start(name), means)


def _bind_lambda(node: SgNode) -> Iterator[Binding]:
    parameters = node.field("parameters")
    if parameters is None or parameters.kind() == "formal_parameters":
        return
    names = [parameters] if parameters.kind() == "identifier" else list_named(parameters)
    for name in names:
        yield Binding(name.text(), get_start(name))


def _bind_instanceof(node: SgNode) -> Iterator[Binding]:
    name = node.field("name")
    if name is not None:
        yield Binding(name.text(), get_start(name), node.field("right"), (), get_end(name))


def _bind_type(node: SgNode) -> Iterator[Binding]:
    name = node.field("name")
    if name is not None:
        yield Binding(name.text(), get_start(name))


def _bind_method(node: SgNode) -> Iterator[Binding]:
    name = node.field("name")
    if name is not None:
        yield Binding(f"{name.text()}()", get_start(name))


def _get_member(node: SgNode) -> Member:
    member = node.field("field")
    if member is None or member.kind() == "this":
        return None, None
    return node.field("object"), member.text()


def _get_type_member(node: SgNode) -> Member:
    named = list_named(node)
    return (named[0], named[-1].text()) if len(named) > 1 else (None, None)


def _get_reference(node: SgNode) -> Member:
    named = list_named(node)
    return (named[0], named[-1].text()) if len(named) > 1 else (None, None)


def settle(name: str, part: str) -> str:
    """A name with a member, or `()`, added. A factory gives an instance of its own class."""
    if part != "()":
        return f"{name}.{part}"
    known = JAVA_RESULTS.get(name)
    if known is not None:
        return known
    owner, _, last = name.rpartition(".")
    return owner if owner and last in _FACTORIES else f"{name}()"


def _resolve_unbound(name: str, stars: Sequence[str]) -> str | None:
    if name.endswith("()"):
        owners = [star.removeprefix("static ") for star in stars if star.startswith("static ")]
        return f"{owners[0]}.{name.removesuffix('()')}" if len(owners) == 1 else None
    for package in (*stars, "java.lang"):
        if name in JAVA_CLASSES.get(package, ()):
            return f"{package}.{name}"
    # A package, or a class of the same one.
    return name


def _is_self(node: SgNode) -> bool:
    if node.kind() == "field_access":
        member = node.field("field")
        return member is not None and member.kind() == "this"
    return node.kind() == "this"


_INDEXED = (
    "method_invocation",
    "object_creation_expression",
    "field_access",
    "method_reference",
    "scoped_type_identifier",
    "type_identifier",
    "identifier",
)


def _list_expressions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    members: set[int] = set()
    for node in find_kinds(root, _INDEXED):
        kind = node.kind()
        if kind in ("identifier", "type_identifier"):
            # The part behind a dot stands behind its whole in the order of a walk.
            if get_start(node) not in members:
                yield node.text(), node
            continue
        if kind == "object_creation_expression":
            declared = node.field("type")
            if declared is not None:
                yield declared.text().partition("<")[0].rpartition(".")[2], node
            continue
        part = node.field("name") or node.field("field") or list_named(node)[-1]
        members.add(get_start(part))
        yield part.text(), node


JAVA = NameFamily(
    scopes={
        **dict.fromkeys(
            ("method_declaration", "constructor_declaration", "record_declaration"),
            (ScopeKind.FUNCTION, ("parameters",)),
        ),
        "lambda_expression": (ScopeKind.FUNCTION, ()),
        **dict.fromkeys(
            ("class_body", "interface_body", "enum_body"),
            (ScopeKind.CLASS, ()),
        ),
        **dict.fromkeys(
            (
                *("block", "for_statement", "enhanced_for_statement", "catch_clause"),
                *("switch_block", "try_with_resources_statement"),
            ),
            (ScopeKind.BLOCK, ()),
        ),
    },
    binders={
        "import_declaration": _bind_import,
        "field_declaration": _bind_declaration,
        "local_variable_declaration": _bind_declaration,
        "formal_parameter": _bind_parameter,
        "spread_parameter": _bind_spread,
        "resource": _bind_resource,
        "enhanced_for_statement": _bind_loop,
        "catch_formal_parameter": _bind_spread,
        "lambda_expression": _bind_lambda,
        "instanceof_expression": _bind_instanceof,
        "class_declaration": _bind_type,
        "interface_declaration": _bind_type,
        "enum_declaration": _bind_type,
        "record_declaration": _bind_type,
        "method_declaration": _bind_method,
    },
    identifiers=frozenset({"identifier", "type_identifier"}),
    members={
        "field_access": _get_member,
        "scoped_type_identifier": _get_type_member,
        "method_reference": _get_reference,
    },
    calls={"object_creation_expression": "type"},
    bare_calls=frozenset({"method_invocation"}),
    creations=frozenset({"object_creation_expression"}),
    settle=settle,
    resolve_unbound=_resolve_unbound,
    is_self=_is_self,
    list_expressions=_list_expressions,
    wrappers={
        "parenthesized_expression": get_first_named,
        "cast_expression": lambda node: node.field("type"),
        "generic_type": get_first_named,
        "annotated_type": lambda node: list_named(node)[-1],
    },
    has_open_classes=True,
)
