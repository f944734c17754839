"""Behaviour by which people have their data deleted, or made nobody's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.behaviours.records.blanking import find_blanked
from jurat.rating.behaviours.records.record_calls import INSERT
from jurat.rating.code.function_facts import CallFact, Tags
from jurat.rating.code.tag_search import has_name, has_text
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.external_acts import list_path
from jurat.rating.program.program_names import Function
from jurat.rating.program.program_starts import is_beside
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import REMOVING_NAME, REMOVING_STATEMENT, Access
from jurat.rating.program.stores import get_last, is_given

_ERASING = re.compile(r"eras|delet|forget|gdpr|remov|purge|right-to|anonymi[sz]", re.IGNORECASE)


_ERASES_USER = re.compile(
    r"(?:^|[._])(?:admin_?)?(?:delete|remove|destroy)_?(?:user|account|identity)s?$", re.IGNORECASE
)
"""How services that keep accounts are told that one goes, whatever the program calls it."""


@register_behaviour("subject_erasure")
def find_erasure(conduct: Conduct) -> Iterator[Sign]:
    """Somebody's data is deleted at a call from outside, by whom it is about.

    Who deletes something, and leaves all that the path to a model keeps of them, erases nobody.
    """
    filled = _list_filled_of_people(conduct)
    for one in conduct.subjects:
        later = _list_asked_before(conduct, one)
        if not (conduct.is_asked_by_people(one) or later) or _is_left_behind(conduct, one, filled):
            continue
        if _is_of_view(conduct, one):
            yield Sign("subject_erasure", one, conduct.facts(one).first, frozenset({one}))
        wish = _Wish(conduct, one)
        for line in find_blanked(conduct, one, filled):
            if wish.is_said():
                yield Sign("subject_erasure", one, line, frozenset({one}))
        for call in conduct.facts(one).calls:
            if _ERASES_USER.search(conduct.name(one, call.callee) or "-") and call.arguments:
                yield Sign("subject_erasure", one, call.line, frozenset({one}))
            if _is_hidden(conduct, one, call):
                continue
            if _is_removal_of(conduct, one, call) and _is_kept_there(conduct, one, call, filled):
                parts = (call.given | call.receiver, *_list_chained(conduct, one, call))
                texts = _list_texts(conduct, one, call)
                if (any(map(wish.is_of_them, parts)) and wish.is_said(texts, parts)) or any(
                    not later.isdisjoint(tags) for tags in parts
                ):
                    yield Sign("subject_erasure", one, call.line, frozenset({one}))


_SENT = re.compile(r"^(?:axios|requests|httpx|aiohttp|got|ky|superagent)\b")
_OF_SOMEBODY = re.compile(
    r"user|account|profile|customer|contact|member|person|people|patient|candidate|applicant|data|eras"
    r"|forget|privacy|conversation|thread|message|history|record|document|file|vector|memor",
    re.IGNORECASE,
)


def _is_removal_of(conduct: Conduct, one: Function, call: CallFact) -> bool:
    name = conduct.name(one, call.callee) or "-"
    if _SENT.match(name):
        # Another service is told that something ends: what it keeps of somebody must be named.
        # In the address: a key beside it says whose the call is, not what ends.
        said = frozenset(tag for tag in call.given if tag.startswith("t:"))
        return name.endswith(".delete") and has_text(said, _OF_SOMEBODY)
    return REMOVING_NAME.search(name) is not None or any(
        REMOVING_STATEMENT.search(tag[2:]) for tag in call.given if tag[:2] == "t:"
    )


def _is_hidden(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a row's class has a way of its own to be deleted, by which nothing goes.

    It sets a field that says so, and the row stays.
    """
    last = get_last(call)
    kept = next((k for k in list_store_calls(conduct, one) if k.call is call), None)
    for place in kept.places if kept is not None else ():
        kind, _, rest = place.partition(":")
        path, _, owner = rest.rpartition(":")
        if kind != "model" or path not in conduct.program.files:
            continue
        for function in conduct.program.files[path].functions:
            if (function.owner, function.name.lower()) == (owner, last):
                return not any(get_last(inner) == last for inner in function.calls)
    return False


def _list_chained(conduct: Conduct, one: Function, call: CallFact) -> Iterator[Tags]:
    """What the calls are given that are chained to a call."""
    return (c.given for c in conduct.facts(one).calls if f"x:{call.callee}" in c.receiver)


def _list_texts(conduct: Conduct, one: Function, call: CallFact) -> list[str]:
    """What a call says, and the conditions that it stands behind."""
    guards = (tag for guard in conduct.list_guards(one, call) for tag in guard.asks)
    return [tag[2:] for tag in (*call.given, *guards) if tag[:2] == "t:"]


class _Wish:
    """Who asks a function for something, and by which words."""

    def __init__(self, conduct: Conduct, one: Function) -> None:
        heads = _list_heads(conduct, one)
        self._words = [route for head in heads for route in conduct.list_routes(head)]
        self._words += _iter_chosen(conduct, one)
        self._deletes = any("delete" in conduct.list_verbs(head) for head in heads)
        self._deletes |= _is_removing_alone(conduct, one)
        self._outer, self._handles = _list_outer(conduct, one), _list_handles(conduct, one)

    def is_of_them(self, tags: Tags) -> bool:
        """Whether a value is one that whoever asks said, or is known by."""
        return (
            is_given(tags - self._handles)
            or not self._outer.isdisjoint(tags)
            or has_name(tags, _OPTIONS)
            or _is_self(tags)
        )

    def is_said(self, texts: Iterable[str] = (), parts: Iterable[Tags] = ()) -> bool:
        """Whether it is asked that something goes. Who takes all of their own has asked so."""
        said = _ERASING.search(" ".join((*self._words, *texts)))
        return said is not None or self._deletes or any(map(_is_all_of_self, parts))


def _is_removing_alone(conduct: Conduct, one: Function) -> bool:
    """Whether all that a function of a large program does to stores is to remove.

    Whoever calls it from outside has asked for that. A small program is known by its routes.
    """
    around = (one, *_list_around(conduct, one))
    if conduct.is_small or not any(item in conduct.handlers for item in around):
        return False
    kept = (kept for item in around for kept in list_store_calls(conduct, item))
    return {item.access for item in kept} - {Access.READ} == {Access.REMOVE}


def _iter_chosen(conduct: Conduct, one: Function) -> Iterator[str]:
    """The texts by which whoever calls a function chooses to."""
    for caller in conduct.program.callers.get(one, ()):
        for call in conduct.facts(caller).calls:
            if one in conduct.targets(caller, call.callee):
                for guard in conduct.list_guards(caller, call):
                    yield from (tag[2:] for tag in guard.asks if tag[:2] == "t:")


_OPTIONS = re.compile(r"(?:^|\.)parse(?:_known)?_args$")
"""What a command is told."""
_WHO = re.compile(
    r"(?:^|[./])(?:auth|getUser|getSession|getServerSession|currentUser|current_user|get_jwt_identity"
    r"|requireUser|validateRequest)(?:\(\))?$"
)
"""What tells who calls."""
_SELF = frozenset(("a:user", "a:userId", "a:user_id", "a:uid", "a:auth", "a:current_user"))
_SAID = frozenset(
    ("a:params", "a:body", "a:input", "a:query", "a:args", "a:json", "a:data", "a:GET", "a:POST")
)
"""By these somebody says which thing is meant."""


def _is_self(tags: Tags) -> bool:
    return has_name(tags, _WHO)


def _is_all_of_self(tags: Tags) -> bool:
    """Whether all that a value says is who calls."""
    handed = {tag for tag in tags if tag[:2] == "p:"}
    known = _is_self(tags) if not handed else len(handed) == 1 and not _SELF.isdisjoint(tags)
    return known and _SAID.isdisjoint(tags)


_VIEWS = re.compile(
    r"(?:^|\.)(?:DeleteView|DestroyAPIView|RetrieveDestroyAPIView|RetrieveUpdateDestroyAPIView)$"
)
"""Views that delete what they are told to find."""


def _is_of_view(conduct: Conduct, one: Function) -> bool:
    """Whether a framework's view deletes what a function gives, and that is whoever calls."""
    facts = conduct.facts(one)
    return (
        facts.name in ("get_object", "get_queryset")
        and not _SELF.isdisjoint(facts.returns)
        and any(map(_VIEWS.search, conduct.program.list_roots(one[0], facts.owner)))
    )


# Wishes that are put by, and carried out when their time comes.


def _list_asked_before(conduct: Conduct, one: Function) -> Tags:
    """What a function that the clock starts has of the wishes that people put by."""
    if one not in _list_clocked(conduct):
        return frozenset()
    wishes = _list_wishes(conduct)
    return frozenset(
        f"x:{kept.call.callee}"
        for kept in list_store_calls(conduct, one)
        if kept.access is Access.READ and kept.places & wishes
    )


@ask_once
def _list_clocked(conduct: Conduct) -> frozenset[Function]:
    return conduct.program.walk(conduct.scheduled, 2)


@ask_once
def _list_wishes(conduct: Conduct) -> frozenset[str]:
    """The places into which people put that something of them is to go."""
    return frozenset(
        place
        for one in conduct.handlers
        for kept in list_store_calls(conduct, one)
        if kept.access in (Access.ADD, Access.CHANGE) and is_given(kept.given)
        for place in kept.places
        if _ERASING.search(" ".join((place, *conduct.list_routes(one))))
    )


_OF_SOMEBODY = re.compile(
    r"user|account|owner|person|people|profile|customer|patient|candidate|applicant|member"
    r"|chat|conversation|message|thread|session|histor|memor|document|upload|file(?!_?(?:name|path|_?handle|_?type|system))|record|artifact"
    r"|collection|recording|transcript|avatar|photo|voice|face|resume|report",
    re.IGNORECASE,
)
"""What is of somebody, or was said or handed in by them; a large program has things of its own."""


def is_of_somebody(conduct: Conduct, one: Function, line: int) -> bool:
    """Whether what a line removes is said to be somebody's, by its place, its keys or a route.

    A field that is taken off a mapping by its name is left out there, and kept where it came from;
    what the process works with is nobody's, and a script beside the product is run by its makers.
    """
    if is_beside(one[0]):
        return False
    routes = (r for head in _list_heads(conduct, one) for r in conduct.list_routes(head))
    calls = [call for call in conduct.facts(one).calls if call.line == line]
    if calls and all(get_last(call) == "pop" and call.first for call in calls):
        return False
    tags = (tag for call in calls for tag in call.given | call.receiver)
    said = (tag[2:] for tag in tags if tag[:2] in ("a:", "k:", "t:", "p:"))
    kept = [item for item in list_store_calls(conduct, one) if item.call in calls]
    if kept and not any(item.outlives for item in kept):
        return False
    places = (place for item in kept for place in item.places)
    return any(map(_OF_SOMEBODY.search, (*routes, *said, *places)))


def _list_heads(conduct: Conduct, one: Function) -> list[Function]:
    """A function with those around it, and who calls any of them.

    What is done in a transaction is handed to the database, and nobody calls it by name.
    """
    around = [one, *_list_around(conduct, one)]
    return [*around, *(c for item in around for c in conduct.program.callers.get(item, ()))]


def _list_around(conduct: Conduct, one: Function) -> Iterator[Function]:
    """The functions in which a function is made, the nearest first."""
    parent = conduct.facts(one).parent
    while parent > 0:
        one = (one[0], parent)
        yield one
        parent = conduct.facts(one).parent


def _list_outer(conduct: Conduct, one: Function) -> frozenset[str]:
    """The tags of what the functions around a function were handed."""
    return frozenset(
        f"h:{name}"
        for around in _list_around(conduct, one)
        for name in conduct.facts(around).parameters
    )


def _list_handles(conduct: Conduct, one: Function) -> frozenset[str]:
    """The tags of what a library hands to a function that was made for it, such as a transaction.

    It is the store's, and nothing that a person said.
    """
    facts = conduct.facts(one)
    callers = conduct.program.callers.get(one, frozenset()) - {(one[0], facts.parent)}
    if facts.parent <= 0 or one in conduct.handlers or callers:
        return frozenset()
    return frozenset(f"p:{name}" for name in facts.parameters)


def _is_kept_there(conduct: Conduct, one: Function, call: CallFact, filled: frozenset[str]) -> bool:
    """Whether a call removes out of where things are kept, and not what the process works with."""
    kept = next((k for k in list_store_calls(conduct, one) if k.call is call), None)
    if kept is None or kept.outlives:
        return True
    if kept.places & filled:
        return not _is_copy(conduct, kept.places)
    name = conduct.name(one, call.callee)
    return conduct.program.modules.is_absent(name) or _is_all_of_self(call.receiver)


def _is_copy(conduct: Conduct, places: frozenset[str]) -> bool:
    """Whether what stands in a small program's memory is written where it stays, by who puts it."""
    for one in list_path(conduct) if conduct.is_small else ():
        kept = [item for item in list_store_calls(conduct, one) if item.access is Access.ADD]
        lasting = any(item.outlives and not item.places & places for item in kept)
        if lasting and any(item.places & places for item in kept):
            return True
    return False


def _list_filled_of_people(conduct: Conduct) -> frozenset[str]:
    """The places into which the path to a model puts what it is given, or what came of it."""
    put = [
        kept
        for one in list_path(conduct)
        for kept in list_store_calls(conduct, one)
        if kept.access in (Access.ADD, Access.CHANGE)
        and any(tag[:2] in ("p:", "x:") for tag in kept.call.given)
    ]
    added = [kept for kept in put if kept.access is Access.ADD or _is_put_whole(kept.call)]
    return frozenset(
        place
        for kept in added or put
        for place in kept.places
        if place.startswith(("table:", "model:", "key:"))
        or (kept.access is Access.ADD and not kept.outlives)
    )


def _is_put_whole(call: CallFact) -> bool:
    """Whether a call puts a thing where there may be none yet."""
    return get_last(call) in ("put", "save", "set", "write_text", "writefile", "writefilesync") or (
        any(INSERT.search(tag) for tag in call.given if tag[:2] == "t:")
    )


def _is_left_behind(conduct: Conduct, one: Function, filled: frozenset[str]) -> bool:
    """Whether what a function removes is known, and nothing of it is what the path keeps."""
    heads = [one, *(c for c in conduct.program.callers.get(one, ()) if c in conduct.handlers)]
    removing = [
        kept
        for item in conduct.program.walk(heads, 3)
        for kept in list_store_calls(conduct, item)
        if kept.access is Access.REMOVE
    ]
    removed = {place for kept in removing for place in kept.places}
    if any(kept.outlives and not _has_own_place(kept.places) for kept in removing):
        return False  # something of a store, and nobody knows what
    return bool(removed and filled) and not (removed & filled) and not conduct.tables.has_cascade


def _has_own_place(places: frozenset[str]) -> bool:
    return any(place.startswith(("table:", "model:", "key:", "s:")) for place in places)
