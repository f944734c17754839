"""Decisions that wait in a place until a person calls for what follows from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.oversight.settling import is_done_anyway, list_reached_to_change
from jurat.rating.code.function_facts import FunctionFacts
from jurat.rating.code.sql_statements import read_statement
from jurat.rating.code.tag_search import has_name
from jurat.rating.program.changed_fields import (
    PLAIN_FIELDS,
    is_change_statement,
    is_noted,
    list_said_fields,
)
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.external_acts import list_acts, list_own_acts
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.stores import (
    is_change,
    is_given,
    is_removal,
    list_called,
    list_filled,
    list_worked_on,
)

GRANTED = re.compile(
    r"^(?:approved?|accept(?:ed)?|confirm(?:ed)?|grant(?:ed)?|reject(?:ed)?|denied|declined?|signed"
    r"[_ -]?off|pending(?:[_ -]\w+)?|awaiting[_ -]\w+|in[_ -]review|needs[_ -]review|released"
    r"|approval|decision|human_decision|approved_by|reviewed_by|reviewer|signed_by)$",
    re.IGNORECASE,
)
GRANTED_ROUTE = re.compile(
    r"approv|review|confirm|decision|decid|reject|sign-?off|release|accept|verdict|outcome|settle|grant"
    r"|refus|final|officer|clerk|conclu",
    re.IGNORECASE,
)


def find_released(conduct: Conduct) -> Iterator[Sign]:
    """A decision waits in a place, and what follows from it is done by whoever a person calls."""
    waiting = any(_is_kept_waiting(conduct, one) for one in conduct.beside)
    filled = list_filled(conduct, conduct.beside & set(conduct.product))
    if not waiting and not filled:
        return
    handles = _list_handles(conduct)
    said = {key for item in conduct.beside for key in list_said_fields(conduct, item)}
    said |= PLAIN_FIELDS
    own_acts = list_own_acts(conduct)
    changing = list_reached_to_change(conduct)
    for one in sorted(filter(conduct.is_subject, (conduct.handlers - conduct.leading) & changing)):
        # Who makes an object decides nothing, though it fills what the object keeps.
        reached = frozenset(
            item
            for item in conduct.program.walk([one], 2)
            if conduct.facts(item).name not in ("__init__", "constructor")
        )
        if own_acts and not {a for it in reached for a in list_acts(conduct, it)} - own_acts:
            continue  # what follows was done before anybody was asked
        says = (*conduct.list_routes(one), *(t for it in reached for t in _list_said(conduct, it)))
        # A sentence, such as what an error says, is no name of what a person decides.
        words = any(
            GRANTED.search(text) or (" " not in text and GRANTED_ROUTE.search(text))
            for text in says
        )
        inner = {item for item in reached if (filled & list_worked_on(conduct, item)) - handles}
        # What waits, and is taken from where it waits at a person's call, needs no word for it.
        writes = bool(inner and _WRITING & conduct.list_verbs(one))
        if not words and not (writes and (waiting or _is_followed(conduct, reached, said))):
            continue
        decides = bool(inner) or (waiting and any(_has_choice(conduct.facts(it)) for it in reached))
        changed = [kept for item in reached for kept in list_store_calls(conduct, item)]
        places = frozenset(place for kept in changed for place in kept.places)
        fields = frozenset(field.lower() for kept in changed for field in kept.fields)
        if is_done_anyway(conduct, places, fields):
            continue
        if decides and any(_is_followed_up(conduct, item) for item in reached):
            yield Sign("approval_gate", one, conduct.facts(one).first, frozenset({one, *inner}))


@ask_once
def _list_handles(conduct: Conduct) -> frozenset[str]:
    """The variables of a module by which a database is asked: it keeps all, and they are no place.

    What stands in it is known by its rows, or by the name under which a mapper has them.
    """
    asked = [
        call.receiver
        for _, call, _ in conduct.iter_calls()
        if read_statement(call.first) is not None or has_name(call.receiver, _CONNECTED)
    ]
    asked += [
        kept.call.receiver
        for one in conduct.product
        for kept in list_store_calls(conduct, one)
        if kept.outlives and any(place.startswith(_NAMED) for place in kept.places)
    ]
    return frozenset(tag for tags in asked for tag in tags if tag[:2] == "s:")


_CONNECTED = re.compile(
    r"(?:^|\.)(?:create_(?:async_)?engine|create_pool|connect|MongoClient)\(\)$"
)
_NAMED = ("table:", "model:", "key:")


def _is_followed_up(conduct: Conduct, one: Function) -> bool:
    """Whether a function does something with what it was given, or keeps it."""
    facts = conduct.facts(one)
    return any(not write.constant for write in facts.writes) or any(
        conduct.is_effect(one, call)
        and not is_removal(call)
        and is_given(call.given)
        and not is_noted(conduct, one, call)
        for call in facts.calls
    )


def _has_choice(facts: FunctionFacts) -> bool:
    """Whether what a function does depends on something, or on what it was given."""
    return any(guard.asks for guard in facts.guards) or any(not w.constant for w in facts.writes)


_WRITING = frozenset(("post", "put", "patch"))


def _is_followed(conduct: Conduct, reached: Iterable[Function], said: set[str]) -> bool:
    """Whether a person fills a field that no model fills, and something is done if it is so."""
    items = [item for item in reached if item not in conduct.leading]
    filled = {key for item in items for key in list_said_fields(conduct, item)} - said
    return bool(filled) and any(
        call.guards and conduct.is_effect(item, call) and not is_change(call)
        for item in items
        for call in conduct.facts(item).calls
    )


def _list_said(conduct: Conduct, one: Function) -> Iterator[str]:
    """What a function says of what it changes: its texts, keys, and the fields that it writes."""
    facts = conduct.facts(one)
    yield from facts.says
    yield from (
        name for text in facts.says if is_change_statement(text) for name in _NAMES.findall(text)
    )
    yield from (pair.key for pair in facts.pairs)
    yield from (write.place[2:] for write in facts.writes)
    yield from (tag[2:] for call in facts.calls for tag in call.given if tag[:2] == "k:")


_NAMES = re.compile(r"\w+")
_KEEPS = frozenset(
    (
        *("append", "put", "add", "insert", "insert_one", "execute", "push", "save", "set"),
        *("create", "submit", "enqueue", "lpush", "rpush", "send_message", "run", "setdefault"),
        *("write", "write_text", "writelines", "writeFileSync", "appendFileSync", "insertOne"),
    )
)
_WAITS = re.compile(r"draft|propos|suggest|pending|wait|inbox|shel[fv]|for_review|opinion|queue")
"""What a place is called in which something waits for a person."""


def _is_kept_waiting(conduct: Conduct, one: Function) -> bool:
    facts = conduct.facts(one)
    pending = any(GRANTED.search(text) for text in facts.says) or any(
        is_change(call) and any(_WAITS.search(place) for place in list_called(conduct, one, call))
        for call in facts.calls
    )
    if not pending:
        return False
    # What an own function is called tells nothing: whether it keeps shows in what it calls.
    return bool(facts.writes) or any(
        call.callee.removesuffix("()").rpartition(".")[2] in _KEEPS
        and conduct.name(item, call.callee)
        for item in (one, *conduct.program.edges[one])
        if item == one or item not in conduct.leading
        for call in conduct.facts(item).calls
    )
