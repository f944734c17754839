"""Behaviour by which of what people showed or said to a model nothing stays but counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.records.recording import is_of_inference
from jurat.rating.code.function_facts import CallFact, Tags
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import StoreCall, list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.stores import get_last
from jurat.rating.texts.personal_fields import PERSONAL_KEY

_COUNTS = re.compile(r"\b(\w+)\s*=\s*(?:\w+\.)?\1\s*\+\s*(?:1|excluded\.\w+)\b", re.IGNORECASE)
"""A statement that adds one to a column."""
_ADDS_ONE = frozenset(("hincrby", "incr", "zincrby", "incrby", "hincr"))
_INCREMENTS = frozenset(("k:$inc", "k:increment"))
_WHO = re.compile(r"(?:^|_)(?:user|person|customer|session|account|member|ip|who)(?:_?id)?$|Id$")


def find_counted(conduct: Conduct) -> Iterator[Sign]:
    """A model's answer is added to a count of nobody's own, and the path keeps nothing else."""
    kept = [
        (one, item)
        for one in sorted(conduct.leading)
        for item in list_store_calls(conduct, one)
        if item.access in (Access.ADD, Access.CHANGE) and item.outlives
    ]
    counted = [(one, item) for one, item in kept if _is_counted(conduct, one, item)]
    if counted and len(counted) == len(kept):
        for one, item in counted:
            yield Sign("fewer_fields", one, item.call.line, frozenset({one}))


def _is_counted(conduct: Conduct, one: Function, kept: StoreCall) -> bool:
    call = kept.call
    if not is_of_inference(conduct, one, call) or not is_counting_up(call):
        return False
    fields = (*kept.fields, *(tag[2:] for tag in call.given if tag[:2] in ("k:", "a:")))
    return not any(PERSONAL_KEY.search(field) or _WHO.search(field) for field in fields)


def is_counting_up(call: CallFact) -> bool:
    """Whether a call adds to a count."""
    said: Tags = call.given | call.receiver
    return (
        get_last(call) in _ADDS_ONE
        or not _INCREMENTS.isdisjoint(said)
        or any(_COUNTS.search(tag[2:]) for tag in said if tag[:2] == "t:")
    )
