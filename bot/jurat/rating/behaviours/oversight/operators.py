"""Behaviours by which only who is fit to run a system gets to run it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.code.function_facts import GuardFact
from jurat.rating.code.sql_statements import has_statement
from jurat.rating.code.tag_search import has_name
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import StoreCall, list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.surroundings import is_small
from jurat.rating.signals.recon_table import split_name

_LEARNT = re.compile(
    r"(?:^|[_:/ ])(?:certif\w*|courses?|trainings?|trained|proficien\w*|qualif\w*|competen\w*"
    r"|quiz\w*|licen[cs]e[sd]?|curricul\w*|lessons?|literacy|refresher)(?:[_ ]|$)",
    re.IGNORECASE,
)
"""What a store that tells what somebody has learnt is called, or a field of it."""
_ORDERS = frozenset(("op:>", "op:<", "op:>=", "op:<=", "k:gt", "k:gte", "k:lt", "k:lte"))
_BOUNDS = re.compile(r"MoreThan|LessThan|Between|timedelta|\bdate\b")


@register_behaviour("fitness_gate")
def find_fitness_gates(conduct: Conduct) -> Iterator[Sign]:
    """Who has not learnt how, or not lately or not well enough, is refused."""
    reached = conduct.program.walk(conduct.handlers | conduct.wrappers, 3) | conduct.beside
    for one in sorted(reached & set(conduct.subjects)):
        for guard in conduct.facts(one).guards:
            if guard.leaves not in ("raise", "return") or guard.handler:
                continue
            behind = conduct.list_behind(one, guard.asks)
            learnt = [
                kept
                for item in (one, *behind)
                for kept in list_store_calls(conduct, item)
                if kept.access is Access.READ
                and (item != one or f"x:{kept.call.callee}" in guard.asks)
                and is_of_learning(kept)
                # In a large program a field may be of applicants: what a store is called tells.
                and (is_small(conduct) or any(map(_is_named_so, kept.places)))
            ]
            if learnt and _is_bounded(conduct, one, guard, behind, learnt):
                yield Sign("fitness_gate", one, guard.line, frozenset({one, *behind}))


def is_of_learning(kept: StoreCall) -> bool:
    """Whether a store, or a field of it, tells what somebody has learnt."""
    texts = (tag[2:] for tag in kept.call.given if tag[:2] in ("t:", "k:"))
    # A sentence names no store and no field, whatever it is about.
    named = (text for text in texts if " " not in text or has_statement(text))
    return any(map(_is_named_so, (*kept.places, *kept.fields, *named)))


def _is_named_so(word: str) -> bool:
    return _LEARNT.search(split_name(word.replace(":", "_"))) is not None


def _is_bounded(
    conduct: Conduct,
    one: Function,
    guard: GuardFact,
    behind: Iterable[Function],
    learnt: Iterable[StoreCall],
) -> bool:
    """Whether it counts how well or how long ago it was learnt, and not only that it was."""
    asks = conduct.expand(one, guard.asks)
    tags = asks.union(*(conduct.facts(item).returns for item in behind))
    tags = tags.union(*(kept.call.given for kept in learnt))
    stated = (tag[2:] for tag in tags if tag[:2] == "t:")
    return (
        not _ORDERS.isdisjoint(tags)
        or has_name(tags, _BOUNDS)
        or any(("<" in text or ">" in text) and "<>" not in text for text in stated)
    )
