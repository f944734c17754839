"""Behaviours by which a model learns no more of people than it needs: masks, hashes, fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviour import Sign, register_behaviour
from jurat.rating.conduct import Conduct
from jurat.rating.function_facts import CallFact, Tags
from jurat.rating.program_names import Function
from jurat.rating.safeguards import COMPARES
from jurat.rating.store_calls import list_store_calls
from jurat.rating.stores import is_given
from jurat.rating.tag_search import has_text

_SUBST = re.compile(r"(?:^|\.)(?:sub|subn|replace|replaceAll|replaceFirst)$")
_COMPILED = re.compile(r"(?:compile|RegExp)\(\)\.\w+$")
_REGEX_SUBST = re.compile(r"(?:^|\.)re(?:gex)?\.(?:compile\(\)\.)?subn?$")
_PERSONAL = re.compile(
    r"[+*}\])]@|\\w\+@|(?:\\d|\[0-9\])\{\d|phone|email|ssn|iban|\bdob\b", re.IGNORECASE
)
PERSONAL_KEY = re.compile(
    r"^(?:full_?name|first_?name|last_?name|name|surname|email|e_?mail|phone\w*|address|age|gender|sex"
    r"|race|ethnicity|religion|nationality|date_?of_?birth|dob|birth_?date|photo|ssn|marital\w*"
    r"|disability|national_?id|zip\w*|post_?code)$",
    re.IGNORECASE,
)
_DROP = re.compile(
    r"(?:^|[./])(?:drop|pop|omit|exclude|del|model_dump|remove|discard|delete)(?:\.js)?$"
)


@register_behaviour("masked_text")
def find_masked(conduct: Conduct) -> Iterator[Sign]:
    """What names a person is taken out of a text that goes on to a model or a record."""
    around = conduct.beside & set(conduct.subjects)
    masking = _list_before_model(conduct)
    for one in sorted(around & masking):
        if one not in conduct.leading and _is_rid_of_names(conduct, one):
            yield Sign("masked_text", one, conduct.facts(one).first, frozenset({one}))
        # A person's field is taken from what there is. What is made here is a key, or a schema.
        built = {pair.key for pair in conduct.facts(one).pairs}
        for call in conduct.facts(one).calls:
            name = conduct.name(one, call.callee)
            # Of what is changed only the pattern tells: dashes in a person's number hide nobody.
            out = call.given | (call.receiver if _COMPILED.search(name) else frozenset())
            if name.startswith("?."):
                out |= {tag for tag in call.receiver if tag[:2] == "t:" and _IS_PATTERN.search(tag)}
            if _REGEX_SUBST.search(name):
                out -= {tag for tag in out if tag[:2] == "k:" or PERSONAL_KEY.search(tag[2:])}
            if _SUBST.search(name) and has_text(out, _PERSONAL):
                yield Sign("masked_text", one, call.line, frozenset({one}))
            if (
                _KEYED_HASH.search(name)
                and is_given(call.given)
                and not _has_comparison(conduct, one)
            ):
                yield Sign("masked_text", one, call.line, frozenset({one}))
            if name.startswith(("hashlib.", "hmac.", "crypto.createHash")) and any(
                PERSONAL_KEY.search(tag[2:])
                for tag in call.given - _OF_THINGS
                if tag[:2] == "k:" and tag[2:] not in built
            ):
                yield Sign("masked_text", one, call.line, frozenset({one}))


def _list_before_model(conduct: Conduct) -> frozenset[Function]:
    """The functions whose answers go to a model, to a record or a store; who asks is among them."""
    found = set(conduct.leading)
    for one in sorted(conduct.leading):
        kept = {item.call for item in list_store_calls(conduct, one)}
        for call in conduct.facts(one).calls:
            if conduct.asks_model(one, call) or call in kept or conduct.is_logged(one, call):
                found |= _list_all_behind(conduct, one, call.given | call.receiver)
    return frozenset(found)


def _list_all_behind(conduct: Conduct, one: Function, tags: Tags) -> set[Function]:
    """The own functions whose answers stand in the tags, and those behind these, some deep."""
    behind: set[Function] = set()
    edge = {one: tags}
    for _ in range(4):
        reached = {b for item, said in edge.items() for b in conduct.list_behind(item, said)}
        edge = {item: conduct.facts(item).returns for item in reached - behind}
        behind |= reached
    return behind


_IS_PATTERN = re.compile(r"[\\\[\]{}+*]")
_KEYED_HASH = re.compile(r"(?:^|[.:])(?:hmac\.(?:new|digest)|createHmac\(\)\.update)$")
"""By a hash with a key somebody is known again and not known."""


def _has_comparison(conduct: Conduct, one: Function) -> bool:
    """Whether a function, or who calls it, holds a hash against another: a signature is checked."""
    around = (one, *conduct.program.callers.get(one, ()))
    return any(
        COMPARES.search(conduct.name(item, call.callee) or "-")
        for item in around
        for call in conduct.facts(item).calls
    ) or any("op:==" in guard.asks for guard in conduct.facts(one).guards)


@register_behaviour("fewer_fields")
def find_fewer_fields(conduct: Conduct) -> Iterator[Sign]:
    """Fields that a decision does not need are left out before a model sees them."""
    for one in sorted(conduct.beside & set(conduct.subjects)):
        facts = conduct.facts(one)
        for call in facts.calls:
            last = conduct.name(one, call.callee)
            tags = conduct.expand(one, call.given)
            if (
                _DROP.search(last)
                and any(
                    tag[:2] == "t:" and tag not in _OF_THINGS and PERSONAL_KEY.search(tag[2:])
                    for tag in tags
                )
            ) or _is_picked(conduct, one, call):
                yield Sign("fewer_fields", one, call.line, frozenset({one}))
        if _is_asked_by_chosen_fields(conduct, one):
            yield Sign("fewer_fields", one, facts.first or 1, frozenset({one}))


_OF_THINGS = frozenset(("t:name", "t:address", "k:name", "k:address"))
"""Fields that things have as well."""
_FIELD = re.compile(r"t:[a-z][A-Za-z0-9_]{2,}$")
_LEAST_FIELDS = 2
_PICKS = re.compile(r"(?:^|[./])(?:pick|project|only|subset)(?:\.js)?$")
_NAMES_PEOPLE = re.compile(
    r"^(?:B-|I-)?(?:PER(?:SON)?|EMAIL(?:_ADDRESS)?|PHONE_NUMBER|GIVENNAME|SURNAME)$"
)
"""What a recogniser of names calls those of people."""


def _is_picked(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call takes some named fields out of a record, none of which tells who it is."""
    name = conduct.name(one, call.callee) or call.callee
    asked = (other for other in conduct.facts(one).calls if conduct.asks_model(one, other))
    if one in conduct.leading and not any(f"x:{call.callee}" in other.given for other in asked):
        return False  # what the model saw is another thing
    if not (_PICKS.search(name) or "include" in call.keywords):
        return False
    said = conduct.expand(one, call.given, 1)
    fields = {tag for tag in said if _FIELD.match(tag)}
    return len(fields) >= _LEAST_FIELDS and not any(PERSONAL_KEY.search(t[2:]) for t in fields)


def _is_rid_of_names(conduct: Conduct, one: Function) -> bool:
    """Whether a function looks in a text for names of people, and gives back another text."""
    facts = conduct.facts(one)
    looks = any(
        any(tag[:2] == "t:" and _NAMES_PEOPLE.match(tag[2:]) for tag in guard.asks)
        for guard in facts.guards
    )
    return looks and any(tag[:2] == "p:" for tag in facts.returns)


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
        fields = {tag for tag in asks if _FIELD.match(tag)}
        shared = {tag for tag in asks if tag[:2] == "s:"} & sent
        personal = any(PERSONAL_KEY.search(tag[2:]) for tag in fields)
        if shared and len(fields) >= _LEAST_FIELDS and not personal:
            return True
    return False
