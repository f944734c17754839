"""Behaviour by which a model sees fewer fields of a record than there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.behaviours.privacy.by_purpose import find_by_purpose, find_off_by_default
from jurat.rating.behaviours.privacy.named_fields import (
    has_personal,
    is_rid_of_people,
    is_sent,
    list_columns,
    list_imported,
    list_named,
    list_stated,
)
from jurat.rating.behaviours.privacy.read_in_part import is_read_in_part
from jurat.rating.behaviours.privacy.sent import list_content, list_sent
from jurat.rating.behaviours.records.counting import find_counted
from jurat.rating.behaviours.tied import list_values
from jurat.rating.code.function_facts import CallFact, GuardFact, Tags
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.program_names import Function


@register_behaviour("fewer_fields")
def find_fewer_fields(conduct: Conduct) -> Iterator[Sign]:
    """Fields that a decision does not need are left out before a model sees them."""
    for one in sorted(conduct.beside & set(conduct.subjects)):
        facts = conduct.facts(one)
        for call in facts.calls:
            if (
                _is_dropped(conduct, one, call)
                or _is_picked(conduct, one, call)
                or is_read_in_part(conduct, one, call)
                or _is_made_smaller(conduct, one, call)
                or _is_filtered(conduct, one, call)
                or _is_grouped(conduct, one, call)
                or _is_taken_by_columns(conduct, one, call)
                or _is_own_view(conduct, one, call)
            ):
                yield Sign("fewer_fields", one, call.line, frozenset({one}))
        for guard in facts.guards:
            if _is_chosen(conduct, one, guard):
                yield Sign("fewer_fields", one, guard.line, frozenset({one}))
        if _is_asked_by_chosen_fields(conduct, one):
            yield Sign("fewer_fields", one, facts.first or 1, frozenset({one}))
    yield from find_by_purpose(conduct)
    yield from find_off_by_default(conduct)
    yield from _find_smaller_schemas(conduct)
    yield from _find_before_handlers(conduct)
    yield from find_counted(conduct)


# Fields that are named to be left out.

_DROP = re.compile(
    r"(?:^|[./])(?:drop|pop|omit|exclude|del|model_dump|remove|discard|delete|defer)(?:\.js)?$"
)
_IN_PLACE = re.compile(r"(?:^|[./])(?:pop|del|remove|discard|delete)$")
_DUMPS = re.compile(r"(?:^|\.)(?:model_dump(?:_json)?|dict|json|dump|dumps|to_dict)$")
_PARSES = re.compile(r"\.(?:object|strip)\(\)\.(?:parse|safeParse|parseAsync)$")
"""What does not stand in a schema is left out by it."""


def _is_dropped(conduct: Conduct, one: Function, call: CallFact) -> bool:
    name = conduct.name(one, call.callee) or call.callee
    excludes = "exclude" in call.keywords and _DUMPS.search(name)
    if not (excludes or _DROP.search(name)):
        return False
    named = list_stated(conduct, one, call.given | conduct.expand(one, call.given))
    if not has_personal(named):
        return False
    if name == "omit" and not {f"a:{field}" for field in named}.isdisjoint(
        list_content(conduct, one)
    ):
        return False  # what was taken out is put in again
    if is_sent(conduct, one, call):
        return True
    held = frozenset(t for t in call.given | call.receiver if t[:2] in ("p:", "x:"))
    changed = _IN_PLACE.search(name) or "inplace" in call.keywords
    return bool(changed and held & list_sent(conduct, one))


def _is_chosen(conduct: Conduct, one: Function, guard: GuardFact) -> bool:
    """Whether a condition lets through some fields of a record, by their names."""
    asks = conduct.expand(one, guard.asks, 1)
    if guard.leaves != "continue" or not asks & _GONE_THROUGH:
        return False
    held = frozenset(tag for tag in asks if tag[:2] in ("p:", "x:"))
    if not held & list_sent(conduct, one):
        return False
    fields = list_stated(conduct, one, asks)
    if "op:not in" in asks:
        return has_personal(fields)
    return "op:in" in asks and is_rid_of_people(fields)


_GONE_THROUGH = frozenset(("a:items", "a:keys", "a:entries", "a:_asdict"))
"""By these a record is gone through field by field."""


_ASKS_LIST = (".has", ".includes")


def _is_filtered(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether of a record's fields those go on that a list names, or those that it does not."""
    if not call.callee.endswith(".filter") or call.receiver.isdisjoint(_GONE_THROUGH):
        return False
    held = frozenset(tag for tag in call.receiver if tag[:2] in ("p:", "x:"))
    if not held & list_sent(conduct, one):
        return False
    asked = (
        list_named(conduct.expand(target, inner.receiver, 1))
        for tag in call.given
        if tag[:2] == "x:"
        for target in conduct.targets(one, tag[2:])
        for inner in conduct.facts(target).calls
        if inner.callee.endswith(_ASKS_LIST)
    )
    return any(has_personal(fields) or is_rid_of_people(fields) for fields in asked)


def _find_before_handlers(conduct: Conduct) -> Iterator[Sign]:
    """What runs before whoever asks a model takes fields of people out of the request."""
    for one in conduct.product:
        leads = any(path == one[0] for path, _ in conduct.leading & conduct.handlers)
        for call in conduct.facts(one).calls:
            handed = {
                t for tag in call.given if tag[:2] == "x:" for t in conduct.targets(one, tag[2:])
            }
            around = leads and call.callee.endswith(".use")
            if not (around or len(handed) > 1) or not (around or conduct.leading & handed):
                continue
            for other in filter(conduct.is_subject, handed - conduct.leading):
                for gone in conduct.facts(other).calls:
                    fields = list_named(gone.given, ("a:", "t:"))
                    if gone.callee == "del" and "body" in fields and has_personal(fields):
                        yield Sign("fewer_fields", other, gone.line, frozenset({one, other}))


def _is_taken_by_columns(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a frame of a whole record is asked of by a list of columns that tell nobody.

    What the record has beside them is known by its class: what has no names spares none.
    """
    if not call.callee.endswith("DataFrame") or not any(t[:2] == "p:" for t in call.given):
        return False
    content = list_content(conduct, one)
    columns = list_named(content, ("k:",)) & list_named(content)
    return (
        f"x:{call.callee}" in list_sent(conduct, one)
        and any(tag[:2] == "s:" for tag in content)
        and is_rid_of_people(columns)
        and any(columns & held and has_personal(held) for held in _list_schemas(conduct))
    )


_TELLS = re.compile(r"^(?:to|as|for)_?[A-Za-z]\w*$|^__(?:str|repr)__$|^toString$")


def _is_own_view(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether an object tells of itself some fields, and none of those that say who it is.

    By a method, or by the one that what writes it out as a text calls.
    """
    if not is_sent(conduct, one, call):
        return False
    tellers = conduct.targets(one, call.callee)
    if call.callee == "JSON.stringify":
        made = (tag[2:] for tag in call.given if tag[:2] == "x:" and tag.endswith("()"))
        tellers = tuple(t for name in made for t in conduct.targets(one, f"{name}.toJSON"))
    for target in tellers:
        facts = conduct.facts(target)
        held = conduct.program.list_fields(target[0], f"local:{facts.owner}")
        content = list_named(facts.returns, ("a:",)) & set(held)
        if facts.owner and has_personal(held) and is_rid_of_people(content):
            return True
    return False


# Fields of many people that become figures of groups.

_FIGURES = frozenset(f"a:{name}" for name in (
    "agg", "aggregate", "mean", "median", "sum", "count", "size", "nunique", "describe",
))  # fmt: skip


def _is_grouped(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a model sees figures of groups, and no group is of those of one name."""
    if not call.callee.endswith(("groupby", "group_by")) or has_personal(list_named(call.given)):
        return False
    return is_sent(conduct, one, call) and any(
        _FIGURES & other.receiver and f"x:{call.callee}" in other.receiver
        for other in conduct.facts(one).calls
    )


# Fields that are named to be taken.

_PICKS = re.compile(
    r"(?:^|[./])(?:pick|project|only|subset|values|values_list|load_only)(?:\.js)?$"
    r"|^JSON\.stringify$"
)


def _is_picked(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call takes some named fields out of a record, none of which tells who it is."""
    name = conduct.name(one, call.callee) or call.callee
    if not (_PICKS.search(name) or "include" in call.keywords):
        return False
    if one in conduct.leading and not is_sent(conduct, one, call):
        return False  # what the model saw is another thing
    if name == "JSON.stringify":
        # The second argument lists the fields; one that is nothing only comes before a third.
        listed = call.arguments > 1 and "c:None" not in call.given
        return listed and is_rid_of_people(list_named(call.given))
    named = list_named(conduct.expand(one, call.given, 1))
    return is_rid_of_people(named) or is_rid_of_people(list_columns(call))


def _is_asked_by_chosen_fields(conduct: Conduct, one: Function) -> bool:
    """Whether a model sees of a record what a list of its fields names, and none that tell who.

    The list is the file's own, is gone through here, and what was chosen by it goes to the model.
    """
    facts = conduct.facts(one)
    # Who picks out of what a model answered spares nothing of what it was asked.
    sent = frozenset[str]() if one in conduct.inferring else list_sent(conduct, one)
    sent |= frozenset(
        tag
        for call in facts.calls
        if conduct.infers(one, call) or conduct.inferring & set(conduct.targets(one, call.callee))
        for tag in conduct.expand(one, call.given | call.receiver, 1)
    )
    gone_through = [loop.asks for loop in facts.loops if loop.bounded]
    gone_through += [c.receiver for c in facts.calls if c.callee.endswith(_GOES_THROUGH)]
    for asks in gone_through:
        left_out = _GONE_THROUGH & asks and "op:-" in asks
        if left_out and sent & asks and has_personal(list_stated(conduct, one, asks)):
            return True
        elsewhere = {tag for tag in asks if tag[:2] in ("x:", "p:")}
        listed = list_imported(conduct, one, asks) if len(elsewhere) == 1 else frozenset()
        if elsewhere and not listed:
            continue  # what comes from elsewhere is no list of fields that is written down here
        shared = {tag for tag in asks if tag[:2] == "s:" or tag in elsewhere} & sent
        if shared and is_rid_of_people(list_named(asks) | listed):
            return True
    return False


_GOES_THROUGH = (".map", ".filter", ".reduce", ".forEach")


# What is made of a record before it goes out.

_MADE_OF = frozenset(
    (
        "model_validate",
        "parse_obj",
        "from_orm",
        "from_dict",
        "validate",
        "load",
        "dump",
        "serialize",
    )
)


def _is_made_smaller(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a record becomes an object of an own class that has no field of who somebody is.

    It is made of all of a record, or of some fields of one by what the class itself has: who puts
    each field in anywhere else has chosen what to say, and no class does.
    """
    if not is_sent(conduct, one, call):
        return False
    head, _, verb = call.callee.rpartition(".")
    if _DUMPS.search(call.callee):
        # An object tells all of its class but what that keeps back.
        fields = conduct.program.list_fields(one[0], head.removesuffix("()"))
        if has_personal(field[1:] for field in fields if field[:1] == "-"):
            return True
    if not any(tag[:2] in ("p:", "x:") for tag in call.given):
        return False
    if _PARSES.search(call.callee):
        return _is_smaller(conduct, list_named(call.receiver, ("k:",)))
    into = any(_is_smaller_class(conduct, one, tag[2:]) for tag in call.given if tag[:2] == "x:")
    if into and call.arguments > 1 and not conduct.targets(one, call.callee):
        return True  # a mapper is told into what
    if not head.endswith("()") and _is_smaller_class(conduct, one, head):
        return True  # a way of the class to be made
    made = head if verb in _MADE_OF else call.callee
    fields = conduct.program.list_fields(one[0], made)
    whole = not any(tag[:2] == "a:" and tag[2:] in fields for tag in call.given)
    return whole and call.arguments == 1 and not call.keywords and _is_smaller(conduct, fields)


def _is_smaller_class(conduct: Conduct, one: Function, name: str) -> bool:
    return not name.endswith("()") and _is_smaller(
        conduct, conduct.program.list_fields(one[0], name)
    )


def _is_smaller(conduct: Conduct, fields: Iterable[str]) -> bool:
    """Whether another class has these fields, and beside them some of who somebody is.

    A class may as well say which of another's it leaves out.
    """
    left_out = [field[1:] for field in fields if field[:1] == "-"]
    if left_out:
        return has_personal(left_out)
    return is_rid_of_people(fields) and any(
        set(fields) < held and has_personal(held) for held in _list_schemas(conduct)
    )


@ask_once
def _list_schemas(conduct: Conduct) -> tuple[frozenset[str], ...]:
    """The fields of each class and of each schema of a program."""
    files = conduct.program.files
    classes = [frozenset(held) for facts in files.values() for _, held in facts.fields]
    schemas = [
        list_named(call.given, ("k:",))
        for path in files
        for call in conduct.facts((path, 0)).calls
        if call.callee.endswith(_SCHEMAS)
    ]
    return (*classes, *filter(None, schemas))


_SCHEMAS = ("z.object", "yup.object", "Joi.object", "t.Object", "Schema")


def _find_smaller_schemas(conduct: Conduct) -> Iterator[Sign]:
    """A schema is made of another without fields of people, and what fits it goes to a model."""
    sent = _list_all_sent(conduct)
    for one in conduct.subjects:
        for call in conduct.facts(one).calls if not one[1] else ():
            if call.callee.endswith((".omit", ".pick")) and f"x:{call.callee}" in sent:
                fields = list_named(call.given, ("k:",))
                drops = call.callee.endswith(".omit") and has_personal(fields)
                if drops or (call.callee.endswith(".pick") and is_rid_of_people(fields)):
                    yield Sign("fewer_fields", one, call.line, frozenset({one}))


@ask_once
def _list_all_sent(conduct: Conduct) -> Tags:
    """All that any function has of what a model is asked."""
    return frozenset().union(*list_values(conduct).given.values())
