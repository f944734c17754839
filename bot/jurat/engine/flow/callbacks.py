"""What a function is called with that somebody hands on."""

from __future__ import annotations

from collections.abc import Iterator

from jurat.engine.flow.program import Argument
from jurat.engine.flow.taints import split_words
from jurat.engine.flow.values import Given, Value

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
    run_in_executor transaction
    """
)
"""Callees that call what they are given, with nothing: what it sees around it is what counts."""

PROMISED = split_words(
    """
    then catch finally done fail always ifPresent ifPresentOrElse thenApply thenAccept thenCompose
    """
)
"""Methods that call what they are given with what was promised, as `await` would return it."""

GOING_THROUGH = (*LOOPS, *PROMISED, "each")
"""Begin the names of callees that hand on what they are given as it is, or its parts."""

FOLDS = (".reduce", ".reduceRight", ".sort", ".each")
"""End the names of loops whose functions are not given an element and its place."""

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


def _spread(argument: Argument, value: Value) -> Iterator[tuple[Argument, Value]]:
    """The parts of a list by position, those of a mapping by keyword."""
    for key, part in (value.items or {}).items():
        yield Argument(argument.value, key if isinstance(key, str) else None), part
    if value.items is None or value.taints:
        rest = value._replace(items=None)
        yield Argument(argument.value, None, spread=True), rest
