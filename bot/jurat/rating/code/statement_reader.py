"""What the statements of a function do: which run behind which conditions, in loops, or caught."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jurat.engine.flow.forms.program import (
    Assertion,
    Assign,
    Branch,
    Call,
    Class,
    Constant,
    Container,
    Do,
    Expression,
    Loop,
    Name,
    Outer,
    Raise,
    Return,
    Routine,
    Statement,
    Switch,
    Try,
)
from jurat.rating.code.block_ends import find_end
from jurat.rating.code.expression_reader import assign, enter_loop, evaluate, read_assertion
from jurat.rating.code.function_facts import Tags
from jurat.rating.code.open_functions import CONSTRUCTORS, Around, OpenFunction
from jurat.rating.code.tagged_values import NOTHING, TaggedValue, limit_tags


def run_block(  # noqa: PLR0912 - one arm for each kind of statement
    opened: OpenFunction, block: Sequence[Statement], around: Around
) -> None:
    """Note what the statements of a block do, one after the other."""
    for one in block:
        match one:
            case Assign(value=Routine() as made) if opened.is_file:
                # That a file defines a function is no use of it.
                given = TaggedValue(f"function:{opened.wait_for(made)}")
                assign(opened, one.target, given, around, declares=one.declares)
            case Assign():
                if opened.is_file and isinstance(one.target, Name):
                    _note_object(opened, one.target.name, one.value)
                    _note_list(opened, one.target.name, one.value)
                value = evaluate(opened, one.value, around)
                assign(opened, one.target, value, around, declares=one.declares)
            case Do():
                evaluate(opened, one.expression, around)
            case Branch():
                around = _run_branch(opened, one, around)
            case Loop():
                run_block(opened, one.body, enter_loop(opened, one, around))
            case Switch():
                _run_switch(opened, one, around)
            case Try():
                _run_try(opened, one, around)
            case Return():
                if one.value is not None:
                    given = evaluate(opened, one.value, around)
                    opened.returns |= given.tags | ({f"x:{given.name}"} if given.name else set())
            case Raise():
                if one.value is not None:
                    evaluate(opened, one.value, around)
            case Assertion():
                around = read_assertion(opened, one, around)
            case Class():
                _read_class(opened, one, around)
            case Outer():
                opened.outer.update(one.names)
            case Statement():
                pass  # `break` and `continue`, which `find_end` looks at


def _run_branch(opened: OpenFunction, branch: Branch, around: Around) -> Around:
    """Where it goes on: behind every arm that leaves, its condition does not hold."""
    behind = elsewhere = around
    for condition, block in branch.arms:
        asked = evaluate(opened, condition, elsewhere)
        if "x:builtins.__name__" in asked.tags:
            opened.file.is_started = True
        if isinstance(condition, Constant) and condition.value is False:
            continue  # never runs
        leaves = find_end(block)
        said = _read_end(opened, block, elsewhere) if leaves else NOTHING
        inside = opened.add_guard(condition.node, asked.tags, leaves, elsewhere, said)
        run_block(opened, block, inside)
        elsewhere = elsewhere._replace(guards=inside.guards)
        if leaves:
            behind = behind._replace(guards=(*behind.guards, inside.guards[-1]))
    run_block(opened, branch.otherwise, elsewhere)
    if branch.otherwise and find_end(branch.otherwise):
        behind = behind._replace(guards=elsewhere.guards)
    return behind


def _read_end(opened: OpenFunction, block: Sequence[Statement], around: Around) -> Tags:
    """What the block says on its way out; the block itself is run later."""
    kept = len(opened.calls), len(opened.pairs), len(opened.guards)
    says: set[str] = set()
    for one in block:
        value = getattr(one, "value", None) or getattr(one, "expression", None)
        if isinstance(value, Expression) and not isinstance(value, Routine):
            says |= evaluate(opened, value, around).tags
    del opened.calls[kept[0] :], opened.pairs[kept[1] :], opened.guards[kept[2] :]
    return limit_tags(says)


def _run_switch(opened: OpenFunction, switch: Switch, around: Around) -> None:
    subject = evaluate(opened, switch.subject, around)
    for case in switch.cases:
        asks = subject.tags
        for value in case.values:
            asks |= evaluate(opened, value, around).tags
        if case.binds is not None:
            assign(opened, case.binds, subject, around, declares=True)
        if case.guard is not None:
            asks |= evaluate(opened, case.guard, around).tags
        leaves = find_end(case.body)
        inside = opened.add_guard(switch.node, asks, leaves, around)
        run_block(opened, case.body, inside)


def _run_try(opened: OpenFunction, block: Try, around: Around) -> None:
    acts = any(
        not (len(handler) == 0 or all(isinstance(one, Raise) for one in handler))
        for handler in block.handlers
    )
    inside = around._replace(
        caught=bool(block.handlers) or around.caught, retried=acts or around.retried
    )
    run_block(opened, block.body, inside)
    for handler in block.handlers:
        caught = opened.add_guard(block.node, NOTHING, "", around, handler=True)
        run_block(opened, handler, caught)
    run_block(opened, block.otherwise, around)
    run_block(opened, block.finish, around)


def _read_class(opened: OpenFunction, made: Class, around: Around) -> None:
    bases = [evaluate(opened, base, around).name for base in made.bases]
    opened.file.classes[made.name] = tuple(base for base in bases if base)
    opened.refers |= {base for base in bases if base}
    opened.names[made.name] = TaggedValue(f"local:{made.name}")
    held = {*made.types, *(name for name, _ in made.fields), *_iter_listed(made)} - _ABOUT_CLASS
    held |= {f"-{name}" for name, value in made.fields if _is_kept_back(value)}
    opened.file.fields[made.name] = tuple(sorted(held))
    if off := sorted(name for name, value in made.fields if _is_off(value)):
        opened.file.off[made.name] = tuple(off)
    for name, written in made.types.items():
        if typed := opened.file.find_type_name(written):
            opened.refers.add(typed)
            opened.file.members[f"{made.name}.{name}"] = TaggedValue(
                typed, frozenset({f"x:{typed}"})
            )
    for name, value in made.fields:
        if isinstance(value, Routine) and not value.name:
            opened.file.owned[id(value)] = (made.name, name)
        given = evaluate(opened, value, around)
        opened.file.members[f"{made.name}.{name}"] = given
    for method in sorted(made.methods, key=lambda one: one.name not in CONSTRUCTORS):
        opened.wait_for(method)


_ABOUT_CLASS = frozenset(("model_config", "__tablename__", "__slots__"))
"""What a class says of itself, and of no object."""


def _is_kept_back(value: Expression) -> bool:
    """Whether a field is one that an object does not tell: `Field(exclude=True)`."""
    return isinstance(value, Call) and any(
        argument.keyword == "exclude"
        and isinstance(argument.value, Constant)
        and argument.value.value is True
        for argument in value.arguments
    )


def _is_off(value: Expression) -> bool:
    """Whether a field is false unless it is set: `keep = False`, `BooleanField(default=False)`."""
    if isinstance(value, Call):
        return any(one.keyword == "default" and _is_off(one.value) for one in value.arguments)
    return isinstance(value, Constant) and value.value is False


_LISTING = {"fields": "", "exclude": "-"}
"""By these a class within a class says which fields of another it has, and which it leaves out."""


def _iter_listed(made: Class) -> Iterator[str]:
    """The fields that a class takes of another by their names, "-" before those that it does not.

    Django REST framework and marshmallow are told so by a class within.
    """
    body = made.node.field("body") if made.node.kind() == "class_definition" else None
    # Most classes name neither, and are not gone through.
    may_list = body is not None and any(map(body.text().__contains__, _LISTING))
    inner = body.find_all(kind="class_definition") if body is not None and may_list else ()
    for one in (found for outer in inner for found in outer.find_all(kind="assignment")):
        name, listed = one.field("left"), one.field("right")
        before = _LISTING.get(name.text()) if name is not None else None
        if before is not None and listed is not None and listed.kind() in ("list", "tuple"):
            yield from (f"{before}{each.text()}" for each in listed.find_all(kind="string_content"))


def _note_list(opened: OpenFunction, name: str, made: Expression) -> None:
    """The words of a list that a file makes once: who imports it knows them by its name."""
    while isinstance(made, Call) and len(made.arguments) == 1:
        made = made.arguments[0].value  # a set of it, or one that nobody changes
    if isinstance(made, Container) and not made.mapping:
        words = [part.value for _, part, _ in made.entries if isinstance(part, Constant)]
        if words and len(words) == len(made.entries) and all(isinstance(w, str) for w in words):
            opened.file.fields[name] = tuple(sorted(map(str, words)))


def _note_object(opened: OpenFunction, owner: str, made: Expression) -> None:
    """What an object that a file makes once has by names: functions that answer, numbers, words."""
    for key, part, _ in made.entries if isinstance(made, Container) else ():
        if isinstance(part, Routine) and isinstance(key, Constant):
            opened.file.owned[id(part)] = (owner, str(key.value))
        elif isinstance(part, Constant) and isinstance(key, Constant):
            given = evaluate(opened, part, Around())
            opened.file.members[f"{owner}.{key.value}"] = given
