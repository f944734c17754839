"""A behaviour by which people put something else in the place of what a system decided."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import NamedTuple

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.behaviours.oversight.preferred import list_preferred
from jurat.rating.behaviours.oversight.settling import (
    find_replaced_decisions,
    list_reached_to_change,
)
from jurat.rating.code.function_facts import CallFact, WriteFact
from jurat.rating.program.changed_fields import (
    PLAIN_FIELDS,
    is_change_statement,
    is_noted,
    list_said_fields,
    list_set_columns,
)
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.external_acts import list_acts, list_answered, list_own_acts
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.stores import (
    is_addition,
    is_change,
    is_given,
    is_removal,
    list_called,
    list_filled,
    list_touched,
    list_written,
)
from jurat.rating.program.surroundings import are_acquainted, is_small
from jurat.rating.texts.terms import build_stem_choices

_OVERRULED = re.compile(
    r"overrid|overrul|revers|appeal|contest|correct|revert|undo|reopen|disregard|set_?aside"
    r"|final_?(?:decision|verdict|score|outcome)|human_(?:decision|verdict|score)|amend|dismiss"
    rf"|replac|reconsider|{build_stem_choices('word.overrule')}",
    re.IGNORECASE,
)


@register_behaviour("overruling")
def find_overruling(conduct: Conduct) -> Iterator[Sign]:
    """A person puts something else in the place of what the system decided."""
    yield from find_replaced_decisions(conduct)
    if not is_small(conduct):
        return  # words for it, and fields of one name, are everywhere
    yield from _find_preferred(conduct)
    around = conduct.beside & set(conduct.product)
    decided = {key for one in around for key in list_said_fields(conduct, one)} - PLAIN_FIELDS
    for changer in _iter_changers(conduct):
        one = changer.function
        facts = conduct.facts(one)
        for write in facts.writes:
            if _is_written_over(conduct, changer, write):
                yield Sign("overruling", one, write.line, frozenset({one}))
        for call in facts.calls:
            if _is_put_in_place(conduct, changer, call, decided):
                yield Sign("overruling", one, call.line, frozenset({one}))


def _find_preferred(conduct: Conduct) -> Iterator[Sign]:
    """What a person puts beside a decision is what is shown wherever somebody looks for one."""
    pairs = {pair for one in conduct.product for t in conduct.facts(one).says
             for pair in list_preferred(t)}  # fmt: skip
    if not pairs:
        return
    decided = _list_decided(conduct)
    reached = list_reached_to_change(conduct)
    wanted = {f"table:{first}" for first, second in pairs if f"table:{second}" in decided}
    for one in filter(reached.__contains__, conduct.subjects):
        for kept in list_store_calls(conduct, one) if one not in conduct.beside else ():
            adds = kept.access in (Access.ADD, Access.CHANGE) and is_given(kept.call.given)
            if adds and wanted & kept.places:
                yield Sign("overruling", one, kept.call.line, frozenset({one}))


class _Changer(NamedTuple):
    """A function by which people reach what is kept.

    `routes` are the texts that it is registered by, in one; `filled` the places of decisions that
    it has to do with. `is_late` says that the system has acted already, and nothing follows.
    """

    function: Function
    routes: str
    filled: frozenset[str]
    is_late: bool

    def is_worded(self, text: str) -> bool:
        """Whether a text, or a route, has a word for it, and the word may change something."""
        return not self.is_late and any(map(_OVERRULED.search, (text, self.routes)))


def _iter_changers(conduct: Conduct) -> Iterator[_Changer]:
    everywhere = _list_decided(conduct)
    own_acts = list_own_acts(conduct)
    reached = list_reached_to_change(conduct)
    for one in conduct.subjects:
        if one in conduct.beside or one not in reached:
            continue
        filled = frozenset(
            place
            for place in list_touched(conduct, one) & everywhere.keys()
            if any(are_acquainted(conduct, one[0], path) for path in everywhere[place])
        )
        # If the system has acted already, a word for it changes nothing unless something follows.
        is_late = bool(own_acts) and not any(
            any(list_acts(conduct, item)) for item in conduct.program.walk([one], 2)
        )
        yield _Changer(one, " ".join(conduct.list_routes(one)), filled, is_late)


def _is_written_over(conduct: Conduct, changer: _Changer, write: WriteFact) -> bool:
    """Whether a function writes what it was given into a field that holds what was decided."""
    if not is_given(write.value):
        return False
    one, field = changer.function, write.place[2:]
    kept = not changer.filled.isdisjoint(list_written(conduct, one, write))
    if kept and _has_decision(field):
        return True
    said = field if write.place[:2] == "k:" else ""
    return changer.is_worded(said) and _is_looked_at(conduct, one, field)


def _is_put_in_place(
    conduct: Conduct, changer: _Changer, call: CallFact, decided: Collection[str]
) -> bool:
    """Whether a call puts what it was given where a decision was; `decided` are fields of those."""
    one = changer.function
    if not is_given(call.given):
        return False
    says = [tag[2:] for tag in call.given | call.receiver if tag[:2] in ("t:", "k:")]
    statements = [text for text in says if is_change_statement(text)]
    keys = {tag[2:] for tag in call.given if tag[:2] == "k:"}
    keys |= {column for text in statements for column in list_set_columns(text)}
    in_place = (
        is_change(call)
        and not is_removal(call)
        and not changer.filled.isdisjoint(list_called(conduct, one, call))
    )
    is_named = any(map(changer.is_worded, (*says, ""))) or (
        in_place
        and (not keys.isdisjoint(decided) or any(map(_has_decision, (*keys, changer.routes))))
    )
    if statements:
        acts = not (is_addition(call) and _is_unread(conduct, one, call))
    else:
        asks = call.callee.rpartition(".")[2] in ("get", "find", "select")
        acts = not asks and not is_noted(conduct, one, call)
    return acts and is_named and conduct.is_effect(one, call)


def _list_decided(conduct: Conduct) -> dict[str, set[str]]:
    """The places that who has an answer puts something into, each with the files of those."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for one in list_answered(conduct):
        for place in list_filled(conduct, [one]):
            found[place].add(one[0])
    return found


def _is_looked_at(conduct: Conduct, one: Function, field: str) -> bool:
    """Whether anybody else looks at a field: else what is put there is an opinion in a drawer."""
    tags = {f"a:{field}", f"k:{field}", f"t:{field}"}
    for item in conduct.product:
        facts = conduct.facts(item)
        if item == one:
            continue
        looked = [facts.returns, *(guard.asks for guard in facts.guards)]
        looked += [tags for call in facts.calls for tags in (call.given, call.receiver)]
        if any(not tags.isdisjoint(said) for said in looked):
            return True
    return any(_SELECTS_ALL.search(t) for it in conduct.product for t in conduct.facts(it).says)


_SELECTS_ALL = re.compile(r"^\s*SELECT\s+\*", re.IGNORECASE)


def _is_unread(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether nobody takes anything out of where a call puts something."""
    added = {p for p in list_called(conduct, one, call) if p.startswith(("table:", "model:"))}
    read = {
        place
        for item in conduct.product
        for kept in list_store_calls(conduct, item)
        if kept.access is Access.READ
        for place in kept.places
    }
    return bool(added) and not added & read


_DECIDED_WORD = re.compile(
    r"decision|decided|outcome|verdict|result|final|mark|grade|level|state|status|granted|approved"
    rf"|refus|reject|grounds|settle|conclu|{build_stem_choices('word.decided')}",
    re.IGNORECASE,
)


def _has_decision(text: str) -> bool:
    return _DECIDED_WORD.search(text) is not None
