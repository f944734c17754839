"""What functions do to somebody outside, and who of them has a model's answer.

Who answers the one that asked does nothing to anybody; a letter, a request, a task of another queue
does. What the path to a model does by itself nobody was asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from jurat.rating.code.function_facts import CallFact, Tags
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.stores import get_last
from jurat.rating.program.surroundings import is_small

_SENDS = re.compile(
    r"^(?:post|put|patch|fetch|request|axios|send\w*|publish|notify\w*|transfer\w*|pay\w*|delay"
    r"|apply_async|enqueue|emit|queue|dispatch|mail\w*|urlopen|call|execute_order|order\w*|book\w*"
    r"|move\w*|unlock\w*|issue\w*|release\w*|start\w*|write_to\w*|writeto|letter\w*|invite\w*"
    r"|regret\w*|page|trigger\w*|run_tool|invoke|place\w*|submit\w*)$",
    re.IGNORECASE,
)
"""What reaches somebody outside, by the last part of a foreign name."""
_ANSWERS = re.compile(
    r"^(?:json|jsonify|jsonresponse|response|httpresponse|render\w*|redirect|send_?status|status|end"
    r"|write_?head|html|text|header|set_?header|sendfile|type|stringify|dumps|no_content)$",
    re.IGNORECASE,
)
"""What answers the one who asked."""
_ASKS_ONLY = re.compile(
    r"^(?:get|load|find|is|has|current|require|auth|check|verify|parse|to|read|list|fetch|session"
    r"|db|open_|new|make|build|create_engine|depends|scope|connect|validate|log|note|record|audit"
    r"|track|with|format|hash|now|uuid|embed|score|predict)",
    re.IGNORECASE,
)


def list_path(conduct: Conduct) -> list[Function]:
    """The functions that lead to a model, and those that they call; not what they only make."""
    found, edge = set(conduct.leading), set(conduct.leading)
    for _ in range(3):
        edge = {
            target
            for one in edge
            for call in conduct.facts(one).calls
            for target in conduct.targets(one, call.callee)
            if target[1]
        } - found
        found |= edge
    return sorted(found & conduct.program.live)


_HANDED_ON = 3
"""Calls by which an answer is handed on before it tells nothing of what becomes of it."""


@ask_once
def list_answers(conduct: Conduct) -> Mapping[Function, Tags]:
    """The functions that have a model's answer, who asks and to whom it is handed on, each with it.

    The tags are empty for who leads to a model and is told nothing.
    """
    edge = {
        one: frozenset(
            f"x:{call.callee}{end}"
            for call in conduct.facts(one).calls
            if conduct.asks_model(one, call)
            for end in ("", "()")
        )
        for one in conduct.leading
    }
    found = dict(edge)
    for _ in range(_HANDED_ON):
        edge = {
            target: frozenset(f"p:{name}" for name in conduct.facts(target).parameters)
            for one, answers in edge.items()
            for call in conduct.facts(one).calls
            if answers & call.given
            for target in conduct.targets(one, call.callee)
            if target[1] and target not in found
        }
        found |= edge
    return {one: answers for one, answers in found.items() if one in conduct.program.live}


def list_answered(conduct: Conduct) -> frozenset[Function]:
    """The functions that have a model's answer: who asks for it, and to whom it is handed on."""
    return frozenset(list_answers(conduct))


def has_answer(conduct: Conduct, one: Function, given: Tags) -> bool:
    """Whether a model's answer is among what is given, as far as a program is small enough to tell.

    In a small one all that is done around a model is done with its answer.
    """
    if is_small(conduct):
        return True
    answers = list_answers(conduct).get(one, frozenset())
    return not answers.isdisjoint(conduct.expand(one, given, 1))


def list_own_acts(conduct: Conduct) -> set[str]:
    """What the path to a model does to somebody outside by itself, whatever it was answered."""
    path = list_path(conduct)
    left = {one: _list_one_sided(conduct, one) for one in path}
    spared = {
        target
        for one, calls in left.items()
        for call in calls
        for target in conduct.targets(one, call.callee)
    }
    # Who is called for one answer alone is spared as well, unless another one calls it, too.
    called = {
        target
        for one in path
        for call in conduct.facts(one).calls
        if call not in left[one]
        for target in conduct.targets(one, call.callee)
    }
    return {
        _get_act_name(conduct, one, call)
        for one in path
        if one not in spared - called
        for call in conduct.facts(one).calls
        if call not in left[one] and is_act(conduct, one, call)
    }


def _list_one_sided(conduct: Conduct, one: Function) -> tuple[CallFact, ...]:
    """The calls that a function makes for one answer of a model, the other being kept for later.

    Of what stands behind the same condition one call does something, with words that never vary,
    and another puts by what nothing was done with.
    """
    if not is_small(conduct):
        return ()
    facts = conduct.facts(one)
    kept = [k.call for k in list_store_calls(conduct, one) if k.access is Access.ADD]
    found = []
    for number, guard in enumerate(facts.guards):
        inside = [call for call in facts.calls if number in call.guards]
        acting = [call for call in inside if has_act(conduct, one, call)]
        asks_model = any(conduct.is_answer(one, c) and f"x:{c.callee}" in guard.asks
                         for c in facts.calls)  # fmt: skip
        waits = any(call in kept for call in inside)
        if (
            asks_model
            and waits
            and len(acting) == 1
            and not has_answer_given(conduct, one, acting[0])
        ):
            found.append(acting[0])
    return tuple(found)


def has_answer_given(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what a model answered is among what a call is given."""
    answers = list_answers(conduct).get(one, frozenset())
    return not answers.isdisjoint(call.given)


def has_act(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call, or an own function that it calls, reaches somebody outside."""
    return is_act(conduct, one, call) or any(
        any(list_acts(conduct, target)) for target in conduct.targets(one, call.callee) if target[1]
    )


def list_acts(conduct: Conduct, one: Function) -> Iterator[str]:
    """What a function does to somebody outside, by name; who answers its caller does nothing."""
    for call in conduct.facts(one).calls:
        if is_act(conduct, one, call):
            yield _get_act_name(conduct, one, call)


def _get_act_name(conduct: Conduct, one: Function, call: CallFact) -> str:
    own = conduct.targets(one, call.callee)
    return str(own[0]) if own and own[0][1] else conduct.name(one, call.callee)


def is_act(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call reaches somebody outside, and does not only answer who asked."""
    name = conduct.name(one, call.callee)
    last = get_last(call)
    if not name or conduct.infers(one, call) or conduct.is_logged(one, call):
        return False
    if any(kept.call is call for kept in list_store_calls(conduct, one)):
        return False
    if _ANSWERS.match(last) or not (call.given or call.keywords):
        return False
    if last == "send" and name.startswith("?.") and _is_reply(conduct, one, call):
        return False
    if _SENDS.match(last):
        return True
    absent = conduct.program.modules.is_absent(name) and not name.endswith("()")
    return (
        absent and "." in name and not _ASKS_ONLY.match(last) and not _is_used(conduct, one, call)
    )


def _is_reply(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a script sends by what it was handed as the one that answers."""
    parameters = conduct.facts(one).parameters
    return not one[0].endswith(".py") and any(f"p:{name}" in call.receiver for name in parameters)


def _is_used(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what a call gives goes on: who acts is seldom asked for an answer."""
    facts, given = conduct.facts(one), f"x:{call.callee}"
    return (
        any(given in other.given for other in facts.calls if other is not call)
        or any(given in write.value for write in facts.writes)
        or any(given in guard.asks for guard in facts.guards)
    )
