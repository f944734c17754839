"""Behaviours by which people get what is held of them, or remark on what was done."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviour import Sign, register_behaviour
from jurat.rating.conduct import Conduct
from jurat.rating.function_facts import CallFact
from jurat.rating.program_names import Function
from jurat.rating.record_calls import PUT
from jurat.rating.store_calls import list_store_calls
from jurat.rating.stores import is_gathered, is_given
from jurat.rating.surroundings import is_small
from jurat.rating.tag_search import has_text

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
