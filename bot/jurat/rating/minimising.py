"""Behaviour by which a model sees fewer fields of a record than there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jurat.rating.behaviour import Sign, register_behaviour
from jurat.rating.conduct import Conduct, ask_once
from jurat.rating.counting import find_counted
from jurat.rating.function_facts import CallFact, FunctionFacts, GuardFact, Tags
from jurat.rating.personal_fields import OF_THINGS, PERSONAL_KEY
from jurat.rating.program_names import Function
from jurat.rating.sql_statements import list_selected, read_statement
from jurat.rating.tied import list_values

_FIELD = re.compile(r"[a-z][A-Za-z0-9_]{2,}$")
_LEAST_FIELDS = 2


@register_behaviour("fewer_fields")
def find_fewer_fields(conduct: Conduct) -> Iterator[Sign]:
    """Fields that a decision does not need are left out before a model sees them."""
    for one in sorted(conduct.beside & set(conduct.subjects)):
        facts = conduct.facts(one)
        for call in facts.calls:
            if (
                _is_dropped(conduct, one, call)
                or _is_picked(conduct, one, call)
                or _is_read_in_part(conduct, one, call)
                or _is_made_smaller(conduct, one, call)
                or _is_filtered(conduct, one, call)
                or _is_grouped(conduct, one, call)
            ):
                yield Sign("fewer_fields", one, call.line, frozenset({one}))
        for guard in facts.guards:
            if _is_chosen(conduct, one, guard):
                yield Sign("fewer_fields", one, guard.line, frozenset({one}))
        if _is_asked_by_chosen_fields(conduct, one):
            yield Sign("fewer_fields", one, facts.first or 1, frozenset({one}))
    yield from _find_smaller_schemas(conduct)
    yield from _find_before_handlers(conduct)
    yield from find_counted(conduct)


def _list_named(tags: Iterable[str], kinds: tuple[str, ...] = ("t:",)) -> frozenset[str]:
    """The fields that are named among some tags."""
    return frozenset(t[2:] for t in tags if t[:2] in kinds and _FIELD.match(t[2:]))


def _has_personal(fields: Iterable[str]) -> bool:
    """Whether one of the fields tells who somebody is, whatever else has fields."""
    return any(PERSONAL_KEY.search(field) for field in fields if f"t:{field}" not in OF_THINGS)


def _is_rid_of_people(fields: Iterable[str]) -> bool:
    """Whether the fields are several, and none of them tells who somebody is."""
    fields = frozenset(fields)
    return len(fields) >= _LEAST_FIELDS and not any(map(PERSONAL_KEY.search, fields))


def _list_sent(conduct: Conduct, one: Function) -> Tags:
    """What a function has of what a model is asked."""
    return list_values(conduct).given.get(one, frozenset())


def _is_sent(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a model is asked with what a call gives."""
    return not _list_sent(conduct, one).isdisjoint((f"x:{call.callee}", f"x:{call.callee}()"))


# Fields that are named to be left out.

_DROP = re.compile(
    r"(?:^|[./])(?:drop|pop|omit|exclude|del|model_dump|remove|discard|delete|defer)(?:\.js)?$"
)
_IN_PLACE = re.compile(r"(?:^|[./])(?:pop|del|remove|discard|delete)$")
_DUMPS = re.compile(r"(?:^|\.)(?:model_dump(?:_json)?|dict|json|dump|dumps|to_dict)$")


def _is_dropped(conduct: Conduct, one: Function, call: CallFact) -> bool:
    name = conduct.name(one, call.callee) or call.callee
    excludes = "exclude" in call.keywords and _DUMPS.search(name)
    if not (excludes or _DROP.search(name)):
        return False
    if not _has_personal(_list_named(conduct.expand(one, call.given), ("t:",))):
        return False
    if _is_sent(conduct, one, call):
        return True
    held = frozenset(t for t in call.given | call.receiver if t[:2] in ("p:", "x:"))
    changed = _IN_PLACE.search(name) or "inplace" in call.keywords
    return bool(changed and held & _list_sent(conduct, one))


def _is_chosen(conduct: Conduct, one: Function, guard: GuardFact) -> bool:
    """Whether a condition lets through some fields of a record, by their names."""
    asks = conduct.expand(one, guard.asks, 1)
    if guard.leaves != "continue" or not asks & _GONE_THROUGH:
        return False
    held = frozenset(tag for tag in asks if tag[:2] in ("p:", "x:"))
    if not held & _list_sent(conduct, one):
        return False
    fields = _list_named(asks)
    if "op:not in" in asks:
        return _has_personal(fields)
    return "op:in" in asks and _is_rid_of_people(fields)


_GONE_THROUGH = frozenset(("a:items", "a:keys", "a:entries", "a:_asdict"))
"""By these a record is gone through field by field."""


_ASKS_LIST = (".has", ".includes")


def _is_filtered(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether of a record's fields those go on that a list names, or those that it does not."""
    if not call.callee.endswith(".filter") or call.receiver.isdisjoint(_GONE_THROUGH):
        return False
    held = frozenset(tag for tag in call.receiver if tag[:2] in ("p:", "x:"))
    if not held & _list_sent(conduct, one):
        return False
    asked = (
        _list_named(conduct.expand(target, inner.receiver, 1))
        for tag in call.given
        if tag[:2] == "x:"
        for target in conduct.targets(one, tag[2:])
        for inner in conduct.facts(target).calls
        if inner.callee.endswith(_ASKS_LIST)
    )
    return any(_has_personal(fields) or _is_rid_of_people(fields) for fields in asked)


def _find_before_handlers(conduct: Conduct) -> Iterator[Sign]:
    """What a route runs before whoever asks a model takes fields of people out of the request."""
    for one in conduct.product:
        for call in conduct.facts(one).calls:
            handed = [
                t for tag in call.given if tag[:2] == "x:" for t in conduct.targets(one, tag[2:])
            ]
            if len(handed) < _LEAST_HANDED or conduct.leading.isdisjoint(handed):
                continue
            for other in filter(conduct.is_subject, set(handed) - conduct.leading):
                for gone in conduct.facts(other).calls:
                    fields = _list_named(gone.given, ("a:",))
                    if gone.callee == "del" and "body" in fields and _has_personal(fields):
                        yield Sign("fewer_fields", other, gone.line, frozenset({one, other}))


_LEAST_HANDED = 2


# Fields of many people that become figures of groups.

_FIGURES = frozenset(f"a:{name}" for name in (
    "agg", "aggregate", "mean", "median", "sum", "count", "size", "nunique", "describe",
))  # fmt: skip


def _is_grouped(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a model sees figures of groups, and no group is of those of one name."""
    if not call.callee.endswith(("groupby", "group_by")) or _has_personal(_list_named(call.given)):
        return False
    return _is_sent(conduct, one, call) and any(
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
    if one in conduct.leading and not _is_sent(conduct, one, call):
        return False  # what the model saw is another thing
    if name == "JSON.stringify":
        # The second argument lists the fields; one that is nothing only comes before a third.
        listed = call.arguments > 1 and "c:None" not in call.given
        return listed and _is_rid_of_people(_list_named(call.given))
    named = _list_named(conduct.expand(one, call.given, 1))
    return _is_rid_of_people(named) or _is_rid_of_people(_list_columns(call))


def _list_columns(call: CallFact) -> frozenset[str]:
    """The columns of classes of rows that a call is handed."""
    columns = {tag.rpartition(".")[2] for tag in call.given if tag[:2] == "x:" and "." in tag}
    return frozenset(columns & _list_named(call.given, ("a:",)))


def _is_asked_by_chosen_fields(conduct: Conduct, one: Function) -> bool:
    """Whether a model sees of a record what a list of its fields names, and none that tell who.

    The list is the file's own, is gone through here, and what was chosen by it goes to the model.
    """
    facts = conduct.facts(one)
    sent = frozenset(
        tag
        for call in facts.calls
        if conduct.infers(one, call) or conduct.inferring & set(conduct.targets(one, call.callee))
        for tag in conduct.expand(one, call.given | call.receiver, 1)
    )
    gone_through = [loop.asks for loop in facts.loops if loop.bounded]
    gone_through += [c.receiver for c in facts.calls if c.callee.endswith((".map", ".filter"))]
    for asks in gone_through:
        if any(tag[:2] in ("x:", "p:") for tag in asks):
            continue  # what comes from elsewhere is no list of fields that is written down here
        shared = {tag for tag in asks if tag[:2] == "s:"} & sent
        if shared and _is_rid_of_people(_list_named(asks)):
            return True
    return False


# What is read of a table of people.

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


def _is_read_in_part(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether of people some columns are read that tell nobody, and a model sees those."""
    if not _is_sent(conduct, one, call):
        return False
    facts = conduct.facts(one)
    if (statement := read_statement(call.first)) is not None:
        known = conduct.tables.list_columns(statement.tables)
        return _is_rid_of_people(list_selected(call.first)) and _has_personal(known)
    if not _READS.search(call.callee):
        return False
    if _has_personal(_list_left_out(facts, call)):
        return True
    if not any(_is_of_people(conduct, one, tag) for tag in call.receiver | call.given):
        return False
    chosen = (
        pair.value for pair in facts.pairs if pair.key in _SELECTS and pair.value <= call.given
    )
    if any(_is_rid_of_people(_list_named(value, ("k:", "t:"))) for value in chosen):
        return True
    if not call.callee.endswith("select"):
        return False
    keyed = _list_named(call.given, ("k:",)) & _list_named(call.given, ("a:",))
    return any(map(_is_rid_of_people, (_list_columns(call), keyed, _list_said(call.given))))


def _list_said(tags: Tags) -> frozenset[str]:
    """The columns that texts name, each its own or several in one."""
    said = (word.strip() for tag in tags if tag[:2] == "t:" for word in tag[2:].split(","))
    return frozenset(word for word in said if _FIELD.match(word))


def _is_of_people(conduct: Conduct, one: Function, tag: str) -> bool:
    """Whether a tag stands for where people are kept: by what it is called, or by its fields."""
    if any(map(_PEOPLE.search, tag.split("."))):
        return True
    if tag[:2] != "x:":
        return False
    inside = conduct.program.find_module(one[0], tag[2:])
    stated = conduct.facts((inside[0], 0)).pairs if inside is not None else ()
    fields = (*conduct.program.list_fields(one[0], tag[2:]), *(pair.key for pair in stated))
    return _has_personal(fields)


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
    if not any(tag[:2] in ("p:", "x:") for tag in call.given) or not _is_sent(conduct, one, call):
        return False
    head, _, verb = call.callee.rpartition(".")
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
        return _has_personal(left_out)
    others = (held for facts in conduct.program.files.values() for _, held in facts.fields)
    return _is_rid_of_people(fields) and any(
        set(fields) < set(held) and _has_personal(held) for held in others
    )


def _find_smaller_schemas(conduct: Conduct) -> Iterator[Sign]:
    """A schema is made of another without fields of people, and what fits it goes to a model."""
    sent = _list_all_sent(conduct)
    for one in conduct.subjects:
        for call in conduct.facts(one).calls if not one[1] else ():
            if call.callee.endswith((".omit", ".pick")) and f"x:{call.callee}" in sent:
                fields = _list_named(call.given, ("k:",))
                drops = call.callee.endswith(".omit") and _has_personal(fields)
                if drops or (call.callee.endswith(".pick") and _is_rid_of_people(fields)):
                    yield Sign("fewer_fields", one, call.line, frozenset({one}))


@ask_once
def _list_all_sent(conduct: Conduct) -> Tags:
    """All that any function has of what a model is asked."""
    return frozenset().union(*list_values(conduct).given.values())
