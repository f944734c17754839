"""What a function is called with that somebody hands on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from jurat.engine.flow.forms.program import Argument, Attribute, Call, Routine
from jurat.engine.flow.values.joins import join_values
from jurat.engine.flow.values.value import Closure, Env, Given, Value, collect
from jurat.engine.flow.words import split_words

LOOPS = split_words(
    """
    map forEach filter reduce reduceRight some every find findIndex findLast flatMap sort each
    anyMatch allMatch noneMatch mapToObj peek removeIf
    """
)
"""Methods that call what they are given with each element, as a loop's body is run."""

RUN_AT_ONCE = split_words(
    """
    Promise setTimeout setImmediate nextTick queueMicrotask submit runAsync supplyAsync to_thread
    run_in_executor transaction replace replaceAll replaceFirst sub subn from generate Do
    """
)
"""Callees that call what they are given, with nothing: what it sees around it is what counts."""

STARTERS = split_words("to_thread run_in_executor run_in_threadpool run_sync submit")
"""Callees that have another thread call what they are given, with what stands behind it."""

PROMISED = split_words(
    """
    then catch finally done fail always ifPresent ifPresentOrElse thenApply thenAccept thenCompose
    """
)
"""Methods that call what they are given with what was promised, as `await` would return it."""

GOING_THROUGH = (*LOOPS, *PROMISED, "each")
"""Begin the names of callees that hand on what they are given as it is, or its parts."""

_FOLDING = split_words("reduce reduceRight sort")
_ENTRY = {0, 1}
"""The places of the key and of what stands under it."""

FOLDS = (".reduce", ".reduceRight", ".sort", ".each")
"""End the names of loops whose functions are not given an element and its place."""

GATHERING = (
    *(".map", ".flatMap", ".then", "Array.from"),
    *(".thenApply", ".thenApplyAsync", ".thenCompose", ".thenComposeAsync"),
)
"""End the names of callees whose answer is what the function returned that they were given."""

_LIST_TAKERS = split_words(
    """
    Thread Process Timer apply apply_async start_new_thread
    """
)
"""What is given the arguments of a function as one list behind it."""

_WAITERS = frozenset({"setTimeout", "setInterval"})
"""What is given a time between a function and its arguments."""


def bind_handed(called: str, given: Given, at: int) -> Given:
    """What a callee that starts a function will call it with; empty if it has to find something.

    That is what stands behind the function, or in `args` and `kwargs`; `at` is the function's
    place.
    """
    named = {argument.keyword: (argument, value) for argument, value in given if argument.keyword}
    word = called.rpartition(".")[2].removesuffix("()")
    handed: list[tuple[Argument, Value]] = []
    for keyword in ("args", "kwargs", "kwds"):
        if keyword in named:
            handed += _spread(*named[keyword])
    if handed:
        return handed
    behind = [one for one in given[at + 1 :] if one[0].keyword is None]
    if word in _WAITERS:
        behind = behind[1:]
    if word in _LIST_TAKERS and len(behind) == 1:
        return list(_spread(*behind[0]))
    return behind


_GIVEN_EACH = LOOPS | PROMISED


def note_loop(called: set[Routine], expression: Call, given: Given) -> None:
    """Note among the `called` a function that goes through a list, or stands behind a promise.

    It gets the list's elements, one behind a promise its value. What they bring arrives by the
    list: an element is no more somebody's than in a loop. One that has a name may be called
    elsewhere as well.
    """
    callee = expression.callee
    if not (isinstance(callee, Attribute) and callee.name in _GIVEN_EACH and given):
        return
    for argument, value in given if callee.name in PROMISED else given[:1]:
        if value.closure is None:
            continue
        if isinstance(argument.value, Routine):
            value.closure.loops = True
        else:
            called.add(value.closure.function)


def is_made_elsewhere(closure: Closure | None, env: Env) -> bool:
    """Whether a function was made by a call: it sees what that was given, wherever it goes."""
    if closure is None or closure.instance is not None or closure.around.parent is None:
        return False
    here: Env | None = env
    while here is not None and here is not closure.around:
        here = here.parent
    return here is None


def find_handed(receiver: Value, word: str) -> Value | None:
    """The object that a method hands to a function: each of several, or what was promised."""
    if word in PROMISED:
        return receiver if receiver.instance is not None else None
    if word not in LOOPS:
        return None
    return pick_object(receiver) or (None if word in _FOLDING else _pick_entry(receiver))


def pick_object(several: Value) -> Value | None:
    """The object that each of several is, if they are all of one class of the file, else None."""
    parts = list((several.items or {}).values())
    made = {id(one.instance.known) if one.instance is not None else None for one in parts}
    return parts[0] if len(made) == 1 and None not in made else None


def _pick_entry(several: Value) -> Value | None:
    """What each entry of a mapping is, whose keys nobody here has been told; else None."""
    parts = list((several.items or {}).values())
    if several.taints or not parts or any((one.items or {}).keys() != _ENTRY for one in parts):
        return None
    return reduce(join_values, parts)


def gather_returned(returned: Sequence[Value], name: str) -> Value:
    """What a callee makes of what the functions return that it is given: a list, or a promise."""
    taints = collect(returned)
    one = next((value for value in returned if value.instance is not None), None)
    if one is None:
        return Value(taints, name=name)
    return one if name.endswith(".then()") else Value(taints, name=name, items={0: one})


def _spread(argument: Argument, value: Value) -> Iterator[tuple[Argument, Value]]:
    """The parts of a list by position, those of a mapping by keyword."""
    for key, part in (value.items or {}).items():
        yield Argument(argument.value, key if isinstance(key, str) else None), part
    if value.items is None or value.taints:
        rest = value._replace(items=None)
        yield Argument(argument.value, None, spread=True), rest
