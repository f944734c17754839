"""Calls that nobody waits for: what is refused there stops nothing here."""

from __future__ import annotations

from ast_grep_py import SgNode

from jurat.engine.flow.forms.program import Routine

_LATER = frozenset({"go_statement", "defer_statement"})
"""What begins a call, or puts it off, and goes on."""

_AROUND = frozenset({"parenthesized_expression", "non_null_expression"})

_ASKING = frozenset(
    {
        "expression_statement", "unary_expression", "not_operator", "binary_expression",
        "boolean_operator", "if_statement", "while_statement", "ternary_expression",
        "conditional_expression",
    }
)  # fmt: skip
"""What takes a promise for the answer, or drops it."""


def is_left_running(call: SgNode, function: Routine) -> bool:
    """Whether nobody waits for a call of a function of the file, and so knows its answer.

    What is handed on may be waited for elsewhere.
    """
    around = call.parent()
    if around is not None and around.kind() in _LATER:
        return True
    first = function.node.child(0)
    if first is None or first.kind() != "async":
        return False
    while around is not None and (around.kind() in _AROUND or _is_caught(around)):
        around = around.parent()
    return around is not None and around.kind() in _ASKING


def _is_caught(node: SgNode) -> bool:
    """Whether an error is only caught: `check(text).catch(() => {})`."""
    if node.kind() == "member_expression":
        named = node.field("property")
        return named is not None and named.text() in ("catch", "finally")
    callee = node.field("function") if node.kind() == "call_expression" else None
    return callee is not None and callee.kind() == "member_expression" and _is_caught(callee)
