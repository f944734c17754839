"""How a block of statements leaves what is around it."""

from __future__ import annotations

from collections.abc import Sequence

from jurat.engine.flow.forms.program import (
    Branch,
    Call,
    Constant,
    Do,
    Leave,
    Raise,
    Return,
    Statement,
)

_EXITS = ("sys.exit", "exit", "process.exit", "quit")
_ABORTS = ("abort", "flask.abort", "ctx.throw", "bottle.abort", "self.abort", "pytest.fail")


def find_end(block: Sequence[Statement]) -> str:
    """How a block leaves what is around it, "" if it goes on behind."""
    last = block[-1] if block else None
    if isinstance(last, Return):
        return "return"
    if isinstance(last, Raise):
        return "raise"
    if isinstance(last, Leave):
        return "continue" if last.again else "break"
    if isinstance(last, Do) and isinstance(last.expression, Call):
        called = last.expression.callee.node.text()
        if called in _EXITS:
            return "raise" if _is_failure(last.expression) else "return"
        return "raise" if called in _ABORTS else ""
    if isinstance(last, Branch) and last.otherwise:
        ends = [find_end(arm) for _, arm in last.arms]
        return ends[0] if all(ends) and find_end(last.otherwise) else ""
    return ""


def _is_failure(exit_call: Call) -> bool:
    """Whether a program that ends by this call says that it failed."""
    given = [argument.value for argument in exit_call.arguments]
    return bool(given) and not (isinstance(given[0], Constant) and given[0].value in (0, None))
