"""Behaviours by which people get what is held of them, or remark on what was done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.behaviours.oversight.overruling import find_overruling
from jurat.rating.behaviours.records.record_calls import PUT
from jurat.rating.code.function_facts import CallFact
from jurat.rating.code.tag_search import has_text
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.external_acts import list_acts
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.stores import is_gathered, is_given
from jurat.rating.program.surroundings import is_small

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


_AGAIN = re.compile(
    r"contest|appeal|objections?\b|(?:^|[/_-])(?:object(?:s|ed)?|again)(?:$|[/_-])|disput|disagree|complain"
    r"|grievance|challenge|reconsider|review[-_]?request"
    r"|(?:second|another|fresh|human|person|manual)[-_ ]?(?:look|opinion|review|check)"
    r"|re-?(?:look|examin|assess|evaluat|check|decide|view[-_]?request)"
    r"|(?:ask|request)[-_](?:\w+[-_])?(?:human|person|review)|widerspr|einspruch|bezwaar|r[eé]clam|recours"
    r"|ricors|odwo[lł]",
    re.IGNORECASE,
)
"""What an address, a place or a field is called by which somebody says that it was wrong."""


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


@register_behaviour("contested_decision")
def find_contests(conduct: Conduct) -> Iterator[Sign]:
    """What is said against a decision waits, and who takes it from there may decide otherwise."""
    if is_small(conduct):
        yield from _find_opted_out(conduct)
    objecting = dict(_iter_objecting(conduct)) if is_small(conduct) else {}
    if not objecting:
        return
    # Who overrules is another one, who may not be asked about.
    overruling = {sign.function for sign in find_overruling(replace(conduct, among=None))}
    for one, places in objecting.items():
        own = conduct.program.walk([one], 2)
        for other in sorted(overruling - own):
            if places & _list_places(conduct, other):
                yield Sign(
                    "contested_decision", one, conduct.facts(one).first, frozenset({one, other})
                )


def _iter_objecting(conduct: Conduct) -> Iterator[tuple[Function, frozenset[str]]]:
    """The functions by which somebody objects, each with the places where it is kept."""
    for one in sorted(filter(conduct.is_subject, conduct.handlers - conduct.leading)):
        reached = conduct.program.walk([one], 2) - conduct.leading
        kept = [
            call
            for item in reached
            for call in list_store_calls(conduct, item)
            if call.access in (Access.ADD, Access.CHANGE) and is_given(call.call.given)
        ]
        places = frozenset[str]().union(*(call.places for call in kept))
        fields = frozenset[str]().union(*(call.fields for call in kept))
        if places and any(map(_AGAIN.search, (*conduct.list_routes(one), *places, *fields))):
            yield one, places


def _find_opted_out(conduct: Conduct) -> Iterator[Sign]:
    """Who asks for it is shown to no model: it waits for somebody who then does what follows."""
    settling = [
        (one, _list_places(conduct, one))
        for one in conduct.handlers - conduct.leading
        if conduct.list_verbs(one) != {"get"}
        and any(any(list_acts(conduct, item)) for item in conduct.program.walk([one], 2))
    ]
    for one in sorted(filter(conduct.is_subject, conduct.leading)) if settling else ():
        facts = conduct.facts(one)
        asked = [call for call in facts.calls if conduct.asks_model(one, call)]
        given = frozenset(tag for call in asked for tag in call.given)
        for number, guard in enumerate(facts.guards):
            wished = {tag for tag in guard.asks if tag[:2] in ("p:", "a:")} - given
            before = asked and guard.line < min(call.line for call in asked)
            if not (guard.leaves == "return" and wished and before and is_given(guard.asks)):
                continue
            places = {
                place
                for kept in list_store_calls(conduct, one)
                if number in kept.call.guards and kept.access is Access.ADD
                for place in kept.places
            }
            for other, worked_on in settling:
                if places & worked_on:
                    yield Sign("contested_decision", one, guard.line, frozenset({one, other}))


def _list_places(conduct: Conduct, one: Function) -> frozenset[str]:
    """The places that a function, or those that it calls, reads or changes."""
    return frozenset[str]().union(
        *(
            kept.places
            for item in conduct.program.walk([one], 2)
            for kept in list_store_calls(conduct, item)
            if kept.access is not Access.ADD
        )
    )
