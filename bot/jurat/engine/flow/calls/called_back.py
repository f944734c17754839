"""By which names the parameters of a function go that a framework calls, whatever they are called.

`app.get("/a", (incoming, out) => ...)` is called with a request and an answer: `<req>` and `<res>`
to the vocabulary, which says what calls a function with what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from jurat.engine.flow.forms.program import Parameter, Routine
from jurat.engine.flow.values.matcher import Matcher
from jurat.engine.flow.values.value import Closure, Given, Value
from jurat.rules.callbacks import Callback
from jurat.rules.callee_names import compile_name


class CalledBack:
    """What is seen in one file to call its functions."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._called: dict[int, tuple[Callback, ...]] = {}

    def note_call(self, name: str, given: Given) -> Iterator[Closure]:
        """Note what a callee calls of what it is given: the functions of which that is news."""
        functions = list(_list_functions(value for _, value in given))
        # Most callees are handed none: asked first, that spares each the rows of all rules.
        if not functions:
            return
        found = [one for one in self._matcher.find_callbacks(name) if _is_meant(one, given)]
        for closure in functions if found else ():
            before = self._called.get(id(closure.function), ())
            now = tuple(dict.fromkeys((*before, *found)))
            if now != before:
                self._called[id(closure.function)] = now
                yield closure

    def find_name(self, closure: Closure, parameter: Parameter, marks: Iterable[str]) -> str:
        """The name that a parameter goes by: its own if nothing is known of who calls it."""
        function = closure.function
        known = list(self._called.get(id(function), ()))
        known += (one for mark in marks for one in self._matcher.find_callbacks(f"@{mark}"))
        # A row of a call, such as `*.get(0=/*)`, says nothing of a function that has its name.
        if closure.instance is None:
            named = self._matcher.find_callbacks(f"function.{function.name}")
            known += (one for one in named if one.is_by_name and _is_called_so(one, function))
        else:
            for base in closure.instance.known.list_names():
                named = self._matcher.find_callbacks(f"{base}.{function.name}")
                known += (one for one in named if not one.is_guess)
        if not known:
            return parameter.name
        return _choose_name(known, function, parameter, self._matcher.callback_names)


def _is_meant(callback: Callback, given: Given) -> bool:
    constants = [value.constant for _, value in given]
    return _fits(callback, [one if isinstance(one, str) else None for one in constants])


def _is_called_so(callback: Callback, function: Routine) -> bool:
    return _fits(callback, [one.name for one in function.parameters])


def _fits(callback: Callback, said: Sequence[str | None]) -> bool:
    return all(
        at < len(said) and (one := said[at]) is not None and compile_name(text).fullmatch(one)
        for at, text in callback.given
    )


def _list_functions(values: Iterable[Value]) -> Iterator[Closure]:
    """The functions among values, also in lists and by name."""
    for value in values:
        if value.closure is not None:
            yield value.closure
        else:
            yield from (one.closure for one in (value.items or {}).values() if one.closure)


def _choose_name(
    known: Sequence[Callback], function: Routine, parameter: Parameter, names: frozenset[str]
) -> str:
    """The name at the parameter's place in the shortest row that has one for each parameter.

    What is no more than a guess is left for a name that says what it is itself.
    """
    sure = [one for one in known if not one.is_guess]
    if not sure and parameter.name in names:
        return parameter.name
    rows = sorted({one.names for one in sure or known}, key=len)
    wanted = len(function.parameters)
    row = next((one for one in rows if len(one) >= wanted), rows[-1])
    place = next(at for at, one in enumerate(function.parameters) if one is parameter)
    return row[place] if place < len(row) else parameter.name
