"""How long a platform is told to keep what is put into it, and whether records are.

A bucket, a topic, an index, a table or a log of a cloud lets go of what it holds by itself once it
was told how long. That it holds the records is told by its name: who records says it as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from jurat.rating.behaviours.records.record_calls import is_record, list_around
from jurat.rating.behaviours.records.recording import list_recorded
from jurat.rating.code.durations import LEAST_DAYS, count_days
from jurat.rating.code.function_facts import CallFact, PairFact, Tags
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import Access

_DAY = 86_400.0
_UNITS = {
    **dict.fromkeys(("expireAfterSeconds", "expires", "default_time_to_live"), 1 / _DAY),
    **dict.fromkeys(("retention.ms", "retentionMs", "defaultTableExpirationMs"), 1 / _DAY / 1000),
    **dict.fromkeys(("log.retention.hours", "retentionHours", "RetentionPeriodHours"), 1 / 24),
    **dict.fromkeys(
        ("Days", "ExpirationInDays", "daysAfterModificationGreaterThan", "retentionDays",
         "daysAfterCreationGreaterThan", "retention_in_days", "retentionInDays", "retention_days",
         "log_group_retention_days", "expiration_days", "min_age", "minAge", "age"), 1.0,
    ),
}  # fmt: skip
"""The keys by which platforms are told how long something stays, with the days of one unit."""
_UNLESS = {"Days": "Expiration", "min_age": "delete", "age": "condition", "expires": "type"}
"""Keys that say it only beside another one: hot and cold are phases as well."""
_PARTS_OF_DAY = frozenset((24.0, 60.0, 1000.0, 3600.0, _DAY, _DAY * 1000))
_SPREAD = 14
"""Lines over which a call may be spread."""
_HANDLER = re.compile(
    r"(?:^|\.)\w*(?:Log|Logs|Logging|File|Stream)Handler$|LogHandler$|winston[\w-]*(?:\.\w+)?$"
)
"""What a logger hands its records on to."""
_LEAST_NAME = 3
_STATED = re.compile(
    r"\badd_retention_policy\s*\(|\bTTL\s+\w+\s*\+\s*INTERVAL|\bpartition_expiration_days\b"
    r"|\bdefault_time_to_live\b",
    re.IGNORECASE,
)
"""How a statement tells a database to let go of what is old."""


def find_platform_retention(conduct: Conduct) -> Iterator[tuple[Function, int]]:
    """The lines on which a platform is told to keep records for half a year and more."""
    for one, call, name in conduct.iter_calls(conduct.subjects):
        if not name:
            continue
        days = max((_count_kept_days(pair) for pair in _list_pairs(conduct, one, call)), default=0)
        if days >= LEAST_DAYS and (_HANDLER.search(name) or _has_record_name(conduct, call.given)):
            yield one, call.line
        stated = (tag[2:] for tag in call.given if tag[:2] == "t:" and _STATED.search(tag))
        if any(_is_kept_long(conduct, one, text) for text in stated):
            yield one, call.line
    for path, file in sorted(conduct.program.files.items()):
        if file.language == "sql" and any(
            _is_kept_long(conduct, (path, 0), text)
            for text in sorted(file.functions[0].says)
            if _STATED.search(text)
        ):
            yield (path, 0), 1
    yield from _find_expiring_rows(conduct)


def _is_kept_long(conduct: Conduct, one: Function, text: str) -> bool:
    """Whether a statement tells a database to keep for long enough what records go into."""
    long = (count_days(frozenset({f"t:{text}"}), conduct.facts(one)) or 0) >= LEAST_DAYS
    return long and any(re.search(rf"\b{re.escape(n)}\b", text) for n in list_names(conduct))


def _list_pairs(conduct: Conduct, one: Function, call: CallFact) -> Iterator[PairFact]:
    """The keys that tell how long, with what a call is told of them."""
    said = {tag[2:] for tag in call.given if tag[:2] == "k:"} | set(call.keywords)
    near = (p for p in conduct.facts(one).pairs if 0 <= p.line - call.line <= _SPREAD)
    # What a file states once is handed on by its name.
    stated = conduct.facts((one[0], 0)).pairs if any(t[:2] == "s:" for t in call.given) else ()
    for pair in (*near, *stated):
        if pair.key not in _UNITS or pair.key not in said or not pair.value <= call.given:
            continue
        beside = _UNLESS.get(pair.key)
        if beside is None or beside in said:
            yield pair


def _count_kept_days(pair: PairFact) -> float:
    """The days that the value of a key stands for."""
    texts = frozenset(tag for tag in pair.value if tag[:2] == "t:")
    if texts and (days := _count_text(texts)):
        return days
    return count_by_unit(pair.value, _UNITS[pair.key])


_TEXT = re.compile(r"(\d+)\s*(h|d|w|m|y)\w*$", re.IGNORECASE)
_TEXT_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0, "y": 365.0}


def _count_text(texts: Tags) -> float:
    found = [said for tag in texts if (said := _TEXT.match(tag[2:]))]
    return max((int(said[1]) * _TEXT_DAYS[said[2].lower()] for said in found), default=0.0)


def count_by_unit(tags: Tags, days: float) -> float:
    """The days of a number among the tags, of a unit that has so many; 0 if there is none.

    Of a product the parts of a day say how long a day is, and the others how many days.
    """
    numbers = {float(tag[2:]) for tag in tags if tag[:2] == "n:"}
    numbers |= {float(tag[2:]) for tag in tags if tag[:2] == "t:" and tag[2:].isdigit()}
    if numbers & _PARTS_OF_DAY and "op:*" in tags:
        return prod(numbers - _PARTS_OF_DAY)
    return max(numbers, default=0.0) * days


def _has_record_name(conduct: Conduct, given: Tags) -> bool:
    said = {tag[2:].rstrip("*-_.") for tag in given if tag[:2] == "t:"} - {""}
    return any(
        name in said or any(name.startswith(f"{head}{end}") for head in said for end in "-_.")
        for name in list_names(conduct)
    )


@ask_once
def list_names(conduct: Conduct) -> frozenset[str]:
    """What the places are called into which records of inferences go, as who records says it."""
    lines = {(record.function, record.line) for record in list_recorded(conduct)}
    return (
        frozenset(
            tag[2:]
            for one in list_around(conduct)
            for call in conduct.facts(one).calls
            if (one, call.line) in lines or is_record(conduct, one, call)
            for tag in call.given | call.receiver
            if tag[:2] == "t:" and len(tag) > _LEAST_NAME + 1 and " " not in tag
        )
        | frozenset(
            place.partition(":")[2]
            for one in list_around(conduct)
            for kept in list_store_calls(conduct, one)
            if kept.access is Access.ADD and kept.outlives
            for place in kept.places
            if place.startswith("table:")
        )
        | frozenset(
            tag[2:]
            for _, call, name in conduct.iter_calls(conduct.subjects)
            if name and _HANDLER.search(name)
            for tag in call.given
            if tag[:2] == "t:" and len(tag) > _LEAST_NAME + 1 and " " not in tag
        )
    )


_NAMES_EXPIRY = frozenset(("AttributeName", "attribute_name", "timeToLiveAttribute"))
"""Under these a table is told in which of its fields it stands when a row goes."""


def _find_expiring_rows(conduct: Conduct) -> Iterator[tuple[Function, int]]:
    """A record says itself when it goes, in the field in which its table looks for that."""
    fields = {
        tag[2:]
        for one in conduct.product
        for pair in conduct.facts(one).pairs
        if pair.key in _NAMES_EXPIRY
        for tag in pair.value
        if tag[:2] == "t:"
    }
    for one in sorted(list_around(conduct)) if fields else ():
        for kept in list_store_calls(conduct, one) if conduct.is_subject(one) else ():
            for pair in conduct.facts(one).pairs:
                known = conduct.expand(one, pair.value, 1)
                if (
                    pair.key in fields & kept.fields
                    and pair.value <= kept.call.given
                    and count_by_unit(known, 1 / _DAY) >= LEAST_DAYS
                ):
                    yield one, kept.call.line
