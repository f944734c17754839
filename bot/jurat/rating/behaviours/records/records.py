"""Behaviours by which an inference leaves a record, in fields, that outlives the process."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.behaviours.records.record_calls import (
    CHANGES,
    FIELDS,
    RECORDS,
    has_fields,
    is_of_failure,
    is_record,
    is_recording,
    is_stored,
    list_around,
    list_keys,
    list_recorders,
)
from jurat.rating.behaviours.records.recording import (
    find_lasting_records,
    find_recorded_inferences,
    find_traced,
    is_answer_alone,
    is_of_inference,
)
from jurat.rating.code.function_facts import CallFact
from jurat.rating.code.tag_search import has_text
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.surroundings import is_small

_FILE_HANDLER = re.compile(
    r"(?:FileHandler|TimedRotatingFileHandler|SysLogHandler|CloudLoggingHandler|CloudWatchLogHandler"
    r"|transports\.(?:File|DailyRotateFile)|DailyRotateFile|pino\.destination|logger\.add"
    r"|WatchedFileHandler|JournalHandler|OTLP\w*Exporter|LokiHandler)$"
)
_TELLING = 2
"""Fields of an inference that a record has before it tells them."""
_LIBRARY = re.compile(r"^(?:logging|structlog|loguru|pino|winston|bunyan|log4js)\b")


@register_behaviour("logged_inference")
def find_logged(conduct: Conduct) -> Iterator[Sign]:
    """A record is written on the path of an inference: where a model is asked, or right around."""
    yield from find_recorded_inferences(conduct)
    wrapped = list_recorders(conduct)
    for one in sorted(conduct.inferring | conduct.tools):
        facts = conduct.facts(one)
        for call, by in _list_records(conduct, one):
            yield Sign("logged_inference", one, call.line, frozenset({by}))
        asked = next((c for c in facts.calls if conduct.infers(one, c)), None)
        around = {c for c in conduct.program.callers.get(one, ()) if c[1] and c in conduct.leading}
        recording = [caller for caller in sorted(around) if any(_list_records(conduct, caller))]
        if asked is not None:
            outer = (other for other in wrapped if _is_of_one_side(conduct, one, other))
            for other in (*recording, *outer):
                yield Sign("logged_inference", one, asked.line, frozenset({other}))
        yield from _find_marked(conduct, one)


def _is_of_one_side(conduct: Conduct, one: Function, other: Function) -> bool:
    """Whether two functions may run together: no server is around what a browser asks."""
    files = conduct.program.files
    python = [files[path].language == "python" for path, _ in (one, other)]
    return python[0] == python[1]


def _list_records(conduct: Conduct, one: Function) -> Iterator[tuple[CallFact, Function]]:
    """The calls by which a function writes down what it asked or was answered, and who does."""
    for call in conduct.facts(one).calls:
        if not is_of_inference(conduct, one, call) or is_answer_alone(conduct, one, call):
            continue
        if is_record(conduct, one, call) and not is_of_failure(conduct, one, call):
            yield call, one
        for target in conduct.targets(one, call.callee):
            if target[1] and target not in conduct.leading and is_recording(conduct, target):
                yield call, target


def _find_marked(conduct: Conduct, one: Function) -> Iterator[Sign]:
    """A function that asks a model is marked by one that records what it wraps."""
    facts = conduct.facts(one)
    for mark in facts.marks:
        for target in conduct.targets(one, mark.callee):
            inside = _list_inside(conduct, target)
            if any(is_recording(conduct, wrapper) for wrapper in inside):
                carriers = frozenset({target, *inside})
                yield Sign("logged_inference", one, facts.first, carriers)


def _list_inside(conduct: Conduct, one: Function) -> list[Function]:
    """The functions that stand in one, however deep: what takes settings makes what wraps."""
    around = {one[1]}
    found = []
    for number, facts in enumerate(conduct.program.files[one[0]].functions):
        if facts.parent in around:
            around.add(number)
            found.append((one[0], number))
    return found


@register_behaviour("durable_record")
def find_durable(conduct: Conduct) -> Iterator[Sign]:
    """What is written down on the path of an inference outlives the process."""
    yield from find_lasting_records(conduct)
    around = list_around(conduct)
    wide = around - conduct.beside
    for one in sorted(around):
        facts = conduct.facts(one)
        is_named = one in wide or has_text(frozenset(f"t:{text}" for text in facts.says), RECORDS)
        for call in facts.calls:
            said = (call.receiver, call.given)
            named = is_named or any(has_text(tags, RECORDS) for tags in said)
            changed = any(has_text(tags, CHANGES) for tags in said)
            if (named or has_fields(call)) and not changed and is_stored(conduct, one, call):
                yield Sign("durable_record", one, call.line, frozenset({one}))
    logs = any(conduct.is_logged(one, call) for one in around for call in conduct.facts(one).calls)
    for one, call, name in conduct.iter_calls() if logs else ():
        to_file = name == "logging.basicConfig" and "filename" in call.keywords
        if to_file or _FILE_HANDLER.search(name):
            yield Sign("durable_record", one, call.line, frozenset({one}))


@register_behaviour("log_fields")
def find_log_fields(conduct: Conduct) -> Iterator[Sign]:
    """A record on the path of an inference says which run, model or person, in fields."""
    yield from find_traced(conduct)
    for one in sorted(conduct.beside & set(conduct.product)):
        facts = conduct.facts(one)
        bound = {
            word
            for call in facts.calls
            if call.callee.endswith(("bind_contextvars", ".bind", ".child", ".addContext"))
            for word in list_keys(call)
        }
        for call in facts.calls:
            handed = _find_recording(conduct, one, call) if is_small(conduct) else ()
            if not (handed or is_record(conduct, one, call)):
                continue
            if not is_of_inference(conduct, one, call) or is_answer_alone(conduct, one, call):
                continue
            keys = list_keys(call) | bound
            if handed:
                # What a record holds is said where it is called for, and where it is written.
                keys |= {key for item in handed for key in _list_written_keys(conduct, item)}
                keys |= {t[2:] for t in conduct.expand(one, call.given) if t[:2] == "k:"}
            named = {key for key in keys if FIELDS.search(key)} - _list_own_words(conduct, one)
            if len(named) >= _TELLING:
                yield Sign("log_fields", one, call.line, frozenset({one}))


def _find_recording(conduct: Conduct, one: Function, call: CallFact) -> tuple[Function, ...]:
    """The own functions beside the path of an inference that write down what a call hands them."""
    if not (call.given or call.keywords) or (call.callee.startswith("?.") and not call.arguments):
        return ()
    return tuple(
        target
        for target in conduct.targets(one, call.callee)
        if target[1] and target not in conduct.leading and _is_recorder(conduct, target)
    )


def _is_recorder(conduct: Conduct, one: Function) -> bool:
    """Whether a function writes down what it is handed, and does not only log that it ran."""
    calls = conduct.facts(one).calls
    return any(
        is_stored(conduct, one, call)
        or (conduct.is_logged(one, call) and sum(t[:2] == "p:" for t in call.given) > 1)
        for call in calls
    ) and is_recording(conduct, one)


def _list_written_keys(conduct: Conduct, one: Function) -> Iterator[str]:
    calls = conduct.facts(one).calls
    for call in calls:
        if is_record(conduct, one, call):
            yield from list_keys(call)
            # A row is made by its class, whose fields stand as keywords.
            made = (other for other in calls if f"x:{other.callee}" in call.given)
            yield from (word for other in made for word in other.keywords)


def _list_own_words(conduct: Conduct, one: Function) -> set[str]:
    """Keys under which a function only ever puts what a logging library says of itself."""
    own: set[str] = set()
    other: set[str] = set()
    for pair in conduct.facts(one).pairs:
        calls = {tag[2:] for tag in pair.value if tag[:2] == "x:"}
        says_itself = calls and all(_LIBRARY.search(name) for name in calls)
        given = any(tag[:2] == "p:" for tag in pair.value)
        (own if says_itself and not given else other).add(pair.key)
    return own - other
