"""What one constraint found, with its evidence, and how people read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

from jurat.engine.regexes import shorten
from jurat.engine.units import MAX_MAGNITUDE
from jurat.facts.context import Subject, Surface
from jurat.facts.places import PASSAGE_FIELD
from jurat.findings.finding import Location
from jurat.findings.verdict import UnreadFile
from jurat.rules.constraints import Constraint
from jurat.rules.messages import (
    BASE,
    EXPECTED,
    NAME,
    THRESHOLD,
    VALUE,
    Find,
    Plain,
    fill_first,
    join_messages,
    list_messages,
)
from jurat.rules.rule import Rule


class OutcomeState(IntEnum):
    """The result of a constraint. The greater one wins: FAIL over INDETERMINATE over PASS."""

    PASS = 0
    INDETERMINATE = 1
    FAIL = 2


class Evidence(NamedTuple):
    """One value that was looked at.

    `path` is concrete (`change.functions[3].complexity`). `reason` says why an indeterminate value
    could not be decided; `place` is the mapping around it that names a file, if there is one.
    """

    path: str
    value: object
    state: OutcomeState
    reason: str = ""
    place: Mapping[str, Any] | None = None


class Outcome(NamedTuple):
    """The result over all values at a path. `expectation` completes "the rule asks for …"."""

    state: OutcomeState
    expectation: str
    evidence: tuple[Evidence, ...]


Admits = Callable[[Mapping[str, Any]], bool]
"""Whether a list item that names a file (`path`) is one that the rule looks at."""


class FactCheck(Protocol):
    """A compiled constraint: facts in, outcome out."""

    def __call__(self, facts: Mapping[str, Any], admits: Admits | None = None) -> Outcome:
        """Look at every value that the constraint names."""
        ...


def find_worst_state(states: Iterable[OutcomeState]) -> OutcomeState:
    """FAIL over INDETERMINATE over PASS; PASS if there is nothing."""
    return max(states, default=OutcomeState.PASS)


# What people read of a computed verdict: the issue and the reasoning.

MAX_QUOTED = 5
"""Values or places that one sentence names before it counts the rest."""


class CheckedSubject(NamedTuple):
    """One constraint's outcome on one subject; without a constraint, it is a statement's.

    `recheck` checks other facts in the same way.
    """

    subject: Subject
    outcome: Outcome
    constraint: Constraint | None = None
    recheck: Callable[[Mapping[str, Any]], Outcome] | None = None


def explain_state(checked: Sequence[CheckedSubject], state: OutcomeState) -> str:
    """A sentence for each constraint that came to `state`."""
    return " ".join(
        _format_sentence(item.outcome, state) for item in checked if item.outcome.state is state
    )


def explain_failures(rule: Rule, item: CheckedSubject, failures: Sequence[Evidence]) -> str:
    """What is wrong with values that fail: in the words of the rule, or as they compare."""
    # The last is made of the statement: that a value is not what was asked for says more.
    *templates, _ = list_messages(rule, item.constraint)
    if messages := [
        message
        for evidence in failures
        if (message := fill_first(templates, _build_find(item, evidence)))
    ]:
        return join_messages(messages)
    return _format_sentence(item.outcome._replace(evidence=tuple(failures)), OutcomeState.FAIL)


def _build_find(item: CheckedSubject, evidence: Evidence) -> Find:
    """What was captured when a value failed."""
    place = evidence.place or {}
    before = place.get("base")
    leaf = evidence.path.rpartition(".")[2]
    captured: dict[str, object] = {
        VALUE: evidence.value,
        EXPECTED: Plain(item.outcome.expectation),
        NAME: place.get("qualified_name") or place.get("name"),
        BASE: before.get(leaf) if isinstance(before, Mapping) else None,
        THRESHOLD: getattr(item.constraint, "threshold", None),
    }

    def find(name: str) -> str | None:
        value = captured.get(name)
        if value is None:
            return None
        plain = isinstance(value, (int, float, Decimal, Plain))
        return Plain(format_value(value)) if plain else format_value(value)

    return find


def explain_code(locations: Sequence[Location], total: int) -> str:
    """Where the change made code, or what else it holds, break the rule: some of `total` places."""
    code = any(location.surface is Surface.CODE for location in locations)
    places = [_format_location(location) for location in locations[:MAX_QUOTED]]
    listed = _join_items(places, total)
    # Old code is no added code, although the change is why it breaks the rule.
    what = "code" if code else "text"
    if any(location.cause for location in locations):
        return f"With this change {what} breaks the rule at {listed}."
    return f"Added {what} breaks the rule at {listed}."


def explain_unread(unread: Sequence[UnreadFile]) -> str:
    """Which files the rule could not be checked on."""
    files = list(dict.fromkeys(f"{file.path} ({file.reason})" for file in unread))
    return f"Not read, so nothing can be said of it: {_join_items(files)}."


def _format_sentence(outcome: Outcome, state: OutcomeState) -> str:
    evidence = [item for item in outcome.evidence if item.state is state]
    if not evidence:
        return f"Nothing is there that had to be {outcome.expectation}."
    if state is OutcomeState.INDETERMINATE:
        return f"{_join_items([f'{item.path} {item.reason}' for item in evidence])}."
    values = _join_items([_format_evidence(item) for item in evidence])
    if state is OutcomeState.FAIL:
        return f"{values}; the rule asks for {outcome.expectation}."
    return f"{values}, as the rule asks: {outcome.expectation}."


def _format_evidence(evidence: Evidence) -> str:
    if evidence.reason:
        return f"{evidence.path} {evidence.reason}"
    value, place = format_value(evidence.value), evidence.place
    if place is None:
        return f"{evidence.path} is {value}"
    name = place.get("qualified_name") or place.get("name")
    line = f":{place['start_line']}" if isinstance(place.get("start_line"), int) else ""
    where = f"{place['path']}{line}"
    leaf = evidence.path.rpartition(".")[2]
    return f"{leaf} is {value} in {f'{name} ({where})' if name else where}"


def format_value(value: object) -> str:
    """A fact as people read it."""
    if isinstance(value, Mapping) and "value" in value:
        return f"{format_value(value['value'])} {value.get('unit', '')}".strip()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= MAX_MAGNITUDE:
        return f"{value:f}"
    if isinstance(value, (list, tuple)):
        return shorten(", ".join(str(item) for item in value))
    return shorten(str(value))


def _join_items(items: Sequence[str], total: int | None = None) -> str:
    quoted = ", ".join(items[:MAX_QUOTED])
    rest = (len(items) if total is None else total) - MAX_QUOTED
    return f"{quoted} and {rest} more" if rest > 0 else quoted


def _format_location(location: Location) -> str:
    line = f":{location.start_line}" if location.start_line else ""
    passage = location.fields.get(PASSAGE_FIELD.get(location.surface, ""))
    where = f"{location.file_path}{line}"
    return f"{where} ({shorten(str(passage))})" if passage else where
