"""Whether an object is told after it was made what it was made without."""

from __future__ import annotations

from collections.abc import Collection

from ast_grep_py import SgNode

_WRAPPERS = frozenset({"expression_list", "unary_expression", "parenthesized_expression"})
_BINDINGS = {
    "short_var_declaration": ("left", "assignment_statement"),
    "var_spec": ("name", "assignment_statement"),
    "assignment_statement": ("left", "assignment_statement"),
    "assignment": ("left", "assignment"),
    "variable_declarator": ("name", "assignment_expression"),
    "assignment_expression": ("left", "assignment_expression"),
}
"""By what binds a variable: the field of its name, and what sets a part of it in that language."""

_BLOCKS = frozenset({"block", "statement_block", "program", "module", "source_file"})


def is_set_later(made: SgNode, fields: Collection[str]) -> bool:
    """Whether one of the fields is set on the variable that holds a new object, behind it and in
    the same block: `made := Options{}; made.Secure = true`.
    """
    around = made.parent()
    while around is not None and around.kind() in _WRAPPERS:
        around = around.parent()
    if around is None or around.kind() not in _BINDINGS:
        return False
    held_by, setter = _BINDINGS[around.kind()]
    name = around.field(held_by)
    block: SgNode | None = around
    while block is not None and block.kind() not in _BLOCKS:
        block = block.parent()
    if block is None or name is None:
        return False
    asked = {f"{name.text()}.{field}" for field in fields}
    end = made.range().end.index
    return any(
        end <= one.range().start.index and not asked.isdisjoint(_list_targets(one))
        for one in block.find_all(kind=setter)
    )


def _list_targets(setter: SgNode) -> list[str]:
    left, right = setter.field("left"), setter.field("right")
    if left is None or right is None or right.text().lower() == "false":
        # Said outright what was left out.
        return []
    return [part.strip() for part in left.text().split(",")]
