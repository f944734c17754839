"""The fields of use of Annex III, and of Article 6(1), by the words in which systems speak of them.

No one word tells a field: something of it, a second thing of it and a decision must meet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def _match(expression: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{expression})\b")


@dataclass(frozen=True, slots=True)
class Field:
    """What is said in a field of use: `own` words tell it, `near` ones agree, `decides` is done."""

    own: re.Pattern[str]
    near: re.Pattern[str]
    decides: re.Pattern[str]


FIELDS = {
    "employment": Field(
        _match(
            r"job applica\w+|applicants?|cvs?|résumés?|curriculum vitae|vacanc(?:y|ies)|recruit\w+"
            r"|hiring|hire[sd]?|employees?|job candidates?|job seekers?|shortlist\w*|layoffs?"
        ),
        _match(
            r"candidates?|resumes?|interviews?|jobs?|salary|skills|employers?|shifts?|managers?"
        ),
        _match(
            r"reject\w*|invit\w+|hired?|shortlist\w*|scor\w+|rank\w*|fit|suitab\w+|promot\w+"
            r"|dismiss\w*|screen\w*|rat(?:e|ed|ing|ings)|decisions?|assess\w*|match\w*"
        ),
    ),
    "education": Field(
        _match(
            r"students?(?! (?:model|network|logits|loss))|pupils?|essays?|exams?|examinations?"
            r"|admissions?|university|schools?|college|gpa|proctor\w*|enrol\w+"
        ),
        _match(
            r"marks?|campus|courses?|teachers?|learners?|homework|thesis|class(?:room)?|grades?"
        ),
        _match(
            r"grad(?:e|es|ed|ing|er)|marks?|admit\w*|admissions?|fail(?:ed|s)?|scor\w+|cheat\w*"
            r"|assess\w*|proctor\w*|decide\w*"
        ),
    ),
    "credit": Field(
        _match(
            r"loans?|borrowers?|mortgages?|creditworth\w+|credit (?:scor\w+|risk|limit|history)"
            r"|lending|premiums?|insurance|policyholders?|underwrit\w+|welfare|claimants?|eligibility"
            r"|arrears|disconnections?|payment plans?|social housing|evict\w+"
            r"|(?:housing|unemployment|child|social|disability) (?:benefits?|assistance|allowance)"
        ),
        _match(
            r"income|debts?|credit|applicants?|claims?|polic(?:y|ies)|benefits?|households?"
            r"|repay\w*|defaults?|bank"
        ),
        _match(
            r"grant(?:ed|s)?|approv\w+|declin\w+|refus\w+|den(?:y|ied)|eligib\w+|pric(?:e|ing|es)"
            r"|premiums?|scor\w+|defaults?|rat(?:e|ed|ing)|decid\w+|decisions?|award\w*|suggest\w*"
        ),
    ),
    "health": Field(
        _match(
            r"patients?|triag\w+|diagnos\w+|tumou?rs?|radiolog\w+|clinic(?:al|ian|ians)?"
            r"|emergency (?:department|calls?|room)|ambulances?|hospitals?|symptoms?|dicom|ecg"
            r"|biops\w+|sepsis"
        ),
        _match(
            r"complaints?|nurses?|doctors?|physicians?|scans?|lesions?|medical|wards?|treatments?"
            r"|dos(?:e|age)|call takers?|control room|crews?|dispatch\w*"
        ),
        _match(
            r"triag\w+|diagnos(?:e|ed|is)|urgen\w+|risk|detect\w*|classif\w*|levels?|treat\w*"
            r"|recommend\w*|tumou?r|prognos\w+"
        ),
    ),
    "migration": Field(
        _match(
            r"asylum|visa appl\w+|refugees?|immigra\w+|deport\w*|residence permits?|border control"
            r"|border guards?"
        ),
        _match(r"claims?|interviews?|applicants?|embass\w+|origin|transcripts?|visas?|passports?"),
        _match(
            r"credib\w+|grant\w*|refus\w+|reject\w*|eligib\w+|decisions?|risk|approv\w+|admit\w*"
        ),
    ),
    "justice": Field(
        _match(
            r"courts?|defendants?|plaintiffs?|parole|magistrates?|litigants?|judicial|lawsuits?"
        ),
        _match(r"cases?|law|statutes?|evidence|hearings?|judges?|rulings?|verdicts?"),
        _match(r"rul(?:e|es|ing|ings)|verdicts?|sentencing|recommend\w*|decid\w+|outcomes?|guilty"),
    ),
    "law_enforcement": Field(
        _match(
            r"police|suspects?|offenders?|prosecut\w+|criminals?|crimes?|parole|recidiv\w+|inmates?"
            r"|detainees?|offen[cs]es?|arrest\w*|convict(?:ed|ions?)|probation|custody|prisons?|juvenile"
            r"|theft|burglar\w+"
        ),
        _match(
            r"officers?|patrols?|precincts?|evidence|victims?|prior|residents?|people|persons?|violence"
        ),
        _match(r"predict\w*|risk|match\w*|rank\w*|likel\w+|scor\w+|assess\w*|identif\w+|probab\w+"),
    ),
    "critical_infrastructure": Field(
        _match(
            r"substations?|power grid|scada|water (?:treatment|works|supply)|pumping stations?"
            r"|gas pipelines?|district heating|traffic (?:signals?|lights?)|railways?|switchgear"
        ),
        _match(r"valves?|pumps?|feeders?|pressure|voltage|load|junctions?|breakers?|chlorine|grid"),
        _match(
            r"setpoints?|open\w*|clos(?:e|ed|ing)|switch\w*|shed\w*|dispatch\w*|control\w*|phase"
        ),
    ),
}

FieldWords = frozenset[tuple[str, str, str]]
"""What a text tells of fields: which field, which part of it, by which word."""


def find_field_words(text: str) -> FieldWords:
    """What a text in lower case tells of each field of which it has a word."""
    found = set()
    for name, field in FIELDS.items():
        own = set(field.own.findall(text))
        if not own:
            continue
        found |= {(name, "own", word) for word in own}
        found |= {(name, "near", word) for word in field.near.findall(text)}
        found |= {(name, "decides", word) for word in field.decides.findall(text)}
    return frozenset(found)


def has_field(found: FieldWords, field: str) -> bool:
    """Whether enough is found to say that the field is decided in."""
    own = {word for name, part, word in found if name == field and part == "own"}
    said = own | {word for name, part, word in found if name == field and part == "near"}
    done = {word for name, part, word in found if name == field and part == "decides"}
    # A word and its plural are one thing said.
    return bool(own) and len({word.rstrip("s")[:5] for word in said}) > 1 and bool(done)


_STEEPED = 3
"""Things said of a field, two of them its own, by which a whole program is known to be in it.
If but one is its own it takes one more."""


def is_steeped(found: FieldWords, field: str) -> bool:
    """Whether all that a program says leaves no doubt of its field, if no one place tells it."""
    own = {word.rstrip("s")[:5] for name, part, word in found if (name, part) == (field, "own")}
    near = {word.rstrip("s")[:5] for name, part, word in found if (name, part) == (field, "near")}
    done = any((name, part) == (field, "decides") for name, part, _ in found)
    wanted = _STEEPED if len(own) > 1 else _STEEPED + 1
    return bool(own) and len(own | near) >= wanted and done


def has_field_word(text: str) -> bool:
    """Whether a text in lower case speaks of a field at all."""
    return any(field.own.search(text) or field.near.search(text) for field in FIELDS.values())
