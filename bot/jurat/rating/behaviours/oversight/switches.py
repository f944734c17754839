"""Switches of a large program: who may stop work by what they set, and what they end."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from jurat.rating.code.function_facts import CallFact, Tags
from jurat.rating.code.tag_search import has_text
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.surroundings import are_acquainted, is_small
from jurat.rating.signals.recon_table import split_name

HALT = re.compile(
    r"\b(?:halt|halted|stop|stopped|stopping|pause|paused|kill|killed|kill[_-]?switch|cancel"
    r"|cancell?ed|abort|aborted|shutdown|suspend|suspended|freeze|frozen|disabled?|emergency)\b",
    re.IGNORECASE,
)


def keep_switching(
    conduct: Conduct, one: Function, asks: Tags, setters: Collection[Function]
) -> set[Function]:
    """Of those who set what a function asks, those who may stop it by that.

    Where there is little, what a person sets and the work asks for is a switch. Where there is
    much, fields of one name are everywhere, and what is there or not is set and asked for all over:
    the files must have to do with one another, and either what is asked or who sets it must speak
    of a stop.
    """
    if not setters or is_small(conduct):
        return set(setters)
    near = {other for other in setters if are_acquainted(conduct, one[0], other[0])}
    named = any(tag[:2] == "a:" and is_switch(tag[2:]) for tag in asks)
    if named or has_text(asks, HALT):
        return near
    return {other for other in near if _has_word_of_halt(conduct, other)}


def _has_word_of_halt(conduct: Conduct, one: Function) -> bool:
    """Whether a function says something of a stop, or answers under a path that does."""
    return any(map(HALT.search, (*conduct.facts(one).says, *conduct.list_routes(one))))


def is_handle_of_work(conduct: Conduct, one: Function, ended: CallFact) -> bool:
    """Whether what is ended was made by starting what leads to a model.

    A small program has nothing else to end.
    """
    if is_small(conduct):
        return True
    fields = {tag for tag in ended.receiver if tag[:2] == "a:"}
    started = [(one, ended.receiver)]
    for item in conduct.product if fields else ():
        if are_acquainted(conduct, one[0], item[0]):
            started += [(item, w.value) for w in conduct.facts(item).writes if w.place in fields]
    return any(
        target in conduct.leading
        for item, tags in started
        for tag in tags
        if tag[:2] == "x:"
        for target in conduct.targets(item, tag[2:].removesuffix("()"))
    )


_SWITCH = re.compile(
    r"(?:^|_)(?:on|off|is_on|enabled|disabled|active|running|open|closed|armed|allowed|halt(?:ed)?"
    r"|stop(?:ped)?|paused?|killed|cancelled|suspended|frozen)(?:_|$)"
)
"""What an attribute of somebody else's object is called that is a switch: `app.state.paused`."""


@lru_cache(maxsize=65_536)
def is_switch(name: str) -> bool:
    """Whether an attribute of somebody else's object is called as a switch is."""
    return _SWITCH.search(split_name(name)) is not None
