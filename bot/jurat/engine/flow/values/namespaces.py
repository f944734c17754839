"""What an object or a file holds by its names: `box.__dict__`, `vars(box)`, `globals()`."""

from __future__ import annotations

from jurat.engine.flow.forms.program import Attribute, Call, Expression, Name
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.joins import join_values
from jurat.engine.flow.values.value import Env, Given, Value


def find_holder(of: Expression) -> Expression | None:
    """The object whose parts something holds by their names; None if it is no such mapping."""
    if isinstance(of, Attribute) and of.name == "__dict__":
        return of.of
    if isinstance(of, Call) and isinstance(of.callee, Name) and of.callee.name == "vars":
        return of.arguments[0].value if len(of.arguments) == 1 else None
    return None


def set_by_name(evaluator: Evaluator, of: Expression, name: str, value: Value, env: Env) -> bool:
    """Whether something holds parts by their names, of which one has another value now."""
    if (holder := find_holder(of)) is not None:
        evaluator.assign(Attribute(of.node, holder, name), value, env, of.node)
        return True
    callee = of.callee if isinstance(of, Call) and not of.arguments else None
    if not isinstance(callee, Name) or callee.name != "globals":
        return False
    file = env
    while file.parent is not None:
        file = file.parent
    held = env.drop_cleared(value)
    file.values[name] = join_values(file.values.get(name, held), held)
    return True


def update_by_names(evaluator: Evaluator, expression: Call, given: Given, env: Env) -> bool:
    """Whether a call puts several parts into something that holds them by their names."""
    callee = expression.callee
    if not isinstance(callee, Attribute) or callee.name != "update":
        return False
    parts = {one.keyword: value for one, value in given if one.keyword}
    for _, value in given:
        parts |= {key: part for key, part in (value.items or {}).items() if isinstance(key, str)}
    put = [set_by_name(evaluator, callee.of, name, value, env) for name, value in parts.items()]
    return any(put)
