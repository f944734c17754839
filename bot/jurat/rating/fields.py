"""The fields of use of Annex III, and of Article 6(1), by the words in which systems speak of them.

No one word tells a field: something of it, a second thing of it and a decision must meet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
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
            r"appraisals?|performance reviews?|works councils?|promotion rounds?|bewerb\w+"
            r"|lebensl(?:auf|äufe)"
            r"|personalauswahl|embauche|sollicit(?:ant|atie)\w*|jobbs[øö]k\w*|ansettelse\w*"
            r"|empleados?"
            r"|job applica\w+|applicants?|cvs?|résumés?|curriculum vitae|vacanc(?:y|ies)|recruit\w+"
            r"|hiring|hire[sd]?|employees?|job candidates?|job seekers?|shortlist\w*|layoffs?"
        ),
        _match(
            r"candidates?|resumes?|interviews?|jobs?|salary|skills|employers?|shifts?|managers?"
            r"|colleagues?|staff|promotions?|reviewers?"
        ),
        _match(
            r"reject\w*|invit\w+|hired?|shortlist\w*|scor\w+|rank\w*|fit|suitab\w+|promot\w+"
            r"|dismiss\w*|screen\w*|rat(?:e|ed|ing|ings)|decisions?|decid\w+|assess\w*|match\w*"
        ),
    ),
    "education": Field(
        _match(
            r"schüler\w*|prüfung\w*|élèves?|étudiants?|alumn[oi]s?|leerling\w*|elever?"
            r"|studenter?|eksamen"
            r"|students?(?! (?:model|network|logits|loss))|pupils?|essays?|exams?|examinations?"
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
            r"kredit\w*|darlehen|sozialhilfe|bürgergeld|wohngeld|versicherungsnehmer\w*|prêts?"
            r"|aides? sociales?"
            r"|préstamos?|ayudas? sociales|lening\w*|bijstand\w*|uitkering\w*|sosial(?:hjelp"
            r"|støtte)\w*"
            r"|stønad\w*|trygd\w*|kontanthjælp|försörjningsstöd|loans?|borrowers?|mortgages?"
            r"|creditworth\w+|credit (?:scor\w+|risk|limit|history)"
            r"|lending|premiums?|insurance|policyholders?|underwrit\w+|welfare|claimants?"
            r"|eligibility"
            r"|arrears|disconnections?|payment plans?|social housing|evict\w+"
            r"|(?:housing|unemployment|child|social|disability) (?:benefits?|assistance|allowance)"
        ),
        _match(
            r"income|debts?|credit|applicants?|claims?|polic(?:y|ies)|benefits?|households?"
            r"|repay\w*|defaults?|bank|antrag\w*|anträge|søk(?:nad|er)\w*|demandes?|aanvra\w+"
            r"|inntekt\w*"
            r"|husstand\w*|haushalt\w*|einkommen|søknad\w*|kommune\w*|solicitud\w*"
        ),
        _match(
            r"grant(?:ed|s)?|approv\w+|declin\w+|refus\w+|den(?:y|ied)|eligib\w+|pric(?:e|ing|es)"
            r"|premiums?|scor\w+|defaults?|rat(?:e|ed|ing)|decid\w+|decisions?|award\w*|suggest\w*"
            r"|priorit\w*|bewillig\w*|ablehn\w*|entscheid\w*|sorter\w*|innvilg\w*|avsl\w+|toeken\w*"
        ),
    ),
    "health": Field(
        _match(
            r"patient(?:s|en|er|es|in|innen)?|pasient\w*|krankenhaus\w*|befund\w*|hôpita\w+"
            r"|ziekenhuis"
            r"|sykehus\w*|triag\w+|diagnos\w+|tumou?rs?|radiolog\w+|clinic(?:al|ian|ians)?"
            r"|emergency (?:department|calls?|room)|ambulances?|hospitals?|symptoms?|dicom|ecg"
            r"|biops\w+|sepsis"
        ),
        _match(
            r"films?|x-?rays?|reading (?:room|list)|effusion|pleural|dosing|pain|urgency"
            r"|complaints?|nurses?|doctors?|physicians?|scans?|lesions?|medical|wards?|treatments?"
            r"|dos(?:e|age)|call takers?|control room|crews?|dispatch\w*"
        ),
        _match(
            r"triag\w+|diagnos(?:e|ed|is)|urgen\w+|risk|detect\w*|classif\w*|levels?|treat\w*"
            r"|recommend\w*|tumou?r|prognos\w+"
        ),
    ),
    "migration": Field(
        _match(
            r"asyl\w*|aufenthalt\w*|titre de séjour|verblijfsvergunning\w*|visa appl\w+"
            r"|refugees?|immigra\w+|deport\w*|residence permits?|border control"
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
            r"|detainees?|offen[cs]es?|arrest\w*|convict(?:ed|ions?)|probation|custody|prisons?"
            r"|juvenile"
            r"|theft|burglar\w+"
        ),
        _match(
            r"officers?|patrols?|precincts?|evidence|victims?|prior|residents?|people|persons?"
            r"|violence"
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

_SAID_PER = 5_000
"""Characters for each word of a field's own: in a long text any word stands somewhere."""


@dataclass(frozen=True, slots=True)
class FieldWords:
    """What a text tells of fields: which field, which part of it, by which words and how often."""

    words: Mapping[tuple[str, str, str], int]
    size: int

    def list_said(self, field: str, part: str) -> frozenset[str]:
        """The things that are said of a part of a field: a word and its plural are one."""
        return frozenset(
            word.rstrip("s")[:5]
            for name, where, word in self.words
            if (name, where) == (field, part)
        )

    def is_spoken_of(self, field: str, each: int = _SAID_PER) -> bool:
        """Whether a field is spoken of all along, once in so many characters, not in passing."""
        own = sum(n for (name, part, _), n in self.words.items() if (name, part) == (field, "own"))
        return own * each >= self.size


def find_field_words(text: str) -> FieldWords:
    """What a text in lower case tells of each field of which it has a word."""
    found: Counter[tuple[str, str, str]] = Counter()
    for name, field in FIELDS.items():
        own = field.own.findall(text)
        if not own:
            continue
        found.update((name, "own", word) for word in own)
        found.update((name, "near", word) for word in field.near.findall(text))
        found.update((name, "decides", word) for word in field.decides.findall(text))
    return FieldWords(found, len(text))


def join_field_words(stated: Iterable[FieldWords]) -> FieldWords:
    """What several texts tell together."""
    found: Counter[tuple[str, str, str]] = Counter()
    size = 0
    for one in stated:
        found.update(one.words)
        size += one.size
    return FieldWords(found, size)


def has_field(found: FieldWords, field: str) -> bool:
    """Whether enough is found to say that the field is decided in."""
    own, done = found.list_said(field, "own"), found.list_said(field, "decides")
    said = own | found.list_said(field, "near")
    # One word may be of two parts: three things are said, or nothing is decided.
    return bool(own and done) and len(said) > 1 and len(said | done) > 2 and (
        found.is_spoken_of(field)
    )  # fmt: skip


_STEEPED = 3
"""Things said of a field, two of them its own, by which a whole program is known to be in it.
If but one is its own it takes one more."""


def is_steeped(found: FieldWords, field: str) -> bool:
    """Whether all that a program says leaves no doubt of its field, if no one place tells it."""
    own, near = found.list_said(field, "own"), found.list_said(field, "near")
    wanted = _STEEPED if len(own) > 1 else _STEEPED + 1
    done = found.list_said(field, "decides")
    return bool(own and done) and len(own | near) >= wanted and found.is_spoken_of(field)


_TOLD_PER = 500
"""Characters of a page for each word of the field that it is about."""


_LEAST_BLANKS = 12
"""Blanks of a page that tells for what a system is: a phrase may be about anything."""


def find_stated_fields(text: str) -> frozenset[str]:
    """The fields in which a page in lower case says that a system decides."""
    found = find_field_words(text if text.count(" ") >= _LEAST_BLANKS else "")
    return frozenset(
        name
        for name in FIELDS
        if found.list_said(name, "own")
        and found.list_said(name, "decides")
        and len(found.list_said(name, "own") | found.list_said(name, "near")) >= _STEEPED
        and found.is_spoken_of(name, _TOLD_PER)
    )


_ANYWHERE = frozenset(
    ("staff", "colleague", "colleagues", "reviewer", "reviewers", "promotion", "promotions")
)
"""Words that agree with a field and are said in any house."""


def has_field_word(text: str) -> bool:
    """Whether a text in lower case speaks of a field at all."""
    return any(
        field.own.search(text) or set(field.near.findall(text)) - _ANYWHERE
        for field in FIELDS.values()
    )
