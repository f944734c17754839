"""What functions, scopes, closures and parameters are called, read off their nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from jurat.source.grammars import Grammar

_NAME_FIELDS = ("name", "property", "key", "left", "pattern")
_NAME_KINDS = frozenset(
    {
        "simple_identifier",
        "type_identifier",
        "variable_declaration",
        "directly_assignable_expression",
    }
)
_FIXED_NAMES = {
    "secondary_constructor": "constructor",
    "init_declaration": "init",
    "deinit_declaration": "deinit",
    "companion_object": "Companion",
    "export_statement": "default",
}
_PARAMETER_NAME_KINDS = frozenset(
    {
        "identifier",
        "simple_identifier",
        "variable_declarator",
        "variable_declaration",
        "list_splat_pattern",
        "dictionary_splat_pattern",
    }
)
_GENERICS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_WORDS_APART = re.compile(r"\s+")
_LONGEST_NAME = 200
"""Characters of a name that are kept: a destructuring parameter can be a page long."""


def find_name(node: SgNode, kind: str) -> str | None:
    """A function's or scope's name as written, with whatever qualifies it there."""
    receiver = node.field("receiver")
    owner = _find_receiver_type(receiver) if receiver is not None else ""
    named = node.field("name") or (node.field("type") if kind == "impl_item" else None)
    if named is None:
        named = _find_innermost_declarator(node)
    if named is None:
        named = next((c for c in node.children() if c.kind() in _NAME_KINDS), None)
    if named is None:
        return _FIXED_NAMES.get(kind)
    name = named.text()
    if kind == "destructor_declaration":
        name = f"~{name}"
    return f"{owner}.{name}" if owner else name


def _find_receiver_type(receiver: SgNode) -> str:
    """Whose method a Go or Kotlin function with a receiver is: `(s *Server)` or `String`."""
    declared = next((c for c in receiver.children() if c.kind() == "parameter_declaration"), None)
    named = declared.field("type") if declared is not None else receiver
    return named.text().lstrip("*&( ").rstrip(") ") if named is not None else ""


def _find_innermost_declarator(node: SgNode) -> SgNode | None:
    """The name inside C's declarators: pointers, references and parameter lists taken off."""
    inner = node.field("declarator")
    if inner is None:
        return None
    while True:
        deeper = inner.field("declarator")
        if deeper is None and inner.kind() == "reference_declarator":
            deeper = next((c for c in inner.children() if c.is_named()), None)
        if deeper is None:
            return inner
        inner = deeper


def find_closure_name(node: SgNode, grammar: Grammar) -> str | None:
    """What a closure is bound to, None if nothing names it."""
    own = node.field("name")
    if own is not None:
        return own.text()
    parent = node.parent()
    while parent is not None and parent.kind() in grammar.through:
        parent = parent.parent()
    if parent is None or parent.kind() not in grammar.bindings:
        return None
    for field in (*_NAME_FIELDS, "declarator"):
        bound = parent.field(field)
        if bound is not None:
            break
    else:
        bound = next((c for c in parent.children() if c.kind() in _NAME_KINDS), None)
    if bound is None:
        return _FIXED_NAMES.get(parent.kind())
    return split_name(bound.text())[-1].strip("\"'")


def split_name(written: str) -> list[str]:
    """The parts of a name: `Matrix<T>::clear` is Matrix and clear, `module.exports.load` three.

    A name that is a sign, as `<=>` in Ruby, or anything in quotes, is one part.
    """
    if written.isidentifier():
        return [written]
    name = _WORDS_APART.sub(" ", written[:_LONGEST_NAME]).strip().lstrip("$*&")
    if name.startswith(("operator", "`", '"', "'")):
        return [name]
    bare = _GENERICS.sub("", _GENERICS.sub("", name))
    qualified, operator, rest = bare.partition("::operator")
    parts = [part for part in map(str.strip, qualified.replace("::", ".").split(".")) if part]
    if operator:
        parts.append("operator" + rest)
    return parts or [name]


def list_parameter_names(node: SgNode, grammar: Grammar) -> Iterator[str]:
    """The names of a function's parameters in order, the receiver among them."""
    lists = node.field_children("parameters")
    single = node.field("parameter")
    if single is not None:
        lists = [single]
    if not lists:
        lists = _find_parameter_lists(node, grammar)
    for listed in lists:
        if listed.kind() in grammar.parameters:
            yield from _iter_names(listed)
            continue
        for child in listed.children():
            if child.kind() in grammar.parameters and child.text() != "void":
                yield from _iter_names(child)
        if listed.kind() == "parameter_list":
            # C#'s grammar puts the name of a `params` array beside the other parameters.
            yield from (name.text() for name in listed.field_children("name"))


def _find_parameter_lists(node: SgNode, grammar: Grammar) -> list[SgNode]:
    """If a grammar has no field for them: in a declarator, a child, or directly inside."""
    inner = node.field("declarator")
    while inner is not None:
        lists = inner.field_children("parameters")
        if lists:
            return lists
        inner = inner.field("declarator") or next(
            (c for c in inner.children() if c.kind().endswith("function_declarator")), None
        )
    if node.kind() in grammar.lists:
        return [node]
    found = [c for c in node.children() if c.kind() in grammar.lists]
    signature = node.field("type")
    if not found and signature is not None:
        found = [c for c in signature.children() if c.kind() in grammar.lists]
    return found


def _iter_names(parameter: SgNode) -> Iterator[str]:
    names = parameter.field_children("name")
    if len(names) > 1 and parameter.kind() == "parameter_declaration":
        yield from (name.text() for name in names)
        return
    name = _WORDS_APART.sub(" ", _find_bound_name(parameter)[:_LONGEST_NAME])
    yield name.lstrip(".*&$") or name


def _find_bound_name(parameter: SgNode) -> str:
    for field in _NAME_FIELDS:
        bound = parameter.field(field)
        if bound is not None:
            return bound.text()
    declarator = _find_innermost_declarator(parameter)
    if declarator is not None:
        return declarator.text().strip("&*() ")
    inner = next((c for c in parameter.children() if c.kind() in _PARAMETER_NAME_KINDS), None)
    return parameter.text() if inner is None else _find_bound_name(inner)
