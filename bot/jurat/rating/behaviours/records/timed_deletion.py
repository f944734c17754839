"""Behaviours by which logs and data are deleted after a duration that something enforces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import prod

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.behaviours.records.counting import is_counting_up
from jurat.rating.behaviours.records.platform_retention import find_platform_retention
from jurat.rating.behaviours.records.record_calls import (
    RECORDS,
    STORE,
    list_keys,
    list_recorded_places,
)
from jurat.rating.code.durations import (
    DURATION,
    DURATION_TEXT,
    LEAST_DAYS,
    SECONDS,
    count_days,
    has_clock,
    is_put_together,
    list_turned_back,
)
from jurat.rating.code.function_facts import CallFact, FunctionFacts, Tags
from jurat.rating.code.tag_search import has_name, has_text
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import REMOVING_NAME, REMOVING_STATEMENT, Access
from jurat.rating.program.stores import list_touched

_TIMED = re.compile(r"TimedRotatingFileHandler$|DailyRotateFile$|winston-daily-rotate-file$")
_BEFORE_COUNT = 3
"""Arguments of a handler before the one that says how many files there may be."""
_EXPIRY = re.compile(r"^(?:expireAfterSeconds|ex|ttl|TTL|retention_in_days|retention)$")
_LETS_GO = re.compile(r"\.p?(?:expire(?:at)?|setex)$", re.IGNORECASE)
"""By these a store is told when to let go of what it keeps under a key."""
_EXPIRES = frozenset(("expireAfterSeconds",))
_PARTS_OF_DAY = frozenset((24.0, 60.0, 1000.0, 3600.0, 86_400.0, 86_400_000.0))
_LONG_KEPT = re.compile(
    r"^(?:SIX|EIGHT|NINE|ONE_YEAR|(?:THIR|EIGH)TEEN|TWO|THREE|FIVE|TEN|INFINITE)"
)
"""How platforms call half a year and more."""
_EACH_WEEK, _EACH_HOUR = re.compile(r"^[Ww]\d?$"), re.compile(r"^[Hh]$")


@register_behaviour("timed_log_deletion")
def find_log_deletion(conduct: Conduct) -> Iterator[Sign]:
    """Logs are deleted, or rotated, after a duration that something enforces."""
    for one, call, name in conduct.iter_calls(conduct.subjects):
        rotates = _TIMED.search(name) and (
            "backupCount" in call.keywords
            or "maxFiles" in str(call.given)
            or call.arguments - len(call.keywords) > _BEFORE_COUNT
        )
        kept = name.endswith("logger.add") and "retention" in call.keywords
        lasts = rotates and _count_rotated(conduct, one, call) >= LEAST_DAYS
        if _EXPIRES & set(list_keys(call)) and name.lower().endswith(
            ("createindex", "create_index")
        ):
            places = {p for k in list_store_calls(conduct, one) for p in k.places}
            places |= set(list_touched(conduct, one))
            lasts = _count_expiry(conduct, one) >= LEAST_DAYS and (
                bool(places & list_recorded_places(conduct)) or any(map(RECORDS.search, places))
            )
        lasts = lasts or (name.endswith("LogGroup") and has_attribute(call.given, _LONG_KEPT))
        if lasts or (kept and _count_retained(conduct, one, call) >= LEAST_DAYS):
            yield Sign("timed_log_deletion", one, call.line, frozenset({one}))
    for one, line in find_platform_retention(conduct):
        yield Sign("timed_log_deletion", one, line, frozenset({one}))
    recorded = list_recorded_places(conduct)
    names = {_squeeze(place) for place in recorded}
    for one, line, tags, carriers in _list_timed(conduct):
        days = count_days(tags, conduct.facts(one))
        if days is not None and days < LEAST_DAYS:
            continue  # the law wants six months
        places = {place for item in carriers for place in list_touched(conduct, item)}
        places |= {p for item in carriers for k in list_store_calls(conduct, item)
                   if k.access is Access.REMOVE for p in k.places}  # fmt: skip
        if has_text(tags, RECORDS) or recorded & places or names & {*map(_squeeze, places)}:
            yield Sign("timed_log_deletion", one, line, carriers)


def _squeeze(place: str) -> str:
    """What a class of rows and its table are both called, without capitals and underscores."""
    kind, _, said = place.partition(":")
    if kind not in ("model", "table"):
        return place
    return said.rpartition(":")[2].replace("_", "").lower()


def has_attribute(tags: Tags, pattern: re.Pattern[str]) -> bool:
    """Whether an attribute among the tags fits."""
    return any(tag[:2] == "a:" and pattern.search(tag[2:]) for tag in tags)


def _count_expiry(conduct: Conduct, one: Function) -> float:
    """The days after which rows go by themselves, 0 if nobody can tell."""
    pairs = (pair for pair in conduct.facts(one).pairs if pair.key in _EXPIRES)
    tags = frozenset().union(*(pair.value for pair in pairs))
    numbers = {float(tag[2:]) for tag in tags if tag[:2] == "n:"}
    counted = numbers - _PARTS_OF_DAY
    if numbers & _PARTS_OF_DAY:
        return prod(counted)  # how many days, and how long one of them is
    return max(counted, default=0) / 86_400


def _count_retained(conduct: Conduct, one: Function, call: CallFact) -> float:
    """The days for which a library keeps a log, 0 if it is told how many files."""
    facts = conduct.facts(one)
    said = (
        pair.value for pair in facts.pairs
        if pair.key == "retention" and 0 <= pair.line - call.line <= _SPREAD
    )  # fmt: skip
    return count_days(next(said, call.given), facts) or 0


_SPREAD = 10
"""Lines over which a call may be spread."""


def _count_rotated(conduct: Conduct, one: Function, call: CallFact) -> float:
    """The days for which a log that is rotated stays; those that the law wants if none is said."""
    tags = conduct.expand(one, call.given, 1)
    if days := count_days(tags, conduct.facts(one)):
        return days
    each = 7 if has_text(tags, _EACH_WEEK) else 1 / 24 if has_text(tags, _EACH_HOUR) else 1
    numbers = [float(tag[2:]) for tag in tags if tag[:2] == "n:"]
    return max(numbers) * each if numbers else LEAST_DAYS


@register_behaviour("timed_deletion")
def find_timed_deletion(conduct: Conduct) -> Iterator[Sign]:
    """Data is deleted after a duration that something enforces."""
    for one, line, _, carriers in _list_timed(conduct):
        yield Sign("timed_deletion", one, line, carriers)
    for one, call, _ in conduct.iter_calls(conduct.subjects):
        keys = (*call.keywords, *(tag[2:] for tag in call.given if tag[:2] == "k:"))
        facts = conduct.facts(one)
        stored = has_name(call.receiver, STORE) or has_text(call.given, _EXPIRY)
        lets_go = _LETS_GO.search(call.callee) and call.arguments > 1
        if lets_go and has_name(call.receiver, STORE) and _is_put_by(conduct, one):
            yield Sign("timed_deletion", one, call.line, frozenset({one}))
        if stored and any(_EXPIRY.search(key) for key in keys) and not _is_turned_off(facts, call):
            yield Sign("timed_deletion", one, call.line, frozenset({one}))


def _is_put_by(conduct: Conduct, one: Function) -> bool:
    """Whether a function puts by more than a count, as one that bounds how often may be asked."""
    return any(
        kept.access in (Access.ADD, Access.CHANGE) and not is_counting_up(kept.call)
        for kept in list_store_calls(conduct, one)
    )


_OFF = (frozenset(("c:False",)), frozenset(("c:None",)), frozenset(("n:0",)), frozenset(("n:-1",)))


def _is_turned_off(facts: FunctionFacts, call: CallFact) -> bool:
    """Whether what a call is told of a time is that there is none."""
    said = [
        pair.value for pair in facts.pairs
        if _EXPIRY.search(pair.key) and 0 <= pair.line - call.line <= _SPREAD
    ]  # fmt: skip
    return bool(said) and all(value in _OFF for value in said)


_TimedDeletion = tuple[Function, int, Tags, frozenset[Function]]


@ask_once
def _list_timed(conduct: Conduct) -> tuple[_TimedDeletion, ...]:
    """Deletions by age, each with what is said around it."""
    return tuple(_iter_timed(conduct))


@lru_cache(maxsize=65_536)
def _has_removal(tags: Tags) -> bool:
    return any(tag[:2] == "t:" and REMOVING_STATEMENT.search(tag) for tag in tags)


@lru_cache(maxsize=65_536)
def _is_removed(receiver: Tags) -> bool:
    return any(tag[:2] == "x:" and REMOVING_NAME.search(tag) for tag in receiver)


def _iter_timed(conduct: Conduct) -> Iterator[_TimedDeletion]:
    for one in conduct.subjects:
        facts = conduct.facts(one)
        for call in facts.calls:
            removes = (
                REMOVING_NAME.search(conduct.name(one, call.callee) or "-")
                or _has_removal(call.given)
                or _has_removal(call.receiver)
                or _is_removed(call.receiver)
            )
            if not removes:
                continue
            tags = call.receiver | call.given
            guards = [t for guard in conduct.list_guards(one, call) for t in guard.asks]
            loops = [t for number in call.loops for t in facts.loops[number].asks]
            reach = conduct.expand(one, tags | frozenset(guards) | frozenset(loops))
            reach |= list_turned_back(facts, reach)
            timed = (
                has_name(reach, DURATION)
                or has_text(reach, DURATION_TEXT)
                or is_put_together(reach)
                or (any(SECONDS.search(tag) for tag in reach) and has_clock(reach))
            )
            if timed:
                said = frozenset(f"t:{text}" for text in facts.says)
                yield one, call.line, reach | said, frozenset({one})
                break
