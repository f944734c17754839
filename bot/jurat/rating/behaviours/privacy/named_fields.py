"""Fields that are named where something is chosen of a record, and whether they tell who it is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jurat.rating.behaviours.privacy.sent import list_sent
from jurat.rating.code.function_facts import CallFact, Tags
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.texts.personal_fields import OF_THINGS, PERSONAL_KEY

FIELD = re.compile(r"[a-z][A-Za-z0-9_]{2,}$")
_LEAST_FIELDS = 2


def list_named(tags: Iterable[str], kinds: tuple[str, ...] = ("t:",)) -> frozenset[str]:
    """The fields that are named among some tags."""
    return frozenset(t[2:] for t in tags if t[:2] in kinds and FIELD.match(t[2:]))


def list_stated(conduct: Conduct, one: Function, tags: Tags) -> frozenset[str]:
    """The fields that are named among some tags, or by lists of other files among them."""
    return list_named(tags) | list_imported(conduct, one, tags)


def list_imported(conduct: Conduct, one: Function, tags: Tags) -> frozenset[str]:
    """The words of the lists of other files that are named among some tags."""
    found: set[str] = set()
    for tag in tags:
        if tag[:2] == "x:" and "(" not in tag:
            inside = conduct.program.find_origin(one[0], tag[2:])
            if inside is not None and inside[1].isidentifier():
                found.update(dict(conduct.program.files[inside[0]].fields).get(inside[1], ()))
    return frozenset(found)


def has_personal(fields: Iterable[str]) -> bool:
    """Whether one of the fields tells who somebody is, whatever else has fields."""
    return any(PERSONAL_KEY.search(field) for field in fields if f"t:{field}" not in OF_THINGS)


def is_rid_of_people(fields: Iterable[str]) -> bool:
    """Whether the fields are several, and none of them tells who somebody is."""
    fields = frozenset(fields)
    return len(fields) >= _LEAST_FIELDS and not any(map(PERSONAL_KEY.search, fields))


def is_sent(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a model is asked with what a call gives."""
    return not list_sent(conduct, one).isdisjoint((f"x:{call.callee}", f"x:{call.callee}()"))


def list_columns(call: CallFact) -> frozenset[str]:
    """The columns of classes of rows that a call is handed."""
    columns = {tag.rpartition(".")[2] for tag in call.given if tag[:2] == "x:" and "." in tag}
    return frozenset(columns & list_named(call.given, ("a:",)))
