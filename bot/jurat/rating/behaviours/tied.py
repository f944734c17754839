"""What is tied to an inference: it is done to what a model is asked, or to what it answered.

In a large program somebody tries again, writes a record or stops something for reasons of all
sorts. That is a control of its AI only if the values are those of an inference: what is handed to
a model, here or through some calls, and what came back from it. How near two functions stand in
the calls says less, since all of a large program is a few calls away from its model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.personal_data import is_about_people
from jurat.rating.behaviours.records.erasure import is_of_somebody
from jurat.rating.behaviours.records.record_calls import is_stored, list_keys
from jurat.rating.behaviours.records.recording import is_dated, list_recorded
from jurat.rating.behaviours.served import OF_MEASURES, OF_RECORDS, is_served
from jurat.rating.behaviours.trained_models import is_of_training
from jurat.rating.code.function_facts import CallFact, FunctionFacts, Tags
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.inference import is_of_models
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.surroundings import is_small
from jurat.rating.signals.evidence import SignalEvidence
from jurat.rating.signals.file_roles import Role

UNTIED = "in a large program it is done to nothing that a model is asked or answers"

UNRECORDED = (
    "in a large program no record is seen there that lasts, and says what a model answered and when"
)
BY_CHANCE = "in a large program code does not tell it better than chance: please look"
UNSERVED = "in a large program nobody who asks it is seen to lead there: please look"
AS_A_WHOLE = "on no line is somebody seen to be asked: please look"

_HANDED_ON = 3
"""Calls by which a value is handed on before nobody knows what became of it."""
_AT_THE_LINE = frozenset(("input_gate", "prompt_gate", "caught_failure", "bounded_call"))
"""What is done to a value: the line that does it has that value."""
_BEHIND_MODEL = frozenset(("explained_output", "labelled_output", "marked_output"))
"""What is told beside an answer: the line that tells it has the answer."""
_BEFORE_MODEL = frozenset(("masked_text",))
"""What makes another value of one: what comes of it goes to the model."""
_IN_THE_WORK = frozenset(("bounded_run", "metered", "agreement_gate"))
"""What is done to work: whoever does it has a value of the inference, on whatever line."""
_OF_ANSWERS = OF_MEASURES | {"approval_gate", "watched_outcomes"}
"""What is done about answers: whoever does it has one."""
_LOOKED_AT = frozenset(
    ("halt", "overruling", "fewer_fields", "released_input", "fitness_gate", "reported_harm")
)
"""What was hardly ever right in large programs that were not in view: a person must say."""
_BY_PEOPLE = frozenset(("approval_gate", "overruling"))
"""What somebody does: a line is seen that asks them, or takes what they say, in any program."""
_OF_PEOPLE = frozenset(("subject_erasure", "timed_deletion"))
"""What is done to things of people: it is said that they are. A program has its own as well."""
_CONCERNED = (
    _OF_PEOPLE
    | _AT_THE_LINE
    | OF_RECORDS
    | _BEFORE_MODEL
    | _BEHIND_MODEL
    | _IN_THE_WORK
    | _OF_ANSWERS
)


def explain_untied(conduct: Conduct, sign: Sign) -> str:
    """Why a behaviour is no control of the program's AI, "" if it may be one."""
    if sign.behaviour in _BY_PEOPLE and sign.line < 1:
        return AS_A_WHOLE
    if is_small(conduct):
        return ""
    if sign.behaviour in _LOOKED_AT:
        return BY_CHANCE
    if sign.behaviour not in _CONCERNED:
        return ""
    if not _is_tied(conduct, sign):
        return UNRECORDED if sign.behaviour in OF_RECORDS else UNTIED
    return "" if is_served(conduct, sign) else UNSERVED


def _is_tied(conduct: Conduct, sign: Sign) -> bool:
    nothing: Tags = frozenset()
    given = list_values(conduct).given.get(sign.function, nothing)
    answered = list_values(conduct).answered.get(sign.function, nothing)
    if sign.behaviour in OF_RECORDS:
        return _is_recorded(conduct, sign)
    if sign.behaviour == "approval_gate" and sign.line <= conduct.facts(sign.function).first:
        return False  # no line is seen that asks somebody
    if sign.behaviour in _OF_PEOPLE:
        # Beside a model whatever is removed is of who asks it, more often than not.
        return is_of_somebody(conduct, sign.function, sign.line) and (
            bool(conduct.inferring) or is_about_people(conduct, sign.function, sign.line)
        )
    if sign.behaviour in OF_MEASURES and not _is_measured_there(conduct, sign):
        return False
    if sign.behaviour in _OF_ANSWERS:
        known = bool(answered) or _has_asked(conduct, sign)
        return known and _is_of_product(conduct, sign.function[0])
    if sign.behaviour in _IN_THE_WORK or sign.line <= conduct.facts(sign.function).first:
        return bool(given | answered)
    if sign.behaviour in _BEFORE_MODEL:
        return _is_put_instead(conduct, sign)
    values = answered if sign.behaviour in _BEHIND_MODEL else given | answered
    return _is_on_line(conduct, sign, values)


def _is_measured_there(conduct: Conduct, sign: Sign) -> bool:
    """Whether a line is seen that measures, and what it measures is no step of a training.

    Of a function that tests, its name is one; of a script that does all sorts of things, none.
    """
    path, number = sign.function
    unseen = sign.line <= max(conduct.facts(sign.function).first, 1)
    if unseen and (not number or conduct.roles.get(path) is Role.CODE):
        return False
    return not is_of_training(conduct, sign)


def _has_asked(conduct: Conduct, sign: Sign) -> bool:
    """Whether a line hands on an own function that asks a model: what evaluates calls it."""
    one = sign.function
    handed = (
        target
        for call in conduct.facts(one).calls
        if call.line == sign.line
        for tag in call.given
        if tag[:2] == "x:"
        for target in conduct.targets(one, tag[2:].removeprefix("function:"))
    )
    return any(
        conduct.asks_model(target, call)
        for target in handed
        for call in conduct.facts(target).calls
    )


def has_values(conduct: Conduct, one: Function) -> bool:
    """Whether a function has something of an inference; in a small program all are about one."""
    values = list_values(conduct)
    return is_small(conduct) or one in values.given or one in values.answered


def is_put_to_model(conduct: Conduct, evidence: SignalEvidence) -> bool:
    """Whether a text stands where something of an inference is, or is kept for who has some of it.

    In a small program it can stand nowhere else.
    """
    if is_small(conduct) or evidence.path not in conduct.program.files:
        return True
    values = list_values(conduct)
    concerned = values.given.keys() | values.answered.keys()
    path, line = evidence.path, evidence.line
    around = {
        (path, number)
        for number, function in enumerate(conduct.program.files[path].functions)
        if number and function.first <= line <= function.last
    }
    if around:
        return not around.isdisjoint(concerned)
    return any(path in (p, *conduct.program.list_imported(p)) for p, number in concerned if number)


def _is_of_product(conduct: Conduct, path: str) -> bool:
    """Whether a file is of the product, or tests it: an experiment may ask other models alone."""
    roles = conduct.roles
    return roles.get(path) is not Role.TEST or any(
        roles.get(other) is not Role.TEST for other in conduct.program.list_imported(path)
    )


def _is_put_instead(conduct: Conduct, sign: Sign) -> bool:
    """Whether what a line makes of a text, by what it looks for, is what a model is asked."""
    one, facts = sign.function, conduct.facts(sign.function)
    asked = [call.given for call in facts.calls if conduct.asks_model(one, call)]
    for call in facts.calls if asked else ():
        if call.line == sign.line:
            looked_for = frozenset(t for t in call.given | call.receiver if t[:2] == "t:")
            result = _list_result(call.callee)
            if any(result & given and (looked_for & given or not looked_for) for given in asked):
                return True
    return False


def _is_recorded(conduct: Conduct, sign: Sign) -> bool:
    """Whether a value of an inference is written where it is kept, each time it is at hand."""
    recording = _list_recording(conduct)
    return not recording.isdisjoint(conduct.program.walk({sign.function, *sign.carriers}, 1)) and (
        all(
            is_done_each_time(conduct, sign.function, call)
            for call in conduct.facts(sign.function).calls
            if call.line == sign.line
        )
    )


_TOLD = 3
"""Of what an inference is made of, the answer and the time among it, that a record holds."""


@ask_once
def _list_recording(conduct: Conduct) -> frozenset[Function]:
    """The functions that put by for good what there is of an inference, and when it was."""
    return frozenset(
        one
        for one, line in _iter_dated(conduct)
        if all(
            is_done_each_time(conduct, one, call)
            for call in conduct.facts(one).calls
            if call.line == line
        )
    )


def _iter_dated(conduct: Conduct) -> Iterator[tuple[Function, int]]:
    """The lines on which something of an inference is put by, with a time, and by whom."""
    for record in list_recorded(conduct):
        if record.lasts and "time" in record.holds and len(record.holds) >= _TOLD:
            yield record.function, record.line
    values, nothing = list_values(conduct), frozenset[str]()
    for one in values.given.keys() | values.answered.keys():
        own = values.given.get(one, nothing) | values.answered.get(one, nothing)
        for call in conduct.facts(one).calls:
            given = conduct.expand(one, call.given, 1)
            is_own = not own.isdisjoint(given) and _is_kept(conduct, one, call)
            if is_own and is_dated(given, list_keys(call)):
                yield one, call.line


_WRITES = (".write", ".writelines")
_APPENDS = frozenset(("t:a", "t:a+", "t:ab", "t:at", "x:csv.writer"))


def _is_kept(conduct: Conduct, one: Function, call: CallFact) -> bool:
    if call.callee.endswith(_WRITES) and not call.receiver & _APPENDS:
        return False  # a file that is written anew is what was made
    return is_stored(conduct, one, call) or any(
        kept.call is call and kept.outlives and kept.access is Access.ADD
        for kept in list_store_calls(conduct, one)
    )


def is_done_each_time(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what is done about an inference is done whenever there is one.

    It then stands under no condition but those of the inference, and those on what was asked or
    answered: what is only done if somebody turned it on, or handed in where to, is an option.
    """
    values, facts, nothing = list_values(conduct), conduct.facts(one), frozenset[str]()
    own = values.given.get(one, nothing) | values.answered.get(one, nothing)
    asked = {number for c in facts.calls if conduct.infers(one, c) for number in c.guards}
    return all(
        number in asked
        or facts.guards[number].handler
        or not own.isdisjoint(conduct.expand(one, facts.guards[number].asks, 1))
        for number in call.guards
    )


class Values(NamedTuple):
    """The functions that have a value of an inference, each with its tags."""

    given: Mapping[Function, Tags]
    answered: Mapping[Function, Tags]


@ask_once
def list_values(conduct: Conduct) -> Values:
    """What each function has that a model is asked, and what of its answers."""
    return Values(
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
