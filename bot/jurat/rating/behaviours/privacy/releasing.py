"""Behaviour by which a picture or a voice is gone once a model has read it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.code.function_facts import CallFact, Tags
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.stores import is_given

_GOES = re.compile(r"(?:^|\.)(?:del|unlink|unlinkSync|remove|rm|rmSync|rmtree)$")
_WRITES = re.compile(
    r"(?:^|\.)(?:imwrite|save|write|write_bytes|writeFile|writeFileSync|put_?[oO]bject|upload\w*|tofile|copyfileobj"
    r"|insert\w*|copy\w*|move|add)$"
)
_TAKES = re.compile(
    r"(?:^|[._])(?:cameras?|webcam|videocapture|microphone|mic)(?:[._(]|$)", re.IGNORECASE
)
"""What takes pictures of people, or listens to them."""
_FREES = re.compile(r"(?:^|\.)(?:gc\.collect|empty_cache)$")
"""Who wants the room back lets go of anything."""


@register_behaviour("released_input")
def find_released(conduct: Conduct) -> Iterator[Sign]:
    """What was seen or heard of somebody is let go of by whoever had a model read it."""
    for one in sorted(conduct.leading & set(conduct.subjects)):
        calls = conduct.facts(one).calls
        if any(_FREES.search(call.callee) for call in calls):
            continue
        read = [call for call in calls if conduct.asks_model(one, call)]
        for call in calls:
            name = conduct.name(one, call.callee)
            held = _list_held(call)
            if (
                _GOES.search(name)
                and held
                and any(held & (asked.given | asked.receiver) for asked in read)
                and _is_of_somebody(conduct, one, held)
                and not _is_kept(conduct, one, held, read)
            ):
                yield Sign("released_input", one, call.line, frozenset({one}))


def _list_held(call: CallFact) -> Tags:
    """Where what a call lets go of came from."""
    held = call.given or call.receiver
    return frozenset(t for t in held if t[:2] == "p:" or (t[:2] == "x:" and "." in t))


def _is_of_somebody(conduct: Conduct, one: Function, held: Tags) -> bool:
    """Whether a camera gave it, or somebody handed it in, or it is a file of what they did."""
    if is_given(held) or any(_TAKES.search(tag[2:]) for tag in held):
        return True
    return any(
        _WRITES.search(call.callee) and is_given(call.given) and held & (call.receiver | call.given)
        for call in conduct.facts(one).calls
    )


def _is_kept(conduct: Conduct, one: Function, held: Tags, read: list[CallFact]) -> bool:
    """Whether it is put somewhere else as it came. What a model said of it is another thing."""
    said = {f"x:{asked.callee}" for asked in read}
    return any(
        _WRITES.search(call.callee)
        and held <= call.given
        and not said & call.given
        and not held & call.receiver
        for call in conduct.facts(one).calls
    )
