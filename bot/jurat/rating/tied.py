"""What is tied to an inference: it is done to what a model is asked, or to what it answered.

In a large program somebody tries again, writes a record or stops something for reasons of all
sorts. That is a control of its AI only if the values are those of an inference: what is handed to
a model, here or through some calls, and what came back from it. How near two functions stand in
the calls says less, since all of a large program is a few calls away from its model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from jurat.rating.behaviour import Sign
from jurat.rating.conduct import Conduct, ask_once
from jurat.rating.function_facts import FunctionFacts, Tags
from jurat.rating.inference import is_of_models
from jurat.rating.program_names import Function
from jurat.rating.surroundings import is_small

UNTIED = "in a large program it is done to nothing that a model is asked or answers"

_HANDED_ON = 3
"""Calls by which a value is handed on before nobody knows what became of it."""
_AT_THE_LINE = frozenset(
    ("durable_record", "log_fields", "input_gate", "prompt_gate", "caught_failure", "bounded_call")
)
"""What is done to a value: the line that does it has that value."""
_BEHIND_MODEL = frozenset(("explained_output", "labelled_output", "marked_output"))
"""What is told beside an answer: the line that tells it has the answer."""
_BEFORE_MODEL = frozenset(("masked_text", "fewer_fields"))
"""What makes another value of one: what comes of it goes to the model."""
_IN_THE_WORK = frozenset(("bounded_run", "fitness_gate", "metered", "logged_inference"))
"""What is done to work: whoever does it has a value of the inference, on whatever line."""
_OF_ANSWERS = frozenset(
    ("halt", "approval_gate", "overruling", "measured_answers", "compared_groups",
     "watched_outcomes")
)  # fmt: skip
"""What is done about answers: whoever does it has one."""
_CONCERNED = _AT_THE_LINE | _BEFORE_MODEL | _BEHIND_MODEL | _IN_THE_WORK | _OF_ANSWERS


def explain_untied(conduct: Conduct, sign: Sign) -> str:
    """Why a behaviour of a large program is no control of its AI, "" if it may be one."""
    if is_small(conduct) or sign.behaviour not in _CONCERNED:
        return ""
    return "" if _is_tied(conduct, sign) else UNTIED


def _is_tied(conduct: Conduct, sign: Sign) -> bool:
    nothing: Tags = frozenset()
    given = _list_values(conduct).given.get(sign.function, nothing)
    answered = _list_values(conduct).answered.get(sign.function, nothing)
    if sign.behaviour in _OF_ANSWERS:
        return bool(answered)
    if sign.behaviour in _IN_THE_WORK or sign.line <= conduct.facts(sign.function).first:
        return bool(given | answered)
    if sign.behaviour in _BEFORE_MODEL:
        calls = (call for call in conduct.facts(sign.function).calls if call.line == sign.line)
        return any(not given.isdisjoint(_list_result(call.callee)) for call in calls)
    values = answered if sign.behaviour in _BEHIND_MODEL else given | answered
    return _is_on_line(conduct, sign, values)


class _Values(NamedTuple):
    """The functions that have a value of an inference, each with its tags."""

    given: Mapping[Function, Tags]
    answered: Mapping[Function, Tags]


@ask_once
def _list_values(conduct: Conduct) -> _Values:
    return _Values(
        _spread(conduct, _list_given(conduct), _iter_givers),
        _spread(conduct, _list_answered(conduct), _iter_takers),
    )


def _is_on_line(conduct: Conduct, sign: Sign, values: Tags) -> bool:
    """Whether a statement at the line of a sign has one of the values."""
    one, facts = sign.function, conduct.facts(sign.function)
    if any(
        call.line == sign.line and is_of_models(conduct.name(one, call.callee))
        for call in facts.calls
    ):
        return True
    return any(
        not values.isdisjoint(tags) or not values.isdisjoint(conduct.expand(one, tags, 1))
        for tags in _iter_stated(facts, sign.line)
    )


def _iter_stated(facts: FunctionFacts, line: int) -> Iterable[Tags]:
    for call in facts.calls:
        if call.line == line:
            yield call.given | call.receiver | _list_result(call.callee)
    yield from (guard.asks for guard in facts.guards if guard.line == line)
    yield from (loop.asks for loop in facts.loops if loop.line == line)
    yield from (write.value for write in facts.writes if write.line == line)


def _list_result(callee: str) -> Tags:
    return frozenset((f"x:{callee}", f"x:{callee}()"))


def _list_given(conduct: Conduct) -> dict[Function, Tags]:
    """What each function that asks a model hands to it."""
    return {
        one: frozenset(
            tag
            for call in conduct.facts(one).calls
            if conduct.infers(one, call)
            for tag in call.given | call.receiver
            if tag[:2] in ("p:", "x:", "s:", "h:")
        )
        for one in conduct.inferring
    }


def _list_answered(conduct: Conduct) -> dict[Function, Tags]:
    """The answers of a model that each function has, from the model or from who gives it on."""
    found = {
        one: frozenset(
            tag
            for call in conduct.facts(one).calls
            if conduct.is_answer(one, call)
            for tag in _list_result(call.callee)
        )
        for one in (*conduct.product, *conduct.tests)
    }
    return {one: tags for one, tags in found.items() if tags}


_Step = Callable[[Conduct, Function, Tags], Iterable[tuple[Function, Tags]]]


def _spread(conduct: Conduct, start: Mapping[Function, Tags], step: _Step) -> dict[Function, Tags]:
    """The values with those that they come from, or go to, some calls away."""
    found, edge = dict(start), dict(start)
    for _ in range(_HANDED_ON):
        reached = defaultdict[Function, Tags](frozenset)
        for one, tags in edge.items():
            for other, more in step(conduct, one, tags):
                reached[other] |= more
        edge = {
            one: tags - found.get(one, frozenset())
            for one, tags in reached.items()
            if one in conduct.program.live and not tags <= found.get(one, frozenset())
        }
        found |= {one: tags | found.get(one, frozenset()) for one, tags in edge.items()}
    return found


def _iter_takers(conduct: Conduct, one: Function, tags: Tags) -> Iterable[tuple[Function, Tags]]:
    """Whom a function hands one of the values, with all that they are handed."""
    for call in conduct.facts(one).calls:
        if not tags.isdisjoint(call.given):
            for target in conduct.targets(one, call.callee):
                if target[1]:
                    parameters = conduct.facts(target).parameters
                    yield target, frozenset(f"p:{name}" for name in parameters)


def _iter_givers(conduct: Conduct, one: Function, tags: Tags) -> Iterable[tuple[Function, Tags]]:
    """Who hands a function one of the values, or answers it with one, with what they have of it."""
    if any(tag[:2] == "p:" for tag in tags):
        for caller in conduct.program.callers.get(one, ()):
            for call in conduct.facts(caller).calls:
                if one in conduct.targets(caller, call.callee):
                    yield caller, _keep_values(call.given)
    for behind in conduct.list_behind(one, tags):
        yield behind, _keep_values(conduct.facts(behind).returns)


def _keep_values(tags: Tags) -> Tags:
    return frozenset(tag for tag in tags if tag[:2] in ("p:", "x:"))
