"""Behaviours by which each purpose gets its own fields, and what nobody asked for is off.

Which fields those are may tell who somebody is: a letter needs an address, and a statistic none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.privacy.named_fields import FIELD, has_personal
from jurat.rating.code.function_facts import CallFact, FunctionFacts, Tags
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.external_acts import is_act
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.surroundings import is_small

_LEAST_FIELDS = 3
"""Fields that a table of purposes names, all of them together."""
_GONE_THROUGH = frozenset(("a:items", "a:entries"))
_OPEN = re.compile(r"^t:select\s*$", re.IGNORECASE)
"""How a statement begins into which the columns are put."""


def find_by_purpose(conduct: Conduct) -> Iterator[Sign]:
    """Of a record those fields are taken that a table names for what they are taken for."""
    if not is_small(conduct):
        return
    for one in conduct.subjects:
        facts = conduct.facts(one)
        line = next(iter(_iter_taken(conduct, one, facts)), 0)
        if line:
            yield Sign("fewer_fields", one, line, frozenset({one}))


def _iter_taken(conduct: Conduct, one: Function, facts: FunctionFacts) -> Iterator[int]:
    """The lines on which a record is gone through, or asked for, by what a table has for a key."""
    for guard in facts.guards:
        chosen = guard.leaves == "continue" and "op:in" in guard.asks
        handed = {tag for tag in guard.asks if tag[:2] == "p:"}  # the record, and what for
        if chosen and len(handed) > 1 and _GONE_THROUGH & guard.asks and _is_looked_up(guard.asks):
            yield guard.line
    for loop in facts.loops:
        taken = (c for c in facts.calls if any(facts.loops[n] is loop for n in c.loops))
        if not (loop.bounded and _is_looked_up(loop.asks)):
            continue
        keys = {tag for tag in loop.asks if tag[:2] == "p:"}
        sources = {
            tag
            for tags in (facts.returns, *(call.receiver for call in taken))
            for tag in tags
            if tag[:2] in ("p:", "x:")
        }
        if sources - keys:
            yield loop.line
    for call in facts.calls:
        # A statement is told its columns when it runs.
        if any(map(_OPEN.match, call.given)) and _is_looked_up(call.given):
            yield call.line


def _is_looked_up(tags: Tags) -> bool:
    """Whether a table of the file, or of another, is asked by a key for the fields that it has."""
    table = any(tag[:2] == "s:" and tag[2:].isupper() for tag in tags)
    named = {tag for tag in tags if tag[:2] == "t:" and FIELD.match(tag[2:])}
    return table and any(tag[:2] == "p:" for tag in tags) and len(named) >= _LEAST_FIELDS


# What is off unless somebody turned it on.

_SWITCHES = re.compile(
    r"\b(\w+)\s+(?:boolean|bool|tinyint(?:\(1\))?)\b[^,;()]*?\bdefault\s+(?:false|0)\b",
    re.IGNORECASE,
)


def find_off_by_default(conduct: Conduct) -> Iterator[Sign]:
    """What is kept or handed on of somebody is so only if a field of theirs says so, which is off.

    The field is one of theirs and no setting of the program: what is done has it of the same thing.
    """
    off = _list_switched_off(conduct) if is_small(conduct) else frozenset()
    for one in conduct.subjects if off else ():
        facts = conduct.facts(one)
        for number, guard in enumerate(facts.guards):
            asked = {tag[2:] for tag in guard.asks if tag[:2] in ("a:", "k:")} & off
            theirs = {tag for tag in guard.asks if tag[:2] in ("p:", "x:")}
            if asked and any(
                (theirs & (call.given | call.receiver)) and _is_handed_on(conduct, one, call)
                for call in facts.calls
                if number in call.guards
            ):
                yield Sign("fewer_fields", one, guard.line, frozenset({one}))
        for call in facts.calls:
            asked = {word for word in call.keywords if word.rpartition("__")[2] in off}
            if asked and "c:True" in call.given and _is_read(conduct, one, call):
                yield Sign("fewer_fields", one, call.line, frozenset({one}))


def _is_handed_on(conduct: Conduct, one: Function, call: CallFact) -> bool:
    kept = any(
        item.call is call and item.access in (Access.ADD, Access.CHANGE)
        for item in list_store_calls(conduct, one)
    )
    return kept or conduct.asks_model(one, call) or is_act(conduct, one, call)


def _is_read(conduct: Conduct, one: Function, call: CallFact) -> bool:
    return any(
        item.call is call and item.access is Access.READ for item in list_store_calls(conduct, one)
    )


@ask_once
def _list_switched_off(conduct: Conduct) -> frozenset[str]:
    """The fields of people that are false if nobody has set them."""
    return frozenset(_iter_switched_off(conduct))


def _iter_switched_off(conduct: Conduct) -> Iterator[str]:
    for path, file in conduct.program.files.items():
        statements = conduct.facts((path, 0))
        held = dict(file.fields)
        for name, fields in file.off:
            yield from fields if has_personal(held.get(name, ())) else ()
        yield from (
            pair.key
            for pair in statements.pairs
            if "c:False" in pair.value and any(tag.endswith(".default") for tag in pair.value)
        )
        if file.language == "sql":
            yield from (found[1] for text in statements.says for found in _SWITCHES.finditer(text))
