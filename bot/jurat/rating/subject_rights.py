"""Behaviours by which people have their data deleted, get it, or remark on what was done."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviour import Sign, register_behaviour
from jurat.rating.conduct import Conduct
from jurat.rating.function_facts import CallFact
from jurat.rating.program_names import Function
from jurat.rating.record_calls import INSERT, PUT
from jurat.rating.settling import list_path
from jurat.rating.store_calls import list_store_calls
from jurat.rating.store_verbs import REMOVING_NAME, REMOVING_STATEMENT, Access
from jurat.rating.stores import get_last, is_gathered, is_given
from jurat.rating.surroundings import is_small
from jurat.rating.tag_search import has_text

_ERASING = re.compile(r"eras|delet|forget|gdpr|remov|purge|right-to", re.IGNORECASE)
_HANDING_OUT = re.compile(
    r"export|my-?data|/me\b|/data\b|subject|access|portab|dsar|takeout"
    r"|(?:download|copy)[\w/-]*(?:data|\bm[ey]\b)|(?:data|\bm[ey]\b)[\w/-]*(?:download|copy)",
    re.IGNORECASE,
)
_FED_BACK = re.compile(
    r"feedback|complain|appeal|report[-_]?(?:problem|issue|error)|contest|dispute|objection|thumbs"
    r"|flag|grievance|rating",
    re.IGNORECASE,
)


@register_behaviour("subject_erasure")
def find_erasure(conduct: Conduct) -> Iterator[Sign]:
    """Somebody's data is deleted at a call from outside, by whom it is about.

    Who deletes something, and leaves all that the path to a model keeps of them, erases nobody.
    """
    filled = _list_filled_of_people(conduct)
    for one in conduct.subjects:
        if not conduct.is_asked_by_people(one) or _is_left_behind(conduct, one, filled):
            continue
        heads = _list_heads(conduct, one)
        routes = " ".join(r for h in heads for r in conduct.list_routes(h))
        verbs = {verb for head in heads for verb in conduct.list_verbs(head)}
        outer, handles = _list_outer(conduct, one), _list_handles(conduct, one)
        for call in conduct.facts(one).calls:
            name = conduct.name(one, call.callee) or "-"
            texts = [tag[2:] for tag in call.given if tag[:2] == "t:"]
            removes = REMOVING_NAME.search(name) or any(
                REMOVING_STATEMENT.search(text) for text in texts
            )
            chained = (c for c in conduct.facts(one).calls if f"x:{call.callee}" in c.receiver)
            parts = (call.given | call.receiver, *(other.given for other in chained))
            by_whom = any(is_given(tags - handles) or not outer.isdisjoint(tags) for tags in parts)
            said = _ERASING.search(" ".join((routes, *texts)))
            asked = by_whom and (said or "delete" in verbs)
            if removes and asked and _is_kept_there(conduct, one, call, filled):
                yield Sign("subject_erasure", one, call.line, frozenset({one}))


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
    if kept is None or kept.outlives or kept.places & filled:
        return True
    name = conduct.name(one, call.callee)
    return conduct.program.modules.is_absent(name) or _WHO_CALLS.search(name) is not None


_WHO_CALLS = re.compile(r"(?:^|[./])(?:req|request|Request\(\)|current_user\(\)|session)\.user\.")
"""The account of whoever calls, taken from the call: who deletes it deletes their own."""


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


@register_behaviour("subject_access")
def find_access(conduct: Conduct) -> Iterator[Sign]:
    """Somebody gets what is held about them."""
    for one in sorted(conduct.handlers):
        facts = conduct.facts(one)
        routes = " ".join(conduct.list_routes(one))
        reads = is_given(facts.returns) and any(tag[:2] == "x:" for tag in facts.returns)
        if _HANDING_OUT.search(routes) and reads and one not in conduct.leading:
            yield Sign("subject_access", one, facts.first, frozenset({one}))


@register_behaviour("feedback_kept")
def find_feedback(conduct: Conduct) -> Iterator[Sign]:
    """What those who are affected say is taken in and kept.

    In a large program commands are run by those who build with it, or serve it.
    """
    small = is_small(conduct)
    for one in sorted(conduct.handlers):
        if not small and conduct.list_verbs(one) == {"command"}:
            continue
        facts = conduct.facts(one)
        routed = _FED_BACK.search(" ".join(conduct.list_routes(one))) is not None
        for item in (one, *sorted(conduct.program.edges.get(one, ()))):
            there = conduct.facts(item)
            for call in there.calls:
                if (
                    (routed or _is_remark(call))
                    and is_given(call.given)
                    and PUT.search(conduct.name(item, call.callee) or "-")
                    and not _is_local(conduct, item, call)
                ):
                    yield Sign("feedback_kept", one, facts.first or 1, frozenset({one, item}))
            if routed and any(is_given(write.value) for write in there.writes):
                yield Sign("feedback_kept", one, facts.first or 1, frozenset({one, item}))


def _is_local(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what is put goes into a list or an object that nobody else has."""
    if is_gathered(conduct.facts(one), call):
        return True
    kept = next((k for k in list_store_calls(conduct, one) if k.call is call), None)
    return kept is not None and not kept.outlives and not kept.places


def _is_remark(call: CallFact) -> bool:
    """Whether what is put away says that somebody remarks on something: its place or a field."""
    said = has_text(call.given, _FED_BACK) or has_text(call.receiver, _FED_BACK)
    return said or any(map(_FED_BACK.search, call.keywords))
