"""What a call does to what it is called on or given: it is filled, told something, changed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from jurat.engine.flow.calls.containers import call_container, is_builder
from jurat.engine.flow.calls.foreign_calls import ForeignCalls
from jurat.engine.flow.forms.lowering import BUFFER
from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Argument,
    Attribute,
    Call,
    Expression,
    Index,
    Name,
    Reference,
    Routine,
)
from jurat.engine.flow.values.joins import join_instances
from jurat.engine.flow.values.named_secrets import keep_guessed
from jurat.engine.flow.values.repeated import is_repeated
from jurat.engine.flow.values.settings import forget, is_set_unseen, read_option, remember
from jurat.engine.flow.values.taints import REMOTE, Taints, merge_taints
from jurat.engine.flow.values.value import (
    ClassValue,
    Closure,
    Env,
    Given,
    Instance,
    Value,
    collect,
    extend_name,
)
from jurat.engine.flow.words import split_words

_FILLERS = split_words(
    """
    Decode Unmarshal UnmarshalText Bind BindJSON BindQuery BindUri ShouldBind ShouldBindJSON
    ShouldBindQuery ShouldBindUri ShouldBindBodyWith BodyParser QueryParser ReadJSON
    """
)
"""Go's functions that write what they read into what they are given."""

_FINDERS = split_words("Find First Take Last Pluck Scan")
"""Go's methods that write what they found into what they are given: that is the record's own."""

_READERS = frozenset({"read", "readFully", "readNBytes", "Read"})
"""What fills a buffer with what it is called on."""

_DRAWERS = frozenset({"Read", "ReadFull", "nextBytes"})
"""What fills a buffer with random bytes."""

_COPIERS = frozenset({"copy", "ReadFull", "arraycopy"})
"""What writes one of its first two arguments into the other, a buffer."""


_COPIES = {"copy": (1, 0), "System.arraycopy": (0, 2), "java.lang.System.arraycopy": (0, 2)}
"""What copies one of its arguments into another, by the places of both."""

_ADDERS = ("Collections.addAll", "heapq.heappush", "bisect.insort")
"""Functions that add what they are given to a list, which they are given first."""


def add_to_first(calls: ForeignCalls, name: str, given: Given, env: Env) -> None:
    """What a function adds to a list is in there from then on."""
    if name in _COPIES and len(given) > max(_COPIES[name]):
        source, target = (given[at] for at in _COPIES[name])
        _write_into(calls, target[0].value, target[1], source[1], env)
    if name == "print":
        _print_into(calls, given, env)
    if not name.endswith(_ADDERS) or not given:
        return
    (argument, several), *added = given
    values = [value for _, value in added]
    several = several._replace(taints=merge_taints((*several.taints, *collect(values))))
    changed = call_container(given[0][1], "append", added)
    calls.update(argument.value, several if changed is None else changed[0], env)


def _print_into(calls: ForeignCalls, given: Given, env: Env) -> None:
    """`print(a, file=text)` writes into what a text is put together in."""
    parts = [value for argument, value in given if argument.keyword is None]
    for argument, value in given:
        if argument.keyword == "file" and is_builder(value) and parts:
            written = [(Argument(argument.value), env.drop_cleared(one)) for one in parts]
            changed = call_container(value, "write", written)
            calls.update(argument.value, value if changed is None else changed[0], env)


def _write_into(
    calls: ForeignCalls, target: Expression, before: Value, copied: Value, env: Env
) -> None:
    """What is copied into a buffer, or a part of one, is in there from then on."""
    while isinstance(target, Index):
        target = target.of
        before = calls.results.get(id(target), before)
    taints = merge_taints((*before.taints, *collect([env.drop_cleared(copied)])))
    if taints != before.taints:
        calls.update(target, before._replace(taints=taints, constant=UNKNOWN, fixed=False), env)


def list_changed(before: Mapping[str, Value], after: Mapping[str, Value]) -> dict[str, Value]:
    """What parameters are then: those that are other objects, or have other parts."""
    return {
        name: value for name, old in before.items() if (value := after.get(name, old)) is not old
    }


def note_sample(calls: ForeignCalls, known: ClassValue, made: Instance) -> None:
    """Remember what objects of a class are that the file makes, as far as all are alike."""
    fields = made.fields.values()
    asks_all = calls.matcher.asks_settings or bool(calls.matcher.guessed)
    keeps = asks_all or any(
        "+" in one.name or one.instance is not None or one.closure is not None for one in fields
    )
    if keeps and calls.objects.get(known.name) is not made:
        before = known.sample
        known.sample = made if before is None else join_instances(before, made)


def tell_receiver(
    calls: ForeignCalls,
    callee: Expression,
    receiver: Value,
    given: Given,
    result: Value,
    *,
    env: Env,
) -> Value:
    """What a method of an object returns that may be told something: a builder goes on."""
    if receiver.given is None or not isinstance(callee, Attribute):
        return result
    option, value = read_option(callee.name, given)
    if option in calls.matcher.options:
        receiver = remember(receiver, option, value)
        calls.update(callee.of, receiver, env)
    elif is_set_unseen(callee.name, given):
        receiver = receiver._replace(partial=True)
        calls.update(callee.of, receiver, env)
    given_before = {**(result.given or {}), **(receiver.given or {})}
    return result._replace(given=given_before, partial=receiver.partial)


def forget_handed_over(
    calls: ForeignCalls, name: str, receiver: Value, given: Given, env: Env
) -> None:
    """Whoever is handed a buffer may fill it, and an object may be told something."""
    if not calls.matcher.asks_settings or calls.matcher.find_settings(name):
        return
    if calls.matcher.find_fixed(extend_name(name, "()")) and (
        name.rpartition(".")[2] not in _COPIERS
        or all(is_repeated(one, argument.value.node) for argument, one in given[:2])
    ):
        return
    for argument, _ in given:
        target = argument.value
        if isinstance(target, Routine) and not receiver.items:
            _forget_set_inside(target, env)
            continue
        if (
            isinstance(target, Reference)
            and isinstance(target.of, Attribute)
            and not receiver.items
        ):
            # Whoever calls `factory::setFeature` tells it what nobody sees here.
            target = target.of.of
        while isinstance(target, Index):
            target = target.of
        held = calls.results.get(id(target))
        if (
            held is not None
            and isinstance(target, Name | Attribute)
            and held.constant is UNKNOWN
            and (forgotten := forget(held)) is not held
        ):
            calls.update(target, forgotten, env)


def _forget_set_inside(function: Routine, env: Env) -> None:
    """What a function that is handed over tells the objects that it sees around it, nobody knows.

    Whoever it is handed to says how often it is called, and with what.
    """
    known = [name for name, value in env.values.items() if value.given is not None]
    if not known:
        return
    text = function.node.text()
    for name in known:
        if re.search(rf"\b{re.escape(name)}\.set", text):
            env.values[name] = forget(env.values[name])


def fill_arguments(
    calls: ForeignCalls, expression: Call, name: str, given: Given, result: Value, *, env: Env
) -> bool:
    """Whether a callee was given addresses; it writes what it found there, and returns none."""
    word = name.rpartition(".")[2]
    is_reader = word in _FILLERS or (word in _DRAWERS and bool(keep_guessed(calls, [result])))
    if word in _FINDERS:
        return False
    filled = [
        (argument, value)
        for argument, value in given
        if (argument.filled or is_reader or _is_read_into(word, value))
        and argument in expression.arguments
    ]
    # What else a function writes of what a caller handed over is its own.
    taken = [one for one in result.taints if is_reader or one.strength == REMOTE]
    if not taken:
        return False
    for argument, value in filled:
        if not calls.is_number_type(value.name):
            _fill_fields(calls, value, tuple(taken))
            taints = merge_taints((*value.taints, *taken))
            filled_in = value._replace(taints=taints, constant=UNKNOWN)
            calls.update(argument.value, filled_in, env)
    return bool(filled)


def _is_read_into(word: str, value: Value) -> bool:
    """Whether a stream is read into a buffer: `in.read(bytes)`."""
    return word in _READERS and value.name.startswith(BUFFER)


def _fill_fields(calls: ForeignCalls, value: Value, taints: Taints) -> None:
    """Each field of an object that is filled in gets what its type lets through."""
    if value.instance is None:
        return
    for name, kind in value.instance.known.types.items():
        if not calls.is_number_type(kind):
            parts = (taint.enter(name) for taint in taints)
            held = Value(calls.sanitize(parts, extend_name(kind, "()")), name=kind)
            value.instance.fields[name] = held


def change_arguments(
    calls: ForeignCalls,
    expression: Call,
    closure: Closure,
    given: Given,
    changed: Mapping[str, Value],
    *,
    env: Env | None,
) -> None:
    """What a function did to the containers and addresses that it was given is seen outside."""
    if not changed or env is None:
        return
    for parameter, (argument, value) in zip(closure.function.parameters, given, strict=False):
        after = changed.get(argument.keyword or parameter.name)
        is_shared = argument.filled or (value.box is not None and after and after.box is value.box)
        if after is not None and is_shared and argument in expression.arguments:
            calls.update(argument.value, after._replace(box=value.box), env)
