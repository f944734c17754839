"""What a function binds to names, and puts into attributes and under keys."""

from __future__ import annotations

from collections.abc import Iterable

from ast_grep_py import SgNode

from jurat.engine.flow.forms.program import Expression, Name
from jurat.rating.code.function_facts import PairFact, Tags, WriteFact
from jurat.rating.code.open_functions import CONSTRUCTORS, Around, OpenFunction, get_line
from jurat.rating.code.tagged_values import NOTHING, TaggedValue, hold_value, limit_tags


def bind_name(
    opened: OpenFunction,
    name: str,
    at: SgNode,
    value: TaggedValue,
    around: Around,
    *,
    declares: bool,
) -> None:
    """`name = value`: of the file, of a function around, or of the function itself."""
    names = opened.file.names
    shared = name in opened.outer or (
        not declares
        and opened.file.language != "python"
        and name not in opened.names
        and name in names
    )
    if shared or opened.is_file:
        tags = value.tags | ({f"x:{value.name}"} if value.name else set())
        known = names.get(name)
        if shared or known is None:
            names[name] = TaggedValue(value.name, tags)
        elif not known.name.startswith(("local:", "function:")):
            names[name] = TaggedValue(known.name, limit_tags(known.tags | tags))
        if shared:
            _note_write(opened, f"s:{name}", at, value, NOTHING, around)
        return
    earlier = opened.names.get(name)
    if earlier is not None and not declares and around.is_perhaps:
        value = TaggedValue(value.name, limit_tags(earlier.tags | value.tags))
    opened.names[name] = value


def bind_attribute(  # noqa: PLR0917 - what is put where, and where it stands
    opened: OpenFunction, of: Expression, base: TaggedValue, name: str, at: SgNode,
    value: TaggedValue, around: Around,
) -> None:  # fmt: skip
    """`of.name = value`, `base` being what `of` is."""
    if base.name.startswith("self:"):
        member = f"{base.name[5:]}.{name}"
        known = opened.file.members.get(member)
        if known is None or not known.name:
            made = opened.routine.name in CONSTRUCTORS
            opened.file.members[member] = hold_value(value) if made else value
    add_into(opened, of, value.tags | {f"k:{name}"})
    _note_export(opened, base.name, name, value)
    _note_write(opened, f"a:{name}", at, value, base.tags, around)


def bind_key(  # noqa: PLR0917 - what is put where, and where it stands
    opened: OpenFunction, of: Expression, base: TaggedValue, key: TaggedValue, at: SgNode,
    value: TaggedValue, around: Around,
) -> None:  # fmt: skip
    """`of[key] = value`, `base` being what `of` is."""
    keys = [tag for tag in key.tags if tag[:2] == "t:"] if key.constant else []
    place = f"k:{keys[0][2:]}" if keys else "i:"
    _note_write(opened, place, at, value, base.tags | key.tags, around)
    add_into(opened, of, value.tags | {f"k:{tag[2:]}" for tag in keys})
    if keys:
        opened.pairs.append(PairFact(keys[0][2:], get_line(at), value.tags, value.constant))


def add_into(opened: OpenFunction, into: Expression, tags: Iterable[str]) -> None:
    """Note that a function puts something into what it has under a name of its own."""
    known = opened.names.get(into.name) if isinstance(into, Name) else None
    if known is None or not isinstance(into, Name) or known.name.startswith("self:"):
        return
    if f"p:{into.name}" not in known.tags:  # what is handed in belongs to who hands it in
        opened.names[into.name] = TaggedValue(known.name, limit_tags(known.tags | set(tags)))


def _note_export(opened: OpenFunction, base: str, name: str, value: TaggedValue) -> None:
    """What a script hands on, as a whole or by name: `module.exports = run`, `exports.run`."""
    if opened.file.language == "python" or not value.name:
        return
    if (base, name) == ("module", "exports"):
        opened.file.names.setdefault("default", value)
    elif base in ("exports", "module.exports"):
        opened.file.names.setdefault(name, value)


def _note_write(  # noqa: PLR0917 - where it stands, and what is written
    opened: OpenFunction, place: str, at: SgNode, value: TaggedValue, base: Tags, around: Around
) -> None:
    opened.writes.append(
        WriteFact(place, get_line(at), value.tags, base, around.guards, value.constant)
    )
