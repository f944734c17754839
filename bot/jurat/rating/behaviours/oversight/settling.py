"""Who settles what a system proposed, told from where it is kept and who takes it on from there.

The path that leads to a model fills a place. Somebody whom a person calls reads it there, says
something of their own, and only then something follows: a person approves. If what they say takes
the place of what the model said, they can set it aside. Neither is so if the path acts by itself,
or if what the person says goes where nobody looks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from typing import NamedTuple

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.code.function_facts import Tags
from jurat.rating.code.sql_statements import list_looked_for
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.external_acts import (
    has_act,
    has_answer,
    is_act,
    list_acts,
    list_answered,
    list_own_acts,
)
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import StoreCall, list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.stores import is_given
from jurat.rating.program.surroundings import is_small

_KEPT_KINDS = ("table:", "model:", "key:")
_ROWS = ("table:", "model:")
_WAITING_KINDS = (*_KEPT_KINDS, "field:", "s:")
"""Where something may wait. In a large program fields and keys of one name are many things, and
rows alone are known by where they stand."""
_COMMON = frozenset(
    (
        *("field:db", "field:session", "field:app", "field:body", "field:json", "field:params"),
        *("field:env", "field:query", "field:data", "field:headers", "field:user", "field:log"),
        *("field:client", "field:objects", "field:request", "field:args", "field:form", "field:id"),
        *("field:redis", "field:kv", "field:sql", "field:pool", "field:conn", "field:content"),
        *("field:choices", "field:message", "field:messages", "field:text", "field:output"),
        *("field:engine", "field:llm", "field:model", "field:repo", "field:store", "field:files"),
    )
)


class _Place(NamedTuple):
    """What the path to a model puts into a place: fields that vary, and those that are fixed."""

    varied: set[str]
    fixed: set[str]


def find_settled_proposals(conduct: Conduct) -> Iterator[Sign]:
    """A person takes on what waits, and what follows is done by nobody else."""
    for one, settled in _list_settled(conduct):
        if settled.approves:
            yield Sign("approval_gate", one, settled.line, frozenset({one, *settled.carriers}))


def find_replaced_decisions(conduct: Conduct) -> Iterator[Sign]:
    """What a person says is put in the place of what the system said."""
    for one, settled in _list_settled(conduct):
        if settled.replaces:
            yield Sign("overruling", one, settled.line, frozenset({one, *settled.carriers}))


class _Settlement(NamedTuple):
    line: int
    carriers: frozenset[Function]
    approves: bool
    replaces: bool


@ask_once
def _list_settled(conduct: Conduct) -> tuple[tuple[Function, _Settlement], ...]:
    return tuple(_find_settled(conduct))


def _find_settled(conduct: Conduct) -> Iterator[tuple[Function, _Settlement]]:
    waiting = _list_waiting(conduct)
    if not waiting:
        return
    own_acts = list_own_acts(conduct)
    for one in sorted(filter(conduct.is_subject, conduct.handlers - conduct.leading)):
        if conduct.list_verbs(one) <= _OF_MACHINES or _is_of_queue(conduct, one):
            continue
        reached = [
            item
            for item in sorted(conduct.program.walk([one], 3))
            if item not in conduct.leading
            and conduct.facts(item).name not in ("__init__", "constructor")
        ]
        found = _settle(conduct, one, reached, waiting, own_acts)
        if found is not None:
            yield one, found


_OF_MACHINES = frozenset(
    ("task", "shared_task", "actor", "job", "flow", "consume", "consumer", "process", "worker",
     "signal", "cron", "schedule", "subscribe", "register", "serve", "use")
)  # fmt: skip
"""What hands a function to a queue, the clock or a server: no person calls it so."""


def _is_of_queue(conduct: Conduct, one: Function) -> bool:
    """Whether a platform hands a function what came by a queue."""
    facts = conduct.facts(one)
    return any("a:Records" in loop.asks for loop in facts.loops)


def _list_waiting(conduct: Conduct) -> dict[str, _Place]:
    """The places that the path to a model fills, with the fields that it fills there."""
    found: defaultdict[str, _Place] = defaultdict(lambda: _Place(set(), set()))
    kinds = _WAITING_KINDS if is_small(conduct) else _ROWS
    for one in sorted(list_answered(conduct)):
        for kept in list_store_calls(conduct, one):
            if kept.access not in (Access.ADD, Access.CHANGE):
                continue
            if not has_answer(conduct, one, kept.given):
                continue
            varies = any(tag[:2] in ("p:", "x:") for tag in kept.call.given)
            for name in kept.places - _COMMON:
                if name.startswith(kinds):
                    (found[name].varied if varies else found[name].fixed).update(kept.fields)
    for one in sorted(
        list_answered(conduct)
    ):  # who hands something on says less of it than who puts it there
        always = {pair.key for pair in conduct.facts(one).pairs if pair.constant}
        for place in found.values():
            place.fixed.update(place.varied & always)
            place.varied.difference_update(always)
    return dict(found)


_LOOKING = frozenset(("get", "head", "options"))


@ask_once
def list_reached_to_change(conduct: Conduct) -> frozenset[Function]:
    """The functions that people reach by calls that may change something, and do not only look."""
    changing = {
        one
        for one in conduct.handlers
        if not (verbs := conduct.list_verbs(one)) or verbs - _LOOKING or _has_change(conduct, one)
    }
    return conduct.program.walk(changing, 2)


def _has_change(conduct: Conduct, one: Function) -> bool:
    """Whether something is changed, or done, although it is asked for as if to look."""
    return any(
        kept.access is not Access.READ and kept.outlives
        for item in conduct.program.walk([one], 2)
        for kept in list_store_calls(conduct, item)
    ) or any(any(list_acts(conduct, item)) for item in conduct.program.walk([one], 2))


@ask_once
def _list_watched(conduct: Conduct) -> frozenset[str]:
    """The fields that somebody asks before going on, in lower case: in a condition, or in what is
    looked for.
    """
    found: set[str] = set()
    for one in conduct.product:
        facts = conduct.facts(one)
        for guard in facts.guards:
            found.update(tag[2:] for tag in guard.asks if tag[:2] in ("a:", "k:"))
        for kept in list_store_calls(conduct, one):
            if kept.access is not Access.ADD:
                found.update(kept.call.keywords)
                texts = [tag[2:] for tag in kept.given if tag[:2] == "t:"]
                found.update(w for text in texts for w in list_looked_for(text))
                if kept.access is Access.READ:
                    found.update(tag[2:] for tag in kept.call.given if tag[:2] == "k:")
                    found.update(tag[2:] for tag in kept.call.given if tag[:2] == "a:")
    return frozenset(field.lower() for field in found)


def _settle(
    conduct: Conduct,
    one: Function,
    reached: list[Function],
    waiting: dict[str, _Place],
    own_acts: set[str],
) -> _Settlement | None:
    """What a person's call settles of what waits, None if nothing."""
    carriers: set[Function] = set()
    looked: set[str] = set()
    settled: set[str] = set()
    chosen, replaced, decided = False, False, False
    line = conduct.facts(one).first
    for item in reached:
        kept_here = list_store_calls(conduct, item)
        ids = _list_ids(kept_here)
        for kept in kept_here:
            inside = kept.places & waiting.keys()
            if kept.access is not Access.ADD and inside:
                looked |= inside
                carriers.add(item)
            says = _is_chosen(kept.call.given, ids)
            chosen = chosen or (says and kept.access in (Access.ADD, Access.CHANGE))
            if kept.access is not Access.CHANGE or not inside:
                continue
            fields = {field.lower() for field in kept.fields}
            settled |= fields
            for place in inside:
                varied = {f.lower() for f in waiting[place].varied} - _PLAIN_FIELDS
                fixed = {f.lower() for f in waiting[place].fixed}
                replaced = replaced or (says and bool(fields & varied))
                mine = fields - varied - _PLAIN_FIELDS
                decided = decided or bool(
                    (says or kept.call.given)
                    and (mine & fixed or (mine and mine & _list_watched(conduct)))
                )
        read = {f"x:{k.call.callee}" for k in kept_here if k.access is Access.READ}
        said = [guard.asks for guard in conduct.facts(item).guards]
        chosen = chosen or any(
            is_given(tags) and _is_word_compared(tags) and not read & tags for tags in said
        )
        said += [c.given for c in conduct.facts(item).calls if is_act(conduct, item, c)]
        chosen = chosen or any(_is_chosen(tags, ids) for tags in said)
    if not looked or not _has_writing(conduct, one):
        return None
    acts = {act for item in reached for act in list_acts(conduct, item)}
    follows = bool(acts - own_acts) and chosen and not acts & own_acts
    waits = decided and not own_acts and not is_done_anyway(conduct, looked, settled)
    # What it looks at itself shows whatever those do whom it calls.
    needed = frozenset() if one in carriers else frozenset(carriers)
    return _Settlement(line, needed, follows or waits, replaced or (chosen and (follows or waits)))


def is_done_anyway(conduct: Conduct, places: Set[str], settled: Set[str]) -> bool:
    """Whether whoever takes something from there acts on it, and none asks what was settled.

    Who is called by people does what they want of it, and is asked elsewhere.
    """
    people = {one for one in conduct.handlers if not conduct.list_verbs(one) <= _OF_MACHINES}
    called = conduct.program.walk(people, 3) | conduct.leading
    taking = [
        _list_asked(conduct, one)
        for one in conduct.product
        if one not in called
        and any(
            kept.access is Access.READ and places & kept.places
            for kept in list_store_calls(conduct, one)
        )
        and any(has_act(conduct, one, call) for call in conduct.facts(one).calls)
    ]
    said = settled - _PLAIN_FIELDS
    return bool(taking) and not any(said & asked for asked in taking)


def _list_asked(conduct: Conduct, one: Function) -> frozenset[str]:
    """The fields that a function asks, in lower case: in a condition, or in what it looks for."""
    facts = conduct.facts(one)
    found = {tag[2:] for guard in facts.guards for tag in guard.asks if tag[:2] in ("a:", "k:")}
    for kept in list_store_calls(conduct, one):
        if kept.access is Access.READ:
            found.update(
                kept.call.keywords, (tag[2:] for tag in kept.call.given if tag[:2] == "k:")
            )
            texts = (tag[2:] for tag in kept.given if tag[:2] == "t:")
            found.update(word for text in texts for word in list_looked_for(text))
    return frozenset(field.lower() for field in found)


_PLAIN_FIELDS = frozenset(
    ("id", "at", "key", "ts", "text", "type", "name", "updated_at", "by", "data", "where", "set")
)
"""Fields that anything has, and what a mapper calls that which is changed."""


def _has_writing(conduct: Conduct, one: Function) -> bool:
    """Whether a person's function is one by which something is changed, and not only looked at."""
    verbs = conduct.list_verbs(one)
    return not verbs or verbs != {"get"}


def _is_word_compared(tags: Tags) -> bool:
    """Whether something is held against a fixed word, such as the verb of an address."""
    return "op:==" in tags and any(tag[:2] == "t:" and tag[2:].isalpha() for tag in tags)


def _list_ids(kept: tuple[StoreCall, ...]) -> frozenset[str]:
    """What only says which one is meant."""
    return frozenset(
        tag
        for one in kept
        if one.access is Access.READ
        for tag in one.call.given
        if tag[:2] in ("p:", "a:")
    )


_SAID = frozenset(
    ("a:body", "a:json", "a:query", "a:form", "a:args", "a:POST", "a:data", "a:payload", "a:values")
)
"""The parts of a request in which somebody says something, beside its address."""


def _is_chosen(tags: Tags, ids: frozenset[str]) -> bool:
    """Whether a person says more than which one is meant."""
    given = {tag for tag in tags if tag[:2] == "p:"}
    if given - ids or tags & _SAID - ids:
        return True
    return not given and is_given(tags)
