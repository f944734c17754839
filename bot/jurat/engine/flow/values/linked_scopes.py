"""What the names of other files of a change hold, as a file that imports them sees it."""

from __future__ import annotations

from collections.abc import Mapping

from jurat.engine.flow.forms.linked_files import Link
from jurat.engine.flow.forms.program import EXPORT
from jurat.engine.flow.values.value import ClassValue, Env, Instance, Value


def open_unit(*, is_script: bool) -> Env:
    """What holds where the files of a unit begin: in a script, what it exports is an object."""
    if not is_script:
        return Env({})
    exports = Value(instance=Instance(ClassValue("exports", {}, {}, {}), {}, made=True))
    module = Instance(ClassValue("module", {}, {}, {}), {"exports": exports}, made=True)
    return Env({"exports": exports, "module": Value(instance=module)})


def read_link(units: Mapping[str, Env], link: Link, name: str) -> Value | None:
    """What an imported name holds, None if nobody knows; `name` is what it goes by."""
    env = units.get(link.unit)
    if env is None:
        return None
    value: Value | None
    if not link.names:
        return _read_whole(env, name)
    value = _list_exported(env).get(link.names[0])
    for step in link.names[1:]:
        known = None if value is None else value.known_class
        if known is None:
            return None
        method = known.find_method(step)
        value = known.find_field(step) if method is None else Value(closure=method)
    return value


def _read_whole(env: Env, name: str) -> Value:
    """A module as a value: what it exports in one go, or something with all of its names."""
    module = env.values.get("module")
    own = module.instance.fields.get("exports") if module and module.instance else None
    if own is not None and (own.instance is None or own.instance.known.name != "exports"):
        return own
    return Value(known_class=ClassValue(name, {}, _list_exported(env), {}), name=name)


def _list_exported(env: Env) -> dict[str, Value]:
    """The names of a module, with what each holds."""
    found: dict[str, Value] = {}
    for name, value in env.values.items():
        # All that another module has: what is told by its own name comes before it.
        if name.startswith(("*", f"{EXPORT}*")) and value.known_class:
            found |= value.known_class.fields
    found |= env.values
    module = env.values.get("module")
    exports = module.instance.fields.get("exports") if module and module.instance else None
    if exports is not None:
        parts = exports.instance.fields if exports.instance else exports.items or {}
        found |= {name: part for name, part in parts.items() if isinstance(name, str)}
        if exports.instance is None or exports.instance.known.name != "exports":
            found["default"] = exports
    own = {name: part for name, part in env.values.items() if name.startswith(EXPORT)}
    return {**found, **{name.removeprefix(EXPORT): part for name, part in own.items()}}
