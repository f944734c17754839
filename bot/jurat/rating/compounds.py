"""Practices that no one place tells: what parts of a program say meets in the whole of it.

A file collects, another asks the model, a third treats people by the answer. Each part of a
practice must be said, in so many ways as it takes to be more than a chance word, and in the part of
the program to which it belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jurat.rating.behaviour import Conduct, Sign
from jurat.rating.parts import build_part
from jurat.rating.reach import Function
from jurat.rating.surroundings import STEPS, Surroundings

ListWords = Callable[[Function], str]
"""All that a function says, one text in lower case."""


_PEOPLE = (
    r"residents?|citizens?|inhabitants?|households?|people|persons?|famil(?:y|ies)|neighbou?rs?"
    r"|tenants?|child(?:ren)?|young person|individuals?|villagers?|members of the public"
)
COMPOUNDS = {
    # Whoever lives somewhere has a number for how they live, and is served by it elsewhere.
    "conduct_rewarded": (
        build_part(_PEOPLE),
        build_part(r"points?|scor(?:e|es|ing)|index|harmony|standing|rat(?:e|es|ing)|reputation"),
        build_part(
            r"posts|volunteer\w*|jaywalk\w*|litter\w*|blood|complaints?|neighbours?|neighbors?"
            r"|visitors|parcels?|music|gym|diary|comments|library|behaviou?r|friends|lifestyle"
            r"|social media|protest\w*|opinions?|attendance|deeds?|noise|handle|conduct|habits",
            3,
        ),
        build_part(
            r"housing|nursery|kindergarten|heating|clinic|deposit|pool card|supply|benefits?"
            r"|permits?|prepaid|school place|transport|tickets?|travel|loan|utilit(?:y|ies)"
            r"|waiting list|internet|electricity|water",
            2,
        ),
    ),
    # Who somebody is goes to a model, and how likely they are to commit a crime comes back.
    "crime_foretold": (
        build_part(_PEOPLE),
        build_part(
            r"crim(?:e|es|inal|inals)|offen[cs]es?|offend\w*|theft|burglar\w+|assaults?|violen\w+"
            r"|convictions?|convicted|juvenile|delinquen\w+|arrest\w*"
        ),
        build_part(
            r"police|visit list|patrol\w*|juvenile|warm visit|watch ?list|priority|officers?"
        ),
        build_part(
            r"scor(?:e|es)|probabilit\w+|likel\w+|chance|predict\w*|risk|readiness", asked=True
        ),
        build_part(
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
    if not conduct.inferring:
        return
    surroundings = surroundings or Surroundings(conduct)
    for one in sorted(conduct.inferring):
        near, everything = _read_around(one, surroundings, list_words)
        around = (item for item in near if item in conduct.leading or item == (one[0], 0))
        asked = " ; ".join(map(list_words, around))
        line = next(c.line for c in conduct.facts(one).calls if conduct.infers(one, c))
        for name, parts in COMPOUNDS.items():
            if all(part.is_said(asked if part.asked else everything) for part in parts):
                yield Sign(name, one, line, frozenset({one}))


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
