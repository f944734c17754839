"""What is read of a table of people: some columns, and none that tell who somebody is."""

from __future__ import annotations

import re

from jurat.rating.behaviours.privacy.named_fields import (
    FIELD,
    has_personal,
    is_rid_of_people,
    is_sent,
    list_columns,
    list_named,
)
from jurat.rating.code.function_facts import CallFact, FunctionFacts, Tags
from jurat.rating.code.sql_statements import list_selected, read_statement
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function

_PEOPLE = re.compile(
    r"(?:^|[_.:])(?:applicant|candidate|customer|patient|student|pupil|employee|user|person"
    r"|people|member|client"
    r"|claimant|tenant|borrower|citizen|resident|passenger|driver|worker|caller|guest"
    r"|subscriber|voter)s?$",
    re.IGNORECASE,
)
_SELECTS = frozenset(("select", "attributes", "projection", "fields", "columns"))
"""Under these keys a mapper is told which fields to read."""
_READS = re.compile(r"(?:^|\.)(?:find\w*|select|query|aggregate|get)$")


def is_read_in_part(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether of people some columns are read that tell nobody, and a model sees those."""
    if not is_sent(conduct, one, call):
        return False
    facts = conduct.facts(one)
    if (statement := read_statement(call.first)) is not None:
        known = conduct.tables.list_columns(statement.tables)
        return is_rid_of_people(list_selected(call.first)) and has_personal(known)
    if not _READS.search(call.callee):
        return False
    if has_personal(_list_left_out(facts, call)):
        return True
    known = conduct.tables.list_columns(_list_tables(call))
    if not has_personal(known) and not any(
        _is_of_people(conduct, one, tag) for tag in call.receiver | call.given
    ):
        return False
    chosen = (
        pair.value for pair in facts.pairs if pair.key in _SELECTS and pair.value <= call.given
    )
    if any(is_rid_of_people(list_named(value, ("k:", "t:"))) for value in chosen):
        return True
    if not call.callee.endswith("select"):
        return False
    keyed = list_named(call.given, ("k:",)) & list_named(call.given, ("a:",))
    return any(map(is_rid_of_people, (list_columns(call), keyed, _list_said(call.given))))


def _list_tables(call: CallFact) -> frozenset[str]:
    """The table that a mapper is asked for, as it is called: `db.ticket.findMany`."""
    return frozenset(part.lower() for part in call.callee.split(".")[-2:-1])


def _list_said(tags: Tags) -> frozenset[str]:
    """The columns that texts name, each its own or several in one."""
    said = (word.strip() for tag in tags if tag[:2] == "t:" for word in tag[2:].split(","))
    return frozenset(word for word in said if FIELD.match(word))


def _is_of_people(conduct: Conduct, one: Function, tag: str) -> bool:
    """Whether a tag stands for where people are kept: by what it is called, or by its fields."""
    if any(map(_PEOPLE.search, tag.split("."))):
        return True
    if tag[:2] != "x:":
        return False
    inside = conduct.program.find_module(one[0], tag[2:])
    stated = conduct.facts((inside[0], 0)).pairs if inside is not None else ()
    fields = (*conduct.program.list_fields(one[0], tag[2:]), *(pair.key for pair in stated))
    return has_personal(fields)


_MINUS = re.compile(r"(?:^|\s)-(\w+)")


def _list_left_out(facts: FunctionFacts, call: CallFact) -> frozenset[str]:
    """The fields that a document database is told not to read."""
    said = {word for tag in call.given if tag[:2] == "t:" for word in _MINUS.findall(tag[2:])}
    said |= {
        pair.key
        for pair in facts.pairs
        if f"k:{pair.key}" in call.given and pair.value in _NOTHING_OF and pair.constant
    }
    return frozenset(said)


_NOTHING_OF = (frozenset(("n:0",)), frozenset(("c:False",)))
