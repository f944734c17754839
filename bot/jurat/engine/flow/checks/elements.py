"""What a question of several says of them: of each, or of one that nobody knows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from jurat.engine.flow.checks.answers import clear_value, leave_steps, reject_keys
from jurat.engine.flow.forms.program import (
    UNKNOWN,
    Argument,
    Attribute,
    Call,
    Comprehension,
    Constant,
    Expression,
    Name,
    Reference,
)
from jurat.engine.flow.values.callbacks import pick_object
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.joins import join_values
from jurat.engine.flow.values.taints import Cleared, meet_cleared
from jurat.engine.flow.values.value import (
    NOTHING,
    Closure,
    Env,
    Given,
    Value,
    collect,
    extend_name,
    iter_taints,
)

_OF_ALL = frozenset({"all", "every", "allMatch"})
_OF_ONE = frozenset({"any", "some", "anyMatch"})
_OF_NONE = frozenset({"noneMatch"})
_KEEPING = frozenset({"filter", "takeWhile"})
_DEFAULTING = frozenset({"get", "getOrDefault"})
_MAKING = frozenset({"map", "flatMap"})
_WRITING_OUT = frozenset({"str", "String", "toString"})
"""The last words of what makes a text of anything."""

_MOST_ASKED = 6
"""How many constants a function is asked about one by one."""

QUESTIONS_OF_EACH = _OF_ALL | _OF_ONE | _OF_NONE
"""The last words of what asks several values something, or a function about each of them."""


def narrow_each(
    evaluator: Evaluator,
    word: str,
    receiver: Expression | None,
    arguments: Sequence[Expression],
    env: Env,
    *,
    holds: bool,
) -> None:
    """What follows from the answer of such a question.

    That one of several is fit says nothing of the others, nor which one it is.
    """
    if word in _OF_ALL and not holds:
        return
    answer = holds is not (word in _OF_NONE)
    of_each = word in _OF_ALL or not answer
    asked = arguments[0]
    after = env.copy()
    if isinstance(asked, Comprehension):
        several = evaluator.results.get(id(asked.loop.iterable or asked), NOTHING)
        evaluator.narrow(asked.element, after, holds=answer)
    elif receiver is not None and (known := evaluator.results.get(id(asked), NOTHING)).closure:
        several = evaluator.results.get(id(receiver), NOTHING)
        after.cleared = _ask_each(evaluator, known.closure, several, env, answer=answer)
    elif receiver is not None and isinstance(asked, Reference) and isinstance(asked.of, Attribute):
        # `anyMatch(host::equals)`: what it is asked of, whichever of them that is.
        several = evaluator.results.get(id(receiver), NOTHING)
        element = Constant(asked.node, UNKNOWN)
        evaluator.results[id(element)] = _find_element(several)
        evaluator.narrow(Call(asked.node, asked.of, [Argument(element)]), after, holds=answer)
        # Another expression may get its number once it is gone.
        del evaluator.results[id(element)]
    else:
        several = NOTHING
    found = _list_new(after.cleared, env.cleared)
    if of_each:
        found |= find_asked_of_all(found, several)
    else:
        sources = {taint.source for taint in iter_taints(several)}
        found = {key: mask for key, mask in found.items() if key[0] not in sources}
    for key, mask in found.items():
        env.cleared[key] = env.cleared.get(key, 0) | mask
    if not found and word in _OF_ALL:
        # Asked in a way that is not understood: the author took it for enough.
        for one in (receiver, *arguments):
            if one is not None and not isinstance(one, Name):
                clear_value(evaluator, one, env)


def follow_each(
    evaluator: Evaluator, name: str, receiver: Value, given: Given, env: Env
) -> Value | None:
    """What a callee keeps of several by a function of the file, or makes of each by a function that
    nobody reads and whose name says what it does; None for any other.
    """
    word = name.rpartition(".")[2]
    if not given or (word not in _KEEPING and word not in _MAKING):
        return None
    function, others = given[0][1], [value for _, value in given[1:]]
    several = receiver if word != name or not others else others[0]
    if word in _KEEPING and function.closure is not None and pick_object(several) is not None:
        return several
    if word in _KEEPING and function.closure is not None:
        fit = evaluator.ask_function(function.closure, [_find_element(several)], env)[0]
        kept = Env({}, cleared=fit).drop_cleared(Value(collect([several])))
        return kept._replace(name=extend_name(name, "()"))
    if word in _MAKING and function.closure is None and function.name:
        called = extend_name(function.name, "()")
        if several.items and function.name.rpartition(".")[2] in _WRITING_OUT:
            # `map(str, words)` is the words.
            return several
        if evaluator.matcher.find_sanitizer(called):
            left = evaluator.sanitize(collect([several]), function.name, called)
            return Value(left, name=extend_name(name, "()"))
    return None


def drop_found(
    evaluator: Evaluator, callee: Attribute, receiver: Value, given: Given, env: Env
) -> Given:
    """What a table is given for what it has not: a character that it has is none of that."""
    if callee.name not in _DEFAULTING or len(given) != 2 or not receiver.items:
        return given
    (key, asked), (argument, default) = given
    missing = env.copy()
    reject_keys(evaluator, callee.of, key.value, missing, of_text=True)
    return [(key, asked), (argument, missing.drop_cleared(default))]


def find_asked_of_all(asked: Cleared, iterable: Value) -> Cleared:
    """What was asked of each element holds of what they all came from, were there any or none."""
    origins = {(taint.source, taint.path) for taint in collect([iterable])}
    wholes = {(source, leave_steps(path)) for source, path in origins}
    found = {
        (source, path): mask
        for (source, path), mask in asked.items()
        if (source, path) in wholes
        or any(source == known and path[: len(own)] == own for known, own in origins)
    }
    for source, path in origins:
        each = asked.get((source, (*path, "*")[-6:]), 0)
        if each:
            found[source, path] = found.get((source, path), 0) | each
    return found


def _ask_each(
    evaluator: Evaluator, closure: Closure, several: Value, env: Env, *, answer: bool
) -> Cleared:
    """What a function has checked if it gives an answer, whichever of several it was given."""
    known = list((several.items or {}).values())
    if not known or len(known) > _MOST_ASKED or any(map(any, map(iter_taints, known))):
        known = [_find_element(several)]
    facts = (evaluator.ask_function(closure, [one], env)[0 if answer else 1] for one in known)
    return reduce(meet_cleared, facts)


def _find_element(several: Value) -> Value:
    """What each of several is, whichever it is."""
    if several.items is None:
        return several
    first, *others = list(several.items.values()) or [NOTHING]
    for one in others:
        first = join_values(first, one)
    return first


def _list_new(cleared: Cleared, before: Cleared) -> Cleared:
    """What a check has answered that nobody had before."""
    return {key: fresh for key, mask in cleared.items() if (fresh := mask & ~before.get(key, 0))}
