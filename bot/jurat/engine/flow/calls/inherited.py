"""Calls of what a class has from those above it: `super().run()`, `super.run()`, `super(a)`."""

from __future__ import annotations

from jurat.engine.flow.calls.definitions import Definitions
from jurat.engine.flow.forms.program import Attribute, Call, Expression, Name, Routine
from jurat.engine.flow.values.value import ClassValue, Closure, Env


def find_inherited(definitions: Definitions, callee: Expression, env: Env) -> Closure | None:
    """The method above the one that is running: `super().a`, `super.a`, JavaScript's `super()`."""
    of = callee.of if isinstance(callee, Attribute) else callee
    asked = of.callee if isinstance(of, Call) else of
    if not isinstance(asked, Name) or asked.name != "super":
        return None
    if callee is asked and not definitions.language.calls_super:
        return None
    name = callee.name if isinstance(callee, Attribute) else "constructor"
    this = env.look_up("this")
    if this is None or this.instance is None or not definitions.running:
        return None
    owner = _find_owner(this.instance.known, definitions.running[-1]) or this.instance.known
    found = (base.find_method(name) for base in owner.bases)
    method = next((one for one in found if one is not None), None)
    return method and Closure(method.function, method.around, this.instance)


def _find_owner(known: ClassValue, function: Routine, depth: int = 0) -> ClassValue | None:
    """The class among an object's own that the function that is running was written in."""
    if any(one.function is function for one in known.methods.values()):
        return known
    found = (_find_owner(base, function, depth + 1) for base in known.bases if depth < 8)
    return next((one for one in found if one is not None), None)
