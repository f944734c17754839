"""What a loop comes to, in as many passes as it takes until nothing new is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jurat.engine.flow.calls.containers import call_container
from jurat.engine.flow.calls.script_collections import MAP
from jurat.engine.flow.checks.answers import get_callee_name
from jurat.engine.flow.checks.elements import find_asked_of_all
from jurat.engine.flow.forms.lowering import CHANNEL
from jurat.engine.flow.forms.program import (
    Attribute,
    Call,
    Comprehension,
    Container,
    Expression,
    Loop,
    Name,
    Relationship,
    Routine,
    Statement,
)
from jurat.engine.flow.statements.frames import Frame, Runner, meet, meet_facts
from jurat.engine.flow.values.callbacks import gather_returned
from jurat.engine.flow.values.called_by_syntax import walk_through
from jurat.engine.flow.values.joins import join_envs, join_values
from jurat.engine.flow.values.mappings import set_item, take_keys
from jurat.engine.flow.values.taints import Cleared, add_cleared, merge_taints
from jurat.engine.flow.values.value import NOTHING, Env, Value, collect, iter_taints

_MOST_PASSES = 3
"""Passes through a loop's body: what it hands on from one pass to the next is known by then."""

_MOST_PAIRS = 8

_ENTRY = 2
"""The parts of an entry of a mapping: its key, and its value."""


def _list_pairs(statement: Loop, iterable: Value) -> list[tuple[Value, Value]]:
    """What a loop goes through, by key, if it is known: a mapping, or a list of constants or of
    what can be called.
    """
    items = iterable.items
    if not items or statement.target is None or len(items) > _MOST_PAIRS or iterable.partial:
        return []
    if iterable.is_list:
        is_fixed = all(map(_is_itself, items.values()))
        whole = not iterable.taints and not statement.keys
        return [(NOTHING, one) for one in items.values()] if is_fixed and whole else []
    if statement.key is None:
        return []
    more = Value(iterable.taints)
    return [
        (Value(constant=key), join_values(one, more) if iterable.taints else one)
        for key, one in items.items()
    ]


def _is_itself(value: Value) -> bool:
    """Whether no other value of a list does what this one does: also an entry, by its key."""
    if value.items and 0 in value.items and len(value.items) == _ENTRY:
        value = value.items[0]
    return value.closure is not None or isinstance(value.constant, str | int | float)


def _join_mappings(found: Sequence[Value]) -> Value:
    """One mapping with the entries of all passes."""
    made = Value(items={}, box=object(), partial=any(one.partial for one in found))
    for one in found:
        for key, held in (one.items or {}).items():
            before = (made.items or {}).get(key)
            made = set_item(made, key, held if before is None else join_values(before, held))
        made = made._replace(taints=merge_taints((*made.taints, *one.taints)))
    return made


def _is_same(one: Env, other: Env) -> bool:
    """Whether another pass would find nothing new."""
    if one.values.keys() != other.values.keys() or one.cleared != other.cleared:
        return False
    return all(_is_equal(value, other.values[name]) for name, value in one.values.items())


def _is_equal(one: Value, other: Value, depth: int = 0) -> bool:
    if one is other:
        return True
    if {t.key for t in one.taints} != {t.key for t in other.taints}:
        return False
    if one.constant is not other.constant and one.constant != other.constant:
        return False
    if (one.items is None) is not (other.items is None) or depth > 3:
        return depth > 3
    if one.items is None or other.items is None:
        return True
    return one.items.keys() == other.items.keys() and all(
        _is_equal(item, other.items[key], depth + 1) for key, item in one.items.items()
    )


def run_loop(runner: Runner, statement: Loop, env: Env, frame: Frame) -> None:
    """Go through a loop."""
    _loop(
        runner,
        statement,
        env,
        lambda inside: runner.run_block(statement.body, inside, frame),
        frame,
    )


def _loop(
    runner: Runner, statement: Loop, env: Env, body: Callable[[Env], None], frame: Frame
) -> None:
    exits: list[Env] = []
    iterable = NOTHING if statement.iterable is None else runner.evaluate(statement.iterable, env)
    start = env.copy()
    endless = False
    asked: Cleared = {}
    gone_through = frozenset(taint.source for taint in iter_taints(iterable))
    pairs = _list_pairs(statement, iterable)
    for number in range(len(pairs) or _MOST_PASSES):
        inside = start.copy()
        if statement.condition is not None and not statement.once:
            known = runner.decide(statement.condition, inside)
            if known is False:
                break
            endless = known is True
            runner.narrow(statement.condition, inside, holds=True)
            _leave_first_place(statement.condition, inside)
        if statement.key is not None and pairs:
            runner.assign(statement.key, pairs[number][0], inside, statement.node)
        if statement.target is not None:
            element = pairs[number][1] if pairs else get_element(runner, statement, iterable)
            runner.assign(statement.target, element, inside, statement.node)
        frame.exits.append([])
        frame.loops.append((start.cleared, gone_through))
        body(inside)
        frame.loops.pop()
        left = frame.exits.pop()
        exits += [one for one in left if not one.again]
        again = [one for one in left if one.again]
        asked = meet_facts([inside, *again])
        # Through what is known to be there a loop goes for sure.
        joined = join_envs([*([] if pairs else [start]), inside, *again])
        if joined is None or (not pairs and _is_same(start, joined)):
            break
        start = joined
    if not endless:
        of = (
            iterable
            if statement.condition is None
            else _find_measured(runner, statement.condition, env)
        )
        start.cleared = add_cleared(start.cleared, find_asked_of_all(asked, of))
    ends = exits if endless else [start, *exits]
    if not endless and statement.condition is not None and not start.dead:
        runner.decide(statement.condition, start)
        runner.narrow(statement.condition, start, holds=False)
    if not endless and not start.dead:
        runner.run_block(statement.otherwise, start, frame)
    meet(runner, env, ends)


def _leave_first_place(condition: Expression, inside: Env) -> None:
    """Forget where a loop began that counts: `i = 0; i < n`."""
    place = condition.left if isinstance(condition, Relationship) else None
    if isinstance(place, Name) and inside.values.get(place.name, NOTHING).constant == 0:
        inside.values[place.name] = NOTHING


def _find_measured(runner: Runner, condition: Expression, env: Env) -> Value:
    """The text of whose length a loop goes through all places: `i = 0; i < text.length`."""
    if not isinstance(condition, Relationship) or condition.operator not in ("<", "!="):
        return NOTHING
    place = env.look_up(condition.left.name) if isinstance(condition.left, Name) else None
    if place is None or place.constant != 0:
        return NOTHING
    said, of = condition.right, None
    if isinstance(said, Call) and said.arguments:
        if get_callee_name(runner, said) == "len":
            of = said.arguments[0].value
    else:
        read = said.callee if isinstance(said, Call) else said
        if isinstance(read, Attribute) and read.name in ("length", "size"):
            of = read.of
    return NOTHING if of is None else runner.results.get(id(of), NOTHING)


def get_element(runner: Runner, statement: Loop, iterable: Value) -> Value:
    """What a loop's variable is, in any of its passes."""
    if iterable.closure is not None and iterable.closure.function.parameters:
        return runner.go_through(statement.node, iterable.closure)
    iterable = walk_through(runner, statement.node, iterable)
    if iterable.name == MAP:
        iterable = (call_container(iterable, "entries", ()) or (iterable, iterable))[1]
    iterable = iterable._replace(taints=take_keys(iterable.taints))
    if isinstance(statement.target, Container) and iterable.items is None:
        return Value(_spread(runner, iterable), name=iterable.name and f"{iterable.name}[]")
    if iterable.items is not None:
        is_channel = iterable.name == CHANNEL
        if is_channel:
            runner.take(CHANNEL)
        if statement.key is not None and not iterable.is_list:
            return Value(collect([iterable]))
        if not iterable.is_list or (statement.keys and not is_channel):
            return Value(iterable.taints)
        parts = list(iterable.items.values())
        whole = parts[0] if parts else NOTHING
        for part in parts[1:]:
            whole = join_values(whole, part)
        return whole._replace(taints=merge_taints((*whole.taints, *iterable.taints)))
    return Value(_spread(runner, iterable), name=iterable.name and f"{iterable.name}[]")


def _spread(runner: Runner, value: Value) -> tuple[Any, ...]:
    parts = runner.take_parts(value.taints, value.name)
    return tuple(one._replace(path=(*one.path, "*")[-6:]) for one in parts)


def run_comprehension(runner: Runner, expression: Comprehension, env: Env) -> Value:
    """The elements of all passes, as a list that nobody knows the length of."""
    found: list[Value] = []
    inner = env.copy()

    def take(inside: Env) -> None:
        frame = Frame(Routine(expression.node, "", (), ()))
        _run_nested(
            runner, expression.loop.body, inside, frame, element=expression.element, found=found
        )

    _loop(runner, expression.loop, inner, take, Frame(Routine(expression.node, "", (), ())))
    if isinstance(expression.element, Container) and expression.element.mapping:
        return _join_mappings(found)
    element, target, several = expression.element, expression.loop.target, expression.loop.iterable
    is_choice = (
        isinstance(element, Name) and isinstance(target, Name) and element.name == target.name
    )
    # `[a for a in all if fits(a)]` is some of them.
    name = runner.results.get(id(several), NOTHING).name if is_choice else ""
    return gather_returned(found, name)


def _run_nested(
    runner: Runner, block: Sequence[Statement], env: Env, frame: Frame, *, element: Expression,
    found: list[Value],
) -> None:  # fmt: skip
    """The rest of a comprehension: conditions, further loops, and then the element."""
    for at, statement in enumerate(block):
        if isinstance(statement, Loop):
            rest = [*statement.body, *block[at + 1 :]]

            def go_on(inside: Env, rest: Sequence[Statement] = rest) -> None:
                _run_nested(runner, rest, inside, frame, element=element, found=found)

            _loop(runner, statement, env, go_on, frame)
            return
        runner.run(statement, env, frame)
        if env.dead:
            return
    found.append(env.drop_cleared(runner.evaluate(element, env)))
