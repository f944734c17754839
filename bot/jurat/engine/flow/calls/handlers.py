"""What was checked before a handler is called: by those before it, or by what it is wrapped in.

`router.get("/a", check, show)`, `group.Use(check)`, `@checked`: what holds where the one goes on
holds where the next one begins. A handler is looked at by itself, so that what arrives there in
it is taken back afterwards. One that is reached by two ways has of both what they have in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from jurat.engine.flow.calls.function_values import FunctionValues
from jurat.engine.flow.checks.answers import get_callee_name
from jurat.engine.flow.forms.language_traits import LanguageTraits
from jurat.engine.flow.forms.program import Argument, Attribute, Call, Parameter, Routine
from jurat.engine.flow.values.evaluator import Hit
from jurat.engine.flow.values.matcher import Matcher
from jurat.engine.flow.values.taints import REMOTE, Cleared, Taint, Trace, merge_taints
from jurat.engine.flow.values.value import Closure, Env, Given, Value, iter_taints
from jurat.engine.flow.words import split_words

_ROUTES = split_words(
    """
    get post put patch delete head options all route GET POST PUT PATCH DELETE Any Handle Get Post
    Put Patch Delete HandleFunc Method MethodFunc
    """
)
"""Methods that have a handler called for some requests."""

_KEEPERS = frozenset({"use", "Use"})
"""Methods that have a handler called before all that come later."""

_GROUPS = frozenset({"Group", "With", "group"})
"""Methods whose answer calls a handler before all that are given to it."""

_GOING_ON = split_words("Next doFilter")
"""Methods that go on with the next handler."""

_ABORTS = split_words("Abort AbortWithStatus AbortWithStatusJSON AbortWithError")
"""Methods behind which gin calls no further handler."""

_FIRST = frozenset({"before_request", "before_app_request"})
"""Marks of functions that are called before each route."""

_BY_ITSELF = "gin-gonic/gin"
"""In the type of a parameter of handlers that need not call the next one."""


_ANYBODYS = "handed over:"
"""Begins the names of origins that stand for whatever a handler is called with."""


class _Watch(NamedTuple):
    """A handler that is looked at, for what holds where it goes on: with `wrapped`, if it knows."""

    wrapped: Closure | None
    states: list[Cleared]


class Handlers(FunctionValues):
    """Calls that hand a handler to a router, or wrap one."""

    def __init__(self, matcher: Matcher, language: LanguageTraits) -> None:
        super().__init__(matcher, language)
        self.ahead: dict[int, Cleared] = {}
        """By function: what was checked before it is called, in whatever way that is."""
        self._watched: list[_Watch] = []
        self._held: dict[int, Cleared] = {}
        self._first: list[Closure] = []

    def _call_one(
        self, expression: Call, called: Value, receiver: Value, given: Given, env: Env
    ) -> Value:
        if self._watched:
            self._note_going_on(expression, called, receiver, given, env)
        value = super()._call_one(expression, called, receiver, given, env)
        if called.closure is not None:
            self._note_wrapped(called.closure, given, value)
        elif isinstance(expression.callee, Attribute) and (given or receiver.bound):
            value = self._note_route(expression.callee, receiver, given, value, env)
        return value

    def enter(self, closure: Closure) -> None:
        """Look at a function as somebody outside may call it."""
        if _is_first(closure.function):
            self._first.append(closure)
        super().enter(closure)

    def has_ended(self, call: Call) -> bool:
        """Whether nothing goes on behind a call."""
        if self._watched and get_callee_name(self, call).rpartition(".")[2] in _ABORTS:
            return True
        return super().has_ended(call)

    def drop_checked(self, hits: Iterable[Hit]) -> Iterator[Hit]:
        """The hits without what was checked before their functions are called."""
        first = self._join_checks(self._first)
        for hit in hits:
            known = self.ahead.get(id(hit.entry)) if hit.entry is not None else None
            if first and hit.entry is not None and _is_route(hit.entry):
                known = {**first, **(known or {})}
            mask = hit.mask & ~Env({}, cleared=known).find_cleared(hit.taint) if known else hit.mask
            if mask:
                yield hit if mask == hit.mask else replace(hit, mask=mask)

    # Routes

    def _run_callbacks(self, name: str, receiver: Value, given: Given, env: Env) -> list[Value]:
        """A handler is called with requests, and so looked at by itself alone."""
        path = given[0][1].constant if given else None
        if name.rpartition(".")[2] in _ROUTES and isinstance(path, str) and path.startswith("/"):
            return []
        return super()._run_callbacks(name, receiver, given, env)

    def _note_route(
        self, callee: Attribute, receiver: Value, given: Given, value: Value, env: Env
    ) -> Value:
        word = callee.name
        if word not in _ROUTES and word not in _KEEPERS and word not in _GROUPS:
            return value
        handlers = [(argument, one) for argument, one in _list_handlers(given)]
        if word in _KEEPERS:
            # For a part of the paths only, it checks nothing for the others.
            if handlers and given[0][1].closure is not None:
                kept = receiver._replace(bound=(*receiver.bound, *handlers))
                self.update(callee.of, kept, env)
            return value
        if word in _GROUPS:
            return value._replace(bound=(*receiver.bound, *handlers))
        if handlers and handlers[-1][1].closure is not None:
            before = [one.closure for _, one in (*receiver.bound, *handlers[:-1]) if one.closure]
            self._note_ahead(handlers[-1][1].closure, self._join_checks(before))
        return value

    def _join_checks(self, before: Sequence[Closure]) -> Cleared:
        """What holds behind several handlers."""
        found: Cleared = {}
        for closure in before:
            for key, mask in self._find_held(closure, None).items():
                found[key] = found.get(key, 0) | mask
        return found

    def _note_ahead(self, handler: Closure, held: Cleared) -> None:
        known = self.ahead.get(id(handler.function))
        self.ahead[id(handler.function)] = held if known is None else _meet([known, held])

    def _note_wrapped(self, wrapper: Closure, given: Given, made: Value) -> None:
        """What a function that was made of a handler checks before it calls that."""
        for _, one in given:
            inner, handler = made.closure, one.closure
            if inner is None or handler is None or inner.function is handler.function:
                continue
            if wrapper.function is not inner.function and len(self.running) < _MOST_WRAPPED:
                held = self._find_held(inner, handler)
                if held:
                    self._note_ahead(handler, held)

    # What holds where a handler goes on

    def _find_held(self, closure: Closure, wrapped: Closure | None) -> Cleared:
        function = closure.function
        key = id(function)
        if wrapped is None and key in self._held:
            return self._held[key]
        if function in self.running or len(self.running) >= _MOST_WRAPPED:
            return {}
        inner = self.open_scope(closure, None)
        for parameter in function.parameters:
            value = self._build_anybodys(closure, parameter)
            inner.values[parameter.name] = value
            if parameter.pattern is not None:
                self.assign(parameter.pattern, value, inner, function.node)
        watch, begun = _Watch(wrapped, []), len(self.hits)
        self._watched.append(watch)
        self.running.append(function)
        try:
            _, end, facts = self.run_function(function, inner)
        finally:
            self.running.pop()
            self._watched.pop()
        # What is found on the way is not found again: what a call comes to is remembered.
        found = (one for one in self.hits[begun:] if not one.taint.source.startswith(_ANYBODYS))
        self.hits[begun:] = found
        states = watch.states
        if not states and wrapped is None and end is not None and _is_going_on(function):
            states = [end.cleared]
        if not states and _is_first(function):
            # What it returns is the answer; only if that is nothing the request goes on.
            states = [facts.no]
        held = _meet(states)
        if wrapped is None:
            self._held[key] = held
        return held

    def _build_anybodys(self, closure: Closure, parameter: Parameter) -> Value:
        """A parameter, as something that somebody outside has sent."""
        value = self.build_parameter(closure, parameter)
        node = parameter.node
        source = f"{_ANYBODYS}{parameter.name}"
        origin = Taint(source, (), self.matcher.everything, REMOTE, "", False, Trace(node, None))
        return value._replace(taints=merge_taints((*value.taints, origin)))

    def _note_going_on(
        self, expression: Call, called: Value, receiver: Value, given: Given, env: Env
    ) -> None:
        watch = self._watched[-1]
        if watch.wrapped is not None:
            wrapped = watch.wrapped.function
            if any(one.closure and one.closure.function is wrapped for one in (called, receiver)):
                held = {**env.cleared, **self._hand_over(watch.wrapped, given, env)}
                watch.states.append(held)
            return
        word = called.name.rpartition(".")[2]
        # `next(error)` goes on with whatever answers errors.
        if (called.name == "<next>" and not given) or word in _GOING_ON:
            watch.states.append(dict(env.cleared))

    def _hand_over(self, handler: Closure, given: Given, env: Env) -> Cleared:
        """What is known of the parameters of a handler that is called with these."""
        found: Cleared = {}
        for position, parameter in enumerate(handler.function.parameters):
            origins = tuple(self.build_parameter(handler, parameter).taints)
            for number, (argument, value) in enumerate(given):
                if argument.spread:
                    taints = [one.enter(parameter.name) for one in iter_taints(value)]
                elif number == position or argument.keyword == parameter.name:
                    taints = list(iter_taints(value))
                else:
                    continue
                masks = [env.find_cleared(one) | ~one.live for one in taints]
                mask = self.matcher.everything
                for one in masks:
                    mask &= one
                if taints and mask:
                    found |= {(one.source, one.path): mask for one in origins}
        return found


_MOST_WRAPPED = 6


def _meet(states: Sequence[Cleared]) -> Cleared:
    """What all have in common."""
    first, *rest = states or [{}]
    found = dict(first)
    for one in rest:
        found = {key: both for key, mask in found.items() if (both := mask & one.get(key, 0))}
    return found


def _list_handlers(given: Given) -> Iterator[tuple[Argument, Value]]:
    """The functions among what is handed over, also in lists."""
    for argument, value in given:
        if value.closure is not None:
            yield argument, value
        elif value.is_list:
            yield from ((argument, one) for one in (value.items or {}).values() if one.closure)


def _is_first(function: Routine) -> bool:
    """Whether Flask calls a function before each route."""
    return any(mark.rpartition(".")[2] in _FIRST for mark in function.annotations)


def _is_route(function: Routine) -> bool:
    return any(mark.rpartition(".")[2] in _ROUTES for mark in function.annotations)


def _is_going_on(function: Routine) -> bool:
    return any(_BY_ITSELF in one.type for one in function.parameters)
