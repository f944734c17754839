"""Practices that no one place tells: what parts of a program say meets in the whole of it.

A file collects, another asks the model, a third treats people by the answer. Each part of a
practice must be said, in so many ways as it takes to be more than a chance word, and in the part of
the program to which it belongs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from jurat.rating.behaviour import Conduct, Sign
from jurat.rating.reach import Function

ListWords = Callable[[Function], str]
"""All that a function says, one text in lower case."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something that is said in at least `least` different ways; `asked` if to the model itself."""

    words: re.Pattern[str]
    least: int = 1
    asked: bool = False


def _build_part(words: str, least: int = 1, *, asked: bool = False) -> Part:
    return Part(re.compile(rf"\b(?:{words})\b"), least, asked)


_PEOPLE = (
    r"residents?|citizens?|inhabitants?|households?|people|persons?|famil(?:y|ies)|neighbou?rs?"
    r"|tenants?|child(?:ren)?|young person|individuals?|villagers?|members of the public"
)
COMPOUNDS = {
    # Whoever lives somewhere has a number for how they live, and is served by it elsewhere.
    "conduct_rewarded": (
        _build_part(_PEOPLE),
        _build_part(r"points?|scor(?:e|es|ing)|index|harmony|standing|rat(?:e|es|ing)|reputation"),
        _build_part(
            r"posts|volunteer\w*|jaywalk\w*|litter\w*|blood|complaints?|neighbours?|neighbors?"
            r"|visitors|parcels?|music|gym|diary|comments|library|behaviou?r|friends|lifestyle"
            r"|social media|protest\w*|opinions?|attendance|deeds?|noise|handle|conduct|habits",
            3,
        ),
        _build_part(
            r"housing|nursery|kindergarten|heating|clinic|deposit|pool card|supply|benefits?"
            r"|permits?|prepaid|school place|transport|tickets?|travel|loan|utilit(?:y|ies)"
            r"|waiting list|internet|electricity|water",
            2,
        ),
    ),
    # Who somebody is goes to a model, and how likely they are to commit a crime comes back.
    "crime_foretold": (
        _build_part(_PEOPLE),
        _build_part(
            r"crim(?:e|es|inal|inals)|offen[cs]es?|offend\w*|theft|burglar\w+|assaults?|violen\w+"
            r"|convictions?|convicted|juvenile|delinquen\w+|arrest\w*"
        ),
        _build_part(
            r"police|visit list|patrol\w*|juvenile|warm visit|watch ?list|priority|officers?"
        ),
        _build_part(
            r"scor(?:e|es)|probabilit\w+|likel\w+|chance|predict\w*|risk|readiness", asked=True
        ),
        _build_part(
            r"age|sex|gender|birth country|origin|nationality|ethnicity|religion|postcode|zip code"
            r"|street|household size|rooms|car brand|neuroticism|agreeableness|personality"
            r"|temper test|temper\w*|parents work|parents|school type|income|family|neighbou?rhood"
            r"|education|marital status|addresses|upbringing",
            3,
            asked=True,
        ),
    ),
    # Who is measured works or learns there.
    "at_work_or_school": (
        _build_part(
            r"agents? id|agents?|employees?|staff|workers?|shifts?|payroll|bonus\w*|overtime"
            r"|managers?|supervisors?|team leads?|call floor|hr|salary|colleagues?|performance"
            r"|students?|pupils?|lessons?|classrooms?|teachers?|class|seminar|exam",
            3,
        ),
        _build_part(
            r"payroll|shifts?|employees?|staff|salary|workers?|bonus\w*|students?|pupils?"
            r"|lessons?|classrooms?"
        ),
    ),
    # What nobody can notice is put under what they hear or see, to make them do something.
    "under_notice": (
        _build_part(r"volume=-(?:2\d|3\d|4\d|5\d)db|lt\(mod\(t,\d+\),0?\.0\d+\)|subliminal\w*"),
        _build_part(r"buy|drink|spend|vote|order|subscribe|bet|pay|stay|consume|crav\w+"),
        _build_part(
            r"commands?|make (?:someone|them|people|him|her)|mak(?:e|es) \w+ who|obey|urge\w*"
        ),
    ),
}


def find_compounds(conduct: Conduct, list_words: ListWords) -> Iterator[Sign]:
    """The practices of which all parts are said, each at the calls of models."""
    if not conduct.inferring:
        return
    everything = " ; ".join(map(list_words, conduct.product))
    around = conduct.leading | {(path, 0) for path, _ in conduct.inferring}
    asked = " ; ".join(map(list_words, sorted(around)))
    carriers = frozenset(conduct.inferring)
    for name, parts in COMPOUNDS.items():
        if all(_is_said(part, asked if part.asked else everything) for part in parts):
            for one in sorted(conduct.inferring):
                line = next(c.line for c in conduct.facts(one).calls if conduct.infers(one, c))
                yield Sign(name, one, line, carriers)


def _is_said(part: Part, text: str) -> bool:
    return len(set(_iter_stems(part.words.findall(text)))) >= part.least


def _iter_stems(words: Iterable[str]) -> Iterator[str]:
    """A word and its plural are one thing said."""
    return (word.rstrip("s")[:6] for word in words)
