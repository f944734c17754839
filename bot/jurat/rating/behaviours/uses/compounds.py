"""Practices that no one place tells: what parts of a program say meets in the whole of it.

A file collects, another asks the model, a third treats people by the answer. Each part of a
practice must be said, in so many ways as it takes to be more than a chance word, and in the part of
the program to which it belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.refusals import list_refused
from jurat.rating.behaviours.uses.pressing import drop_bans
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.surroundings import STEPS, Surroundings, is_small
from jurat.rating.texts.parts import build_part
from jurat.rating.texts.terms import build_phrase_choices

ListWords = Callable[[Function], str]
"""All that a function says, one text in lower case."""


_PEOPLE = (
    r"residents?|citizens?|inhabitants?|households?|people|persons?|famil(?:y|ies)|neighbou?rs?"
    r"|tenants?|child(?:ren)?|young person|individuals?|villagers?|members of the public"
    r"|applicants?"
    rf"|{build_phrase_choices('practice.people')}"
)
_TRAITS = (
    r"age|sex|gender|birth country|origin|nationality|ethnicity|religion|postcode|zip code"
    r"|street|household size|rooms|car brand|neuroti\w*|agreeabl\w*|extra?version"
    r"|conscientiousness|openness|impuls\w*|friends|relatives|siblings|personality"
    r"|temper test|temper\w*|parents work|parents|school type|income|family|neighbou?rhood"
    r"|education|marital status|addresses|upbringing|parents born|household|left school"
    r"|age band|district|thrill seeking|night owl|music"
    rf"|benefits|{build_phrase_choices('practice.trait')}"
)
_LIKELIHOOD = (
    r"scor(?:e|es)|probabilit\w+|likel\w+|chance|predict\w*|risk|readiness|propensity"
    rf"|{build_phrase_choices('practice.likelihood')}"
)
_CRIME = (
    r"crim(?:e|es|inal|inals|inality|inogenic)|offen[cs]es?|offend\w*|theft|burglar\w+|assaults?"
    r"|violen\w+|convictions?|convicted|juvenile|delinquen\w+|arrest\w*|thie(?:f|ves)|steal\w*"
    r"|shoplift\w*|smuggl\w*|launder\w*|fraudsters?|robber\w*|pickpocket\w*|break the law"
    r"|law ?break\w*|terroris\w+|radicali[sz]\w+"
    rf"|{build_phrase_choices('practice.crime')}"
)
_CHARACTER = (
    r"personalit\w+|character|temper\w*|profile|looks|appearance|clothing|dress\w*|social class"
    r"|upbringing|psycholog\w*|ethnic\w*|nationality|origin|religion|surroundings|family"
    r"|country of birth"
)
COMPOUNDS = {
    # Whoever lives somewhere has a number for how they live, and is served by it elsewhere.
    "conduct_rewarded": (
        build_part(_PEOPLE),
        build_part(
            r"points?|scor(?:e|es|ing)|index|harmony|standing|rat(?:e|es|ing)|reputation"
            rf"|{build_phrase_choices('practice.points')}"
        ),
        build_part(
            r"posts|volunteer\w*|jaywalk\w*|litter\w*|blood|complaints?|neighbours?|neighbors?"
            r"|visitors|parcels?|music|gym|diary|comments|library|behaviou?r|friends|lifestyle"
            r"|social media|protest\w*|opinions?|attendance|deeds?|noise|handle|conduct|habits"
            rf"|{build_phrase_choices('practice.conduct')}",
            3,
        ),
        build_part(
            r"housing|nursery|kindergarten|heating|clinic|deposit|pool card|supply|benefits?"
            r"|permits?|prepaid|school place|transport|tickets?|travel|loan|utilit(?:y|ies)"
            r"|waiting list|internet|electricity|water|hardship|home visits?|swimming pool"
            rf"|council home|{build_phrase_choices('practice.doors')}",
            2,
        ),
    ),
    # Who somebody is goes to a model, and how likely they are to commit a crime comes back.
    "crime_foretold": (
        build_part(_PEOPLE),
        build_part(_CRIME),
        build_part(
            r"police|visit list|patrol\w*|juvenile|warm visit|watch ?list|priority|officers?"
            r"|precincts?|district team|visits"
        ),
        build_part(_LIKELIHOOD, asked=True),
        build_part(_TRAITS, 3, asked=True),
    ),
    # Who is measured works or learns there.
    "at_work_or_school": (
        build_part(
            r"agents? id|agents?|employees?|staff|workers?|shifts?|payroll|bonus\w*|overtime"
            r"|managers?|supervisors?|team leads?|call floor|salary|colleagues?"
            r"|students?|pupils?|lessons?|classrooms?|teachers?|seminar|exam",
            3,
        ),
        build_part(
            r"payroll|shifts?|employees?|staff|salary|workers?|bonus\w*|students?|pupils?"
            r"|lessons?|classrooms?"
        ),
    ),
    # What nobody can notice is put under what they hear or see, to make them do something.
    "under_notice": (
        build_part(r"volume=-(?:2\d|3\d|4\d|5\d)db|lt\(mod\(t,\d+\),0?\.0\d+\)|subliminal\w*"),
        build_part(r"buy|drink|spend|vote|order|subscribe|bet|pay|stay|consume|crav\w+"),
        build_part(
            r"commands?|make (?:someone|them|people|him|her)|mak(?:e|es) \w+ who|obey|urge\w*"
        ),
    ),
}


def find_compounds(
    conduct: Conduct, list_words: ListWords, surroundings: Surroundings | None = None
) -> Iterator[Sign]:
    """The practices of which all parts are said, each at the calls of models.

    `surroundings` are the program's, if somebody has them already.
    """
    surroundings = surroundings or Surroundings(conduct)
    if not conduct.inferring:
        yield from _find_by_rules(conduct, list_words, surroundings)
    for one in sorted(conduct.inferring):
        near, everything = _read_around(one, surroundings, list_words)
        stated = {(one[0], 0), *_list_handed_over(conduct, one)}
        around = (item for item in near if item in conduct.leading or item in stated)
        asked = " ; ".join(map(list_words, around))
        line = next(c.line for c in conduct.facts(one).calls if conduct.infers(one, c))
        # Of much, and of a large program, anything is said: what a model is asked must say it.
        if len(everything) > _MOST_SAID or not is_small(conduct):
            everything = asked
        for name, parts in COMPOUNDS.items():
            if all(part.is_said(asked if part.asked else everything) for part in parts):
                yield Sign(name, one, line, frozenset({one}))


_PROFILE = (build_part(_PEOPLE), build_part(_LIKELIHOOD), build_part(_TRAITS, 5))
_OF_DEEDS = build_part(
    r"prior\w*|convictions?|convicted|arrests?|record of \w+|offen[cs]es?|sentences?|charges?"
)
"""What somebody has done, from which a model may tell what they will do."""


def find_profiled(conduct: Conduct, list_words: ListWords, *, of_police: bool) -> Iterator[Sign]:
    """A model of a small program for the police, or of crimes, is asked who somebody is, and by
    nothing that they did.
    """
    if not is_small(conduct):
        return
    everything = " ; ".join(map(list_words, conduct.product))
    foretold = of_police or build_part(_CRIME).is_said(everything)
    if not foretold or _OF_DEEDS.is_said(everything) or len(everything) > _MOST_SAID:
        return
    if all(part.is_said(everything) for part in _PROFILE):
        for one in sorted(conduct.inferring):
            line = next(c.line for c in conduct.facts(one).calls if conduct.infers(one, c))
            yield Sign("crime_foretold", one, line, frozenset({one}))


_OF_FACTS = build_part(
    r"prior\w*|previous\w*|past|convictions?|convicted|record of \w+"
    r"|transactions?|payments?|amounts?|receipts?|invoices?|vat|metadata"
    r"|transcripts?|call|evidence|witness\w*|reports?|observed|hours?|log ?ins?|devices?|ip|tries"
    r"|cells?|grid|thefts|burglaries|incidents?|alarms?|cases?"
)
"""What happened, from which a model may tell where, how or by whom a crime was committed."""
_ESTIMATED = build_part(rf"{_LIKELIHOOD}|tensor|logits|softmax|future")
_WHAT_KIND = build_part(
    rf"{_TRAITS}|{_CHARACTER}|male|female|foreign\w*|migrant|race|black|job|profession"
    r"|single parent|tattoos|skin|hobbies|children|grade average",
    3,
)
_FORETOLD = build_part(_CRIME)
_BY_TRAITS = (_FORETOLD, _ESTIMATED, _WHAT_KIND)
_BY_CHARACTER = (_FORETOLD, _ESTIMATED, build_part(_CHARACTER, 2))
_IN_ONE_TEXT = (_FORETOLD, _ESTIMATED, build_part(_CHARACTER))


def find_foretold(conduct: Conduct, list_words: ListWords) -> Iterator[Sign]:
    """A model is asked how likely a crime is of who somebody is like, and told of no fact.

    Where one text says all of it, what they are like is one word for it.
    """
    if not is_small(conduct):
        return
    refused = list_refused(conduct)
    for one in sorted(conduct.inferring):
        stated = {(one[0], 0), *_list_handed_over(conduct, one)} & set(conduct.product)
        near = {one, *conduct.program.callers.get(one, ())} & conduct.leading
        near |= {item for item in conduct.program.edges.get(one, ()) if item[1]} | stated
        near &= set(conduct.product)
        said = " ; ".join(map(list_words, sorted(near))).split(" ; ")
        allowed = (text for text in said if " " not in text or text.strip() not in refused)
        asked = drop_bans(" ; ".join(allowed).replace("_", " "))
        if _OF_FACTS.is_said(asked):
            continue
        if any(
            all(p.is_said(asked) for p in parts) for parts in (_BY_TRAITS, _BY_CHARACTER)
        ) or any(all(part.is_said(text) for part in _IN_ONE_TEXT) for text in asked.split(" ; ")):
            line = next(c.line for c in conduct.facts(one).calls if conduct.infers(one, c))
            yield Sign("crime_foretold", one, line, frozenset({one}))


def _list_handed_over(conduct: Conduct, one: Function) -> Iterator[Function]:
    """The statements of files from which a model is handed something, such as a list of traits.

    Whoever asks it hands it on, or who calls whoever does.
    """
    for item in (one, *(c for c in conduct.program.callers.get(one, ()) if c in conduct.leading)):
        for call in conduct.facts(item).calls:
            for tag in call.given if conduct.asks_model(item, call) else ():
                inside = conduct.program.find_origin(item[0], tag[2:]) if tag[:2] == "x:" else None
                if inside is not None:
                    yield inside[0], 0


_WITHOUT_MODEL = ("conduct_rewarded",)
"""Practices that need no model: points can be added up by hand."""
_MORE = 1
"""Ways more in which a part must be said if no model's call tells what all of it is about."""


def _find_by_rules(
    conduct: Conduct, list_words: ListWords, surroundings: Surroundings
) -> Iterator[Sign]:
    """The practices of a small program that asks no model, at the functions that say most."""
    live = sorted(one for one in conduct.product if one[1])
    if not live or len(surroundings.find(live[0], 0)) < len(conduct.product):
        return
    everything = " ; ".join(map(list_words, conduct.product))
    for name in _WITHOUT_MODEL if len(everything) <= _MOST_SAID else ():
        parts = COMPOUNDS[name]
        several = [replace(p, least=p.least + _MORE) if p.least > 1 else p for p in parts]
        if not all(part.is_said(everything) for part in several):
            continue
        at = max(live, key=lambda one: sum(part.is_said(list_words(one)) for part in parts))
        yield Sign(name, at, conduct.facts(at).first, frozenset({at}))


_MOST_SAID = 40_000
"""Characters from which on so much is said that any word stands somewhere."""


def _read_around(
    one: Function, surroundings: Surroundings, list_words: ListWords
) -> tuple[list[Function], str]:
    """The functions around one and all that they say: the fewer, the more there is to read."""
    for steps in range(STEPS, -1, -1):
        near = sorted(surroundings.find(one, steps))
        everything = " ; ".join(map(list_words, near))
        if len(everything) <= _MOST_SAID:
            break
    return near, everything
