"""The fields of use of Annex III, and of Article 6(1), by the words in which systems speak of them.

No one word tells a field: something of it, a second thing of it and a decision must meet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from jurat.rating.texts.spellings import list_spellings
from jurat.rating.texts.terms import list_terms


@dataclass(frozen=True, slots=True)
class Field:
    """What is said in a field of use: `own` words tell it, `near` ones agree, `decides` is done."""

    own: re.Pattern[str]
    near: re.Pattern[str]
    decides: re.Pattern[str]


def _build_field(name: str, words: Mapping[str, str]) -> Field:
    """A field of three lists of words, those of rules/terms.yml among them."""
    own, near, decides = (
        _build_pattern((*words[part].split(), *list_terms(f"{name}.{part}")))
        for part in ("own", "near", "decides")
    )
    return Field(own, near, decides)


def _build_pattern(words: Iterable[str]) -> re.Pattern[str]:
    """An expression for words in which `_` is a blank and `*` any ending."""
    written = dict.fromkeys(spelt for word in words for spelt in list_spellings(word))
    choices = sorted(written, key=len, reverse=True)
    spelt = (re.escape(one).replace("_", r"[ _-]").replace(r"\*", r"\w*") for one in choices)
    return re.compile(rf"\b(?:{'|'.join(spelt)})\b")


_FIELDS = {
    "employment": {
        "own": """appraisal* performance_review* works_council* promotion_round* bewerb* lebenslauf
            lebensläufe personalauswahl embauche sollicitant* sollicitatie* jobbsøk* jobbsök*
            ansettelse*
            empleado* job_applica* applicant* cv cvs résumé* curriculum_vitae vacanc* recruit*
            hiring hire hires hired employee* job_candidate* job_seeker* shortlist* layoff* payroll
            workforce personnel roster* rota courier* gig_worker* warehouse_worker*
            talent headcount redundanc* probation_period overtime timesheet* freelancer*
            stellenanzeige* mitarbeiter* arbeitnehmer* job_advert* job_ad job_ads crowdworker*""",
        "near": """candidate* resume* interview* job jobs salary skills employer* shift shifts
            manager*
            colleague* staff promotion* reviewer* wage* productivity dismissal* warning*
            supervisor* vacancy team_lead* bonus* rider* driver* task_allocation""",
        "decides": """reject* invit* hire hired shortlist* scor* rank* fit suitab* promot* dismiss*
            screen* rate rated rating ratings decision* decid* assess* match* allocat* assign*
            deactivat* terminat* proposal*""",
    },
    "education": {
        "own": """schüler* prüfung* élève élèves étudiant* alumno* alumni* leerling* elever
            studenter
            eksamen
            student students pupil pupils essay* exam exams examination* examiner* admission*
            university school schools college gpa proctor* enrol* coursework dissertation*
            invigilat* learner* apprentic* lecturer* syllabus schoolwork tutor tutors
            abitur hausarbeit* rubric* matriculat* kindergarten faculty""",
        "near": """mark marks campus course* teacher* homework thesis class classroom grade grades
            seat
            seats lesson* assignment* answer_sheet* exam_script* semester term_paper*
            certificate* vocational training_place* webcam""",
        "decides": """grade graded grades grading grader mark marks marked marking admit* admission*
            fail fails failed scor* cheat* assess* proctor* decide* pass passed placement place
            offer offers reject* rank* misconduct plagiar* flag*""",
    },
    "credit": {
        "own": """kredit* darlehen sozialhilfe bürgergeld wohngeld versicherungsnehmer* prêt prêts
            aide_sociale aides_sociales préstamo* ayuda_social ayudas_sociales lening* bijstand*
            uitkering* sosialhjelp* sosialstøtte* stønad* trygd* kontanthjælp försörjningsstöd loan
            loans borrower* mortgage* creditworth* credit_scor* credit_risk credit_limit*
            credit_history lending lender* premium premiums insurance insurer* policyholder*
            underwrit* welfare claimant* eligibility arrears disconnection* payment_plan*
            social_housing evict* housing_benefit* unemployment_benefit* child_benefit*
            social_benefit* disability_benefit* housing_assistance social_assistance
            disability_allowance overdraft* instalment* installment* bnpl scorecard* affordability
            subsidy subsidies pension* pensioner* means_test* benefit_case*
            benefit_payment* on_benefit* benefits_office social_security social_services
            allowance* council_home* hardship
            entitlement*
            rental_assistance food_stamps care_allowance debtor* creditor* bureau_score
            life_insurance health_insurance sum_insured sozialwohnung* wohnungsamt* wohnungsvergabe*
            wohnberechtig* solvency savings_bank logement_social logements_sociaux vivienda_social
            alloggi_popolari
            sociale_huur*""",
        "near": """income debt debts credit applicant* claim claims policy policies benefit benefits
            household* repay* default defaults bank antrag* anträge søknad* søker* demande* aanvra*
            inntekt* husstand* haushalt* einkommen kommune* solicitud* rent tenant* caseworker*
            payslip* landlord* flat flats loan_application* benefit_application* waiting_list
            payout* tariff*""",
        "decides": """grant granted grants approv* declin* refus* deny denied eligib* price pricing
            prices premium premiums scor* default defaults rate rated rating decid* decision* award*
            suggest* priorit* bewillig* ablehn* entscheid* sorter* innvilg* avsl* toeken*
            entitled reject* admit* amount reihung* rangfolge* dringlich* zuteil* zuweis*
            vergabe*""",
    },
    "health": {
        "own": """patient patients patienten patientin* pasient* krankenhaus* befund* hôpita*
            ziekenhuis
            sykehus* triag* diagnos* tumor* tumour* radiolog* clinic clinics clinical clinician*
            emergency_department emergency_call* emergency_room ambulance* hospital* symptom* dicom
            ecg biops* sepsis acuity surgeon* surger* surgical melanoma mole moles patholog*
            glucose insulin infusion* chest_image*
            mammogra* oncolog* cardiolog* dermatolog* midwi* prescri* medication*
            comorbid* inpatient* outpatient* resus esi heart_rate spo2 resp_rate wards
            physiotherap* psychiatr* retinopath* nodule* fracture*""",
        "near": """film films x-ray* xray* reading_room reading_list effusion pleural dosing pain
            urgency
            complaint* nurse* doctor* physician* scan scans lesion* medical ward treatment* dose
            doses dosage call_taker* control_room crew crews dispatch* bed beds pulse systolic
            therapy vitals blood health drug drugs infus* reader readers clinic*""",
        "decides": """triag* diagnose diagnosed diagnosis urgen* risk detect* classif* level levels
            treat*
            recommend* tumor* tumour* prognos* priorit* severity discharg* refer refers referral*
            score scores suspicious dose doses finding findings""",
    },
    "migration": {
        "own": """asyl* aufenthalt* titre_de_séjour verblijfsvergunning* visa_appl* refugee*
            immigra*
            deport* residence_permit* border_control border_guard* visas consular* consulate*
            embass* naturali* migrant* border_post*""",
        "near": """claim claims interview* applicant* origin transcript* visa passport* border
            traveller*
            sponsor* country_of_origin dossier* application*""",
        "decides": """credib* grant* refus* reject* eligib* decision* risk approv* admit* overstay*
            scor*""",
    },
    "justice": {
        "own": """court courts defendant* plaintiff* parole magistrate* litigant* judicial lawsuit*
            sentenced sentencing tribunal* ballot* electorate voter voters polling_station*
            arbitrat* case_law bailiff*""",
        "near": """case cases law statute* evidence hearing* judge judges ruling* verdict*
            constituenc*
            campaign* election* precedent* party candidate*""",
        "decides": """rule rules ruling rulings verdict* sentencing recommend* decid* outcome*
            guilty
            persuad* sway* target* damages""",
    },
    "law_enforcement": {
        "own": """police suspect suspects offend offends offender* prosecut* criminal* crime
            crimes parole recidiv*
            inmate* detainee* offence* offense* arrest* convicted conviction* probation custody
            prison* juvenile theft burglar* detective* bodycam* wiretap* fugitive* felon*
            interrogat* crime_scene*""",
        "near": """officer* patrol* precinct* evidence victim* prior resident* people person persons
            violence analyst* dispatch* warrant* street* district* watchlist* watch_list*""",
        "decides": """predict* risk match* rank* likel* scor* assess* identif* probab* pair
            pairs""",
    },
    "critical_infrastructure": {
        "own": """substation* power_grid scada water_treatment water_works water_supply waterworks
            pumping_station* gas_pipeline* district_heating traffic_signal* traffic_light* railway*
            switchgear feeder* transformer_station* turbidity chlorine grid_operator*
            level_crossing* interlocking tap_changer* gas_network* power_plant*
            drinking_water megawatt* road_junction* volts mw""",
        "near": """valve* pump pumps pressure voltage load junction* breaker* grid tap outlet
            inlet ph
            dosing dose regulator* frequency heating green_time coagulant forecast*""",
        "decides": """setpoint* open opens close closed closing switch* shed* dispatch* control*
            phase
            phases move moves dose doses""",
    },
}

FIELDS = {name: _build_field(name, words) for name, words in _FIELDS.items()}
_STEM = 4
"""Letters by which words are told apart: who judges gives a judgment."""
_SAID_PER = 5_000
"""Characters for each word of a field's own: in a long text any word stands somewhere."""


@dataclass(frozen=True, slots=True)
class FieldWords:
    """What a text tells of fields: which field, which part of it, by which words and how often."""

    words: Mapping[tuple[str, str, str], int]
    size: int

    def list_said(self, field: str, part: str) -> frozenset[str]:
        """The things that are said of a part of a field: a word and what is made of it are one."""
        return _list_stems(
            word for name, where, word in self.words if (name, where) == (field, part)
        )

    def is_spoken_of(self, field: str, each: int = _SAID_PER) -> bool:
        """Whether a field is spoken of all along, once in so many characters, not in passing."""
        return self.count_own(field) * each >= self.size

    def count_own(self, field: str) -> int:
        """How often a field's own words are said."""
        return sum(n for (name, part, _), n in self.words.items() if (name, part) == (field, "own"))


_OF_OTHERS = re.compile(r"\bstudent (?:model|network|logits|loss)\b")
"""What sounds like a field and is none."""


def find_field_words(text: str) -> FieldWords:
    """What a text in lower case tells of each field of which it has a word."""
    found: Counter[tuple[str, str, str]] = Counter()
    text = _OF_OTHERS.sub("", text)
    for name, field in FIELDS.items():
        own = field.own.findall(text)
        if not own:
            continue
        found.update((name, "own", word) for word in own)
        found.update((name, "near", word) for word in field.near.findall(text))
        found.update((name, "decides", word) for word in field.decides.findall(text))
    return FieldWords(found, len(text))


BETWEEN = " ; "
"""Stands between two texts that are told as one: no word and no phrase goes on behind it."""


def find_joint_words(texts: Sequence[str]) -> FieldWords:
    """What several texts tell as one: the same as `find_field_words` of them with BETWEEN.

    Each is looked into once: what stands around one call of a model stands around many.
    """
    found: Counter[tuple[str, str, str]] = Counter()
    own = [_list_own_words(text) for text in texts]
    for name in FIELDS:
        if not any(name in said for said in own):
            continue
        found.update((name, "own", word) for said in own for word in said.get(name, ()))
        for part in ("near", "decides"):
            found.update((name, part, w) for text in texts for w in _list_other(text, name, part))
    size = sum(len(_OF_OTHERS.sub("", text)) for text in texts)
    return FieldWords(found, size + len(BETWEEN) * max(len(texts) - 1, 0))


@lru_cache(maxsize=16_384)
def _list_own_words(text: str) -> Mapping[str, Sequence[str]]:
    """The words of its own that a text says of each field."""
    text = _OF_OTHERS.sub("", text)
    said = {name: tuple(field.own.findall(text)) for name, field in FIELDS.items()}
    return {name: words for name, words in said.items() if words}


@lru_cache(maxsize=65_536)
def _list_other(text: str, name: str, part: Literal["near", "decides"]) -> Sequence[str]:
    pattern = FIELDS[name].near if part == "near" else FIELDS[name].decides
    return tuple(pattern.findall(_OF_OTHERS.sub("", text)))


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


_SOAKED, _DRENCHED = 8, 6
"""What a program and its pages say of the field that they are about: each thing of its own counts
twice, and once what agrees with it, or what is decided. Less will do if it is said again."""
_AGAIN = 4
_SOAKED_PER = 1_500
"""Characters of a program and its pages for each word of that field."""


def list_steeped(code: FieldWords, pages: FieldWords) -> frozenset[str]:
    """The fields that a program is about, by all that its code and its pages say together."""
    found = join_field_words((code, pages))
    return frozenset(
        name
        for name in FIELDS
        if code.list_said(name, "own")
        and found.list_said(name, "decides")
        and found.is_spoken_of(name, _SOAKED_PER)
        and _count_said(found, name) >= (_DRENCHED if found.count_own(name) >= _AGAIN else _SOAKED)
    )


def _count_said(found: FieldWords, field: str) -> int:
    own, near, done = (len(found.list_said(field, part)) for part in ("own", "near", "decides"))
    return 2 * own + near + done if own + near > 1 else 0


_AGREED = 3
"""Things that the code says in agreement with the field that its pages name."""


def list_agreed(code: str, pages: FieldWords) -> frozenset[str]:
    """The fields that a program's pages name with words of their own, and in which its code, in
    lower case, speaks of several things and decides, by other words or in another language.
    """
    return frozenset(
        name
        for name, field in FIELDS.items()
        if pages.list_said(name, "own")
        and pages.is_spoken_of(name, _SOAKED_PER)
        and len(_list_stems(field.near.findall(code)) | _list_stems(field.own.findall(code)))
        >= _AGREED
        and field.decides.search(code)
    )


def _list_stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.rstrip("s")[:_STEM] for word in words)


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
