"""What is made nobody's where it stands: fields are emptied, or lines are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.code.function_facts import CallFact, FunctionFacts, PairFact, Tags
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.stores import is_given
from jurat.rating.texts.personal_fields import PERSONAL_KEY

_UPDATE = re.compile(r"\s*UPDATE\s+\S+\s+SET\s+(.*?)(?:\bWHERE\b|\Z)", re.IGNORECASE | re.DOTALL)
_EMPTIED = re.compile(r"(\w+)\s*=\s*(?:NULL\b|'')", re.IGNORECASE)
_UPDATES = re.compile(r"(?:^|\.)(?:update|update_\w+|update(?:One|Many)|save)$")
_LEAST = 2
"""Fields that are emptied before it is somebody who goes, and not something that they changed."""


def find_blanked(conduct: Conduct, one: Function, filled: frozenset[str]) -> Iterator[int]:
    """The lines on which what is held of somebody is emptied, or left out."""
    emptied: set[str] = set()
    line, of_path = 0, False
    for kept in list_store_calls(conduct, one):
        fields = (
            _list_emptied(conduct.facts(one), kept.call) if kept.access is Access.CHANGE else ()
        )
        if fields and is_given(kept.given):
            emptied.update(fields)
            line, of_path = line or kept.call.line, of_path or bool(kept.places & filled)
    for write in conduct.facts(one).writes:
        if write.place[:2] == "a:" and _is_empty(write.value) and is_given(write.base):
            emptied.add(write.place[2:])
            line = line or write.line
    if len(emptied) >= _LEAST and (of_path or any(map(PERSONAL_KEY.search, emptied))):
        yield line
    yield from _find_left_out(conduct, one, filled)


def _list_emptied(facts: FunctionFacts, call: CallFact) -> frozenset[str]:
    """The fields that a call empties in a store."""
    if update := _UPDATE.match(call.first):
        return frozenset(_EMPTIED.findall(update[1]))
    if not _UPDATES.search(call.callee):
        return frozenset()
    return frozenset(pair.key for pair in facts.pairs if _is_emptied_by(pair, call))


def _is_emptied_by(pair: PairFact, call: CallFact) -> bool:
    said = pair.key in call.keywords or f"k:{pair.key}" in call.given
    return said and pair.line >= call.line and _is_empty(pair.value)


def _is_empty(value: Tags) -> bool:
    return bool(value) and value <= _EMPTY


_EMPTY = frozenset(("t:", "c:None"))
_OTHERS = frozenset(("op:!=", "op:not in", "op:!=="))
_PUTS_BACK = re.compile(
    r"(?:^|\.)(?:write\w*|dump\w*|writeFile(?:Sync)?|setItem|set|put|to_csv|to_json|save)$"
)


def _find_left_out(conduct: Conduct, one: Function, filled: frozenset[str]) -> Iterator[int]:
    """Lines that are written anew but for those of somebody."""
    facts = conduct.facts(one)
    left = [
        guard.asks
        for guard in facts.guards
        if guard.leaves == "continue" and guard.asks & _OTHERS and is_given(guard.asks)
    ]
    left += [
        call.receiver | {f"x:{call.callee}"}
        for call in facts.calls
        if _is_leaving_out(conduct, one, call)
    ]
    for kept in list_store_calls(conduct, one):
        held = frozenset(tag for tag in kept.call.given if tag[:2] in ("x:", "s:"))
        if (
            _PUTS_BACK.search(kept.call.callee)
            and any(held & asks for asks in left)
            and (kept.outlives or kept.places & filled)
        ):
            yield kept.call.line


def _is_leaving_out(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a filter keeps what is not somebody's."""
    if not call.callee.endswith(".filter"):
        return False
    handed = (tag[2:] for tag in call.given if tag.startswith("x:function:"))
    return any(
        conduct.facts(target).returns & _OTHERS and is_given(conduct.facts(target).returns)
        for name in handed
        for target in conduct.targets(one, name)
    )
