"""What goes out to a model: here, by the answer of whoever makes it ready, or by what wraps one."""

from __future__ import annotations

from jurat.rating.behaviours.tied import list_values
from jurat.rating.code.function_facts import Tags
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.program_names import Function


def list_sent(conduct: Conduct, one: Function) -> Tags:
    """What a function has of what a model is asked.

    All that it gives back, if its answer goes there.
    """
    return _list_all_sent(conduct).get(one, frozenset())


@ask_once
def _list_all_sent(conduct: Conduct) -> dict[Function, Tags]:
    edge = dict(list_values(conduct).given)
    for one in conduct.wrapping:
        handed = (c.given for c in conduct.facts(one).calls if conduct.is_wrapped(one, c))
        edge[one] = edge.get(one, frozenset()).union(*handed)
    found = dict(edge)
    ready: set[Function] = set()
    for _ in range(_DEEP):
        behind = {b for one, tags in edge.items() for b in conduct.list_behind(one, tags)} - ready
        edge = {one: conduct.facts(one).returns for one in behind}
        ready |= behind
        found |= {one: tags | found.get(one, frozenset()) for one, tags in edge.items()}
    return found


def list_content(conduct: Conduct, one: Function) -> Tags:
    """All that a function has a model told, with the fields and texts of it."""
    return list_sent(conduct, one).union(
        *(call.given for call in conduct.facts(one).calls if conduct.asks_model(one, call))
    )


_DEEP = 3
"""Functions that an answer goes through on its way to a model."""
