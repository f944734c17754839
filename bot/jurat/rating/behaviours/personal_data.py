"""Where a program handles data about people, which the GDPR binds with a model or without."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.code.function_facts import CallFact, FunctionFacts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.stores import is_change
from jurat.rating.signals.recon_table import split_name
from jurat.rating.texts.terms import build_name_choices

_PEOPLE = re.compile(
    r"(?:residents?|citizens?|customers?|patients?|employees?|applicants?|candidates?|students?"
    r"|pupils?"
    r"|tenants?|visitors?|players?|members?|buyers?|claimants?|defendants?|suspects?|passengers?"
    r"|drivers?|workers?|persons?|people|households?|families|child(?:ren)?|shoppers?|guests?"
    r"|callers?"
    r"|walkers?|listeners?|borrowers?|clients?|subscribers?|users?|couriers?"
    rf"|{build_name_choices('person')})(?:_id|_no|_nr)?"
)
_WHOSE = re.compile(rf"{_PEOPLE.pattern.removesuffix('(?:_id|_no|_nr)?')}(?:_id|_no|_nr|_email)")
_NAMES_PERSON = re.compile(rf"(?:^|_)(?:{_PEOPLE.pattern}|usernames?|accounts?)(?:_|$)")
_OF_TABLE = re.compile(
    r"\b(?:INSERT\s+INTO|UPDATE|FROM)\s+\"?(\w+)\"?(?:\s*\(([^)]*)\))?", re.IGNORECASE
)


def find_personal_data(conduct: Conduct) -> Iterator[Sign]:
    """Where a program handles data about people: tables of them, records that say of whom they are,
    talks, and things that tell who somebody is.
    """
    for one in conduct.product:
        facts = conduct.facts(one)
        if any(map(_is_of_people, facts.says)):
            yield Sign("people_kept", one, facts.first or 1, frozenset({one}))
    if conduct.inferring:
        yield from _find_asked_about(conduct)
    yield from _find_personal(conduct)


def _has_people(facts: FunctionFacts) -> bool:
    """Whether a table of people is read or changed, or a record that says of whom it is."""
    return any(map(_is_of_people, facts.says)) or any(
        is_change(call) and _has_person_field(call) for call in facts.calls
    )


def _is_of_people(text: str) -> bool:
    """Whether a statement is of a table of people, or of one that says of whom each row is."""
    return any(
        _PEOPLE.fullmatch(split_name(word))
        for table, columns in _OF_TABLE.findall(text)
        for word in (table, *_WORD.findall(columns))
    )


def is_about_people(conduct: Conduct, one: Function, line: int) -> bool:
    """Whether what a line does is said to be done to people: by a table, a field or a route."""
    calls = [call for call in conduct.facts(one).calls if call.line == line]
    tags = (tag for call in calls for tag in call.given | call.receiver)
    said = {tag[2:].rpartition(".")[2] for tag in tags}
    said |= {
        place.partition(":")[2]
        for item in list_store_calls(conduct, one)
        if item.call in calls
        for place in item.places
    }
    routes = " ".join(conduct.list_routes(one))
    return any(_NAMES_PERSON.search(split_name(word)) for word in (*said, *_WORD.findall(routes)))


def _find_asked_about(conduct: Conduct) -> Iterator[Sign]:
    """Talks with a model that are kept, and people of whom something is where one is asked."""
    for one in conduct.product:
        facts = conduct.facts(one)
        line = next(
            (
                c.line
                for c in facts.calls
                if is_change(c) and not conduct.infers(one, c) and _is_talk(c)
            ),
            0,
        )
        if line:
            yield Sign("talk_kept", one, line, frozenset({one}))
        if _has_people(facts):
            yield Sign("people_recorded", one, facts.first or 1, frozenset({one}))


_SPOKEN = frozenset(
    ("text", "content", "body", "message", "messages", "answer", "reply", "question")
)
_SPEAKER = frozenset(
    ("role", "sender", "speaker", "user", "visitor", "session", "chat_id", "phone")
)


def _is_talk(call: CallFact) -> bool:
    """Whether what is put away is something that was said, with who said it."""
    keys = {*call.keywords, *(tag[2:] for tag in call.given if tag[:2] == "k:")}
    for text in (tag[2:] for tag in call.given if tag[:2] == "t:"):
        for _, columns in _OF_TABLE.findall(text):
            keys |= set(_WORD.findall(columns.lower()))
    return bool(keys & _SPOKEN and keys & _SPEAKER)


def _has_person_field(call: CallFact) -> bool:
    """Whether what is put away says of whom it is, in a field of its own."""
    keys = (*call.keywords, *(tag[2:] for tag in call.given if tag[:2] == "k:"))
    return any(_WHOSE.fullmatch(split_name(key)) for key in keys)


_PERSONAL = re.compile(
    r"(?:first|last|full|sur|family|given|patient|customer|applicant|middle)_?name"
    r"|e?_?mail(?:_address)?"
    r"|nom|fodselsnummer|personnummer|fornavn|etternavn|cpr|inntekt\w*|husstand"
    rf"|{build_name_choices('personal_field')}"
    r"|phone(?:_number|_no)?|telephone|mobile(?:_number)?|date_of_birth|birth_?(?:date|day)|dob"
    r"|(?:home_|postal_|street_)?address|iban|ssn|social_security_number|passport(?:_number)?"
    r"|national_id|diagnos[ei]s|health_conditions?|salary|marital_status|nationality"
)
_SQL = re.compile(r"\b(?:INSERT\s+INTO|SELECT|UPDATE|CREATE\s+TABLE)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def _find_personal(conduct: Conduct) -> Iterator[Sign]:
    """A function handles two or more things that tell who somebody is."""
    for one in conduct.product:
        facts = conduct.facts(one)
        held = {key for pair in facts.pairs for key in (pair.key,)}
        held |= {text for text in facts.says if " " not in text}
        held |= {word for t in facts.says if _SQL.search(t) for word in _WORD.findall(t)}
        found = {name for word in held if _PERSONAL.fullmatch(name := split_name(word))}
        if len(found) > 1:
            yield Sign("personal_fields", one, facts.first or 1, frozenset({one}))
