"""Behaviours that tell what a system is for: whom it decides on, and with whom it talks.

A class of risk follows from a purpose, and a purpose is found by all that stands around the call of
a model at once: what is asked, under which route, into which fields, by which names. No one word
tells it. A field is found if something of it, a second thing of it, and a decision meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, partial

from jurat.rating.behaviour import Conduct, Sign
from jurat.rating.compounds import find_compounds
from jurat.rating.fields import (
    FIELDS,
    FieldWords,
    find_field_words,
    has_field,
    is_steeped,
    join_field_words,
)
from jurat.rating.function_facts import CallFact, FunctionFacts
from jurat.rating.program_names import Function
from jurat.rating.recon_table import split_name
from jurat.rating.stores import is_change, is_given
from jurat.rating.surroundings import Surroundings
from jurat.rating.whole_practices import find_whole_practices

_NAME = re.compile(r"[\w./:-]+")


def list_words(conduct: Conduct, one: Function) -> str:
    """All that a function says, one text in lower case."""
    return _list_words(conduct.facts(one), one[0], conduct.list_routes(one))


def _list_words(facts: FunctionFacts, path: str, routes: Iterable[str]) -> str:
    """All that a function says, one text: its texts, its names, its fields, its routes."""
    names = [facts.name, facts.owner, *facts.parameters, *(pair.key for pair in facts.pairs)]
    names += [write.place[2:] for write in facts.writes]
    names += [word for call in facts.calls for word in _list_named(call)]
    spoken = (" ".join(split_name(name).split("_")) for name in dict.fromkeys(names) if name)
    texts = (split_name(t).replace("_", " ") if _NAME.fullmatch(t) else t for t in facts.says)
    place = split_name(path).replace("_", " ")
    return " ; ".join((place, *spoken, *texts, *routes)).lower()


def _list_named(call: CallFact) -> Iterator[str]:
    yield call.callee.removesuffix("()").rpartition(".")[2]
    yield from (tag[2:] for tag in call.given if tag[:2] in ("a:", "p:", "k:"))


def find_purposes(conduct: Conduct) -> Iterator[Sign]:
    """What a system is for, at the calls of models around which it shows.

    These classify and praise nothing, so that names may tell them and no attack is made on them.
    """
    said: dict[Function, FieldWords] = {}

    def tell(one: Function) -> FieldWords:
        if one not in said:
            said[one] = find_field_words(list_words(conduct, one))
        return said[one]

    asked = sorted(conduct.inferring)
    surroundings = Surroundings(conduct)

    @cache
    def read_around(functions: frozenset[Function]) -> FieldWords:
        return find_field_words(" ; ".join(list_words(conduct, item) for item in functions))

    for one in asked:
        near = {
            one,
            (one[0], 0),
            *conduct.program.edges.get(one, ()),
            *conduct.program.callers.get(one, ()),
        }
        found = join_field_words(map(tell, near))
        around = read_around(surroundings.find(one))
        line = next((c.line for c in conduct.facts(one).calls if conduct.infers(one, c)), 1)
        for name in FIELDS:
            if has_field(found, name) or is_steeped(around, name):
                yield Sign(f"decided_{name}", one, line, frozenset({one}))
        yield Sign("model_asked", one, line, frozenset({one}))
    yield from find_compounds(conduct, partial(list_words, conduct), surroundings)
    yield from find_whole_practices(conduct, partial(list_words, conduct))
    yield from _find_talks(conduct)
    yield from _find_people(conduct)
    yield from _find_personal(conduct)


_TALK_ROUTE = re.compile(r"\b(?:chat\w*|messages?|conversations?|assistant|ask|questions?|talk)\b")
_TALK_PROMPT = re.compile(
    r"\byou (?:are|answer|help|assist|greet|reply|advise|guide|support|talk|speak|chat|call)\b"
    r"[^.]{0,80}\b(?:customers?|patients?|users?|visitors?|tenants?|people|clients?|guests?"
    r"|citizens"
    r"|callers?|members|pupils|students|children|shoppers?|passengers|players|readers|assistant"
    r"|chatbot|agent|receptionist|concierge)\b",
    re.IGNORECASE,
)


def _find_talks(conduct: Conduct) -> Iterator[Sign]:
    """What a person says goes to a model at a call from outside, and its answer back."""
    for one in sorted(conduct.handlers & conduct.leading):
        inferring = conduct.program.walk([one], 2) & conduct.inferring
        # A command is often called as its function is.
        named = (*conduct.list_routes(one), conduct.facts(one).name)
        routes = " ".join(split_name(r).replace("_", " ") for r in named)
        says = {
            text for item in (one, (one[0], 0), *inferring) for text in conduct.facts(item).says
        }
        facts = conduct.facts(one)
        given = any(is_given(call.given | call.receiver) for call in facts.calls)
        if given and (_TALK_ROUTE.search(routes) or any(map(_TALK_PROMPT.search, says))):
            yield Sign("talked_with", one, facts.first or 1, frozenset({one}))


_PEOPLE = re.compile(
    r"(?:residents?|citizens?|customers?|patients?|employees?|applicants?|candidates?|students?"
    r"|pupils?"
    r"|tenants?|visitors?|players?|members?|buyers?|claimants?|defendants?|suspects?|passengers?"
    r"|drivers?|workers?|persons?|people|households?|families|child(?:ren)?|shoppers?|guests?"
    r"|callers?"
    r"|walkers?|listeners?|borrowers?|clients?|subscribers?|users?)(?:_id|_no)?"
)
_WHOSE = re.compile(rf"{_PEOPLE.pattern.removesuffix('(?:_id|_no)?')}(?:_id|_no|_email)")
_OF_TABLE = re.compile(
    r"\b(?:INSERT\s+INTO|UPDATE|FROM)\s+\"?(\w+)\"?(?:\s*\(([^)]*)\))?", re.IGNORECASE
)


def _find_people(conduct: Conduct) -> Iterator[Sign]:
    """A table of people, or a record that says of whom it is: data on people, whoever they are."""
    for one in conduct.product if conduct.inferring else ():
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
        for text in facts.says:
            if any(
                _PEOPLE.fullmatch(split_name(word))
                for table, columns in _OF_TABLE.findall(text)
                for word in (table, *_WORD.findall(columns))
            ):
                yield Sign("people_recorded", one, facts.first or 1, frozenset({one}))
                break
        else:
            if any(is_change(call) and _has_person_field(call) for call in facts.calls):
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
    r"|vorname|nachname|geburtsdatum|geburtstag|anschrift|prenom|nom|date_naissance|adresse"
    r"|courriel"
    r"|nombre|apellidos?|fecha_nacimiento|telefono|nome|cognome|data_nascita|voornaam|achternaam"
    r"|geboortedatum|bsn|fodselsnummer|personnummer|fornavn|etternavn|cpr|pesel|imie|nazwisko"
    r"|steuer_?id|nif|dni|codice_fiscale|inntekt\w*|husstand|einkommen|iban|kontonummer"
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
