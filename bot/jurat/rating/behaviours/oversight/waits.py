"""Persons who are asked elsewhere: by buttons that they press, or by a wait for their word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.code.function_facts import CallFact, FunctionFacts, Tags
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.external_acts import has_act
from jurat.rating.program.stores import is_change, is_given

_PRESSED = frozenset(("action_id", "callback_data", "callbackData", "custom_id", "customId"))
"""Under these keys a message has the word that comes back from whoever presses its button."""


def find_pressed(conduct: Conduct) -> Iterator[Sign]:
    """The path offers buttons, and what is done is done by who answers one that was pressed."""
    offered = {
        word: one
        for one in sorted(conduct.leading)
        for pair in conduct.facts(one).pairs
        if pair.key in _PRESSED
        for tag in pair.value
        if tag[:2] == "t:" and (word := tag[2:].partition(":")[0])
    }
    for one in sorted(conduct.handlers - conduct.leading) if offered else ():
        if not conduct.is_subject(one):
            continue
        deeds = [call for call in conduct.facts(one).calls if has_act(conduct, one, call)]
        pressed = next((call.line for call in deeds if _PRESSED_ONE & call.given), 0)
        line = deeds[0].line if deeds else 0
        for route in conduct.list_routes(one) if line else ():
            if route in offered:
                yield Sign("approval_gate", one, line, frozenset({one, offered[route]}))
                pressed = 0
        if pressed:
            yield Sign("approval_gate", one, pressed, frozenset({one, *offered.values()}))


_PRESSED_ONE = frozenset(
    ("k:actions", "k:action_id", "a:customId", "k:custom_id", "k:callback_query",
     "a:callback_query", "a:callbackQuery", "k:callbackQuery")
)  # fmt: skip
"""What a message is asked for that comes back when one of its buttons was pressed."""
_AWAITS = re.compile(r"^(?:temporalio\.workflow\.wait_condition|@temporalio/workflow\.condition)$")


def find_signalled(conduct: Conduct) -> Iterator[Sign]:
    """A flow waits until somebody has said something to it, and does only then what follows."""
    for one, call, name in conduct.iter_calls(conduct.subjects):
        if not _AWAITS.match(name):
            continue
        asked = {
            tag
            for given in call.given
            if given[:2] == "x:"
            for target in conduct.targets(one, given[2:])
            for tag in conduct.facts(target).returns
            if tag[:2] == "a:"
        }
        setting = {
            other
            for other in conduct.handlers - conduct.leading
            for write in conduct.facts(other).writes
            if write.place in asked and is_given(write.value)
        }
        after = any(
            later.line > call.line and conduct.is_effect(one, later)
            for later in conduct.facts(one).calls
        )
        if setting and after:
            yield Sign("approval_gate", one, call.line, frozenset({one, *setting}))


def find_resumed(conduct: Conduct) -> Iterator[Sign]:
    """A graph's step waits for a person, and what they say lets it go on."""
    resuming = [
        one
        for one, call, name in conduct.iter_calls()
        if name == "langgraph.types.Command" and "resume" in call.keywords and is_given(call.given)
    ]
    for one, call, name in conduct.iter_calls(conduct.subjects) if resuming else ():
        if name == "langgraph.types.interrupt" and call.given:
            yield Sign("approval_gate", one, call.line, frozenset({one}))


_ASKS = re.compile(
    r"(?:^|\.)(?:post|put|send\w*|insert\w*|publish|execute|xadd|rpush|lpush|hset|set|setex|sadd|zadd"
    r"|chat_postMessage|create)$"
)
_SLEEPS = re.compile(r"(?:^|\.)(?:sleep|setTimeout|wait|delay)$")
_BLOCKS = re.compile(r"(?:^|\.)(?:blpop|brpop|blPop|brPop|blmove|bzpopmin)$")
"""By these a store is asked, and answers when there is something."""
_LOOKS = re.compile(r"(?:^|\.)(?:get|fetch\w*|execute|find\w*|read\w*|select|hget|query|lookup)$")


def find_waited(conduct: Conduct) -> Iterator[Sign]:
    """What is done stands behind the answer that somebody gives to a question put to them.

    An own function puts it, looks again and again, and says whether it was the one that is wanted.
    """
    answered = _is_answered(conduct)
    for one in conduct.subjects:
        facts = conduct.facts(one)
        if one not in conduct.beside and one not in conduct.tools:
            continue
        for number, guard in enumerate(facts.guards):
            waiting = {
                target
                for target in conduct.list_behind(one, guard.asks)
                if _is_waiting(conduct.facts(target), answered)
            }
            acts = any(
                number in call.guards
                and conduct.is_effect(one, call)
                and not conduct.is_logged(one, call)
                for call in facts.calls
            )
            if waiting and acts:
                yield Sign("approval_gate", one, guard.line, frozenset({one, *waiting}))


def _is_answered(conduct: Conduct) -> bool:
    """Whether somebody who asks no model puts away what they were told from outside."""
    return any(
        is_change(call) and any(tag[:2] == "p:" for tag in call.given)
        for one in conduct.handlers - conduct.leading
        for call in conduct.facts(one).calls
    )


def _is_waiting(facts: FunctionFacts, answered: bool) -> bool:
    going = {
        number for number, loop in enumerate(facts.loops) if not loop.bounded or _COUNTS & loop.asks
    }
    inside = [call for call in facts.calls if going & set(call.loops)]
    looks_again = any(_SLEEPS.search(call.callee) for call in inside) and any(
        _LOOKS.search(call.callee) for call in inside
    )
    return (
        (looks_again or any(_BLOCKS.search(call.callee) for call in facts.calls))
        and any(_ASKS.search(c.callee) and is_given(c.given) for c in facts.calls if not c.loops)
        and (
            any(
                "op:==" in tags and _has_word(tags) for tags in (facts.returns, *_list_asked(facts))
            )
            or (answered and "c:False" in facts.returns and _has_found(facts, inside))
        )
    )


def _has_found(facts: FunctionFacts, inside: Sequence[CallFact]) -> bool:
    """Whether what was looked for again and again is given back."""
    return any(f"x:{c.callee}" in facts.returns for c in inside if _LOOKS.search(c.callee))


_COUNTS = frozenset(("op:<", "op:>", "op:<=", "op:>="))


def _list_asked(facts: FunctionFacts) -> Iterator[Tags]:
    return (guard.asks for guard in facts.guards if guard.leaves)


def _has_word(tags: Tags) -> bool:
    return any(tag[:2] == "t:" for tag in tags)
