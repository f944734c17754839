"""What is written down of an inference, told from what flows into the record.

A record is something added beside what was there, where it outlives the process, with a time. It is
one of an inference if what the model answered goes into it. By how much else of the inference goes
in (what it was asked, which model, on whose behalf) it can be traced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.code.function_facts import CallFact, FunctionFacts, Tags
from jurat.rating.code.tag_search import has_name, has_text
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import StoreCall, list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.stores import get_last

_CLOCK = re.compile(
    r"(?:^|\.)(?:now|utcnow|today|time|time_ns|Date|toISOString|strftime|isoformat|hrtime"
    r"|monotonic|timestamp|serverTimestamp|localtime|gmtime|ctime|asctime)(?:\(\))?$"
)
_CLOCK_TEXT = re.compile(
    r"\b(?:now\(\)|current_timestamp|sysdate|getdate\(\)|datetime\('now')", re.IGNORECASE
)
_WHEN = re.compile(
    r"^(?:at|ts|t|when|day|date|time\w*|\w+_(?:at|on|time|ts|date)|created\w*|\w+At|logged\w*)$"
)
_SETS_CLOCK = frozenset(
    ("default", "auto_now_add", "auto_now", "server_default", "default_factory")
)
_WHICH = re.compile(
    r"model|version|engine|weights|sha|digest|fingerprint|\btag\b|_tag$|revision|checkpoint|source",
    re.IGNORECASE,
)
_TRACED = 3
"""Of what an inference is made of, the answer among it, that a record must hold to be traced."""


_TOLD_FULLY = 5
"""Fields of a row that is written to be read later."""


class InferenceRecord(NamedTuple):
    """A record of an inference: who writes it, on which line, and what of it the record holds."""

    function: Function
    line: int
    holds: frozenset[str]
    lasts: bool


@ask_once
def list_recorded(conduct: Conduct) -> tuple[InferenceRecord, ...]:
    """The records of inferences that a program writes, on the paths that lead to a model."""
    return tuple(_iter_recorded(conduct))


@ask_once
def _list_changed(conduct: Conduct) -> frozenset[str]:
    """The places whose rows others change: what stands there is the thing, and not its record."""
    return frozenset(
        place
        for one in conduct.product
        if one not in conduct.leading
        for kept in list_store_calls(conduct, one)
        if kept.access is Access.CHANGE and kept.outlives
        for place in kept.places
        if place.startswith(_ROWS)
    )


_ROWS = ("table:", "model:")


def _is_thing_itself(conduct: Conduct, kept: StoreCall) -> bool:
    """Whether what is kept is what others change, and so no record of it."""
    rows = all(place.startswith(_ROWS) for place in kept.places)
    return rows and bool(kept.places) and kept.places <= _list_changed(conduct)


_HANDED_ON = 3
"""Calls by which what was asked or answered is handed on before it tells nothing."""


@ask_once
def list_asked_and_answered(conduct: Conduct) -> Mapping[Function, Tags]:
    """What each function has of an inference: what it hands to a model and what that answers.

    Whoever is handed some of it by those who ask has it too, and so has a tool, which a model asks.
    """
    sources = conduct.leading | conduct.wrapping.keys()
    found = {one: frozenset(_iter_own(conduct, one)) for one in sources}
    edge = dict(found)
    for _ in range(_HANDED_ON):
        edge = {
            target: _list_parameters(conduct, target)
            for one, about in edge.items()
            for call in conduct.facts(one).calls
            if not about.isdisjoint(call.given)
            for target in conduct.targets(one, call.callee)
            if target[1] and target not in found
        }
        found |= edge
    return found | {
        one: found.get(one, frozenset()) | _list_parameters(conduct, one) for one in conduct.tools
    }


def _list_parameters(conduct: Conduct, one: Function) -> Tags:
    return frozenset(f"p:{name}" for name in conduct.facts(one).parameters)


def _iter_own(conduct: Conduct, one: Function) -> Iterator[str]:
    """What a function hands to a model, and what that answers it."""
    for call in conduct.facts(one).calls:
        if conduct.asks_model(one, call):
            yield from (f"x:{call.callee}", f"x:{call.callee}()")
            yield from (tag for tag in call.given if tag[:2] in ("p:", "x:"))


def is_of_inference(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call is given something of what a model was asked, or answered."""
    about = list_asked_and_answered(conduct).get(one, frozenset())
    given = conduct.expand(one, call.given, 1)
    return not about.isdisjoint(given) and not _is_count(conduct.facts(one), call)


_COUNTS = frozenset(("x:builtins.len", "x:builtins.len()", "a:length", "a:size"))
_SPREAD = 8
"""Lines over which a call may be spread."""


def _is_count(facts: FunctionFacts, call: CallFact) -> bool:
    """Whether a call is told how many there are, and nothing of what they say."""
    given = frozenset(tag for tag in call.given if tag[:2] not in ("t:", "c:", "n:"))
    counted = (
        other.given for other in facts.calls
        if other.callee == "builtins.len" and 0 <= other.line - call.line <= _SPREAD
    )  # fmt: skip
    return not given.isdisjoint(_COUNTS) and given <= _COUNTS.union(*counted)


def is_answer_alone(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call puts by what a model answered and nothing beside, such as a film that it made.

    Then it is the product: it says neither what was asked nor when.
    """
    asked = [c for c in conduct.facts(one).calls if conduct.asks_model(one, c)]
    answered = [c for c in asked if {f"x:{c.callee}", f"x:{c.callee}()"} & call.given]
    own = not conduct.name(one, call.callee)  # what that makes of it shows there
    if own or not answered or call.keywords or conduct.is_logged(one, call):
        return False
    handed = {tag for c in answered for tag in (*c.given, *c.receiver)}
    names = tuple(f"x:{c.callee}" for c in answered)
    return all(tag in handed or tag[:2] == "a:" or tag.startswith(names) for tag in call.given)


def _iter_recorded(conduct: Conduct) -> Iterator[InferenceRecord]:
    for one in sorted(conduct.leading | conduct.wrapping.keys()):
        asked = [c for c in conduct.facts(one).calls if conduct.asks_model(one, c)]
        answers = {f"x:{c.callee}" for c in asked} | {f"x:{c.callee}()" for c in asked}
        said = frozenset(tag for c in asked for tag in c.given)
        for kept in _list_kept(conduct, one):
            if _is_of_failure(conduct, one, kept.call) or kept.call in asked:
                continue
            if is_answer_alone(conduct, one, kept.call):
                continue
            given = kept.given | conduct.expand(one, kept.given, 1)
            if not answers & given or _is_thing_itself(conduct, kept):
                continue
            holds = frozenset(
                _iter_held(kept, given, said, _list_written_fields(conduct, one, kept))
            )
            timed = not kept.places or "time" in holds or _is_clocked(conduct, kept)
            # Of a table that is made elsewhere nobody knows whether it tells the time by itself.
            timed = timed or (
                len(holds) >= _TRACED
                and len(kept.fields) >= _TOLD_FULLY
                and not _is_made_here(conduct, kept)
            )
            if timed and (kept.outlives or len(holds) > 1):
                yield InferenceRecord(one, kept.call.line, holds | {"answer"}, kept.outlives)


def _list_kept(conduct: Conduct, one: Function) -> Iterator[StoreCall]:
    """What a function adds to where things are kept, and what it logs."""
    for kept in list_store_calls(conduct, one):
        adds = kept.access is Access.ADD or (kept.access is Access.CHANGE and _is_apart(kept))
        if adds and kept.outlives:
            yield kept
    for call in conduct.facts(one).calls:
        if is_logged_for_good(conduct, one, call):
            fields = frozenset(t[2:] for t in call.given if t[:2] == "k:") | set(call.keywords)
            yield StoreCall(call, Access.ADD, frozenset(), fields, call.given, outlives=False)


def is_logged_for_good(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call logs what happens, and not for who looks for an error, or that there is one.

    The first is off where it runs, and the second says nothing of all that went well. What a page
    says to a browser is seen by nobody who looks later.
    """
    if get_last(call) in _OF_ERRORS or not conduct.is_logged(one, call):
        return False
    return not (call.callee.startswith("console.") and _is_page(conduct, one[0]))


_PAGE_FILE = re.compile(r"\.(?:[jt]sx|vue|svelte)$")
_OF_BROWSERS = re.compile(r"^(?:document|window)(?:\.|$)")


def _is_page(conduct: Conduct, path: str) -> bool:
    """Whether a file runs in a browser, as it is one of a page, or changes one."""
    return _PAGE_FILE.search(path) is not None or any(
        _OF_BROWSERS.match(name)
        for function in conduct.program.files[path].functions
        for name in function.refers
    )


_OF_ERRORS = frozenset(
    ("debug", "trace", "verbose", "error", "exception", "critical", "fatal", "warn", "warning")
)


_APART = re.compile(r"uuid|nanoid|hexdigest|randomUUID|token_hex|ulid")


def _is_apart(kept: StoreCall) -> bool:
    """Whether what is put has a place of its own each time, so that nothing is lost."""
    return has_name(kept.call.given, _APART) or (
        has_name(kept.call.given, _CLOCK) and any(p.startswith("key:") for p in kept.places)
    )


def _is_of_failure(conduct: Conduct, one: Function, call: CallFact) -> bool:
    return any(guard.handler for guard in conduct.list_guards(one, call))


def _list_written_fields(conduct: Conduct, one: Function, kept: StoreCall) -> frozenset[str]:
    """The fields of a record, those of what is put into one of them as a whole among them."""
    call = kept.call
    return kept.fields | {
        pair.key
        for pair in conduct.facts(one).pairs
        if 0 <= pair.line - call.line <= _WRITTEN_OVER
        and f"k:{pair.key}" in call.given
        and pair.value <= call.given
    }


_WRITTEN_OVER = 12
"""Lines over which a record may be written."""


def _iter_held(kept: StoreCall, given: Tags, said: Tags, fields: frozenset[str]) -> Iterator[str]:
    """What of an inference a record holds beside the answer: told by values, and by `fields`."""
    own = {tag for tag in given if tag[:2] in ("p:", "a:")}
    asked = {tag for tag in said if tag[:2] in ("p:", "a:")}
    if any(tag[:2] == "p:" for tag in own & asked):
        yield "input"
    if any(tag[:2] == "p:" for tag in own - asked) or any(map(_WHOSE.search, fields)):
        yield "whose"
    named = {tag for tag in given & said if tag[:2] in ("s:", "t:") and len(tag) > 4}
    if any(map(_WHICH.search, fields)) or named:
        yield "model"
    if is_dated(given, fields):
        yield "time"


def is_dated(given: Tags, fields: Iterable[str]) -> bool:
    """Whether values, or the names of the fields that they go into, tell when something was."""
    clocked = has_name(given, _CLOCK) or has_text(given, _CLOCK_TEXT)
    return clocked or any(map(_WHEN.match, fields))


_WHOSE = re.compile(
    r"(?:^|_)(?:id|user|actor|by|who|session|case|request|trace|run|operator|badge|person|subject)"
    r"(?:_|$)|[a-z]Id$|\w+_id$",
    re.IGNORECASE,
)


def _is_clocked(conduct: Conduct, kept: StoreCall) -> bool:
    """Whether a place sets the time by itself: a class of rows with a clock, a table's default."""
    for place in kept.places:
        kind, _, rest = place.partition(":")
        if kind == "model" and ":" not in rest and rest.lower() in conduct.tables.clocked:
            return True  # a mapper that has its models in a file of its own calls them so
        if kind == "model":
            path = rest.rpartition(":")[0]
            calls = conduct.program.files[path].functions[0].calls if (
                path in conduct.program.files) else ()  # fmt: skip
            if any(
                _SETS_CLOCK & set(call.keywords)
                and ("auto_now_add" in call.keywords or _is_clock_given(conduct, path, call))
                for call in calls
            ):
                return True
        if kind == "table" and rest in conduct.tables.clocked:
            return True
    return False


def _is_made_here(conduct: Conduct, kept: StoreCall) -> bool:
    """Whether a statement here makes the table that something is put into, or a class is it."""
    return not all(
        place.startswith("table:") and place[6:] not in conduct.tables.made for place in kept.places
    )


def _is_clock_given(conduct: Conduct, path: str, call: CallFact) -> bool:
    return has_name(conduct.expand((path, 0), call.given, 2), _CLOCK)


def find_recorded_inferences(conduct: Conduct) -> Iterator[Sign]:
    """Each function that asks a model and of whose answer a record is written."""
    for record in list_recorded(conduct):
        one = record.function
        if one in conduct.deciding:
            yield Sign("logged_inference", one, record.line, frozenset({one}))
            continue
        inner = conduct.wrapping.get(one, ())
        for asked in sorted(conduct.program.walk([one, *inner], 3) & conduct.deciding):
            facts = conduct.facts(asked)
            line = next((c.line for c in facts.calls if conduct.infers(asked, c)), facts.first)
            yield Sign("logged_inference", asked, line, frozenset({one}))


def find_lasting_records(conduct: Conduct) -> Iterator[Sign]:
    """Each record of an inference that outlives the process."""
    for record in list_recorded(conduct):
        if record.lasts:
            yield Sign("durable_record", record.function, record.line, frozenset({record.function}))


def find_traced(conduct: Conduct) -> Iterator[Sign]:
    """Each record by which an inference can be followed."""
    for record in list_recorded(conduct):
        if len(record.holds) >= _TRACED:
            yield Sign("log_fields", record.function, record.line, frozenset({record.function}))
